"""What the items of the trust row are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragscore.elements import Cell, Column, Element, Level, Paragraph
from ragscore.messages import Text, _
from ragscore.report.model import TrustItem
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.results import DatasetResult

GOT_NOTHING = 0.05
"""Up to this share of queries without an answer, for whatever reason, is fair."""


def level_of(share: float, fair: float = GOT_NOTHING) -> Level:
    """Good for 0, fair up to a share."""
    return "good" if not share else "fair" if share <= fair else "poor"


def value_range(low: str, high: str) -> Text:
    """Two values as a range; one where both are the same."""
    return low if low == high else _("{low} to {high}", low=low, high=high)


def tabled_item(
    panel: DatasetResult,
    name: str,
    label: Text,
    value: Text,
    level: Level,
    table: tuple[Text, Iterable[Column], Mapping[str, Iterable[Cell]]],
    *says: Text,
    notes: Iterable[Text] = (),
) -> TrustItem:
    """An item that opens to a table of the retrievers (its title, columns and cells), what it
    means, and notes."""
    shown = retriever_table(named(panel, f"trust-{name}"), *table)
    texts = [*map(Paragraph, says), *(Paragraph(note, "note") for note in notes)]
    return trust_item(panel, name, label, value, level, shown, *texts)


def trust_item(
    panel: DatasetResult, name: str, label: Text, value: Text, level: Level, *detail: Element
) -> TrustItem:
    """An item that opens to its detail."""
    return TrustItem(label, value, level, detail, named(panel, f"trust-{name}"))
