"""Tables as LaTeX: nothing in them is a command but ours, and they compile."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ragscore import make_report
from ragscore.elements import Cell, Column, Table
from ragscore.elements.table_files import LONG, escaped, latex_table
from tests.factories.results import HOSTILE

COMMANDS = {
    *("textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar"),
    *("textquotedbl", "textquotesingle", "textasciigrave"),
}
"""That hostile texts are written with."""


def test_what_is_decided_is_bold_and_marked() -> None:
    columns = (Column("name", "Name", "text"), Column("d", "Difference", interval=True, unit="ms"))
    rows = (
        (
            Cell("a_1", "a_1"),
            Cell(-0.5, "-0.500", -0.9, -0.1, "[-0.900, -0.100]", strong=True, mark="*"),
        ),
        (Cell("[b]", "[b]"), Cell(None, "-")),
    )
    lines = latex_table(Table("leaders", "50 % & more", columns, rows, ("A note.",))).splitlines()
    body = [line.strip() for line in lines]
    assert r"\caption{50 \% \& more}\label{tab:leaders}\par\smallskip" in body
    assert r"Name & Difference (ms) \\" in body
    superscript = r"\textbf{$-$0.500}\textsuperscript{*} {\scriptsize [$-$0.900, $-$0.100]}"
    assert rf"a\_1 & {superscript} \\" in body
    assert r"{}[b] & - \\" in body, "a bracket behind the end of a row would be its option"
    assert [line for line in body if line.endswith("rule")] == [
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
    ]


@pytest.mark.parametrize("text", [*HOSTILE, "a -- b --- c", "<<a>>", ",,b", "\u2212\u00b1\u00d7"])
def test_no_text_is_a_command(text: str) -> None:
    written = escaped(text)
    assert "\n" not in written
    bare = re.sub(r"\\[{}$&#%_]", "", written.replace("$-$", "").replace(r"$\pm$", ""))
    bare = bare.replace(r"$\times$", "")
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"[$&#%_^]|(?<!^)~(?!$)", bare.replace("~", "")), bare
    assert set(re.findall(r"\\([a-zA-Z]+)", bare)) <= COMMANDS
    assert not re.search(r"--|,,|<<|>>|``|''", bare)


def test_a_long_table_breaks_over_pages_and_long_texts_over_lines() -> None:
    columns = (Column("text", "Text", "text"), Column("id", "Id", "text"))
    row = (Cell("word " * 20, "word " * 20), Cell("x" * 64, "x" * 64))
    long = latex_table(Table("t", "", columns, (row,) * (LONG + 1)))
    assert r"\begin{longtable}{p{5.5cm}l}" in long
    assert r"\begin{table}" in latex_table(Table("t", "", columns, (row,) * LONG))


def test_korean_says_what_it_needs() -> None:
    table = Table("t", "요약", (Column("x", "x"),), ())
    assert "kotex" in latex_table(table)
    assert "kotex" not in latex_table(Table("t", "summary", (Column("x", "x"),), ()))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("kind", ["small", "hostile", "two-datasets"])
def test_the_document_compiles(kind: str, result_of: Callable[[str], Path], tmp_path: Path) -> None:
    make_report(result_of(kind)).write(tmp_path, ["latex"])
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"],
        cwd=tmp_path / "report",
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Output written on report.pdf" in done.stdout
