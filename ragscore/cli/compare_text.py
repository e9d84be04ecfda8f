"""Sections of a comparison as a terminal shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ragscore.cli.tables import aligned

if TYPE_CHECKING:
    from ragscore.comparison.sections import Section


def as_text(sections: Iterable[Section]) -> str:
    """The sections, a blank line between them; what they say first stands on the first line."""
    from ragscore.comparison.sections import printed

    return "\n\n".join("\n".join(_lines(section)) for section in printed(list(sections)))


def _lines(section: Section) -> list[str]:
    table = aligned(section.header, section.rows) if section.rows else []
    title = [section.title] if section.title else []
    return [*title, *section.before, *table, *section.after]
