"""LoadedQrels: what runs are scored by, from judgments in memory, a file of them, or a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np

from ragscore.dataset import Dataset, Qrels
from ragscore.dataset.judged_units import AnyUnit, judged_unit
from ragscore.dataset.projection import coverage_text
from ragscore.dataset.text_qrels import TextQrels
from ragscore.errors import ConfigError, DataError
from ragscore.files import expanded
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.qrels_file import SUFFIXES, read_qrels
from ragscore.formats.reading.column_names import QrelsFormat
from ragscore.formats.reading.lines import plain_name
from ragscore.messages import Message, _
from ragscore.scoring.inputs import AnyQrels, qrels_of

UNITS = {
    "units": _(
        "the judgments name units ({unit}): each unit ranks where its first passage does, and "
        "cutoffs count units (cutoff: units)"
    ),
    "passages": _(
        "the judgments name units ({unit}): a unit counts at its first passage, and cutoffs "
        "count passages (cutoff: passages)"
    ),
}
"""By what cutoffs count."""
EVIDENCE_ALONE = _(
    "evidence in documents is the ground truth: a chunk covers a need if it alone holds {share} "
    "of the characters of its evidence (coverage: {coverage})"
)
EVIDENCE_TOGETHER = _(
    "evidence in documents is the ground truth: a need is covered at the first rank where the "
    "chunks so far together hold {share} of the characters of its evidence (coverage: "
    "{coverage}, together: true)"
)


def judgment_notes(dataset: Dataset) -> Iterator[Message]:
    """What the judgments of a dataset name where that is not passages, and by which rule passages
    then count: units and what cutoffs count, evidence and how much of it a chunk has to hold."""
    units = dataset.qrels.units
    if units is not None:
        yield UNITS[units.unit.cutoff].given(**units.facts)
    if dataset.evidence is not None and dataset.chunkings is not None:
        rule = EVIDENCE_TOGETHER if dataset.together else EVIDENCE_ALONE
        yield rule.given(coverage=f"{dataset.coverage:g}", share=coverage_text(dataset.coverage))


def _by_evidence_alone(dataset: Dataset) -> bool:
    """Whether no passage is judged before documents are cut."""
    uncut = dataset.evidence is not None and dataset.chunkings is None
    return uncut and (dataset.corpus is None or not len(dataset.qrels))


class LoadedQrels:
    """Judgments, numbered or as text, whichever a run is scored with; a file is read once.

    Args:
        given: what :func:`~ragscore.scoring.score` takes, or how a dataset is read.
        unit: what the judgments of a dataset's folder name in place of passages.
        format: of a file of judgments; see :func:`~ragscore.formats.load_qrels`.

    Attributes:
        given: the same; the qrels of a dataset.
        dataset: the dataset, where it is one or the folder of one.
        name: of the dataset, or of the file; ``dataset`` for judgments in memory.
        unanswerable: ids of queries that have no answer; only a dataset knows them.
        n_passages: number of passages in the corpus, or of units; only a dataset knows it.

    Raises:
        DataError: a dataset's files are wrong.
        ConfigError: a unit, and no dataset; the format of a file, and none.
    """

    def __init__(
        self,
        given: AnyQrels | Dataset | DatasetSpec | str | Path,
        *,
        unit: AnyUnit | None = None,
        format: QrelsFormat = "auto",
    ) -> None:
        self.dataset: Dataset | None = None
        self.name = "dataset"
        self.unanswerable: frozenset[str] = frozenset()
        self.n_passages: int | None = None
        spec = given if isinstance(given, DatasetSpec) else None
        if isinstance(given, DatasetSpec):
            given = given.folder
        self._path = expanded(given) if isinstance(given, str | Path) else None
        self._format = format
        if format != "auto" and (self._path is None or self._path.is_dir()):
            raise ConfigError(
                "it is the format of a file of judgments, and these are none",
                where="format",
                instead="Leave it out",
            )
        if self._path is not None and (spec is not None or self._path.is_dir()):
            from ragscore.formats.datasets.dataset_loading import load_dataset

            given = load_dataset(spec or self._path, unit=judged_unit(unit))
        elif unit is not None:
            raise ConfigError(
                "a file of judgments does not say which unit a passage belongs to",
                where="unit",
                instead="Give the dataset's folder; a run of units needs no unit",
            )
        if isinstance(given, Dataset):
            self.dataset, self.name = given, given.name
            self.unanswerable = given.queries.unanswerable
            self.n_passages = given.n_judgeable
            given = given.qrels
        elif self._path is not None:
            self.name = plain_name(self._path, SUFFIXES)
        self.given = given

    @cached_property
    def _read(self) -> Qrels | TextQrels:
        given = self.given
        read = read_qrels(given, self._format) if isinstance(given, str | Path) else qrels_of(given)
        if self.dataset is not None and _by_evidence_alone(self.dataset):
            raise DataError(
                "evidence in documents is the ground truth, and nothing says which characters the "
                "passages of a run are",
                where=str(self._path or self.dataset.name),
                instead="Run the retriever in an experiment with chunk, or the file as kind: "
                "recorded beside a retriever whose chunk makes its passages",
            )
        if self._path is not None and not len(read):
            raise DataError("no judgment is here", where=str(self._path))
        return read

    @cached_property
    def numbered(self) -> Qrels:
        """The judgments over numbered passages."""
        return self._read.numbered() if isinstance(self._read, TextQrels) else self._read

    def notes(self) -> Iterator[Message]:
        """What the judgments name where that is not passages: see :func:`judgment_notes`."""
        if self.dataset is not None:
            yield from judgment_notes(self.dataset)

    @property
    def flat(self) -> bool:
        """Whether grades are all that there is, so that a run can be joined while it is read."""
        read = self._read
        if isinstance(read, TextQrels):
            return True
        others = (read.shared_needs, read.forbidden, read.spans, read.units)
        return all(part is None for part in others)

    @cached_property
    def as_text(self) -> TextQrels:
        """The judgments for the join with a run that is being read."""
        return self._read if isinstance(self._read, TextQrels) else TextQrels.of(self._read)

    def query_ids(self) -> list[str]:
        """Ids of the queries."""
        read = self._read
        return read.query_ids.to_list() if isinstance(read, TextQrels) else list(read.queries)

    def passage_ids(self) -> list[str]:
        """Ids of the judged passages; one that is judged for several queries may be repeated."""
        read = self._read
        if isinstance(read, TextQrels):
            return read.passages.to_list()
        return read.passages.texts(np.unique(read.rows))
