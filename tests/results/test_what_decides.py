"""What decides besides the primary measure is a part of the verdict, wherever a verdict shows."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from ragscore import (
    Dataset,
    Result,
    evaluate,
    load_experiment,
    open_result,
    run_experiment,
)
from ragscore.blocks import as_text
from ragscore.cli import main
from ragscore.comparison import Verdict
from ragscore.comparison.document import comparison_schema
from ragscore.comparison.model import ContextSize
from ragscore.report.index.finder import Finder
from ragscore.report.index.index_page import index_page
from ragscore.report.report import make_report
from ragscore.report.strings import STRINGS
from ragscore.strings import LANGUAGES
from tests.conftest import ROOT

QUERIES = 60
Answers = Callable[[str, int], list[str]]


def plain(page: str) -> str:
    """What a reader sees of a page, white space as single blanks."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def said_everywhere(place: Path, capsys: pytest.CaptureFixture[str]) -> Verdict:
    """The verdict of the only dataset, after its lines were found wherever a verdict shows."""
    folder = place.parent.parent
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
    result.save(tmp_path / "results" / "saved")
    verdict = said_everywhere(tmp_path / "results" / "saved", capsys)
    assert (verdict.state, verdict.tied) == (state, use)
    (leak,) = verdict.leaks
    assert (leak.measure, leak.difference.retriever) == ("Leak@5", "clean")
    assert (leak.difference.value, leak.difference.decided) == (0.25, True)
    assert verdict.lines[1].kind == "leaks"
    assert "clean (Leak@5 0.000) leaks less than leaky (0.250), by 0.250" in verdict.text
    assert "nothing yet" not in verdict.text


def shipped(name: str, place: Path, *changes: str) -> Result:
    """The result of a config that ships."""
    path, quick = ROOT / "configs" / f"{name}.yaml", ("latency=false", "report=false")
    return run_experiment(load_experiment(path, [*quick, *changes]), output=place)


def test_different_chunks_are_compared_in_the_same_context(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = shipped("evidence", tmp_path / "results" / "run")
    verdict = said_everywhere(tmp_path / "results" / "run", capsys)
    (compared,) = result.comparison().datasets
    # At the same k the largest chunks win; within the same 1,000 words they do not.
    assert compared.leader[0].retriever == "three sections"
    assert all(pair.decided for pair in compared.leader)
    assert (verdict.state, verdict.leader) == ("TIE", "sections")
    assert verdict.context == ContextSize("words", 1_000, "default", ())
    assert compared.in_context is not None
    means = {name: mean.value for name, mean in compared.in_context.means.items()}
    curves = result["harbour-tenancy"].curves
    for name, mean in means.items():
        at = curves[name].by_context.at(1_000)
        assert mean == pytest.approx(curves[name].by_context.complete.mean[at], abs=1e-12)
    assert (round(means["sections"], 3), round(means["three sections"], 3)) == (0.757, 0.662)
    printed = as_text(result.blocks("en"))
    assert printed.index("Complete in 1,000 words (primary") < printed.index("Complete@5 (primary")


@pytest.mark.parametrize(
    ("tune", "context"),
    [
        ("tune.budget.limit=2000", ContextSize("words", 2_000, "experiment", ("sentences",))),
        ("tune.budget.unit=characters", ContextSize("characters", 4_000, "default", ())),
        ("tune.rule=best_f", ContextSize("words", 1_000, "default", ())),
    ],
)
def test_the_budget_of_the_experiment_decides(
    tune: str, context: ContextSize, tmp_path: Path
) -> None:
    result = shipped("evidence", tmp_path / "run", tune)
    verdict = result.comparison().datasets[0].verdict
    assert verdict.context == context
    deeper = "A larger depth would let sentences fill them."
    assert (deeper in verdict.text) == bool(context.short)


def test_a_measure_without_cutoffs_and_small_documents_are_compared_as_they_are(
    tmp_path: Path,
) -> None:
    result = shipped("chunkers", tmp_path / "run")
    for measure in ("Complete@1", "Rprec"):
        (compared,) = result.comparison(measure=measure).datasets
        assert (compared.verdict.context, compared.in_context) == (None, None)
        (line,) = (line for line in compared.verdict.lines if line.kind == "chunks")
        assert "Not all of them fill a context that is shown" in line.text("en")
