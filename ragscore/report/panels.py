"""The head of a panel: facts of its dataset, choices, and which retrievers failed and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragscore.elements import Section
from ragscore.elements.model import all_elements
from ragscore.elements.numbers import count_text
from ragscore.messages import Message, Text, _, few_names, joined
from ragscore.names import MOST
from ragscore.report.model import Chosen, Swap
from ragscore.results import DatasetResult, Result


def head_facts(panel: DatasetResult) -> Iterator[tuple[Text, Text]]:
    """The facts beside the experiment's name: dataset, sizes, primary measure."""
    entry = panel.entry
    queries: Text = count_text(entry.queries)
    if unanswerable := entry.counts.get("unanswerable"):
        counts = {"queries": queries, "unanswerable": count_text(unanswerable)}
        queries = _("{queries} ({unanswerable} unanswerable)", **counts)
    yield _("Dataset"), panel.dataset
    yield _("Queries"), queries
    if entry.passages is not None:
        passages: Text = count_text(entry.passages)
        if entry.sample is not None:
            passages = entry.sample.size()
        yield _("Passages"), passages
    if units := entry.counts.get("units"):
        yield _("{Items}"), count_text(units)
    if panel.primary:
        yield _("Primary measure"), panel.labels[panel.primary]


def choices(panel: DatasetResult, sections: Iterable[Section]) -> Chosen:
    """What can be chosen: baselines and measures where a section has a place for each of them."""
    swaps = (element for element in all_elements(sections) if isinstance(element, Swap))
    found = [choice for swap in swaps for choice in swap.variants]
    by_baseline = any(choice.baseline is not None for choice in found)
    by_measure = any(choice.measure is not None for choice in found)
    return Chosen(
        panel.baselines if by_baseline else (),
        [(name, panel.labels[name]) for name in panel.primaries] if by_measure else (),
    )


def failure(retriever: str, error: object) -> Message:
    """Which retriever failed, and why."""
    return _("{retriever} failed: {error}", retriever=few_names((retriever,)), error=str(error))


def without_run(result: Result) -> Iterator[Message]:
    """The datasets without a run, each with the errors of its retrievers."""
    shown = {panel.dataset for panel in result}
    for dataset in result.datasets:
        if dataset in shown:
            continue
        yield _(
            "{dataset} is left out: no retriever has a run on it.", dataset=few_names((dataset,))
        )
        failures = [(name, e) for (where, name), e in result.failures.items() if where == dataset]
        for name, error in failures[:MOST]:
            if f"'{name}'" in str(error):
                yield joined([str(error)])
            else:
                yield failure(name, error)
        if len(failures) > MOST:
            yield _("And {count} more retrievers failed.", count=len(failures) - MOST)
