"""What decides besides the primary measure is a part of the verdict, wherever a verdict shows."""

from __future__ import annotations

import html
import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ragscore import (
    BM25,
    Command,
    Dataset,
    Faiss,
    Fusion,
    Result,
    evaluate,
    load_experiment,
    open_result,
    run_experiment,
)
from ragscore.cli import main
from ragscore.comparison import Verdict
from ragscore.comparison.comparing import comparison_schema
from ragscore.comparison.score_matrix import ContextSize
from ragscore.elements import as_text
from ragscore.names import LANGUAGES
from ragscore.report.index.finder import Finder
from ragscore.report.index.index_page import index_page
from ragscore.report.report import make_report
from tests.conftest import ROOT
from tests.factories.verdict_cases import said

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
    recorded = Verdict.from_dict(record["datasets"][0]["verdict"])
    verdict = opened.comparison().datasets[0].verdict
    for language in LANGUAGES:
        make_report(opened, language=language, formats=["html", "markdown"]).write(folder)
        shown = {}
        for page in (folder / "report.html", folder / "report" / "report.md"):
            shown[page.name] = page.read_text(encoding="utf-8")
        for command in (["compare"], ["show"]):
            assert main([*command, str(place), "--language", language]) == 0
            shown[command[0]] = capsys.readouterr().out
        shown["run"] = as_text(opened.elements(), language=language)
        first, *_ = lines = said(verdict, language)
        for where, text in shown.items():
            for line in lines:
                assert line in plain(text).replace("\\", ""), (where, language)
        index = index_page(Finder(folder / "results").results(), place, language)
        assert first in plain(index.text)
    notebook = plain(opened._repr_html_())
    assert all(line in notebook for line in said(verdict))
    assert recorded == verdict
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
    assert (leak.measure, leak.retriever) == ("Leak@5", "clean")
    assert (leak.difference.value, leak.decided) == (0.25, True)
    assert str(verdict).split("\n")[1] == (
        "Sure: clean leaks less: 0 % of the questions, leaky 25.0 %."
    )
    assert "nothing yet" not in str(verdict)


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
    tested = [pair for pair in compared.leader if not math.isnan(pair.p_adjusted)]
    assert tested
    assert all(pair.decided for pair in tested)
    assert (verdict.state, verdict.leader) == ("TIE", "sections")
    assert verdict.context == ContextSize("words", 1_000, "default", ())
    assert compared.in_context is not None
    means = {name: mean.value for name, mean in compared.in_context.means.items()}
    curves = result["harbour-tenancy"].curves
    for name, mean in means.items():
        at = curves[name].by_context.at(1_000)
        assert mean == pytest.approx(curves[name].by_context.complete.mean[at], abs=1e-12)
    assert (round(means["sections"], 3), round(means["three sections"], 3)) == (0.757, 0.662)
    printed = as_text(result.elements(), language="en")
    assert printed.index("Complete in 1,000 words (primary;") < printed.index(
        "Complete@5 (at equal k;"
    )
    printed = as_text(result.elements(), language="ko")
    assert (printed.count("(주 지표,"), printed.count("Complete@5 (같은 k에서 비교,")) == (1, 1)


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
    assert (deeper in str(verdict)) == bool(context.short)


@pytest.mark.parametrize(
    ("config", "change", "why"),
    [
        ("chunkers", "depth=20", "No context in the table is filled by all of them"),
        ("evidence", "measures=[Rprec]", "Rprec compares retrievers of different chunks"),
        ("evidence", "measures=[Rprec, R@5]", "Rprec compares retrievers of different chunks"),
    ],
)
def test_what_no_context_can_be_compared_by_is_compared_as_it_is(
    config: str, change: str, why: str, tmp_path: Path
) -> None:
    (compared,) = shipped(config, tmp_path / "run", change).comparison().datasets
    assert (compared.verdict.context, compared.in_context) == (None, None)
    assert any(why in line for line in said(compared.verdict))


PROGRAM = """
import json, sys, time
failing, ranks, seconds = json.loads(sys.argv[1])
for line in sys.stdin:
    asked = json.loads(line)
    time.sleep(seconds)
    at = int(asked["query"].split()[1])
    ids = [f"filler{other}" for other in range(9)]
    ids.insert(ranks[at % len(ranks)], f"good{at}")
    answer = {"error": "busy"} if at < failing else {"ids": ids[: asked["k"]]}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
"""


def program(
    folder: Path, failing: int, *ranks: int, failed: str = "empty", seconds: float = 0.0
) -> Command:
    """A program that does not answer the first so many questions, and has the relevant passage of
    the others behind so many."""
    path = folder / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    command = (sys.executable, str(path), json.dumps([failing, ranks, seconds]))
    return Command(command=command, retries=0, max_errors=0.5, failed=failed)


def caveats_of(
    retrievers: dict[str, Any], place: Path, capsys: pytest.CaptureFixture[str]
) -> Verdict:
    evaluate(forbidding(), retrievers, ["nDCG@5"], depth=10).save(place)
    return said_everywhere(place, capsys)


def test_a_lead_that_an_outage_made_is_not_clear(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, dense = program(tmp_path, 0, 0, 1, 2), program(tmp_path, 24, 1, 2, 0)
    place = tmp_path / "results" / "saved"
    verdict = caveats_of({"ours": ours, "dense": dense}, place, capsys)
    (caveat,) = verdict.caveats
    assert (verdict.state, caveat.reason, caveat.retriever) == ("CHECK DATA", "outage", "dense")
    assert (caveat.count, caveat.n, caveat.turns) == (24, QUERIES, True)
    assert caveat.answered is not None
    assert (caveat.answered.difference.n, caveat.answered.difference.value) == (36, 0.0)
    assert str(verdict) == (
        "Not yet. The ranking changes without the queries that dense did not answer (24 of 60). "
        "See the errors of the failed queries, and search them again once the system responds."
    )
    # As the table has it, with the empty answers in it.
    (compared,) = open_result(place).comparison().datasets
    assert compared.leader[0].decided


def test_an_outage_that_decides_nothing_leaves_the_verdict_clear(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, dense = program(tmp_path, 0, 0), program(tmp_path, 10, 3, 4)
    place = tmp_path / "results" / "saved"
    verdict = caveats_of({"ours": ours, "dense": dense}, place, capsys)
    assert (verdict.state, [each.turns for each in verdict.caveats]) == ("CLEAR", [False])
    # In a folder of its own: an index shows the newest result, and both may be of one second.
    other = tmp_path / "other" / "results" / "saved"
    same = caveats_of({"ours": dense, "dense": ours}, other, capsys)
    assert same.leader == "dense"


@pytest.mark.slow
def test_of_two_that_may_be_as_good_the_one_whose_calls_are_faster_is_recommended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fast = program(tmp_path, 0, 1, 1, 1, *[0] * 9)
    slow = program(tmp_path, 0, 0, 0, 0, 1, 1, *[0] * 7, seconds=0.1)
    place = tmp_path / "results" / "saved"
    evaluate(forbidding(), {"slow": slow, "fast": fast}, ["nDCG@5"], depth=10).save(place)
    recommended = [open_result(place).comparison().datasets[0].verdict for _ in range(2)]
    assert recommended[0] == recommended[1]
    assert recommended[0].recommended == "fast"
    said = str(recommended[0])
    assert re.search(
        r"Use fast: .* times faster \(.* against .*\), and not decided to be worse than slow", said
    )


def test_means_are_over_the_queries_that_all_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    retrievers = {
        "ours": program(tmp_path, 0, 0, 1, 2),
        "dense": program(tmp_path, 24, 1, 2, 0, failed="left out"),
    }
    place = tmp_path / "results" / "saved"
    verdict = caveats_of(retrievers, place, capsys)
    (caveat,) = verdict.caveats
    assert (caveat.reason, caveat.count, caveat.n) == ("left out", 24, QUERIES)
    result = open_result(place)
    values = result.scores["ours"].per_query("nDCG@5")
    answered = [values[f"q{at}"] for at in range(24, QUERIES)]
    assert verdict.mean is not None
    assert verdict.mean.value == pytest.approx(sum(answered) / 36, abs=1e-12)
    assert "failed queries are left out (dense 24 of 60); means are over 36." in str(verdict)


def test_a_retriever_that_failed_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(query: str, k: int) -> list[str]:
        raise ValueError("no index")

    systems = {"a": answering(level, never), "b": answering(as_good, never), "broken": broken}
    verdict = caveats_of(systems, tmp_path / "results" / "saved", capsys)
    assert verdict.recommended is None
    said = re.sub(r"\(test_what_decides.*…", "…", str(verdict))
    assert said == (
        "Not yet. broken failed (1 of 3 retrievers): query 'q0': raised ValueError: no index …. "
        "Fix it and run again: finished searches are kept."
    )


def test_the_slices_in_which_another_is_better_are_part_of_the_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = ("prose", "codes")
    queries = [
        {"id": f"q{at}", "text": f"question {at}", "tags": [kinds[at % 2]]} for at in range(QUERIES)
    ]
    truth = {f"q{at}": [f"good{at}"] for at in range(QUERIES)}
    passages = [*(f"good{at}" for at in range(QUERIES)), *(f"filler{at}" for at in range(10))]
    tagged = Dataset.from_rows(dict.fromkeys(passages, "text"), queries, truth)
    systems = {
        "codes-first": answering(lambda at: 0 if at % 2 else 3 + at % 4 // 2, never),
        "prose-first": answering(lambda at: 3 if at % 2 else at % 4 // 2, never),
    }
    evaluate(tagged, systems, ["nDCG@5"], depth=5).save(tmp_path / "results" / "saved")
    verdict = said_everywhere(tmp_path / "results" / "saved", capsys)
    assert {winner.value: winner.better for winner in verdict.depends} == {
        "codes": "codes-first",
        "prose": "prose-first",
    }
    assert re.search(r"Depends: (codes|prose): \1-first \(0\.\d+ against 0\.\d+\); ", str(verdict))


def read_by(dataset: Dataset, tokenizer: str) -> Result:
    """BM25, an encoder for English that reads 256 tokens, and both."""
    retrievers = {
        "bm25": BM25(tokenizer=tokenizer),
        "dense": Faiss(encoder="minilm"),
        "hybrid": Fusion(retrievers=("bm25", "dense")),
    }
    return evaluate(dataset, retrievers, ["RR@5"])


def test_an_encoder_for_another_language_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    about = {f"p{at}": f"임차인은 매달 {at}일에 임대료를 냅니다." for at in range(1, 25)}
    queries = {f"q{at}": f"{at}일에 내는 것은 무엇입니까?" for at in range(1, 25)}
    dataset = Dataset.from_rows(about, queries, {f"q{at}": [f"p{at}"] for at in range(1, 25)})
    read_by(dataset, "korean").save(tmp_path / "results" / "saved")
    verdict = said_everywhere(tmp_path / "results" / "saved", capsys)
    assert verdict.leader == "bm25"
    assert [(each.reason, each.retriever) for each in verdict.caveats] == [
        ("language", "dense"),
        ("language", "hybrid"),
    ]
    assert "was trained on English, and the texts are Korean" in str(verdict)


def test_an_encoder_that_cut_texts_is_named() -> None:
    long = "The tide is low, and the harbour master opens the gate at seven. " * 20
    about = {f"p{at}": f"{long} Berth {at} is free." for at in range(1, 13)}
    queries = {f"q{at}": f"Is berth {at} free?" for at in range(1, 13)}
    dataset = Dataset.from_rows(about, queries, {f"q{at}": [f"p{at}"] for at in range(1, 13)})
    verdict = read_by(dataset, "words").comparison().datasets[0].verdict
    assert verdict.leader == "bm25"
    (caveat,) = verdict.caveats
    assert (caveat.reason, caveat.retriever, caveat.count, caveat.n) == ("cut", "dense", 12, 12)
    assert "the encoder cut texts and did not read their ends (dense 100 % of them)" in str(verdict)
