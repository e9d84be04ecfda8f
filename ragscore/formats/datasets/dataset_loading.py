"""load_dataset: a dataset from its files, whatever their format."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from ragscore.cache import Cache
from ragscore.dataset import Dataset
from ragscore.dataset.located import UnplacedQuote
from ragscore.dataset.mappings import kind_of
from ragscore.errors import ConfigError, DataError, Problem, did_you_mean
from ragscore.formats.datasets.dataset_formats import FORMATS
from ragscore.formats.datasets.dataset_spec import DatasetChanges, DatasetSpec
from ragscore.formats.datasets.find import locate
from ragscore.formats.datasets.read import read_dataset
from ragscore.formats.document_formats.document_files import Reader
from ragscore.progress import SILENT, Progress


def load_dataset(
    path: str | Path | DatasetSpec,
    *,
    reader: Reader | None = None,
    cache: Cache | None = None,
    in_blocks: bool = False,
    pooled: Iterable[str] | None = None,
    progress: Progress = SILENT,
    **options: Unpack[DatasetChanges],
) -> Dataset:
    r"""Read a dataset and check all of it once.

    Args:
        path: its folder, or a DatasetSpec.
        reader: reads each file in the folder of documents, where these have other formats than
            .txt, .md and .html: a function of its path that returns its text, or a Document,
            whose id is then the file's; None if the file is no document.
        cache: where the passages are kept, where they are read in blocks; by default the user's.
        in_blocks: read the passages in blocks, so that their texts are never all in memory; those
            of a folder of files and those of a sampled corpus are in any case.
        pooled: ids of the passages that the pool of a sampled corpus keeps, which an experiment
            finds.
        options: the fields of :class:`DatasetSpec`, which say what each is: ``format``, ``name``,
            ``split``, ``allow_missing``, ``drop_self``, ``forbidden``, ``unit``, ``corpus``, the
            files (``passages``, ``queries``, ``ground_truth``, ``documents``), ``html``,
            ``columns``, ``encoding``, ``delimiter``, ``ids``, ``block``.
        progress: receives the bytes read, for large files.

    Raises:
        DataError: the files have problems; it lists up to 20 of them, and one of each file.
        ConfigError: an unknown format, or a name or value that is not allowed; a rule of
            ``forbidden`` that does not fit the metadata; a sample with a pool, and no ``pooled``.

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
    spec = dataset_spec(path, options)
    return _loaded(spec, reader, cache, in_blocks, pooled, progress)


def load_with_unplaced_quotes(
    path: str | Path | DatasetSpec,
) -> tuple[Dataset, list[UnplacedQuote]]:
    """A dataset without the evidence whose quote has no certain place, and that evidence.

    Raises:
        DataError, ConfigError: as for :func:`load_dataset`, but for such quotes.
    """
    unplaced: list[UnplacedQuote] = []
    return _loaded(dataset_spec(path, {}), unplaced=unplaced), unplaced


def _loaded(
    spec: DatasetSpec,
    reader: Reader | None = None,
    cache: Cache | None = None,
    in_blocks: bool = False,
    pooled: Iterable[str] | None = None,
    progress: Progress = SILENT,
    unplaced: list[UnplacedQuote] | None = None,
) -> Dataset:
    files = locate(spec)
    if reader is not None and (files.documents is None or not files.documents.is_dir()):
        raise ConfigError(
            "a reader reads the files of a folder, and the dataset has no folder of documents",
            where="reader",
            instead='Name it: documents="FOLDER"',
        )
    if pooled is None and spec.sample is not None and spec.sample.pool is not None:
        raise ConfigError(
            "a pool holds what retrievers of an experiment find in the whole corpus, and there is "
            "no experiment here",
            where="corpus.pool",
            instead="Leave the pool out, or run an experiment with this dataset",
        )
    return read_dataset(
        spec,
        files,
        progress,
        reader,
        cache=cache,
        in_blocks=in_blocks,
        pooled=pooled or (),
        unplaced=unplaced,
    )


def dataset_spec(path: str | Path | DatasetSpec, options: DatasetChanges) -> DatasetSpec:
    """The dataset at a path, or a spec, changed by the options that are not None.

    Raises:
        ConfigError: an unknown format, or a name or value that is not allowed.
    """
    if (format := options.get("format", "auto")) != "auto":
        FORMATS.load(format)
    given: dict[str, Any] = {
        option: value for option, value in options.items() if value is not None
    }
    if isinstance(path, DatasetSpec):
        return path.changed(**given)
    return DatasetSpec(path=str(path), **given)


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
    if "documents" in given:
        given = {"passages": None, **given}  # chunkers make them
    lacking = [name for name in parts if name not in given]
    if lacking:
        raise DataError(f"the {lacking[0].replace('_', ' ')} is missing", instead=accepted)
    return Dataset.from_rows(**given)


def check_dataset_files(spec: DatasetSpec) -> list[Problem]:
    """What is wrong with the files of a dataset, as far as their names tell; reads nothing."""
    try:
        locate(spec)
    except (ConfigError, DataError) as error:
        return list(error.problems)
    return []
