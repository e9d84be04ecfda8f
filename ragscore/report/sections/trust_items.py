"""What the items of the trust row are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragscore.elements import Cell, Column, Element, Level, Paragraph
from ragscore.messages import Text, _
from ragscore.report.model import TrustItem
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.report.strings import STRINGS
from ragscore.results import DatasetResult

GOT_NOTHING = 0.05
"""A share of queries without an answer, of whatever cause, that is fair."""


def level_of(share: float, fair: float = GOT_NOTHING) -> Level:
    """Good where it is nothing, fair up to a share."""
    return "good" if not share else "fair" if share <= fair else "poor"


def value_range(report: Report, low: str, high: str) -> Text:
    """Two values as a range; one where both are the same."""
    return low if low == high else _("{low} to {high}", low=low, high=high)


def tabled_item(
    report: Report,
    panel: DatasetResult,
    name: str,
    value: Text,
    level: Level,
    columns: Iterable[Column],
    cells: Mapping[str, Iterable[Cell]],
    *says: Text,
    notes: Iterable[Text] = (),
    **facts: object,
) -> TrustItem:
    """An item that opens to a table of the retrievers, what it means, and notes."""
    id, title = named(panel, f"trust-{name}"), STRINGS(f"trust_{name}_title", **facts)
    table = retriever_table(id, title, columns, cells)
    texts = [*map(Paragraph, says), *(Paragraph(note, "note") for note in notes)]
    return trust_item(report, panel, name, value, level, table, *texts, **facts)


def trust_item(
    report: Report,
    panel: DatasetResult,
    name: str,
    value: Text,
    level: Level,
    *detail: Element,
    **facts: object,
) -> TrustItem:
    """An item that opens to its detail."""
    label = STRINGS(f"trust_{name}", **facts)
    return TrustItem(label, value, level, detail, named(panel, f"trust-{name}"))
