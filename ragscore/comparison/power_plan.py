"""What a number of queries can detect, as values, JSON and elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, PlainSerializer

from ragscore.comparison.model import ALPHA
from ragscore.comparison.strings import STRINGS
from ragscore.elements import Column, Element, Lines, Table, as_text
from ragscore.elements.cells import count_cell, nothing, number_cell, share_cell, text_cell
from ragscore.elements.numbers import count_text, number_text, plain_number
from ragscore.records import Record, json_property
from ragscore.stats.few_differ import TOO_FEW
from ragscore.strings import Language, Sentence, Strings

POWER = 0.8


@dataclass(frozen=True)
class Spread(Record):
    """How widely the differences of one pair spread, and what follows from it."""

    pair: Annotated[Sentence, Field(exclude=True)]
    """Two retrievers, or a kind of pair."""
    sd: float
    """Standard deviation of the per-query differences; with clusters that of a cluster's share in
    the mean."""
    units: int
    """Queries that were compared, or clusters where there are some."""
    detectable: float | None
    """The smallest true difference that is detected with 80 % power; null where it is not
    estimable."""
    needed: dict[str, int | None]
    """By difference, how many queries detect it with 80 % power; null for more than ten million."""
    power: float | None
    """The chance of detecting ``difference`` with these queries."""

    @json_property
    def of(self) -> str:
        """The pair in words."""
        return self.pair.text_in(STRINGS.strings("en"))


@dataclass(frozen=True)
class DatasetPower(Record):
    """What the queries of one dataset can detect."""

    dataset: str
    """Name of the dataset."""
    queries: int
    """Queries that are judged and answerable."""
    clusters: int | None
    """Clusters that they form; null where queries are independent."""
    measure: Annotated[
        str | None,
        PlainSerializer(
            lambda measure: measure or STRINGS.strings("en")("given_sd_measure"), return_type=str
        ),
    ]
    """The measure of the differences; None where an sd was given for a dataset."""
    comparisons: int
    """Comparisons in the family; alpha is divided by their number."""
    alpha: float
    """The level of each comparison after the division."""
    difference: float | None
    """The difference whose power is computed."""
    spreads: tuple[Spread, ...]
    """The spread of each pair or kind of pair."""
    remarks: Annotated[tuple[Sentence, ...], Field(exclude=True)]
    """Where the spread comes from, and what was left out; ``notes`` has their texts."""

    @json_property
    def notes(self) -> tuple[str, ...]:
        """Where the spread comes from, and what was left out."""
        strings = STRINGS.strings("en")
        return tuple(remark.text_in(strings) for remark in self.remarks)


@dataclass(frozen=True)
class Power(Record):
    """What the queries of each dataset can detect; ``str`` is what ``ragscore power`` prints."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    power: float = field(default=POWER, init=False)
    """The chance at which a difference counts as detectable."""
    datasets: tuple[DatasetPower, ...]
    """One or several."""

    def __str__(self) -> str:
        return as_text(self.elements())

    def elements(self, language: Language = "en") -> list[Element]:
        """What ``ragscore power`` prints."""
        strings = STRINGS.strings(language)
        return [element for dataset in self.datasets for element in _elements(dataset, strings)]


def _elements(power: DatasetPower, strings: Strings) -> Iterator[Element]:
    """What the queries of one dataset can detect, the answer first."""
    yield Lines((_answer(power, strings), _head(power, strings)))
    if power.spreads:
        yield _table(power, strings)
    notes = [remark.text_in(strings) for remark in power.remarks]
    if power.spreads and power.spreads[0].needed:
        notes.insert(0, strings("power_needed"))
    if notes:
        yield Lines(tuple(notes))


def _answer(power: DatasetPower, strings: Strings) -> str:
    known = [spread.detectable for spread in power.spreads if spread.detectable is not None]
    counted = _counted(power, strings)
    if power.queries < 2:
        return strings("power_nothing", counted=counted)
    if not known:
        clustered = "" if power.clusters is None else "_clusters"
        return strings(f"power_none_differ{clustered}", few=TOO_FEW)
    low, high = number_text(min(known)), number_text(max(known))
    return strings(
        "power_detects" if len(known) == 1 else "power_detects_several",
        counted=counted,
        span=low if low == high else strings("power_span", low=low, high=high),
    )


def _head(power: DatasetPower, strings: Strings) -> str:
    return strings(
        "power_head" if power.comparisons > 1 else "power_head_one",
        dataset=power.dataset,
        counted=_counted(power, strings),
        measure=power.measure or strings("given_sd_measure"),
        alpha=plain_number(ALPHA),
        comparisons=power.comparisons,
    )


def _counted(power: DatasetPower, strings: Strings) -> str:
    judged = strings.counted("power_counted", power.queries)
    if power.clusters is None:
        return judged
    return strings("power_counted_clusters", counted=judged, clusters=count_text(power.clusters))


def _table(power: DatasetPower, strings: Strings) -> Table:
    wanted = tuple(power.spreads[0].needed)
    columns = [
        Column("pair", strings("column_power_pair"), "text"),
        Column("sd", strings("column_sd")),
        Column("detectable", strings("column_power_detectable"), better="low"),
    ]
    if power.difference is not None:
        difference = plain_number(power.difference)
        columns.append(
            Column(f"power for {difference}", strings("column_power_for", difference=difference))
        )
    columns += [
        Column(f"queries for {difference}", strings("column_queries_for", difference=difference))
        for difference in wanted
    ]
    rows = []
    for spread in power.spreads:
        row = [
            text_cell(spread.pair.text_in(strings)),
            number_cell(spread.sd),
            nothing(strings("not_estimable"))
            if spread.detectable is None
            else number_cell(spread.detectable),
        ]
        if power.difference is not None:
            row.append(share_cell(spread.power))
        row += [
            nothing(strings("too_many")) if needed is None else count_cell(needed)
            for needed in spread.needed.values()
        ]
        rows.append(tuple(row))
    return Table("power", "", tuple(columns), tuple(rows))


def power_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore power --format json`` prints."""
    return Power.json_schema("ragscore power")
