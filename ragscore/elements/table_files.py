"""Tables as files: CSV in full precision for programs, LaTeX for papers.

In CSV nothing computes, and an interval is two columns. LaTeX has booktabs, what is decided in
bold, and marks of significance as superscripts.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from ragscore.elements.model import Cell, Column, Table
from ragscore.elements.plain import for_log, one_line, plain
from ragscore.messages import Message, Text

Value = float | int | str | bool | None
CAVEAT = "caveat"
"""The column of what no number may be read without."""
_COMPUTES = ("=", "+", "-", "@", "\t", "\r", "\n", *"\uff1d\uff0b\uff0d\uff20")
"""What a spreadsheet takes for the beginning of a formula; some take = + - @ of full width too."""


def csv_text(table: Table) -> str:
    """A table as CSV, header first; the title and notes are left out, and a caveat is a column.

    A column holds numbers, or truth values, or texts, never two of these. Texts are quoted, and
    one that a spreadsheet would compute gets an apostrophe. Empty for what is not there.

    Args:
        table: any table.
    """
    columns: dict[str, list[str]] = {}
    for at, column in enumerate(table.columns):
        cells = [row[at] for row in table.rows]
        for name, values in _columns(column, cells):
            number = column.kind == "number" or bool(column.parts)
            columns[name] = _written(values, number=number)
    if table.caveat:
        columns[CAVEAT] = _written([str(table.caveat)] * len(table.rows), number=False)
    return _joined(columns)


def csv_of_columns(columns: Mapping[str, Sequence[Value]]) -> str:
    """Columns by name as CSV, as :func:`csv_text` writes those of a table.

    >>> print(csv_of_columns({"query": ["q1", "=q2"], "rank": [3, None]}), end="")
    "query","rank"
    "q1",3
    "'=q2",
    """
    return _joined({name: _written(values, number=False) for name, values in columns.items()})


def _joined(columns: Mapping[str, Sequence[str]]) -> str:
    header = ",".join(map(_quoted, columns))
    lines = [header, *(",".join(row) for row in zip(*columns.values(), strict=True))]
    return "\n".join(lines) + "\n"


def _columns(column: Column, cells: Sequence[Cell]) -> Iterable[tuple[str, list[Value]]]:
    if column.parts:
        for at, name in enumerate(column.parts):
            yield name, [cell.parts[at] if cell.parts else None for cell in cells]
        return
    values = [cell.value for cell in cells]
    yield column.name, [str(value) if isinstance(value, Message) else value for value in values]
    if column.interval:
        yield f"{column.name} low", [cell.low for cell in cells]
        yield f"{column.name} high", [cell.high for cell in cells]


def _written(values: Sequence[Value], *, number: bool) -> list[str]:
    """The fields of a column, by what all its values are."""
    there = [value for value in values if value is not None]
    if there and all(isinstance(value, bool) for value in there):
        return ["" if value is None else str(value).lower() for value in values]
    if number or not any(isinstance(value, str | bool) for value in there):
        exact = not any(isinstance(value, float) for value in there)
        return [_number(value, exact) for value in values]
    return ["" if value is None else _quoted(str(value)) for value in values]


def _number(value: Value, exact: bool) -> str:
    """A number that reads back equal; empty for NaN and for anything else."""
    if not isinstance(value, float | int) or math.isnan(value):
        return ""
    return str(int(value)) if exact else repr(float(value))


def csv_rows(rows: Iterable[Iterable[Value]]) -> str:
    r"""Rows as CSV, quoted where they have to be; no text is a formula, and what is not there, NaN
    too, is empty.

    >>> csv_rows([("run", "value"), ("=1+1", -0.5), ("bm25", None)])
    "run,value\n'=1+1,-0.5\nbm25,\n"
    """
    fields = [[_field(value) for value in row] for row in rows]
    text = _csv(fields, csv.QUOTE_MINIMAL)
    # A line that begins with :: would be a command in the log of a build server.
    return text if for_log(text) == text else _csv(fields, csv.QUOTE_ALL)


def _csv(fields: Iterable[Iterable[Value]], quoting: Literal[0, 1]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=quoting).writerows(fields)
    return out.getvalue()


def _field(value: Value) -> Value:
    if isinstance(value, str):
        return _uncomputed(value)
    return None if isinstance(value, float) and math.isnan(value) else value


def _uncomputed(text: str) -> str:
    """The text, behind an apostrophe where a spreadsheet would compute it."""
    # Some readers drop blanks in front before they look for a formula.
    return f"'{text}" if text.startswith(_COMPUTES) or text.lstrip().startswith(_COMPUTES) else text


def _quoted(text: str) -> str:
    return '"' + _uncomputed(plain(text)).replace('"', '""') + '"'


LONG = 40
"""More rows than this break over pages."""
WIDE = 32
"""A column with longer texts than this is set in lines of a fixed width, unless it has words of
that length, which no line can break."""
_ESCAPES = str.maketrans(
    {letter: f"\\{letter}" for letter in "{}$&#%_"}
    | {
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "'": r"\textquotesingle{}",
        "`": r"\textasciigrave{}",
        "\u00a0": "~",
        "\u2013": r"\textendash{}",
        "\u2014": r"\textemdash{}",
        "\u2026": r"\ldots{}",
        "\u201c": r"\textquotedblleft{}",
        "\u201d": r"\textquotedblright{}",
        "\u2018": r"\textquoteleft{}",
        "\u2019": r"\textquoteright{}",
        "\u2022": r"\textbullet{}",
        "\u00b7": r"\textperiodcentered{}",
        "\u2020": r"\dag{}",
        "\u2021": r"\ddag{}",
        "\u2212": "$-$",
        "\u00b1": r"$\pm$",
        "\u00d7": r"$\times$",
        "\u00f7": r"$\div$",
        "\u2264": r"$\leq$",
        "\u2265": r"$\geq$",
        "\u2260": r"$\neq$",
        "\u2248": r"$\approx$",
        "\u221e": r"$\infty$",
        "\u2192": r"$\rightarrow$",
        "\u2190": r"$\leftarrow$",
        "\u2191": r"$\uparrow$",
        "\u2193": r"$\downarrow$",
        "\u0394": r"$\Delta$",
        "\u03b1": r"$\alpha$",
        "\u03b2": r"$\beta$",
        "\u03bc": r"$\mu$",
        "\u03c3": r"$\sigma$",
    }
)
_LIGATURES = re.compile("-(?=-)|,(?=,)")
"""Two of these would become another sign."""
_MINUS = re.compile(r"(?<![\w.])-(?=\.?\d)")
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]")

PREAMBLE = r"""% A table needs in the preamble: \usepackage{booktabs,graphicx,longtable}
"""
KOREAN = "% Korean text: compile with xelatex or lualatex, and have the package kotex installed.\n"


def escaped(text: Text) -> str:
    r"""A text on one line, nothing in it a command.

    >>> print(escaped("50% of $x_1$"))
    50\% of \$x\_1\$
    """
    return for_log(_escaped(one_line(text)), "{}")


def _escaped(text: str) -> str:
    return _LIGATURES.sub(r"\g<0>{}", text.translate(_ESCAPES))


def has_hangul(text: str) -> bool:
    """Whether a text has Korean letters, which pdflatex does not know."""
    return _HANGUL.search(text) is not None


def latex_table(table: Table, label: str = "") -> str:
    r"""A table as LaTeX, ready for ``\input``: a float, or over pages where it is long.

    Args:
        table: any table.
        label: what it is referred to by, behind ``tab:``; by default the table's id.
    """
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", label or table.id)
    caption = rf"\caption{{{escaped(table.title)}}}\label{{tab:{name}}}"
    form = "".join(_forms(table))
    head = " & ".join(escaped(column.head) for column in table.columns)
    rows = [_row(table.columns, row) for row in table.rows]
    notes = [rf"{escaped(note)}\par" for note in table.lines_under]
    lines = (
        _long(caption, form, head, rows, notes)
        if len(rows) > LONG
        else _float(caption, form, head, rows, notes)
    )
    text = "\n".join(lines) + "\n"
    return PREAMBLE + (KOREAN if has_hangul(text) else "") + text


def _float(
    caption: str, form: str, head: str, rows: Sequence[str], notes: Sequence[str]
) -> Iterator[str]:
    yield r"\begin{table}[htbp]"
    yield r"  \centering"
    yield rf"  {caption}\par\smallskip"
    # Not wider than the page, and at its own size where it fits.
    yield r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    yield rf"  \begin{{tabular}}{{{form}}}"
    yield r"    \toprule"
    yield rf"    {head} \\"
    yield r"    \midrule"
    yield from (rf"    {row} \\" for row in rows)
    yield r"    \bottomrule"
    yield r"  \end{tabular}}"
    yield from _small(notes)
    yield r"\end{table}"


def _long(
    caption: str, form: str, head: str, rows: Sequence[str], notes: Sequence[str]
) -> Iterator[str]:
    yield r"{\footnotesize"
    yield rf"\begin{{longtable}}{{{form}}}"
    yield rf"  {caption}\\"
    yield rf"  \toprule {head} \\ \midrule \endfirsthead"
    yield rf"  \toprule {head} \\ \midrule \endhead"
    yield r"  \bottomrule \endfoot"
    yield from (rf"  {row} \\" for row in rows)
    yield r"\end{longtable}"
    yield from _small(notes)
    yield "}"


def _small(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield r"  \par\smallskip{\footnotesize\raggedright"
        yield from (f"  {note}" for note in notes)
        yield "  }"


def _forms(table: Table) -> Iterator[str]:
    """How each column is set."""
    for at, column in enumerate(table.columns):
        texts = [one_line(row[at].text) for row in table.rows]
        words = (word for text in texts for word in text.split())
        if column.kind == "number":
            yield "r"
        elif max(map(len, texts), default=0) > WIDE >= max(map(len, words), default=0):
            yield "p{5.5cm}"
        else:
            yield "l"


def _row(columns: Sequence[Column], row: Sequence[Cell]) -> str:
    cells = " & ".join(_cells(columns, row))
    # The end of the row before would take these for its own options.
    return f"{{}}{cells}" if cells.startswith(("[", "*")) else cells


def _cells(columns: Sequence[Column], row: Sequence[Cell]) -> Iterator[str]:
    for column, cell in zip(columns, row, strict=True):
        number = column.kind == "number"
        text = _numeric(cell.text) if number else escaped(cell.text)
        if cell.strong:
            text = rf"\textbf{{{text}}}"
        if cell.mark:
            text += rf"\textsuperscript{{{escaped(cell.mark)}}}"
        if cell.interval:
            text += rf" {{\scriptsize {_numeric(cell.interval)}}}"
        yield text


def _numeric(text: Text) -> str:
    """A number or interval, its minus as wide as a plus."""
    return "$-$".join(_escaped(part) for part in _MINUS.split(one_line(text)))
