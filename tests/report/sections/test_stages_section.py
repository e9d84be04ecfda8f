"""Where relevant passages were lost: the tables hold what was computed, wherever runs come from."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from ragscore import BM25, Experiment, Passage, Result, evaluate, open_result, run_experiment
from ragscore.diagnose import STAGE_OUTCOMES
from ragscore.elements import Details
from ragscore.report import make_report
from ragscore.report.report import Report
from ragscore.results.joined_parts import joined_parts
from ragscore.retrievers import Fusion, Rerank
from tests.factories.built_report import inside, rows_of, section, tables
from tests.factories.manifests import resealed
from tests.report.browser import Browser

SHIPPED = Path(__file__).resolve().parents[3] / "datasets" / "harbour-tenancy"


def short_first(query: str, passages: Sequence[Passage]) -> list[int]:
    return [-len(passage.text) for passage in passages]


BY = {"kind": "custom", "use": f"{__name__}:short_first"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two retrievers, their fusion, and a reranker of it."""
    specs = {
        "bm25": BM25(),
        "plain": BM25(tokenizer={"kind": "words"}),
        "both": Fusion(retrievers=["bm25", "plain"]),
        "short": Rerank(retriever="both", n=15, by=BY),
    }
    result = evaluate(SHIPPED, specs, ["nDCG@10", "R@15", "R@50"], depth=50)
    assert not result.failures
    folder = tmp_path_factory.mktemp("stages") / "result"
    result.save(folder)
    return folder


@pytest.fixture(scope="module")
def opened(folder: Path) -> Result:
    return open_result(folder)


@pytest.fixture(scope="module")
def made(opened: Result) -> Report:
    return make_report(opened)


def test_the_sums_are_of_all_relevant_passages(made: Report, opened: Result) -> None:
    (panel,) = opened
    (table,) = tables(section(made, "stages"), "outcomes")
    rows = rows_of(table)
    assert list(rows) == list(panel.losses) == ["both", "short"]
    for name, row in rows.items():
        counts = [row[outcome].value for outcome in STAGE_OUTCOMES]
        assert counts == list(panel.losses[name].counts().values())
        assert sum(counts) == row["relevant"].value
    assert panel.losses["short"].pool == 15
    assert panel.losses["both"].pool == 50


def test_what_can_be_reached_and_what_each_input_reaches(made: Report, opened: Result) -> None:
    (panel,) = opened
    (table,) = tables(section(made, "stages"), "reach")
    rows = rows_of(table)
    assert rows["short"]["recall"].value == pytest.approx(panel.scores["both"].mean("R@15"))
    assert rows["short"]["recall"].value == pytest.approx(panel.scores["short"].mean("R@50"))
    for name, row in rows.items():
        assert row["nDCG@10"].value == panel.scores[name].mean("nDCG@10")
        assert row["nDCG@10"].value <= row["best"].value <= 1
    (table,) = tables(section(made, "stages"), "alone")
    found = [(row[0].value, row[1].value, row[2].value) for row in table.rows]
    assert found == [
        (name, source, panel.scores[source].mean("nDCG@10"))
        for name, source in (("both", "bm25"), ("both", "plain"), ("short", "both"))
    ]


def test_queries_with_losses_lead_to_the_query(made: Report, opened: Result) -> None:
    (panel,) = opened
    details = [
        element for element in section(made, "stages").elements if isinstance(element, Details)
    ]
    assert len(details) == 4
    for element in details:
        (table,) = [held for held in inside(element) if held is not element]
        lost = panel.losses["short" if table.id.endswith("-3") else "both"]
        nets = []
        for row in rows_of(table).values():
            at = lost.query_ids.index(str(row["query"].query))
            assert row["lost"].value == lost.by_query["lost"][at]
            assert row["up"].value == (lost.moved[lost.query == at] > 0).sum()
            assert row["moves"].text.count("→") == min(4, row["up"].value + row["down"].value)
            nets.append(row["lost"].value - row["gained"].value)
        assert nets == sorted(nets, reverse=table.id.startswith("losses"))


def test_the_csv_files_list_every_query_and_every_passage(
    made: Report, opened: Result, tmp_path: Path
) -> None:
    (panel,) = opened
    written = made.write(tmp_path, ["csv", "latex", "markdown"])
    listed = [name for name in written.files if "stages-" in name]
    assert listed == [f"report/tables/stages-{kind}.csv" for kind in ("queries", "passages")]
    queries, passages = (
        pl.read_csv(tmp_path / name, schema_overrides={"moved": pl.String}) for name in listed
    )
    for name, lost in panel.losses.items():
        rows = queries.filter(retriever=name)
        assert rows["query"].to_list() == list(lost.query_ids)
        for counted, counts in lost.by_query.items():
            assert rows[counted].to_list() == counts.tolist()
        assert rows["up"].sum() == (lost.moved > 0).sum()
        assert rows["down"].sum() == (lost.moved < 0).sum()
        moves = passages.filter(retriever=name).drop("retriever").fill_null("").fill_null(0)
        assert moves.rows() == [
            (one.query, one.passage, one.input, one.before, one.after, one.moved, one.outcome)
            for one in lost.moves()
        ]
    wins = queries.filter(retriever="short", query=panel.losses["short"].query_ids[0])["change"]
    values = [panel.scores[name].per_query(panel.primary) for name in ("short", "both")]
    assert wins[0] == pytest.approx(values[0][lost.query_ids[0]] - values[1][lost.query_ids[0]])


@pytest.mark.slow
def test_an_opened_query_says_what_moved(
    chromium: Browser, made: Report, opened: Result, tmp_path: Path
) -> None:
    (panel,) = opened
    made.write(tmp_path, ["html"])
    lost = next(iter(panel.losses.values()))
    by_query = {query: lost.moves(query) for query in lost.query_ids}
    query, moves = next(
        (query, moves)
        for query, moves in by_query.items()
        if {"up", "down"} <= {move.moved for move in moves}
    )
    chromium.open(tmp_path / "report.html", f"q={query}")
    chromium.wait("return document.querySelector('.query-moves')")
    cells = chromium.js(
        "return [...document.querySelectorAll('.query-moves tbody tr')].map(row =>"
        " [...row.cells].map(cell => cell.textContent))"
    )
    assert cells[0][0] == lost.retriever
    for row, way in enumerate(("up", "down"), start=1):
        listed = [
            f"{move.passage}: {move.before or '-'} \u2192 {move.after or '-'}"
            for move in moves
            if move.moved == way
        ]
        assert all(text in cells[0][row] for text in listed)
    assert chromium.errors() == []


def test_an_input_that_is_not_in_the_result_is_named(tmp_path: Path) -> None:
    experiment = Experiment.model_validate(
        {
            "dataset": str(SHIPPED),
            "retrievers": {
                "bm25": {"kind": "bm25"},
                "short": {"kind": "rerank", "retriever": "bm25", "n": 10, "by": BY},
            },
            "measures": ["nDCG@10"],
            "depth": 20,
            "report": False,
        }
    )
    result = run_experiment(experiment, only=["short"], output=tmp_path / "result")
    made = make_report(result, sections=["stages"])
    said = "where short loses relevant passages is unknown: this result lacks the run of bm25"
    assert said in str(made)


def test_recorded_runs_that_are_fused(tmp_path: Path) -> None:
    (tmp_path / "one.trec").write_text("q Q0 a 1 3 x\nq Q0 b 2 2 x\nq Q0 c 3 1 x\n")
    (tmp_path / "two.trec").write_text("q Q0 d 1 3 x\nq Q0 b 2 2 x\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "qrels.txt").write_text("q 0 b 1\nq 0 c 1\nq 0 z 1\n")
    (tmp_path / "data" / "queries.tsv").write_text("q\twho\n")
    experiment = Experiment.model_validate(
        {
            "dataset": str(tmp_path / "data"),
            "retrievers": {
                **{
                    name: {"kind": "recorded", "run": str(tmp_path / f"{name}.trec")}
                    for name in ("one", "two")
                },
                "both": {"kind": "fusion", "retrievers": ["one", "two"]},
            },
            "measures": ["P@2"],
            "depth": 4,
            "report": False,
        }
    )
    (panel,) = run_experiment(experiment, output=tmp_path / "result")
    counts = panel.losses["both"].counts()
    assert counts == {"kept": 1, "gained": 0, "lost": 0, "below_k": 1, "not_in_input": 1}
    assert panel.ceilings["both"].best == 1.0


def test_results_that_are_joined_keep_their_inputs(
    folder: Path, opened: Result, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "other")
    other = open_result(tmp_path / "other")
    (panel,) = Result(joined_parts([opened.parts, other.parts]))
    assert panel.losses["other/short"].inputs == ("other/both",)
    assert panel.losses["result/both"].inputs == ("result/bm25", "result/plain")
    (alone,) = opened
    assert panel.losses["other/short"].counts() == alone.losses["short"].counts()


def test_inputs_that_a_stranger_wrote(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    manifest = json.loads((copy / "manifest.json").read_text(encoding="utf-8"))
    entries = manifest["retrievers"]
    entries[2]["inputs"] = ["../../etc", "both", "<b>"]
    entries[3] |= {"inputs": ["short"], "pool": 10**15}
    resealed(copy, retrievers=entries)
    said = " ".join(str(make_report(copy, sections=["stages"])).split())
    assert "this result lacks the run of ../../etc, <b>" in said


def test_nothing_is_built_on_others(tmp_path: Path) -> None:
    result = evaluate(SHIPPED, {"bm25": BM25()}, ["nDCG@10"], depth=10)
    names = [part.id for panel in make_report(result).panels for part in panel.sections]
    assert "stages" not in names
    assert "failures" in names
