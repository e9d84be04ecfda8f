"""What decides besides the primary measure is a part of the verdict, wherever a verdict shows."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from ragscore import Dataset, Result, evaluate, open_result
from ragscore.blocks import as_text
from ragscore.cli import main
from ragscore.comparison import Verdict
from ragscore.comparison.document import comparison_schema
from ragscore.report.index.finder import Finder
from ragscore.report.index.index_page import index_page
from ragscore.report.report import make_report
from ragscore.report.strings import STRINGS
from ragscore.strings import LANGUAGES

QUERIES = 60
Answers = Callable[[str, int], list[str]]


def plain(page: str) -> str:
    """What a reader sees of a page, white space as single blanks."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def said_everywhere(result: Result, folder: Path, capsys: pytest.CaptureFixture[str]) -> Verdict:
    """The verdict of the only dataset, after its lines were found wherever a verdict shows."""
    place = folder / "results" / "saved"
    result.save(place)
    opened = open_result(place)
    record = json.loads((place / "comparison.json").read_text(encoding="utf-8"))
    jsonschema.validate(record, comparison_schema())
    recorded = record["datasets"][0]["verdict"]["lines"]
    verdict = opened.comparison().datasets[0].verdict
    for language in LANGUAGES:
        make_report(opened, language=language, formats=["html", "markdown"]).write(folder)
        shown = {"json": " ".join(line[language]["text"] for line in recorded)}
        for page in (folder / "report.html", folder / "report" / "report.md"):
            shown[page.name] = page.read_text(encoding="utf-8")
        for command in (["compare"], ["show"]):
            assert main([*command, str(place), "--language", language]) == 0
            shown[command[0]] = capsys.readouterr().out
        shown["run"] = as_text(opened.blocks(language))
        first, *_ = lines = [line.text(language) for line in verdict.lines]
        for where, text in shown.items():
            for line in lines:
                assert line in plain(text).replace("\\", ""), (where, language)
        index = index_page(Finder(folder / "results").results(), place, STRINGS.strings(language))
        assert first in plain(index.text)
    notebook = plain(opened._repr_html_())
    assert all(line.text("en") in notebook for line in verdict.lines)
    return verdict


def forbidding() -> Dataset:
    """A relevant and a forbidden passage for each of 60 questions."""
    rows = [
        {"query_id": f"q{at}", "passages": {f"good{at}": 1}, "forbidden": [f"bad{at}"]}
        for at in range(QUERIES)
    ]
    passages = [f"{kind}{at}" for kind in ("good", "bad") for at in range(QUERIES)]
    passages += [f"filler{at}" for at in range(10)]
    queries = {f"q{at}": f"question {at}" for at in range(QUERIES)}
    return Dataset.from_rows(dict.fromkeys(passages, "text"), queries, rows)


def answering(rank: Callable[[int], int], leaks: Callable[[int], bool]) -> Answers:
    """A system that has the relevant passage behind so many others, and leaks for some queries."""

    def answer(query: str, k: int) -> list[str]:
        at = int(query.split()[1])
        order = [f"filler{other}" for other in range(9)]
        order.insert(rank(at), f"good{at}")
        order[4] = f"bad{at}" if leaks(at) else order[4]
        return order[:k]

    return answer


def level(at: int) -> int:
    return at % 3


def as_good(at: int) -> int:
    return (at + 1) % 3 if at % 5 else 3


def never(at: int) -> bool:
    return False


def often(at: int) -> bool:
    return at % 4 == 0


LEAKS = {
    "tied, and the second leaks": ((level, never), (as_good, often), "LEAKS", ("clean",)),
    "tied, and the best leaks": ((as_good, never), (level, often), "LEAKS", ("clean",)),
    "best, and it leaks": ((lambda at: 3, never), (lambda at: 0, often), "MIXED", ("leaky",)),
    "best, and the other leaks": ((lambda at: 0, never), (level, often), "CLEAR", ("clean",)),
}


@pytest.mark.parametrize("case", LEAKS)
def test_leaks_that_are_decided_are_part_of_the_verdict(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clean, leaky, state, use = LEAKS[case]
    systems = {"clean": answering(*clean), "leaky": answering(*leaky)}
    result = evaluate(forbidding(), systems, ["nDCG@5", "Leak@5"], depth=5)
    verdict = said_everywhere(result, tmp_path, capsys)
    assert (verdict.state, verdict.tied) == (state, use)
    (leak,) = verdict.leaks
    assert (leak.measure, leak.difference.retriever) == ("Leak@5", "clean")
    assert (leak.difference.value, leak.difference.decided) == (0.25, True)
    assert verdict.lines[1].kind == "leaks"
    assert "clean (Leak@5 0.000) leaks less than leaky (0.250), by 0.250" in verdict.text
    assert "nothing yet" not in verdict.text
