"""Sections as Markdown: comparison.md, and ``--format markdown``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragscore.comparison.sections import Section, printed


def as_markdown(sections: Iterable[Section], *, level: int = 2) -> str:
    """The sections; titles become headings, the first of ``level``, the others one deeper."""
    blocks: list[str] = []
    for at, section in enumerate(printed(list(sections))):
        if section.title:
            marks = "#" * (level if at == 0 else level + 1)
            blocks.append(f"{marks} {section.title}")
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
