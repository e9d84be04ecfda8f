"""That a sample was searched stands beside every number, wherever it is read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars
import pytest
from pydantic import ValidationError

from ragscore import (
    Cache,
    Experiment,
    Result,
    Scores,
    compare,
    evaluate,
    load_dataset,
    make_report,
    open_result,
    plan,
    power,
    run_experiment,
    tune,
)
from ragscore.change.between import changes
from ragscore.cli import main
from ragscore.comparison.verdict import Verdict
from ragscore.dataset import SampledCorpus
from ragscore.elements import as_markdown, as_text
from ragscore.errors import DataError
from ragscore.experiment import load_experiment
from ragscore.gate import gate_result
from ragscore.messages import Message
from ragscore.report.index.finder import Finder
from ragscore.report.index.index_page import index_page
from ragscore.results.manifest import DatasetEntry
from ragscore.retrievers import BM25
from tests.factories.tiny_results import PASSAGES, QUERIES, TRUTH, TWO, written

CORPUS = {"sample": 3}
SIZE = "a sample of 20 of 24 passages"
CAVEAT = f"On {SIZE}: scores are too high, and differences may change on the whole corpus."
CAVEAT_KO = "패시지 24개 중 20개의 표본에서 잰 값입니다."
NOTE = "20 of 24 passages are searched: 3 drawn at random, and every judged one"


def searched(folder: Path, corpus: Any = True, **parts: Any) -> Path:
    """The result of two retrievers; the dataset stands in ``folder / "data"``."""
    written(folder / "data", PASSAGES, QUERIES, TRUTH)
    given = {
        "datasets": [{"path": str(folder / "data"), "corpus": corpus}],
        "retrievers": TWO,
        "measures": ["RR@5", "P@3"],
        "depth": 10,
        "latency": False,
        "report": False,
        **parts,
    }
    run_experiment(Experiment.model_validate(given), output=folder / "result", cache=Cache())
    return folder / "result"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return searched(
        tmp_path_factory.mktemp("sampled"),
        CORPUS,
        tune={"rule": "recall", "target": 0.5},
        gate={"min": {"RR@5": 0.1}},
        sweep={"one": {"k1": [0.5, 1.0]}},
        report={"formats": ["html", "markdown", "latex", "csv"]},
    )


@pytest.fixture(scope="module")
def result(place: Path) -> Result:
    return open_result(place)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return searched(tmp_path_factory.mktemp("whole"))


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_manifest_says_what_was_searched(place: Path, result: Result) -> None:
    manifest = read(place / "manifest.json")
    (entry,) = manifest["datasets"]
    assert entry["passages"] == 20
    assert entry["sample"] == {
        "passages": 20,
        "of": 24,
        "drawn": 3,
        "kept": 17,
        "pooled": 0,
        "keep": "judged",
        "pool": [],
        "depth": 0,
        "seed": 0,
    }
    assert entry["spec"]["corpus"]["sample"] == 3
    notes = [str(Message.read(note)) for note in manifest["notes"]]
    assert any(note.startswith(f"data: {NOTE}") for note in notes)
    assert result.dataset().sample == SampledCorpus(**{**entry["sample"], "pool": ()})


@pytest.mark.parametrize(
    "wrong", [{"of": 10**400}, {"drawn": 0}, {"keep": "all"}, {"pool": "bm25"}, {"seed": -1}]
)
def test_what_no_sample_can_be_is_not_read(result: Result, wrong: dict[str, Any]) -> None:
    entry = result.manifest.datasets[0].model_dump(mode="json")
    assert DatasetEntry.model_validate(entry).sample is not None
    entry["sample"] |= wrong
    with pytest.raises(ValidationError):
        DatasetEntry.model_validate(entry)


def test_every_file_for_programs_says_it(place: Path) -> None:
    counts = read(place / "summary.json")["counts"]
    assert [row["sample"]["of"] for row in counts] == [24, 24]
    (compared,) = read(place / "comparison.json")["datasets"]
    assert compared["sample"]["passages"] == 20
    assert compared["verdict"]["sample"]["of"] == 24
    assert f"Sample: {NOTE}" in str(Verdict.from_dict(compared["verdict"]))
    (swept,) = read(place / "sweep.json")["datasets"]
    assert swept["sample"]["of"] == 24
    assert f"data: {CAVEAT}" in [
        str(Message.read(note)) for note in read(place / "gate.json")["notes"]
    ]
    assert set(polars.read_csv(place / "summary.csv")["caveat"]) == {CAVEAT}


def test_every_table_and_figure_of_the_report_says_it(place: Path) -> None:
    tables = sorted((place / "report" / "tables").iterdir())
    assert {table.suffix for table in tables} == {".csv", ".tex"}
    for table in tables:
        text = table.read_text(encoding="utf-8")
        assert text.count(CAVEAT) or text.count("\n") == 1, table.name
    for name, least in (("report.html", 10), ("report/report.md", 5)):
        assert (place / name).read_text(encoding="utf-8").count(CAVEAT) > least
    page = (place / "report.html").read_text(encoding="utf-8")
    assert page.count("<figure") <= page.count(CAVEAT)
    assert "Sample of the corpus" in page
    assert SIZE in page  # in the head


def test_what_commands_print_says_it(
    place: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    curves = tmp_path / "curves.csv"
    commands = [
        ["compare", str(place)],
        ["compare", str(place), "--format", "markdown"],
        ["tune", str(place), "--csv", str(curves)],
        ["gate", str(place), "--min", "RR@5=0.1"],
        ["show", str(place)],
    ]
    for command in commands:
        main(command)
        assert CAVEAT in capsys.readouterr().out, command
    assert CAVEAT in curves.read_text()
    main(["gate", str(place), "--min", "RR@5=0.1", "--format", "junit"])
    assert f'<property name="note" value="data: {CAVEAT}"' in capsys.readouterr().out
    main(["list", "results", str(place.parent)])
    assert f"data ({SIZE})" in capsys.readouterr().out
    main(["compare", str(place), "--language", "ko"])
    out = capsys.readouterr().out
    assert CAVEAT_KO in out
    assert "표본: 패시지 24개 중 20개를 검색합니다" in out


def test_the_result_prints_it(result: Result) -> None:
    printed = as_text(result.elements(), language="en")
    tables = printed.count("RR@5 (primary") + 1
    assert printed.count(CAVEAT) >= tables
    assert f"data: {SIZE}, 20 queries" in printed
    assert f"Sample: {NOTE}" in printed
    assert CAVEAT_KO in as_text(result.elements(), language="ko")
    assert CAVEAT in make_report(result, sections=["measures"]).text(width=200)
    assert CAVEAT in as_markdown(tune(result)[0].elements())


def test_the_index_of_results_says_it(place: Path) -> None:
    page = index_page(Finder(place.parent).results(), place.parent, "en")
    assert page.text.count(SIZE) == 2  # beside the sizes of the data, and in the row
    assert NOTE in page.text


def test_spreads_on_a_sample_are_said_to_be_such(root: Path, tmp_path: Path) -> None:
    data = load_dataset(root / "datasets" / "harbour-tenancy", cache=Cache(), corpus=CORPUS)
    retrievers = {"bm25": BM25(), "words": BM25(tokenizer="words", k1=0.2)}
    (found,) = power(evaluate(data, retrievers, ["nDCG@10"])).datasets
    assert data.sample is not None
    size = data.sample.size().text()
    told = f"the spreads were measured on {size}; on the whole corpus they differ"
    assert str(found.notes[-1]) == told


def test_scores_alone_say_it(result: Result) -> None:
    assert CAVEAT in str(result.scores)
    compared = compare(Scores(result.scores.entries)).datasets[0]
    assert compared.sample is not None
    assert "Sample: " in str(compared.verdict)


def test_a_dataset_in_memory_says_it_and_is_read_again_from_the_result(
    place: Path, tmp_path: Path
) -> None:
    data = load_dataset(place.parent / "data", corpus=CORPUS)
    made = evaluate(data, {"bm25": BM25()}, ["RR@5"])
    assert CAVEAT in str(made)
    made.save(tmp_path / "saved")
    again = open_result(tmp_path / "saved")
    assert again.dataset().sample == data.sample
    assert CAVEAT in str(again)
    assert CAVEAT in str(again.rescored(["P@1"]).scores)


def test_an_average_over_a_sampled_dataset_says_so(place: Path, whole: Path) -> None:
    sampled, other = (open_result(folder).scores.entries[:1] for folder in (place, whole))
    mixed = Scores((*sampled, *(replace(entry, dataset="other") for entry in other)))
    assert f"data: On {SIZE}: " in str(mixed.average_table().caveat)


def test_nothing_is_said_of_a_whole_corpus(whole: Path) -> None:
    for path in [*whole.glob("*.json"), *whole.glob("*.md")]:
        assert "sample of" not in path.read_text(encoding="utf-8")
    assert "caveat" not in (whole / "summary.csv").read_text()


def test_a_sample_and_the_whole_are_not_compared_unasked(place: Path, whole: Path) -> None:
    told = rf"'data' is not the same in both: .* has {SIZE}, .* has the whole corpus"
    with pytest.raises(DataError, match=told):
        compare([place, whole])
    found = compare([place, whole], allow_intersect=True)
    assert any(
        "the whole corpus, so part of their difference" in str(note)
        for note in found.datasets[0].notes
    )
    sampled, other = (open_result(folder).scores.entries[:1] for folder in (place, whole))
    mixed = Scores((*sampled, *(replace(entry, retriever="other") for entry in other)))
    with pytest.raises(DataError, match=f"one searched {SIZE}, and other searched the whole"):
        compare(mixed)


def test_what_changed_names_both(place: Path, whole: Path) -> None:
    told = f"Before, the whole corpus was searched, and now {SIZE}"
    report = make_report(open_result(place), before=open_result(whole), sections=["changes"])
    assert told in " ".join(report.text().split())
    (changed,) = changes(whole, place).datasets
    assert any(str(note).startswith(told) for note in changed.notes)


def test_a_gate_against_a_baseline_of_the_whole(place: Path, whole: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    main(["baseline", "save", str(whole), "-o", str(baseline)])
    told = f"have changed since the baseline was saved: the result searched {SIZE}"
    with pytest.raises(DataError, match=told):
        gate_result(open_result(place), max_drop={"RR@5": 0.1}, baseline=baseline)


def test_a_plan_says_it_before_anything_is_searched(place: Path) -> None:
    found = plan(load_experiment(place / "experiment.yaml"), cache=Cache())
    assert found.samples["data"].of == 24
    assert NOTE in str(found)
