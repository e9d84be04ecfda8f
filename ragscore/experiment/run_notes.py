"""Notes of a run: what is odd about its data and its scores, each kept once."""

from __future__ import annotations

from collections.abc import Iterable

from ragscore.comparison import CompareOptions
from ragscore.dataset import Dataset
from ragscore.dataset.labels import labels
from ragscore.progress import Progress
from ragscore.results import Result
from ragscore.scoring import RetrieverScores
from ragscore.scoring.strings import STRINGS


class RunNotes(Progress):
    """Passes everything on, and keeps each note once.

    Args:
        shown: where stages and notes are shown.
    """

    def __init__(self, shown: Progress) -> None:
        self.shown = shown
        self.stage = shown.stage  # type: ignore[method-assign]
        self.kept: list[str] = []

    def note(self, text: str) -> None:
        """Keep a note and show it, unless it was kept before."""
        if text not in self.kept:
            self.kept.append(text)
            self.shown.note(text)


def note_data(dataset: Dataset, notes: Progress) -> None:
    """What is odd about a dataset, such as empty texts and ids that are taken as text."""
    blank = sum(not text.strip() for text in dataset.queries.texts)
    for count, what in (
        (dataset.counts.get("empty_passages", 0), "passages are empty"),
        (blank, "queries are empty"),
        (
            dataset.counts.get("missing_passages", 0),
            "judged passages are not in the corpus, and cannot be found",
        ),
        (dataset.counts.get("numeric_ids", 0), "ids are whole numbers, taken as text (ids: text)"),
    ):
        if count and dataset.corpus is not None:
            notes.note(f"{dataset.name}: {count:,} {what}")


def note_scores(entry: RetrieverScores, notes: Progress) -> None:
    """What makes the means of a retriever doubtful, such as queries that got nothing."""
    counts, where = entry.counts, f"{entry.dataset}, {entry.retriever}"
    if counts.empty or counts.missing:
        count = counts.empty + counts.missing
        notes.note(f"{where}: {count} of {counts.queries} queries got nothing; they score 0")
    if counts.without_relevant:
        notes.note(
            f"{entry.dataset}: {counts.without_relevant} of {counts.queries} queries have no "
            "relevant passage; they score 0"
        )
    strings = STRINGS.strings("en")
    for sentence in counts.unreached(entry.measures):
        notes.note(f"{entry.dataset}: {sentence.text_in(strings)}")
    if counts.duplicates:
        notes.note(
            f"{where}: {counts.duplicates} passages came back twice for a query; the first is kept"
        )


def check_keys(options: CompareOptions, datasets: Iterable[Dataset]) -> None:
    """Refuse a cluster or slice that the queries do not know, before anything is searched.

    Raises:
        ConfigError: no query of a dataset has such a tag or metadata.
    """
    for dataset in datasets:
        if options.cluster is not None:
            labels(dataset.queries, options.cluster, where=f"compare.cluster, {dataset.name}")
        for key in options.slices:
            labels(dataset.queries, key, where=f"compare.slices, {dataset.name}")


def note_comparison(result: Result, notes: Progress) -> None:
    """Compare the retrievers that have a run; what hinders that costs nothing that was scored."""
    for dataset, retriever in result.failures:
        notes.note(f"{dataset}: {retriever} failed and is left out of the comparison")
    for part in result:
        if (named := part.lacking_baseline) is not None:
            notes.note(f"{part.dataset}: the baseline {named} has no run; all pairs are compared")
        if part.not_compared is not None:
            notes.note(f"{part.dataset}: not compared: {part.not_compared}")
