"""convert: a dataset is written in another format, and what that format cannot hold is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, Unpack

from pydantic import Field

from ragscore.dataset import Dataset
from ragscore.described import in_short
from ragscore.elements import Element, Lines
from ragscore.elements.show import Shown
from ragscore.errors import ConfigError, DataError, Problem
from ragscore.files import expanded
from ragscore.formats.datasets.base import Writer
from ragscore.formats.datasets.dataset_formats import FORMATS
from ragscore.formats.datasets.dataset_loading import load_dataset
from ragscore.formats.datasets.dataset_spec import DatasetChanges, DatasetSpec
from ragscore.formats.datasets.held_parts import PARTS
from ragscore.formats.datasets.written import write_files
from ragscore.formats.reading.problems import shown
from ragscore.messages import Message, _, counted, joined
from ragscore.records import Record

LOST = {
    "titles": _("titles of passages: {count}"),
    "passage_tags": _("passages with tags: {count}"),
    "query_tags": _("queries with tags: {count}"),
    "odd_tags": _("tags that are empty, hold ; or begin or end with a blank: {count}"),
    "passage_metadata": _("passages with metadata: {count}"),
    "query_metadata": _("queries with metadata: {count}"),
    "line_breaks": _("questions whose TABs and line ends become spaces: {count}"),
    "unanswerable": _("queries marked as unanswerable: {count}"),
    "grades": _("grades above 0 that become 1: {count}"),
    "not_relevant": _("judgments of grade 0 or below: {count}"),
    "needs": _("queries whose needs become passages: {count}"),
    "forbidden": _("forbidden passages: {count}"),
    "documents": _("documents: {count}"),
    "evidence": _("evidence in documents: {count}"),
    "ids": _("ids of passages or documents, which become numbers: {count}"),
    "other_passages": _("relevant passages of a question besides its first: {count}"),
    "unplaced": _("queries without a relevant passage, which belong to no paragraph: {count}"),
    "order": _("the order of queries: {count} moved"),
    "forbidden_rules": _(
        "rules for forbidden passages, an option of the dataset (forbidden:): {count}"
    ),
    "unit": _("the dataset's option unit, which says that the judgments name units"),
    "coverage": _("the dataset's option coverage: how much of its evidence covers a need"),
    "together": _("the dataset's option together: true"),
    "sample": _("the fact that the passages are a sample of a larger corpus: no file says so"),
    "drop_self": _("the dataset's option drop_self: true"),
}
"""What a format may have no place for, by part of a dataset: see :data:`PARTS`."""


@dataclass(frozen=True)
class Converted(Record, Shown):
    """A dataset that was written in another format."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    folder: str
    """The folder that was written."""
    written_as: str
    """The format."""
    files: tuple[str, ...]
    """The files, by their names in the folder."""
    passages: int
    """Passages of the dataset."""
    queries: int
    """Its queries."""
    judgments: int
    """Its judged pairs of query and passage."""
    lost: Mapping[str, int]
    """How many things of each part the format has no place for; empty if nothing is lost."""

    def __repr__(self) -> str:
        lost = ", ".join(self.lost) or "nothing"
        return f"Converted({in_short(self.folder)}: {self.written_as}, lost: {lost})"

    def elements(self) -> list[Element]:
        """What ``ragscore convert`` prints."""
        lines = [
            _(
                "{folder}: {format} with {passages}, {queries} and {judgments} ({files}).",
                folder=self.folder,
                format=self.written_as,
                passages=counted("1 passage", "{count} passages", self.passages),
                queries=counted("1 query", "{count} queries", self.queries),
                judgments=counted("1 judgment", "{count} judgments", self.judgments),
                files=", ".join(self.files),
            ),
            (
                _("{format} cannot store these; they were dropped:", format=self.written_as)
                if self.lost
                else _("Nothing is lost: {format} can store all of it.", format=self.written_as)
            ),
        ]
        lines += [joined(["- ", _lost(part, n)], "") for part, n in self.lost.items()]
        return [Lines(tuple(lines))]


def _lost(part: str, count: int) -> Message:
    return LOST[part].given(count=f"{count:,}")


def convert(
    source: Dataset | str | Path | DatasetSpec,
    folder: str | Path,
    *,
    to: str = "jsonl",
    strict: bool = False,
    overwrite: bool = False,
    **options: Unpack[DatasetChanges],
) -> Converted:
    """Write a dataset in another format.

    Args:
        source: a Dataset, its folder, or a DatasetSpec.
        folder: where the files go; it is made where it does not exist.
        to: the format to write.
        strict: refuse to write what would lose something.
        overwrite: replace files that exist.
        options: how the source is read: the fields of :class:`DatasetSpec`, as for
            :func:`load_dataset`.

    Raises:
        ConfigError: the format is unknown or only read, or files exist.
        DataError: the source has problems; ids that the format cannot write; with ``strict``, a
            loss.
        DiskError: it cannot be written.

    >>> import tempfile
    >>> dataset = Dataset.from_rows({"a": "Rent is due."}, {"q": "When?"}, {"q": {"a": 2}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     convert(dataset, folder, to="beir").lost
    {}
    """
    folder = expanded(folder)
    writer = _writer(to)
    if isinstance(source, Dataset):
        if options:
            raise ConfigError(
                "options say how files are read, and this is a Dataset", where=next(iter(options))
            )
        dataset = source
    else:
        dataset = load_dataset(source, **options)
    lost = losses(dataset, writer)
    if lost and strict:
        raise DataError(
            Problem(
                f"it would be lost: {_lost(part, count).text()}",
                where=f"convert to {to}",
                instead="Choose jsonl, or leave --strict out" if not at else "",
            )
            for at, (part, count) in enumerate(lost.items())
        )
    if not len(dataset.qrels) and "evidence" not in writer.holds:
        raise DataError(
            f"no passage is judged, and {to} holds judgments of passages alone",
            instead="Choose jsonl, which holds evidence and needs",
        )
    files = list(writer.files(dataset))
    names = [name for name, _content in files]
    there = [name for name in names if (folder / name).exists()]
    if folder.exists() and not folder.is_dir():
        raise ConfigError("it is a file", where=shown(folder), instead="Name a folder")
    if there and not overwrite:
        raise ConfigError(
            f"files would be replaced: {', '.join(there)}",
            where=shown(folder),
            instead="Name another folder, or add --overwrite",
        )
    write_files(files, folder)
    return Converted(
        folder=shown(folder),
        written_as=to,
        files=tuple(names),
        passages=0 if dataset.corpus is None else len(dataset.corpus),
        queries=len(dataset.queries),
        judgments=len(dataset.qrels),
        lost=lost,
    )


def losses(dataset: Dataset, writer: Writer) -> dict[str, int]:
    """How many things of each part of a dataset a format would lose; parts that lose none are
    left out."""
    counts = {part: count(dataset) for part, count in PARTS.items() if part not in writer.holds}
    if "passage_tags" not in writer.holds and "query_tags" not in writer.holds:
        counts.pop("odd_tags", None)
    counts |= writer.lost(dataset)
    return {part: counts[part] for part in PARTS if counts.get(part)}


def _writer(name: str) -> Writer:
    writer: Writer | None = FORMATS.load(name).writer
    if writer is None:
        written = [own for own in FORMATS.own if FORMATS[own].writer is not None]
        raise ConfigError(
            f"the format {name} is only read", where="to", instead=f"Choose: {', '.join(written)}"
        )
    return writer
