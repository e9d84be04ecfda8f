"""Tables as LaTeX: booktabs, what is decided in bold, marks of significance as superscripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ragscore.elements.model import Cell, Column, Table
from ragscore.elements.plain import for_log, one_line
from ragscore.messages import Text

LONG = 40
"""More rows than this break over pages."""
WIDE = 32
"""A column with longer texts than this is set in lines of a fixed width, unless it has words of
that length, which no line can break."""
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
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
    yield from (f"    {line}" for line in _body(head, rows))
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


def _body(head: str, rows: Iterable[str]) -> Iterator[str]:
    yield r"\toprule"
    yield rf"{head} \\"
    yield r"\midrule"
    yield from (rf"{row} \\" for row in rows)
    yield r"\bottomrule"


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
