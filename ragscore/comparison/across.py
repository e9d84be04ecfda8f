"""Several datasets: each retriever on each of them and on average.

Datasets are never pooled: an average has no interval and no mark, and what is decided is decided on
one dataset.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ragscore.comparison.comparing import DatasetComparison, MeasureComparison
from ragscore.comparison.tables import (
    decided_mark,
    difference_words,
    drawn,
    mark_key,
)
from ragscore.comparison.verdict_text import FEW_NAMES, MANY_QUERIES
from ragscore.elements import Axis, Cell, Column, Element, Headline, Table
from ragscore.elements.cells import mean_cell, name_cell, number_cell, retriever_column
from ragscore.elements.numbers import count_text, number_text
from ragscore.elements.tables import table
from ragscore.messages import Text, _, counted, joined, listed

FEW, BEST = 8, 5
"""Above this many retrievers, so many of the best are shown at first, and the baseline."""


@dataclass(frozen=True)
class AcrossDatasets:
    """Retrievers on several datasets, by one measure.

    Attributes:
        comparisons: of each dataset.
        measured: the measure that decides, on each dataset.
        baseline: the retriever that the differences are to.
        averages: by retriever that all datasets have: the mean of its means; the best first.
        decided: the datasets on which the best on average is decided to be the best.
        open: those on which it may be the best.
        behind: those on which it is not, each with a retriever that is better there.
        unreadable: those whose ranking cannot be read.
    """

    comparisons: tuple[DatasetComparison, ...]
    measured: tuple[MeasureComparison, ...]
    baseline: str
    averages: Mapping[str, float]
    decided: tuple[str, ...]
    open: tuple[str, ...]
    behind: Mapping[str, str]
    unreadable: tuple[str, ...]

    @property
    def best(self) -> str:
        """The best on average."""
        return next(iter(self.averages))

    def elements(self) -> tuple[Element, ...]:
        """The card and the matrix."""
        return (across_headline(self), across_table(self))


def across_datasets(comparisons: Sequence[DatasetComparison]) -> AcrossDatasets | None:
    """What several datasets say together; None where they have no measure, baseline or retriever in
    common."""
    measured = [found.in_context for found in comparisons if found.in_context is not None]
    if len({str(found.label) for found in measured}) != 1 or len(measured) < len(comparisons):
        measured = [found.measures[0] for found in comparisons if found.measures]
    if len(measured) < 2 or len(measured) < len(comparisons):
        return None
    first, baseline = measured[0], comparisons[0].baseline
    names = [name for name in first.means if all(name in found.means for found in measured)]
    same = all(found.measure == first.measure for found in measured)
    if not names or not same or any(found.baseline != baseline for found in comparisons):
        return None
    means = {name: [found.means[name].value for found in measured] for name in names}
    sign = 1 if first.lower_is_better else -1
    averages = {name: math.fsum(values) / len(values) for name, values in means.items()}
    ranking = sorted(names, key=lambda name: (sign * round(averages[name], 12), name != baseline))
    best = ranking[0]
    standing = {found.dataset: found.verdict for found in comparisons}
    readable = {name: verdict for name, verdict in standing.items() if verdict.leader is not None}
    alone = [name for name, verdict in readable.items() if verdict.tied in ((), (best,))]
    decided = tuple(name for name in alone if readable[name].leader == best)
    tied = tuple(name for name in readable if name not in alone and best in readable[name].tied)
    behind = {name: str(v.leader) for name, v in readable.items() if name not in (*decided, *tied)}
    return AcrossDatasets(
        tuple(comparisons),
        tuple(measured),
        baseline,
        {name: averages[name] for name in ranking},
        decided,
        tied,
        behind,
        tuple(name for name in standing if name not in readable),
    )


def across_headline(found: AcrossDatasets) -> Headline:
    """The best on average, on which datasets that is decided, and on which it is open."""
    if found.unreadable:
        text = _(
            "the ranking cannot be read on {names}; the verdict there says why.",
            names=listed(found.unreadable),
        )
        return Headline("CHECK DATA", _("Not yet"), "poor", text)
    facts = {"A": found.best, "count": count_text(len(found.comparisons))}
    text = _(
        "Use {A}: best on average of {count} datasets, {M} {a}.",
        **facts,
        M=found.measured[0].label,
        a=number_text(found.averages[found.best]),
    )
    lines = [
        (_("Sure"), _sure(found)),
        (_("Open"), _open(found)),
        (_("To settle"), _to_settle(found)),
        (_("But"), _better_elsewhere(found)),
    ]
    shown = tuple((joined([name, ":"], ""), said) for name, said in lines if said)
    if len(found.decided) == len(found.comparisons):
        return Headline("CLEAR", _("Decided"), "good", text, shown)
    word = _("Partly decided") if found.decided else _("Not decided")
    return Headline("TIE", word, "fair", text, shown)


def _sure(found: AcrossDatasets) -> Text:
    """Where the best on average is decided to be the best, and whom it beats on every dataset."""
    best = found.best
    beaten = [
        {pair.other for pair in each.verdict.sure if pair.retriever == best}
        for each in found.comparisons
    ]
    everywhere = [name for name in found.averages if all(name in names for names in beaten)]
    parts: list[Text] = []
    if everywhere and len(everywhere) < len(found.averages) - 1:
        names = listed(everywhere, most=FEW_NAMES)
        parts.append(_("{A} beats {names} on every dataset", A=best, names=names))
    if found.decided:
        names = listed(found.decided, most=FEW_NAMES)
        parts.append(_("{A} beats all others on {names}", A=best, names=names))
    return joined([joined(parts, "; "), "."], "") if parts else _("nothing yet.")


def _open(found: AcrossDatasets) -> Text:
    """Which retriever may be as good as the best on average, and where."""
    datasets: dict[str, list[str]] = {}
    for each in found.comparisons:
        rival = each.verdict.rival
        if each.dataset in found.open and rival is not None:
            other = rival.other if rival.retriever == found.best else rival.retriever
            datasets.setdefault(other, []).append(each.dataset)
    parts = [
        _("{A} or {B} on {names}", A=found.best, B=other, names=listed(names, most=FEW_NAMES))
        for other, names in datasets.items()
    ]
    return joined([joined(parts[:FEW_NAMES], "; "), "."], "") if parts else ""


def _to_settle(found: AcrossDatasets) -> Text:
    """How many more questions each open dataset needs, where that is known and can be asked."""
    needed = [
        _("{n} on {dataset}", n=count_text(each.verdict.more or 0), dataset=each.dataset)
        for each in found.comparisons
        if each.dataset in found.open and 0 < (each.verdict.more or 0) <= MANY_QUERIES
    ]
    if not needed:
        return ""
    names = listed(needed, most=FEW_NAMES)
    return _("more questions, for a difference as large as seen: {names}.", names=names)


def _better_elsewhere(found: AcrossDatasets) -> Text:
    """What beats the best on average on a dataset."""
    names = [
        _("{A} on {dataset}", A=leader, dataset=dataset) for dataset, leader in found.behind.items()
    ]
    return _("better there: {names}.", names=listed(names)) if names else ""


def across_table(found: AcrossDatasets) -> Table:
    """The retrievers by datasets: the mean, and the difference to the baseline as a bar."""
    first = found.measured[0]
    differences = [drawn(each) for measured in found.measured for each in measured.differences]
    axis = Axis.over(differences, first.margin)
    average = Column("average", _("Average"), better="low" if first.lower_is_better else "high")
    made = table(
        "datasets",
        _("Retrievers by dataset: {measure}", measure=first.label),
        [
            (retriever_column(), name_cell),
            (average, lambda name: number_cell(found.averages[name])),
            *(_dataset(found, at, axis) for at in range(len(found.measured))),
        ],
        found.averages,
        [
            _(
                "Each mark compares a retriever with {baseline} on the same queries",
                baseline=found.baseline,
            )
        ],
    )
    compared = [pair for measured in found.measured for pair in measured.differences]
    key = mark_key(found.comparisons[0].family, first.margin, compared)
    return shortened(replace(made, key=tuple(key)), list(found.averages), found.baseline)


def _dataset(found: AcrossDatasets, at: int, axis: Axis) -> tuple[Column, Callable[[str], Cell]]:
    measured, comparison = found.measured[at], found.comparisons[at]
    against = {each.retriever: each for each in measured.differences}
    column = Column(
        comparison.dataset,
        comparison.dataset,
        better="low" if measured.lower_is_better else "high",
        axis=axis,
        opens=at,
    )

    def cell(name: str) -> Cell:
        mean = measured.means[name]
        shown = mean_cell(mean.value, mean, strong=measured.best == name, retriever=name)
        own = replace(shown, interval="")
        if name not in against or comparison.same(name, found.baseline):
            return own
        return replace(
            own,
            mark=decided_mark(against[name]),
            bar=drawn(against[name]),
            hint=difference_words(against[name]),
        )

    return column, cell


def shortened(made: Table, names: Sequence[str], baseline: str) -> Table:
    """The table of many retrievers: the best and the baseline are shown first."""
    if len(names) <= FEW:
        return made
    rest = tuple(at for at in range(BEST, len(names)) if names[at] != baseline)
    more = counted("{count} more retriever", "{count} more retrievers", len(rest))
    return replace(made, rest=rest, more=more)
