"""What is said first: the answer to the question that the experiment asked.

A gate asks whether a build may ship, a sweep which settings are best, an earlier result what became
better or worse, several datasets which retriever is best on all of them. Which retriever is best on
one dataset comes below.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import ragscore.sweeps
from ragscore.comparison.across import across_datasets
from ragscore.comparison.comparing import DatasetComparison
from ragscore.elements import Element, Lines, Section
from ragscore.gate.record import GateResult, read_gate
from ragscore.gate.text import gate_headline
from ragscore.messages import _
from ragscore.results import Result


def headlines(
    gated: GateResult | None = None,
    sweeps: Sequence[ragscore.sweeps.SweepResult] = (),
    since: Iterable[Element] = (),
    datasets: Sequence[DatasetComparison] = (),
    *,
    ranked: bool = True,
) -> tuple[Element, ...]:
    """The headlines in the order of the questions.

    Args:
        gated: what the gate says; None if there is none.
        sweeps: what was found on each dataset; empty if nothing was swept.
        since: what became better or worse since an earlier result.
        datasets: the comparisons of several datasets.
        ranked: whether the retrievers are compared below.
    """
    found: list[Element] = [] if gated is None else [gate_headline(gated)]
    for swept in sweeps:
        headline = ragscore.sweeps.sweep_headline(swept)
        found.append(Section("sweep", swept.dataset, (headline,)) if sweeps[1:] else headline)
    found += since
    if found and ranked:  # a ranking answers another question than those above
        found.append(Lines((), _("Another question: which retriever is best now")))
    across = across_datasets(datasets)
    return (*found, *(() if across is None else across.elements()))


def headlines_of(result: Result) -> tuple[Element, ...]:
    """Those of a result, in a terminal."""
    compared = result.compared
    return headlines(
        read_gate(result),
        result.sweeps,
        datasets=() if compared is None else compared.datasets,
        ranked=compared is not None,
    )
