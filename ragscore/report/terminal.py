"""The report in a terminal: the same sections, without charts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ragscore.report.contents import static
from ragscore.report.model import (
    Block,
    Cell,
    Code,
    Details,
    Facts,
    Figure,
    Headline,
    Level,
    Paragraph,
    Table,
    Trust,
)
from ragscore.report.plain import one_line, plain

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

    from ragscore.report.build import Report

STYLES: dict[Level, str] = {
    "good": "bold green",
    "fair": "bold yellow",
    "poor": "bold red",
    "plain": "bold",
}
"""By level, for the verdict, the trust row and cells."""
LONGEST = 60
"""Texts in tables fold at so many cells of a terminal."""
NARROWEST = 24
"""And where there is no room for that, at no fewer than these."""
GAP = 2


def show(report: Report, console: Console) -> None:
    """Print the report.

    Args:
        report: what is shown; of each choice what stands first. What opens on a page is shown
            where its section was asked for by name.
        console: where; tables that are wider than it go on underneath.
    """
    from rich.text import Text

    opened = report.data.options.sections is not None
    console.print(Text(one_line(report.title), style="bold reverse"))
    if report.data.description.strip():
        console.print(Text(one_line(report.data.description), style="dim"))
    for note in report.notes:
        console.print()
        console.print(Text(one_line(note), style="bold yellow"))
    for panel in report.panels:
        console.print()
        facts = (f"{one_line(label)} {one_line(value)}" for label, value in panel.facts)
        said = ", ".join(facts) or one_line(panel.dataset)
        console.print(Text(said, style="bold" if len(report.panels) > 1 else ""))
        for section in panel.sections:
            if section.title:
                console.print()
                console.print(Text(one_line(section.title), style="bold underline"))
            for printed in _printed(section.blocks, console, opened=opened):
                console.print()
                console.print(printed)
            closed = sum(map(_closed, static(section.blocks)))
            if closed and not opened:
                more = report.data.words("terminal_closed", count=closed, name=section.id)
                console.print()
                console.print(Text(more, style="dim"))


def _closed(block: Block) -> int:
    """How much of a block opens."""
    return len(block.items) if isinstance(block, Trust) else int(isinstance(block, Details))


def _printed(
    blocks: Iterable[Block], console: Console, *, opened: bool
) -> Iterator[RenderableType]:
    for block in static(blocks):
        if opened or not isinstance(block, Details):
            yield from PRINTERS[type(block)](block, console)
        if opened and isinstance(block, Trust):
            yield from _trust_details(block, console)


def _paragraph(block: Paragraph, console: Console) -> Iterator[RenderableType]:
    from rich.text import Text

    style = {"plain": "", "note": "dim", "warning": "bold yellow"}[block.kind]
    yield Text(one_line(block.text), style=style)


def _facts(block: Facts, console: Console) -> Iterator[RenderableType]:
    yield _pairs(block.rows)


def _pairs(rows: Iterable[tuple[str, str]], styles: Sequence[str] = ()) -> RenderableType:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=(0, GAP, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for at, (label, value) in enumerate(rows):
        style = styles[at] if styles else ""
        grid.add_row(Text(one_line(label)), Text(one_line(value), style=style))
    return grid


def _code(block: Code, console: Console) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    text = plain(block.text.replace("\r\n", "\n").replace("\r", "\n")).rstrip()
    yield Padding(Text(text, style="dim", overflow="fold"), (0, 0, 0, 2))


def _table(block: Table, console: Console) -> Iterator[RenderableType]:
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(one_line(block.title), style="bold")] if block.title else []
    heads = [one_line(column.head) for column in block.columns]
    rows = [[_cell(cell) for cell in row] for row in block.rows]
    parts += _grids(block, heads, rows, console.width)
    parts += [Text(one_line(note), style="dim") for note in block.notes]
    yield Group(*parts)


def _grids(
    block: Table, heads: Sequence[str], rows: Sequence[Sequence[Text]], room: int
) -> Iterator[RenderableType]:
    """The table, or its columns in groups where it is wider than the terminal: the first column
    stands in each."""
    from rich.cells import cell_len
    from rich.table import Table as Grid
    from rich.text import Text

    widths = [
        min(LONGEST, max([cell_len(head), *(row[at].cell_len for row in rows)]))
        for at, head in enumerate(heads)
    ]
    folding = [column.kind == "text" for column in block.columns]
    for group in _groups(widths, folding, room):
        grid = Grid(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
        for at, width in group.items():
            number = block.columns[at].kind == "number"
            grid.add_column(
                Text(heads[at]),
                justify="right" if number else "left",
                no_wrap=number and width < LONGEST,
                overflow="fold",
                max_width=width,
            )
        for row in rows:
            grid.add_row(*(row[at] for at in group))
        yield grid


def _groups(widths: Sequence[int], folding: Sequence[bool], room: int) -> list[dict[int, int]]:
    """The columns that stand side by side, with their widths.

    Args:
        widths: that the columns would like.
        folding: which of them hold texts, which may be narrower.
        room: of the terminal.
    """
    groups: list[dict[int, int]] = [{}]
    for at, width in enumerate(widths):
        left = room - sum(groups[-1].values()) - GAP * len(groups[-1])
        if folding[at] and NARROWEST <= left < width:
            width = left
        elif width > left and len(groups[-1]) > (len(groups) > 1):
            groups.append({0: widths[0]} if at else {})
            left = room - widths[0] - GAP
            width = min(width, max(left, NARROWEST)) if folding[at] else width
        groups[-1][at] = width
    return groups


def _cell(cell: Cell) -> Text:
    from rich.text import Text

    style = STYLES[cell.level] if cell.level != "plain" else "bold" if cell.strong else ""
    text = Text(one_line(cell.text), style=style)
    if cell.mark:
        text.append(one_line(cell.mark))
    if cell.interval:
        text.append(f" {one_line(cell.interval)}", style="dim")
    return text


def _figure(block: Figure, console: Console) -> Iterator[RenderableType]:
    """Nothing: the tables say what a terminal cannot draw."""
    return iter(())


def _details(block: Details, console: Console) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(one_line(block.summary), style="bold")
    yield from _printed(block.blocks, console, opened=True)


def _headline(block: Headline, console: Console) -> Iterator[RenderableType]:
    from rich.text import Text

    style = STYLES[block.level]
    lines = [((f"{one_line(block.word)}.", style), f" {one_line(block.text)}")]
    lines += [((one_line(word), "bold"), f" {one_line(text)}") for word, text in block.lines]
    yield Text("\n").join(Text.assemble(*one, overflow="fold") for one in lines)


def _trust(block: Trust, console: Console) -> Iterator[RenderableType]:
    rows = [(item.label, item.value) for item in block.items]
    yield _pairs(rows, [STYLES[item.level] for item in block.items])


def _trust_details(block: Trust, console: Console) -> Iterator[RenderableType]:
    for item in block.items:
        yield from _printed(item.detail, console, opened=True)


PRINTERS: dict[type, Callable[[Any, Console], Iterator[RenderableType]]] = {
    Paragraph: _paragraph,
    Facts: _facts,
    Code: _code,
    Table: _table,
    Figure: _figure,
    Details: _details,
    Headline: _headline,
    Trust: _trust,
}
"""What prints each block that :func:`~ragscore.report.contents.static` leaves."""
