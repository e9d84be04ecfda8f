"""What stands around sections: facts of a dataset, what can be chosen, what is missing and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragscore.elements import Section
from ragscore.elements.model import all_elements
from ragscore.elements.numbers import count_text, minute
from ragscore.names import MOST
from ragscore.report.model import Chosen, Swap
from ragscore.report.strings import STRINGS
from ragscore.results import DatasetResult, Result
from ragscore.strings import Names, Note, Strings


def head_facts(result: Result, panel: DatasetResult, strings: Strings) -> Iterator[tuple[str, str]]:
    """The facts beside the experiment's name: dataset, sizes, primary measure, when."""
    entry = panel.entry
    queries = count_text(entry.queries)
    if unanswerable := entry.counts.get("unanswerable"):
        counts = {"queries": queries, "unanswerable": count_text(unanswerable)}
        queries = strings("head_unanswerable", **counts)
    yield strings("head_dataset"), panel.dataset
    yield strings("head_queries"), queries
    if entry.passages is not None:
        passages = count_text(entry.passages)
        if entry.sample is not None:
            passages = entry.sample.size().text_in(strings)
        yield strings("head_passages"), passages
    if units := entry.counts.get("units"):
        yield strings("head_units"), count_text(units)
    yield strings("head_judgments"), count_text(entry.judgments)
    if panel.primary:
        yield strings("head_primary"), panel.labels[panel.primary]
    yield strings("head_created"), minute(result.manifest.created)


def choices(panel: DatasetResult, sections: Iterable[Section]) -> Chosen:
    """What can be chosen: baselines and measures where a section has a place for each of them."""
    swaps = (element for element in all_elements(sections) if isinstance(element, Swap))
    listed = [choice for swap in swaps for choice in swap.variants]
    by_baseline = any(choice.baseline is not None for choice in listed)
    by_measure = any(choice.measure is not None for choice in listed)
    return Chosen(
        panel.baselines if by_baseline else (),
        [(name, panel.labels[name]) for name in panel.primaries] if by_measure else (),
    )


def failure(retriever: str, error: object) -> Note:
    """Which retriever failed, and why."""
    return Note(STRINGS, "retriever_failed", retriever=Names((retriever,)), error=error)


def without_run(result: Result) -> Iterator[Note]:
    """The datasets without a run, each with the errors of its retrievers."""
    shown = {panel.dataset for panel in result}
    for dataset in result.datasets:
        if dataset in shown:
            continue
        yield Note(STRINGS, "result_no_run", dataset=Names((dataset,)))
        listed = [(name, e) for (where, name), e in result.failures.items() if where == dataset]
        for name, error in listed[:MOST]:
            if f"'{name}'" in str(error):
                yield Note(STRINGS, "result_error", error=error)
            else:
                yield failure(name, error)
        if len(listed) > MOST:
            yield Note(STRINGS, "result_more_failed", count=len(listed) - MOST)
