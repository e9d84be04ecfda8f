"""What a number of queries can detect, as values, JSON and elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.comparison.record import ALPHA
from ragscore.elements import Column, Element, Lines, Table
from ragscore.elements.cells import count_cell, nothing, number_cell, share_cell, text_cell
from ragscore.elements.numbers import count_text, number_text, plain_number
from ragscore.elements.show import Shown
from ragscore.messages import Text, _, counted
from ragscore.records import Record
from ragscore.stats.few_differ import TOO_FEW

POWER = 0.8


@dataclass(frozen=True)
class Spread(Record):
    """How widely the differences of one pair spread, and what follows from it."""

    of: Text
    """Two retrievers, or a kind of pair."""
    sd: float
    """Standard deviation of the per-query differences; with clusters that of a cluster's share in
    the mean."""
    units: int
    """Queries that were compared, or clusters where there are some."""
    detectable: float | None
    """The smallest true difference that is detected with 80 % power; null if it is not
    estimable."""
    needed: dict[str, int | None]
    """By difference, how many queries detect it with 80 % power; null for more than ten million."""
    power: float | None
    """The chance of detecting ``difference`` with these queries."""


@dataclass(frozen=True)
class DatasetPower(Record):
    """What the queries of one dataset can detect."""

    dataset: str
    """Name of the dataset."""
    queries: int
    """Queries that are judged and answerable."""
    clusters: int | None
    """Clusters that they form; null if queries are independent."""
    measure: Text
    """The measure of the differences; a phrase where an sd was given for a dataset."""
    comparisons: int
    """Comparisons in the family; alpha is divided by their number."""
    alpha: float
    """The level of each comparison after the division."""
    difference: float | None
    """The difference whose power is computed."""
    spreads: tuple[Spread, ...]
    """The spread of each pair or kind of pair."""
    notes: tuple[Text, ...]
    """Where the spread comes from, and what was left out."""


@dataclass(frozen=True)
class Power(Record, Shown):
    """What the queries of each dataset can detect; ``str`` is what ``ragscore power`` prints."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    power: float = field(default=POWER, init=False)
    """The chance at which a difference counts as detectable."""
    datasets: tuple[DatasetPower, ...]
    """One or several."""

    def elements(self) -> list[Element]:
        """What ``ragscore power`` prints."""
        return [element for dataset in self.datasets for element in _elements(dataset)]


def _elements(power: DatasetPower) -> Iterator[Element]:
    """What the queries of one dataset can detect, the answer first."""
    yield Lines((_answer(power), _head(power)))
    if power.spreads:
        yield _table(power)
    notes = list(power.notes)
    if power.spreads and power.spreads[0].needed:
        notes.insert(
            0,
            _(
                "queries for D: with this many queries, 4 of 5 such experiments detect a true "
                "difference of D (80 % power); if the true difference is 0, a third of the "
                "experiments still cannot show that it is smaller than D"
            ),
        )
    if notes:
        yield Lines(tuple(notes))


def _answer(power: DatasetPower) -> Text:
    known = [spread.detectable for spread in power.spreads if spread.detectable is not None]
    judged = _counted(power)
    if power.queries < 2:
        return _("With {counted} nothing can be shown: judge at least 2.", counted=judged)
    if not known:
        if power.clusters is None:
            return _(
                "Nothing can be planned from these: no two retrievers differ on more than {few} "
                "queries.",
                few=TOO_FEW,
            )
        return _(
            "Nothing can be planned from these: no two retrievers differ on more than {few} "
            "clusters.",
            few=TOO_FEW,
        )
    low, high = number_text(min(known)), number_text(max(known))
    span = low if low == high else _("{low} to {high}", low=low, high=high)
    if len(known) == 1:
        return _(
            "With {counted} you can detect a difference of at least {span} (80 % power).",
            counted=judged,
            span=span,
        )
    return _(
        "With {counted} you can detect a difference of at least {span} (80 % power), "
        "depending on how much two retrievers differ query by query.",
        counted=judged,
        span=span,
    )


def _head(power: DatasetPower) -> Text:
    facts = {
        "dataset": power.dataset,
        "counted": _counted(power),
        "measure": power.measure,
        "alpha": plain_number(ALPHA),
    }
    if power.comparisons == 1:
        return _(
            "{dataset}: {counted}, {measure}, 1 comparison, two-sided paired t at {alpha}", **facts
        )
    return _(
        "{dataset}: {counted}, {measure}, {comparisons} comparisons, two-sided "
        "paired t at {alpha}/{comparisons}",
        comparisons=power.comparisons,
        **facts,
    )


def _counted(power: DatasetPower) -> Text:
    judged = counted("1 judged query", "{count} judged queries", power.queries)
    if power.clusters is None:
        return judged
    return _(
        "{counted} in {clusters} clusters", counted=judged, clusters=count_text(power.clusters)
    )


def _table(power: DatasetPower) -> Table:
    wanted = tuple(power.spreads[0].needed)
    columns = [
        Column("pair", _("pair"), "text"),
        Column("sd", _("sd")),
        Column("detectable", _("detectable"), better="low"),
    ]
    if power.difference is not None:
        difference = plain_number(power.difference)
        columns.append(
            Column(f"power for {difference}", _("power for {difference}", difference=difference))
        )
    columns += [
        Column(f"queries for {difference}", _("queries for {difference}", difference=difference))
        for difference in wanted
    ]
    rows = []
    for spread in power.spreads:
        row = [
            text_cell(spread.of),
            number_cell(spread.sd),
            nothing(_("not estimable"))
            if spread.detectable is None
            else number_cell(spread.detectable),
        ]
        if power.difference is not None:
            row.append(share_cell(spread.power))
        row += [
            nothing(_("too many")) if needed is None else count_cell(needed)
            for needed in spread.needed.values()
        ]
        rows.append(tuple(row))
    return Table("power", "", tuple(columns), tuple(rows))


def power_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore power --format json`` prints."""
    return Power.json_schema("ragscore power")
