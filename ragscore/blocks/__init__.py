"""What is printed: blocks, the cells and numbers in them, and what writes them.

A command, the report and a notebook make the same blocks from a result, and a writer shows them.
Nobody else aligns a column or rounds a number::

    from ragscore.blocks import Column, Lines, Table, as_text
    from ragscore.blocks.cells import count_cell, mean_cell, name_cell, retriever_column
    from ragscore.mine.strings import STRINGS  # StringTable(TEXTS): {key: {"en": ..., "ko": ...}}

    def blocks(found, language):
        strings = STRINGS.strings(language)
        columns = (
            retriever_column(strings),
            Column("nDCG@10", "nDCG@10", interval=True, better="high"),
            Column("queries", strings("column_queries")),
        )
        rows = tuple(
            (name_cell(row.name), mean_cell(row.mean, row.interval, strings), count_cell(row.n))
            for row in found
        )
        yield Table("means", strings("means_title"), columns, rows, notes=())
        yield Lines(tuple(found.notes))

    print(as_text(blocks(found, "ko")))

- ``numbers``: from a number to text, the only place that rounds.
- ``cells``: from a value to a :class:`Cell`, which holds the value as it is and the text.
- ``model``: the blocks. ``Table.id`` names a CSV or LaTeX file and ``Column.name`` is the header
  in CSV; both are the same in every language. Notes under a table belong to the table.
- ``text``, ``markdown``: any blocks; commands take :func:`ragscore.cli.streams.print_blocks`,
  which knows the terminal's width and colours. ``latex``, ``csv``: a table.
- Texts come from a table of the package that says them (:mod:`ragscore.strings`); what several
  packages say is in ``ragscore.strings.COMMON``. A sentence that is made in one place and said in
  another is a :class:`ragscore.strings.Sentence`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.blocks.markdown import as_markdown as as_markdown
    from ragscore.blocks.model import Block as Block
    from ragscore.blocks.model import Cell as Cell
    from ragscore.blocks.model import Code as Code
    from ragscore.blocks.model import Column as Column
    from ragscore.blocks.model import Details as Details
    from ragscore.blocks.model import Facts as Facts
    from ragscore.blocks.model import Headline as Headline
    from ragscore.blocks.model import Kind as Kind
    from ragscore.blocks.model import Level as Level
    from ragscore.blocks.model import Lines as Lines
    from ragscore.blocks.model import Paragraph as Paragraph
    from ragscore.blocks.model import Section as Section
    from ragscore.blocks.model import Table as Table
    from ragscore.blocks.terminal_text import as_text as as_text
else:
    # `ragscore score` prints millions of lines for programs without any of these.
    _HOMES = {
        "ragscore.blocks.markdown": ("as_markdown",),
        "ragscore.blocks.model": (
            "Block",
            "Cell",
            "Code",
            "Column",
            "Details",
            "Facts",
            "Headline",
            "Kind",
            "Level",
            "Lines",
            "Paragraph",
            "Section",
            "Table",
        ),
        "ragscore.blocks.terminal_text": ("as_text",),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
