"""Reading what a report was built of, element by element."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any

from ragscore.elements import Cell, Details, Section, Table
from ragscore.messages import Text
from ragscore.report.model import Beside, Choice, Swap, Trust, WithoutScript
from ragscore.report.report import Report
from ragscore.results import DatasetResult
from ragscore.results.manifest import Manifest
from ragscore.scoring import Scores

Data = Callable[..., Report]
"""What gathers a kind of result: ``data_of(kind, language)``."""


def inside(element: Any) -> Iterator[Any]:
    """The element and all that it holds, every variant of it."""
    yield element
    held: list[Any] = []
    match element:
        case Section() | Details() | WithoutScript():
            held = list(element.elements)
        case Beside():
            held = [one for part in element.parts for one in part]
        case Swap():
            held = [one for variant in element.variants.values() for one in variant]
        case Trust():
            held = [one for item in element.items for one in item.detail]
    for one in held:
        yield from inside(one)


def in_english(notes: Iterable[Text]) -> tuple[str, ...]:
    """What notes on a dataset say."""
    return tuple(map(str, notes))


def section(report: Report, name: str, panel: int = 0) -> Section:
    return next(one for one in report.panels[panel].sections if one.id == name)


def tables(element: Any, name: str) -> list[Table]:
    return [one for one in inside(element) if isinstance(one, Table) and one.id == name]


def rows_of(table: Table) -> dict[Any, dict[str, Cell]]:
    """By the value of its first column: cells by column."""
    names = [column.name for column in table.columns]
    return {row[0].value: dict(zip(names, row, strict=True)) for row in table.rows}


def variants(report: Report, name: str) -> dict[Choice, tuple[Any, ...]]:
    """What the first place for choices of a section holds."""
    (found, *_) = [one for one in section(report, name).elements if isinstance(one, Swap)]
    return dict(found.variants)


def reordered(panel: DatasetResult, measure: str) -> Scores:
    """The scores of a panel with a measure listed first."""
    parts = []
    for entry in panel.scores.entries:
        first = next(one for one in entry.measures if str(one) == measure)
        order = [first, *(one for one in entry.measures if one != first)]
        at = [entry.measures.index(one) for one in order]
        parts.append(
            replace(
                entry,
                measures=tuple(order),
                resolved={one: one for one in order},
                values=entry.values[at],
            )
        )
    return Scores(tuple(parts))


def of_datasets(report: Report, *datasets: DatasetResult) -> Report:
    """The report of these datasets in place of the result's own."""
    return replace(report, result=report.result.holding(dataset_results=datasets))


def with_manifest(report: Report, manifest: Manifest) -> Report:
    """The report of a result that says this of itself."""
    parts = copy(report.result.parts)
    parts.manifest = manifest
    vars(parts).pop("retrievers", None)
    return replace(report, result=report.result.holding(parts=parts))
