"""What is printed of a gate, whatever names and texts hold: Markdown, JUnit, and without texts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from ragscore import Dataset, Query, Result, evaluate
from ragscore.elements import as_markdown, as_text
from ragscore.elements.plain import one_line
from ragscore.gate import Baseline, gate_result
from ragscore.gate.baseline import write_baseline
from ragscore.gate.printed import junit_text, printed_gate
from ragscore.names import shortened
from tests.factories import command
from tests.factories.gated import answering
from tests.factories.hostile_texts import HOSTILE

NAME = "we`b _x_ ~y~ @team #12 [a](b) $z$ &amp;"
SPICE = ("a\nb\r\n\n# c", "@octocat hello, see #77 or a@b.org", "x" * 5000, "| | |\n|---|")
QUESTIONS = tuple(dict.fromkeys((*SPICE, *HOSTILE)))[:10]
CALLED = re.compile(r"(?<!\w)@\w|#\d|@\w+\.\w|https?://|www\.")
"""What GitHub makes a link of, where it stands in one piece."""


@pytest.fixture(scope="module")
def hostile() -> tuple[Result, Baseline]:
    """A result that lost every passage, and its baseline; all that it shows is hostile."""
    ids = [f"{at}|`{text[:12]}`".strip() for at, text in enumerate(map(one_line, QUESTIONS))]
    data = {
        "passages": {**{f"p|{at} @x": "text" for at in range(len(ids))}, "other": "text"},
        "queries": [
            Query(id=id, text=text, metadata={"kind": "<i>a|b</i> @x"})
            for id, text in zip(ids, QUESTIONS, strict=True)
        ],
        "ground_truth": {id: [f"p|{at} @x"] for at, id in enumerate(ids)},
    }
    found = dict(zip(QUESTIONS, data["ground_truth"].values(), strict=True))  # type: ignore[attr-defined]
    before = evaluate(data, {NAME: lambda query, k: found[query]}, ["RR"])
    now = evaluate(data, {NAME: lambda query, k: ["other", *found[query]]}, ["RR"])
    return now, Baseline.from_result(before, passages=1)


class Seen(HTMLParser):
    """The tags of a page, its cells by table, and every piece of text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.rows: list[list[str]] = []
        self.pieces: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        assert not [name for name, _ in attributes if name not in ("style", "class")], attributes
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def test_the_markdown_shows_hostile_names_and_queries_as_they_are(
    hostile: tuple[Result, Baseline],
) -> None:
    result, baseline = hostile
    outcome = gate_result(result, max_drop={"RR": 0.1}, by=("kind",), baseline=baseline)
    assert outcome.verdict == "UNDECIDED"  # so few queries
    markdown = as_markdown(printed_gate(outcome, result, baseline))
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    seen = Seen(page)
    known = "h2 blockquote p strong table thead tbody tr th td details summary span"
    assert set(seen.tags) <= {*known.split()}
    assert not [piece for piece in seen.pieces if CALLED.search(piece)]
    fallen = seen.rows[-len(QUESTIONS) :]
    assert {len(row) for row in fallen} == {6}
    assert {row[1].strip() for row in fallen} == {
        one_line(shortened(text, 300)).strip() for text in QUESTIONS
    }
    assert {row[5].strip() for row in fallen} == {
        f"p|{at} @x (1 → 2)" for at in range(len(QUESTIONS))
    }
    assert [text.strip() for text in fallen[0][2:5]] == ["1.000", "0.500", "-0.500"]
    assert any(NAME in "".join(row) for row in seen.rows)


def test_the_terminal_gets_one_line_for_each_query(hostile: tuple[Result, Baseline]) -> None:
    result, baseline = hostile
    outcome = gate_result(result, max_drop={"RR": 0.1}, baseline=baseline)
    printed = as_text(printed_gate(outcome, result, baseline), language="ko")
    _before, found, fallen = printed.partition("밀려난 적합 패시지")
    assert found
    assert fallen.count("-0.500") == len(QUESTIONS)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", printed)


def test_junit_is_read_by_the_parser_that_ci_tools_use(hostile: tuple[Result, Baseline]) -> None:
    junitparser = pytest.importorskip("junitparser")
    result, baseline = hostile
    outcome = gate_result(result, max_drop={"RR": 0.1}, min={"RR": 0.1}, baseline=baseline)
    (suite,) = junitparser.JUnitXml.fromstring(junit_text(outcome).encode())
    kept, failed = suite
    assert (suite.tests, suite.failures, suite.skipped, suite.errors) == (2, 1, 0, 0)
    assert kept.is_passed
    assert NAME in failed.classname
    assert "-0.500" in failed.result[0].message


@pytest.mark.parametrize("format", ["table", "json", "markdown", "junit"])
def test_without_texts_no_query_and_no_passage_is_printed(format: str, tmp_path: Path) -> None:
    answering(20).save(tmp_path / "now")
    write_baseline(Baseline.from_result(answering(50), passages=3), tmp_path / "kept.json")
    drop = ("gate", "now", "--max-drop", "RR=0.1", "--baseline", "kept.json", "--format", format)
    summary = tmp_path / "summary.md"
    silent = command.run(*drop, "--no-texts", cwd=tmp_path, GITHUB_STEP_SUMMARY=str(summary))
    assert silent.returncode == 5
    for printed in (silent.stdout, silent.stderr, summary.read_text(encoding="utf-8")):
        assert not re.search(r"question \d|\b[px]\d\d\b", printed)
    assert "q20" in summary.read_text(encoding="utf-8")
    summary.unlink()
    shown = command.run(*drop, cwd=tmp_path, GITHUB_STEP_SUMMARY=str(summary))
    assert re.search(r"question 20 .*p20 \(1 → -\)", summary.read_text(encoding="utf-8"))
    assert ("question 20" in shown.stdout) == (format in ("table", "markdown"))


@pytest.mark.parametrize("again", [False, True], ids=["run", "folder"])
def test_without_texts_no_note_quotes_what_a_system_answered(again: bool, tmp_path: Path) -> None:
    files = {
        "faq/passages.jsonl": '{"id": "p1", "text": "Rent is due."}',
        "faq/queries.jsonl": '{"id": "q1", "text": "When?"}',
        "faq/ground_truth.jsonl": '{"query_id": "q1", "passages": {"p1": 1}}',
        "quoting.py": "def search(query, k):\n    return ['QUOTED: ' + query]\n",
        "e.yaml": "dataset: faq\nmeasures: [RR]\nreport: false\ngate: {max: {failed: 0.01}}\n"
        "retrievers: {mine: {kind: custom, use: 'quoting:search', max_errors: 1}}\n",
    }
    (tmp_path / "faq").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    judge = ("gate", "e.yaml", "--output", "out")
    first = command.run(*judge, *(() if again else ["--no-texts"]), cwd=tmp_path)
    found = command.run("gate", "out", "--no-texts", cwd=tmp_path) if again else first
    assert found.returncode == 5
    assert "QUOTED" not in found.stdout + found.stderr
    assert ("QUOTED: When?" in first.stderr) == again


def test_many_conditions_that_hold_are_folded() -> None:
    queries = [Query(id=f"q{at}", text="where", metadata={"kind": at}) for at in range(10)]
    judged = {query.id: ["p"] for query in queries}
    dataset = Dataset.from_rows({"p": "here", "x": "there"}, queries, judged)
    result = evaluate(dataset, {"mine": lambda query, k: ["p"]}, ["RR"])
    outcome = gate_result(result, min={"RR": 0.5}, by=("kind",))
    assert str(outcome).count("PASS") == 12  # the terminal shows the verdict and all conditions
    markdown = as_markdown(outcome.elements())
    assert "11 conditions hold" in markdown.partition("<details>")[2]
    assert "PASS | mine" not in markdown.partition("<details>")[0]
    assert "<details>" not in as_markdown(gate_result(result, min={"RR": 0.5}).elements())
