"""Notes of a run: what is odd about its data and its scores, each kept once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragscore.dataset import Dataset
from ragscore.dataset.incomplete import forbidden_outside, relevant_outside
from ragscore.dataset.text_columns import empty_texts
from ragscore.elements.numbers import bytes_text, count_text
from ragscore.executors.processes import peak_bytes
from ragscore.experiment.memory import memory_bytes
from ragscore.messages import Message, Text, _, counted, few_names
from ragscore.progress import Progress
from ragscore.results import Result
from ragscore.results.manifest import MemoryUse
from ragscore.retrievers.base import RetrieverSpec
from ragscore.scoring import RetrieverScores
from ragscore.scoring.loaded_qrels import judgment_notes
from ragscore.scoring.many_queries import many_queries_note
from ragscore.scoring.score_tables import GOT_NOTHING, WITHOUT_RELEVANT, duplicates_note
from ragscore.text import written_in


class RunNotes(Progress):
    """Passes everything on, and keeps each note once.

    Args:
        shown: where stages and notes are shown.
    """

    def __init__(self, shown: Progress) -> None:
        self.shown = shown
        self.stage = shown.stage  # type: ignore[method-assign]
        self.kept: list[Text] = []

    def note(self, text: Text) -> None:
        """Keep a note and show it, unless it was kept before."""
        if text not in self.kept:
            self.kept.append(text)
            self.shown.note(text)

    def note_on(self, dataset: str, note: Message) -> None:
        """Keep and show a note on a dataset."""
        self.note(_("{dataset}: {note}", dataset=dataset, note=note))


def note_data(dataset: Dataset, notes: RunNotes) -> None:
    """What judgments name, and what is odd about a dataset, such as empty texts, ids that are
    taken as text, and judged passages that no chunker made."""
    if dataset.sample is not None:
        notes.note_on(dataset.name, dataset.sample.note())
    elif count := dataset.counts.get("sample_of_all", 0):
        note = _(
            "the sample of {count} and the passages kept besides are the whole corpus: "
            "nothing is left out",
            count=count_text(count),
        )
        notes.note_on(dataset.name, note)
    for note in judgment_notes(dataset):
        notes.note_on(dataset.name, note)
    if dataset.corpus is None and dataset.documents is None:
        return
    for note in (*_odd_counts(dataset), *_outside(dataset)):
        notes.note_on(dataset.name, note)


def _odd_counts(dataset: Dataset) -> Iterator[Message]:
    """What is odd about the texts, ids and files of a dataset."""
    counts, units = dataset.counts, dataset.qrels.units
    if count := counts.get("empty_passages", 0):
        yield counted("1 passage is empty", "{count} passages are empty", count)
    if count := int(empty_texts(dataset.queries.texts).sum()):
        yield counted("1 query is empty", "{count} queries are empty", count)
    if units is None and (count := counts.get("missing_passages", 0)):
        yield counted(
            "1 judged passage is not in the corpus and cannot be found",
            "{count} judged passages are not in the corpus and cannot be found",
            count,
        )
    if units is not None and units.without:
        yield counted(
            "1 passage belongs to no unit and is treated as unjudged",
            "{count} passages belong to no unit and are treated as unjudged",
            units.without,
        )
    if count := counts.get("numeric_ids", 0):
        yield counted(
            "1 id is a whole number, read as text (ids: text)",
            "{count} ids are whole numbers, read as text (ids: text)",
            count,
        )
    if count := counts.get("skipped_files", 0):
        yield counted(
            "1 file in the folder of documents has another format and was not read",
            "{count} files in the folder of documents have other formats and were not read",
            count,
        )


def _outside(dataset: Dataset) -> Iterator[Message]:
    """Which judged units and passages no retriever can find."""
    if dataset.qrels.units is not None:
        if ids := dataset.missing_passages:
            yield counted(
                "1 judged unit has no passage in the corpus and cannot be found: {ids}",
                "{count} judged units have no passage in the corpus and cannot be found: {ids}",
                len(ids),
                ids=few_names(ids),
            )
    elif dataset.uncut is not None and dataset.corpus is not None:
        judged, chunks = dataset.uncut.qrels, dataset.corpus.ids
        if ids := forbidden_outside(judged, chunks):
            yield counted(
                "1 forbidden passage is not a chunk of any chunker and cannot be returned: {ids}",
                "{count} forbidden passages are not chunks of any chunker and cannot be "
                "returned: {ids}",
                len(ids),
                ids=few_names(ids),
            )
        if ids := relevant_outside(judged, chunks):
            yield counted(
                "1 relevant passage is not a chunk: evidence alone judges chunks, and its "
                "judgments do not count: {ids}",
                "{count} relevant passages are not chunks: evidence alone judges chunks, and their "
                "judgments do not count: {ids}",
                len(ids),
                ids=few_names(ids),
            )


def note_doubts(
    dataset: str, specs: Mapping[str, RetrieverSpec], texts: Sequence[str], notes: RunNotes
) -> None:
    """Which retrievers cannot read the language of the passages."""
    written = written_in(texts) if specs else None
    if written is None:
        return
    names: dict[Text, list[str]] = {}
    for name, spec in specs.items():
        doubt = spec.doubt(written)
        if doubt is not None:
            names.setdefault(doubt, []).append(name)
    for doubt, doubted in names.items():
        who = {"dataset": dataset, "retriever": ", ".join(doubted)}
        notes.note(_("{dataset}, {retriever}: {note}", **who, note=doubt))


def note_scores(entry: RetrieverScores, notes: RunNotes) -> None:
    """What makes the means of a retriever doubtful, such as queries that got nothing."""
    counts, n = entry.counts, count_text(entry.counts.queries)

    def note_on_run(note: Message) -> None:
        names = {"dataset": entry.dataset, "retriever": entry.retriever}
        notes.note(_("{dataset}, {retriever}: {note}", **names, note=note))

    if nothing := counts.empty + counts.missing:
        note_on_run(GOT_NOTHING.given(count=count_text(nothing), n=n))
    if counts.without_relevant:
        count = count_text(counts.without_relevant)
        notes.note_on(entry.dataset, WITHOUT_RELEVANT.given(count=count, n=n))
    for sentence in counts.unreached(entry.measures):
        notes.note_on(entry.dataset, sentence)
    if counts.duplicates:
        note_on_run(duplicates_note(counts.duplicates))
    if (many := many_queries_note(entry)) is not None:
        note_on_run(many)


def note_comparison(result: Result, notes: RunNotes) -> None:
    """Compare the retrievers that have a run, and note what keeps others out or prevents it."""
    for dataset, retriever in result.failures:
        notes.note_on(
            dataset, _("{retriever} failed and is left out of the comparison", retriever=retriever)
        )
    for part in result:
        for note in part.comparison_notes:
            notes.note_on(part.dataset, note)


def used_memory(budget: str, notes: RunNotes) -> MemoryUse:
    """The most memory that the process has used, which is noted where it is more than there was to
    be.

    Args:
        budget: as the experiment says it.
        notes: where it is noted.
    """
    peak = peak_bytes()
    if peak is not None and peak > memory_bytes(budget):
        notes.note(
            _(
                "the run used up to {peak} of memory, more than the {memory} it was given",
                peak=bytes_text(peak),
                memory=budget,
            )
        )
    return MemoryUse(budget=budget, peak_bytes=peak)
