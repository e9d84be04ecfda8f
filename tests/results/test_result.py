"""Result: the same class wherever it comes from, each of its parts computed once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragscore import BM25, Dataset, Result, evaluate, load_experiment, open_result, run_experiment
from ragscore.cli import main
from ragscore.comparison import Verdict, comparing
from ragscore.errors import ConfigError, DataError
from ragscore.results import folder_parts as folders
from ragscore.results import score_runs
from ragscore.results.joined_parts import joined_parts
from tests.factories.house import GRADED, KINDS, PASSAGES, QUERIES, write_dataset

TWO = {"bm25": BM25(), "words": BM25(tokenizer="words")}
MEASURES = ["nDCG@3", "P@3"]
CONFIG = """\
name: house
dataset: data
retrievers: {bm25: {kind: bm25}, words: {kind: bm25, tokenizer: words}}
measures: [nDCG@3, P@3]
depth: 4
tune: {rule: recall, target: 0.5}
compare: {slices: [kind]}
"""


def rows() -> Dataset:
    """A dataset whose rows are given in Python."""
    passages = [{"id": name, "text": text} for name, text in PASSAGES.items()]
    queries = [
        {
            "id": name,
            "text": text,
            "tags": [f"kind:{KINDS[name]}"],
            "metadata": {"part": [KINDS[name], 1]},
        }
        for name, text in QUERIES.items()
    ]
    return Dataset.from_rows(passages, queries, GRADED, name="rows")


@pytest.fixture
def ran(tmp_path: Path) -> Result:
    write_dataset(tmp_path / "data", tagged=True)
    config = tmp_path / "house.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    return run_experiment(load_experiment(config), output=tmp_path / "out")


def test_a_run_and_its_folder_are_the_same_result(ran: Result) -> None:
    assert ran.folder is not None
    opened = open_result(ran.folder)
    assert type(opened) is type(ran) is Result
    assert opened.scores.to_dict() == ran.scores.to_dict()
    assert opened.comparison() == ran.comparison()
    assert opened.manifest == ran.manifest
    assert {key: run.to_dict() for key, run in opened.runs.items()} == {
        key: run.to_dict() for key, run in ran.runs.items()
    }
    assert opened.stages == ran.stages
    assert [str(one) for one in opened.tunings] == [str(one) for one in ran.tunings]
    assert str(opened).splitlines()[:3] == str(ran).splitlines()[:3]
    recorded = json.loads((ran.folder / "comparison.json").read_text(encoding="utf-8"))
    assert recorded == opened.comparison().to_dict()


def test_the_report_of_a_run_reads_nothing_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> bytes:
        raise AssertionError(f"read back: {given}")

    monkeypatch.setattr(folders, "recorded_bytes", refuse)
    write_dataset(tmp_path / "data", tagged=True)
    config = tmp_path / "house.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    result = run_experiment(load_experiment(config), output=tmp_path / "out")
    assert result.page is not None
    assert result.page.is_file()


def test_a_section_computes_what_it_shows_alone(
    ran: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ran.folder is not None
    opened = open_result(ran.folder)
    (part,) = opened.dataset_results
    assert str(opened.report(sections=["queries"]))
    computed = {"every", "_curves", "_slices", "_overlap"} & set(vars(part))
    assert computed == set()


def test_a_comparison_is_put_together_once(ran: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ran.folder is not None
    made = []
    real = comparing.verdict_of

    def counted(*args: Any, **facts: Any) -> Verdict:
        made.append(args)
        return real(*args, **facts)

    monkeypatch.setattr(comparing, "verdict_of", counted)
    opened = open_result(ran.folder)
    first = opened.comparison()
    assert opened.compared is first
    assert str(opened)
    assert len(made) == 1
    assert str(opened.report(sections=["verdict"]))
    # Two baselines share the verdict of each of two measures.
    assert len(made) == 2


def test_options_are_changed_one_by_one(ran: Result) -> None:
    other = ran.comparison(baseline="words", margin=0.3, measure="P@3", slices=())
    assert (other.options.baseline, other.options.margin) == ("words", 0.3)
    assert (other.datasets[0].primary, other.datasets[0].baseline) == ("P@3", "words")
    assert other.slices == ()
    assert ran.comparison(measure="R@2").datasets[0].primary == "R@2"
    (tuning,) = ran.tune(rule="knee", target=None, retrievers=["words"])
    assert (tuning.retriever, tuning.options.rule, tuning.options.target) == (
        "words",
        "knee",
        None,
    )
    for wrong, told in (
        ({"baseline": "word"}, "Did you mean 'words'"),
        ({"slices": ("knd",)}, "no query has a tag or metadata 'knd'"),
        ({"margn": 1}, "margn"),
    ):
        with pytest.raises(ConfigError, match=told):
            ran.comparison(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["rows", "path"])
def test_what_was_evaluated_is_saved_reported_and_reopened(
    tmp_path: Path, given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = rows() if given == "rows" else write_dataset(tmp_path / "data", tagged=True)
    result = evaluate(dataset, TWO, MEASURES, depth=4)
    assert result.folder is None
    page = result.report(formats=["html"]).write(tmp_path / "page").page
    assert page.is_file()
    place = tmp_path / "results" / "one"
    saved = result.save(place)
    assert saved.folder == result.folder == place
    opened = open_result(place)
    assert opened.manifest.config_digest is None
    assert opened.experiment_text == ""
    assert opened.comparison() == result.comparison()
    assert opened.dataset().digest == result.dataset().digest
    assert (place / "dataset").is_dir() == (given == "rows")
    if given == "rows":
        moved = place.rename(place.with_name("two"))
        assert list(open_result(moved).dataset().queries) == list(result.dataset().queries)
        moved.rename(place)
    for command in (["show"], ["report"], ["compare", "--slices", "kind"], ["tune"]):
        assert main([*command, str(place)]) == 0
    assert main(["list", "results", str(place.parent)]) == 0
    assert "nDCG@3" in capsys.readouterr().out
    with pytest.raises(ConfigError, match="exists already"):
        result.save(place)
    assert result.save(place, overwrite=True).folder == place


def test_a_function_is_named_in_the_manifest() -> None:
    def mine(query: str, k: int) -> list[str]:
        return ["pets"]

    (entry,) = evaluate(rows(), {"mine": mine}, ["P@1"], depth=1).manifest.retrievers
    assert entry.spec == {
        "kind": "python",
        "use": f"{__name__}:test_a_function_is_named_in_the_manifest.<locals>.mine",
    }


def test_loose_runs_are_saved_and_compared(ran: Result, tmp_path: Path) -> None:
    assert ran.folder is not None
    files = [ran.folder / "runs" / f"{name}.parquet" for name in ("bm25", "words")]
    loose = score_runs(files, tmp_path / "data", MEASURES)
    assert loose.comparison().datasets[0].measures == ran.comparison().datasets[0].measures
    again = open_result(loose.save(tmp_path / "loose").folder or "")
    assert again.comparison() == loose.comparison()


def test_runs_judged_by_a_file_know_no_texts(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    for name, found in (("one", "a"), ("two", "b")):
        lines = "".join(f"q{n} Q0 {found} 1 1 t\n" for n in (1, 2))
        (tmp_path / f"{name}.run").write_text(lines)
    files = [tmp_path / "one.run", tmp_path / "two.run"]
    loose = score_runs(files, tmp_path / "qrels", ["P@1"])
    again = open_result(loose.save(tmp_path / "loose").folder or "")
    assert len(again.qrels()) == 2
    assert again["qrels"].overlap == loose["qrels"].overlap
    with pytest.raises(DataError, match="the judgments are a file"):
        again.dataset()
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    with pytest.raises(DataError, match="the judgments have changed"):
        open_result(tmp_path / "loose").qrels()


def test_results_are_compared_together(ran: Result, tmp_path: Path) -> None:
    other = evaluate(tmp_path / "data", {"bm25": BM25(k1=0.1)}, MEASURES, depth=4)
    other = other.save(tmp_path / "other")
    both = Result(joined_parts([ran.parts, other.parts]))
    assert both.retrievers == ["out/bm25", "words", "other/bm25"]
    assert both.run("data", "other/bm25").to_dict() == other.run("data", "bm25").to_dict()
    assert both.comparison().datasets[0].retrievers == ("out/bm25", "words", "other/bm25")
    with pytest.raises(ConfigError, match="the same result is named twice"):
        joined_parts([ran.parts, ran.parts])
