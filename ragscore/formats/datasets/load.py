"""load_dataset: a dataset from its files, whatever their format."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path

from ragscore.dataset import Dataset
from ragscore.dataset.columns import Columns, IdsAs
from ragscore.dataset.mappings import kind_of
from ragscore.errors import DataError, Problem, did_you_mean
from ragscore.formats.datasets.find import locate
from ragscore.formats.datasets.formats import FORMATS, FormatName
from ragscore.formats.datasets.read import read_dataset
from ragscore.formats.datasets.spec import DatasetSpec, EncodingName
from ragscore.progress import SILENT, Progress


def load_dataset(
    path: str | Path | DatasetSpec,
    *,
    format: FormatName = "auto",
    name: str | None = None,
    split: str | None = None,
    allow_missing: bool = False,
    drop_self: bool = False,
    passages: str | None = None,
    queries: str | None = None,
    ground_truth: str | None = None,
    columns: Columns | None = None,
    encoding: EncodingName = "utf-8",
    delimiter: str | None = None,
    ids: IdsAs = "strict",
    progress: Progress = SILENT,
) -> Dataset:
    r"""Read a dataset and check all of it once.

    Args:
        path: its folder; or a DatasetSpec, which holds all other arguments too.
        format: a name in :data:`FORMATS`, or ``auto`` to recognise it by the file names.
        name: name in tables and files; by default the folder's.
        split: beir: which file of ``qrels/``; by default ``test``, or the only file.
        allow_missing: count judgments of passages that the corpus lacks, instead of refusing.
        drop_self: drop a passage whose id is the query's from every run.
        passages, queries, ground_truth: file names, where they are not the usual ones.
        columns: csv, tsv, parquet: names of the columns.
        encoding: of text files that do not begin with a byte-order mark.
        delimiter: csv, tsv: the character between columns; by default a comma, TAB in ``.tsv``.
        ids: ``text`` takes ids that JSON writes as whole numbers as text, and counts them.
        progress: is notified of the bytes read, for large files.

    Raises:
        DataError: the files have problems; it lists up to 20 of them.
        ConfigError: an unknown format.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, row in (
    ...         ("passages", '{"id": "p1", "text": "Rent is due on the first."}'),
    ...         ("queries", '{"id": "q1", "text": "When is rent due?"}'),
    ...         ("ground_truth", '{"query_id": "q1", "passages": {"p1": 1}}'),
    ...     ):
    ...         _ = Path(folder, f"{name}.jsonl").write_text(row)
    ...     load_dataset(folder, name="rent")
    Dataset('rent': 1 passages, 1 queries, 1 judgments)
    """
    if isinstance(path, DatasetSpec):
        spec = path
    else:
        if format != "auto":
            FORMATS.load(format)
        spec = DatasetSpec(
            path=str(path),
            format=format,
            name=name,
            split=split,
            allow_missing=allow_missing,
            drop_self=drop_self,
            passages=passages,
            queries=queries,
            ground_truth=ground_truth,
            columns=columns or Columns(),
            encoding=encoding,
            delimiter=delimiter,
            ids=ids,
        )
    return read_dataset(spec, locate(spec), progress)


def dataset_from(given: object, progress: Progress = SILENT) -> Dataset:
    """A dataset from a Dataset, a path, a spec, or the arguments of :meth:`Dataset.from_rows`.

    Raises:
        DataError: it is none of them, or what it holds is wrong.
    """
    if isinstance(given, Dataset):
        return given
    if isinstance(given, str | Path | DatasetSpec):
        return load_dataset(given, progress=progress)
    parts = ("passages", "queries", "ground_truth")
    accepted = (
        'Give a Dataset, the path of one, or {"passages": ..., "queries": ..., "ground_truth": ...}'
    )
    if not isinstance(given, Mapping):
        raise DataError(f"{kind_of(given)} where a dataset is expected", instead=accepted)
    allowed = [*parts, *(inspect.signature(Dataset.from_rows).parameters.keys() - parts)]
    for name in given:
        if name not in allowed:
            hint = did_you_mean(str(name), sorted(allowed))
            raise DataError(f"{name!r}: unknown part of a dataset", instead=hint)
    lacking = [name for name in parts if name not in given]
    if lacking:
        raise DataError(f"the {lacking[0].replace('_', ' ')} is missing", instead=accepted)
    return Dataset.from_rows(**given)


def check_dataset_files(spec: DatasetSpec) -> list[Problem]:
    """What is wrong with the files of a dataset, as far as their names tell; reads nothing."""
    try:
        locate(spec)
    except DataError as error:
        return list(error.problems)
    return []
