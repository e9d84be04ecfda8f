"""The outputs of a report: each is a function of a :class:`Writing`.

An output yields its files: names, with ``/``, from the folder that the page stands in, and
contents. To add one, write such a function and put it into ``OUTPUTS`` of
:mod:`ragscore.report.options`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.elements.table_files import csv_of_columns, csv_text, latex_table
from ragscore.errors import MissingPackageError
from ragscore.report.charts.style import standalone
from ragscore.report.html.page import made_page
from ragscore.report.latex_document import latex_document
from ragscore.report.markdown_file import as_markdown
from ragscore.report.report import Writing

PNG_SCALE = 2.0
"""Points of a PNG for each unit of a chart: sharp on screens of twice the resolution."""


def html(writing: Writing) -> Iterator[tuple[str, bytes]]:
    """One page that needs no network."""
    made = made_page(writing.report)
    writing.notes.extend(made.notes)
    yield writing.page, _bytes(made.text)


def markdown(writing: Writing) -> Iterator[tuple[str, bytes]]:
    """report.md, with its charts beside it."""
    pictures = writing.report.options.pictures
    for _, _, figure in writing.contents.figures:
        svg, name = standalone(figure), writing.contents.name(figure)
        content = as_png(svg) if pictures == "png" else _bytes(svg)
        yield f"{writing.beside}/charts/{name}.{pictures}", content
    yield f"{writing.beside}/report.md", _bytes(as_markdown(writing.report))


def latex(writing: Writing) -> Iterator[tuple[str, bytes]]:
    """report.tex, and each table in a file to include in a paper."""
    for _, _, table in writing.contents.tables:
        name = writing.contents.name(table)
        yield f"{writing.beside}/tables/{name}.tex", _bytes(latex_table(table, name))
    yield f"{writing.beside}/report.tex", _bytes(latex_document(writing.report))


def csv(writing: Writing) -> Iterator[tuple[str, bytes]]:
    """Each table as a CSV file, and listings that are too long for a page."""
    for _, _, table in writing.contents.tables:
        name = writing.contents.name(table)
        yield f"{writing.beside}/tables/{name}.csv", _bytes(csv_text(table))
    for _, _, listing in writing.contents.listings:
        name = writing.contents.name(listing)
        yield f"{writing.beside}/tables/{name}.csv", _bytes(csv_of_columns(listing.columns()))


def as_png(svg: str) -> bytes:
    """An SVG document as PNG.

    Raises:
        MissingPackageError: vl-convert-python is not installed.
    """
    try:
        from vl_convert import svg_to_png
    except ImportError:
        raise MissingPackageError("vl-convert-python", "charts as PNG", "png") from None
    return bytes(svg_to_png(svg, scale=PNG_SCALE))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
