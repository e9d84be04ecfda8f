"""Sections of a comparison as a terminal shows them, and as Markdown (comparison.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ragscore.comparison.sections import Section, brief, printed
from ragscore.scoring.tables import aligned

if TYPE_CHECKING:
    from ragscore.comparison.model import Comparison


def brief_text(comparison: Comparison, style: str = "table", *, named: bool | None = None) -> str:
    """The verdict and the differences on the primary measure, of each dataset.

    Args:
        comparison: of one or several datasets.
        style: ``table`` or ``markdown``.
        named: whether to name the datasets; by default where there are several.
    """
    show = as_markdown if style == "markdown" else as_text
    several = len(comparison.datasets) > 1 if named is None else named
    return "\n\n".join(
        show(brief(one, comparison.options, named=several)) for one in comparison.datasets
    )


def as_text(sections: Iterable[Section]) -> str:
    """The sections, a blank line between them; the verdict's first line stands first."""
    return "\n\n".join("\n".join(_lines(section)) for section in printed(list(sections)))


def _lines(section: Section) -> Iterator[str]:
    if section.title:
        yield section.title
    yield from (f"{word} {text}" for word, text in section.labelled)
    yield from section.before
    if section.rows:
        yield from aligned(section.header, section.rows)
    yield from section.after


def as_markdown(sections: Iterable[Section], *, level: int = 2) -> str:
    """The sections; titles become headings, the first of ``level``, the others one deeper."""
    blocks: list[str] = []
    for at, section in enumerate(printed(list(sections))):
        if section.title:
            marks = "#" * (level if at == 0 else level + 1)
            blocks.append(f"{marks} {section.title}")
        blocks += [f"**{word}** {text}" for word, text in section.labelled]
        blocks += section.before
        if section.rows:
            blocks.append("\n".join(_table(section)))
        # A line that explains a mark is no item of a list.
        blocks += ["\\" + line if line.startswith("* ") else line for line in section.after]
    return "\n\n".join(blocks)


def _table(section: Section) -> Iterator[str]:
    yield _row(section.header)
    yield _row(("---", *["---:"] * (len(section.header) - 1)))
    for row in section.rows:
        yield _row(row)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
