"""What is printed: elements, the cells and numbers in them, and what writes them.

A command, the report and a notebook make the same elements from a result, and a writer shows them.
Nobody else aligns a column or rounds a number::

    from ragscore.elements import Column, Lines, Table, as_text
    from ragscore.elements.cells import count_cell, mean_cell, name_cell, retriever_column
    from ragscore.messages import _

    def elements(found):
        columns = (
            retriever_column(),
            Column("nDCG@10", "nDCG@10", interval=True, better="high"),
            Column("queries", _("Queries")),
        )
        rows = tuple(
            (name_cell(row.name), mean_cell(row.mean, row.interval), count_cell(row.n))
            for row in found
        )
        yield Table("means", _("Means of {n} retrievers", n=len(rows)), columns, rows)
        yield Lines(tuple(found.notes))

    print(as_text(elements(found), language="ko"))

- ``numbers``: from a number to text, the only place that rounds.
- ``cells``: from a value to a :class:`Cell`, which holds the value as it is and the text.
- ``model``: the elements. ``Table.id`` names a CSV or LaTeX file and ``Column.name`` is the header
  in CSV; both are the same in every language. Notes under a table belong to the table.
- ``tables``: a table whose columns carry what fills their cells.
- ``show``: any elements as text or Markdown, and records; commands take
  :func:`ragscore.cli.streams.print_elements`, which knows the terminal's width and colours.
  ``table_files``: a table as CSV or LaTeX.
- A text is written in English where it is said (:mod:`ragscore.messages`). Elements know no
  language: the writer translates them first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.elements.model import Axis as Axis
    from ragscore.elements.model import Cell as Cell
    from ragscore.elements.model import Code as Code
    from ragscore.elements.model import Column as Column
    from ragscore.elements.model import Details as Details
    from ragscore.elements.model import Element as Element
    from ragscore.elements.model import Facts as Facts
    from ragscore.elements.model import Headline as Headline
    from ragscore.elements.model import Kind as Kind
    from ragscore.elements.model import Level as Level
    from ragscore.elements.model import Lines as Lines
    from ragscore.elements.model import Paragraph as Paragraph
    from ragscore.elements.model import Section as Section
    from ragscore.elements.model import Table as Table
    from ragscore.elements.show import as_markdown as as_markdown
    from ragscore.elements.show import as_text as as_text
else:
    # `ragscore score` prints millions of lines for programs without any of these.
    _HOMES = {
        "ragscore.elements.model": (
            "Element",
            "Axis",
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
        "ragscore.elements.show": ("as_markdown", "as_text"),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
