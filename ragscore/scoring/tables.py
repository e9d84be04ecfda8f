"""A table of texts, as lines and as HTML."""

from __future__ import annotations

from html import escape


def text_table(header: list[str], rows: list[list[str]]) -> list[str]:
    """Lines with aligned columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in (header, *rows)
    ]


def html_table(caption: str, header: list[str], rows: list[list[str]]) -> str:
    """An HTML table; every text is escaped."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
