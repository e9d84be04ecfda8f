"""Filters and parents in an experiment: checked before anything runs, counted, sliced, cached."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ragscore import BM25, Cache, Dataset, Fusion, Result, evaluate, open_result, plan
from ragscore.cli import main
from ragscore.errors import ConfigError
from ragscore.experiment import load_experiment, run_experiment
from ragscore.retrievers.corpus_retriever import CorpusRetriever
from tests.factories import with_metadata

SINCE = {"field": "year", "op": ">=", "value": "query.year"}
CORPUS, QUERIES = with_metadata.corpus(), with_metadata.queries()
LATER = sum(of.get("year") == 2006 for of in QUERIES.metadata.values())
"""Queries whose year is after that of every passage."""


def dataset(**changed: Any) -> Dataset:
    """The passages and queries with metadata; ``changed`` replaces that of the passages."""
    passages = [passage.model_dump() for passage in CORPUS]
    for passage in passages:
        passage["metadata"] |= changed if "year" in passage["metadata"] else {}
    truth = {query: [f"p{at:03}", f"p{at + 30:03}"] for at, query in enumerate(QUERIES.ids)}
    rows = [query.model_dump() for query in QUERIES]
    return Dataset.from_rows(passages, rows, truth, name="house")


def retrievers(**options: Any) -> dict[str, CorpusRetriever | Fusion]:
    recent = BM25(filter=SINCE, **options)
    return {"all": BM25(), "recent": recent, "both": Fusion(retrievers=["all", "recent"])}


def test_what_a_filter_did_is_noted_recorded_and_shown(tmp_path: Path) -> None:
    result = evaluate(dataset(), retrievers(), ["P@5"])
    said = {
        "recent: 5 of 24 queries lack metadata that the filter reads; conditions that need it do "
        "not restrict them",
        f"recent: the filter leaves no passage for {LATER} of 24 queries",
    }
    assert {f"house: {sentence}" for sentence in said} <= set(map(str, result.notes))
    assert all(sentence in str(result) for sentence in said)
    result.save(tmp_path / "out")
    counts = open_result(tmp_path / "out").stages["house", "recent"].filtered
    assert counts is not None
    assert (counts.queries, counts.unrestricted, counts.nothing) == (24, 5, LATER)
    assert open_result(tmp_path / "out").stages["house", "all"].filtered is None


class CountedDate(date):
    """A date that counts how often it is written, as digests do."""

    written = 0

    def isoformat(self) -> str:
        CountedDate.written += 1
        return super().isoformat()


@pytest.mark.parametrize("kind", ["passages", "queries"])
def test_metadata_is_digested_once_for_all_retrievers(tmp_path: Path, kind: str) -> None:
    def row(id: str, made: date) -> dict[str, Any]:
        return {"id": id, "text": f"rent {id}", "metadata": {"on": made}}

    def written(count: int) -> int:
        types = [CountedDate if kind == each else date for each in ("passages", "queries")]
        rows = [
            [row(f"{letter}{at}", made(2026, 1, 1 + at)) for at in range(9)]
            for letter, made in zip("pq", types, strict=True)
        ]
        data = Dataset.from_rows(*rows, {"q1": ["p1"]}, name="dated")
        asked = {"field": "on", "op": ">=", "value": "query.on"}
        filtered = {str(at): BM25(k1=1 + at / 10, filter=asked) for at in range(count)}
        CountedDate.written = 0
        result = evaluate(data, filtered, ["P@5"], cache=Cache(tmp_path / str(count)))
        assert not result.failures
        return CountedDate.written

    assert written(1) == written(5) > 0


def test_cached_runs_are_those_of_the_metadata_that_is_read(tmp_path: Path) -> None:
    def run(data: Dataset) -> Result:
        return evaluate(data, retrievers(), ["P@5"], cache=Cache(tmp_path))

    def cached(result: Result) -> set[str]:
        return {name for (_, name), stages in result.stages.items() if stages.run_from_cache}

    first = run(dataset())
    again = run(dataset())
    assert cached(again) == {"all", "recent", "both"}
    counts = again.stages["house", "recent"].filtered
    assert counts == first.stages["house", "recent"].filtered
    assert counts is not None
    assert cached(run(dataset(place="Ulm"))) == {"all", "recent", "both"}
    later = run(dataset(year=2030))
    assert cached(later) == {"all"}  # a fusion reads what its inputs read
    assert later.runs["house", "recent"].to_dict() != first.runs["house", "recent"].to_dict()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"filter": {**SINCE, "field": "yaer"}},
            "retrievers.recent.filter, house: no passage has metadata 'yaer'. Did you mean 'year'?",
        ),
        (
            {"filter": {**SINCE, "value": "query.yaer"}},
            "retrievers.recent.filter, house: no query has metadata 'yaer'. Did you mean 'year'?",
        ),
        (
            {"collapse": "metadata.place"},
            "retrievers.recent.collapse, house: passage 'p000' has place '",
        ),
    ],
)
def test_what_does_not_fit_the_data_stops_all_before_anything_runs(
    options: dict[str, Any], said: str
) -> None:
    searched: list[str] = []

    def ours(query: str, k: int) -> list[str]:
        searched.append(query)
        return []

    with pytest.raises(ConfigError) as caught:
        evaluate(dataset(), {"ours": ours, "recent": BM25(**options)}, ["P@5"])
    assert str(caught.value).startswith(said)
    assert not searched


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """An experiment file beside its dataset."""
    data = dataset()
    folder = tmp_path / "data"
    folder.mkdir()
    assert data.corpus is not None
    for name, rows in (("passages", data.corpus), ("queries", data.queries)):
        lines = "".join(f"{row.model_dump_json()}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "ground_truth.jsonl").write_text(
        "".join(
            f'{{"query_id": "{query}", "passages": ["p{at:03}", "p{at + 30:03}"]}}\n'
            for at, query in enumerate(data.queries.ids)
        ),
        encoding="utf-8",
    )
    path = tmp_path / "x.yaml"
    path.write_text(
        "dataset: data\nmeasures: [R@20]\nreport: false\nlatency: false\n"
        "compare: {slices: [selectivity], resamples: 100}\nretrievers:\n"
        "  all: {kind: bm25}\n"
        '  recent: {kind: bm25, filter: {field: year, op: ">=", value: query.year}}\n',
        encoding="utf-8",
    )
    return path


def test_values_of_a_sweep_that_do_not_fit_the_data_stop_all_before_anything_runs(
    config: Path, tmp_path: Path
) -> None:
    with config.open("a", encoding="utf-8") as file:
        file.write("sweep: {all: {collapse: [null, metadata.place], k1: [1, 2]}}\n")
    said = r"sweep\.all\.collapse, data: passage 'p000' has place '"
    with pytest.raises(ConfigError, match=said) as caught:
        plan(config)
    assert len(caught.value.problems) == 1
    with pytest.raises(ConfigError, match=said):
        run_experiment(config, output=tmp_path / "out")


def test_a_key_written_as_that_of_a_table_is_named_without_its_prefix(config: Path) -> None:
    text = config.read_text(encoding="utf-8").replace("year, op", "metadata.year, op")
    config.write_text(text.replace("query.year", "query.metadata.year"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"(?s)Write year\n.*Write query\.year"):
        plan(config)


def test_slices_by_selectivity(config: Path, tmp_path: Path) -> None:
    result = run_experiment(load_experiment(config), output=tmp_path / "out")
    for opened in (result, open_result(tmp_path / "out")):
        (sliced,) = opened["data"].slices["all"]
        labels = {part.value: part.n for part in sliced.slices}
        assert sliced.by == "selectivity"
        assert labels["100 %"] == 5  # those without a year
        assert sum(labels.values()) == len(QUERIES)
        assert 2 <= len(labels) <= 4
        assert all(label.endswith(" %") for label in labels)


def test_slices_by_the_filter_of_a_retriever_that_does_not_run_are_left_out(config: Path) -> None:
    assert main(["run", str(config), "--only", "all", "--dry-run"]) == 0
    named = load_experiment(config, ["compare.slices=[selectivity.recent, topic]"])
    for only, slices in (("all", ("topic",)), ("recent", ("selectivity.recent", "topic"))):
        compare = named.reduced({only: named.retrievers[only]}).compare
        assert compare
        assert compare.slices == slices


def test_each_filter_has_slices_of_its_own(config: Path, tmp_path: Path) -> None:
    text = config.read_text(encoding="utf-8")
    bonn = "  bonn: {kind: bm25, filter: {field: place, value: Bonn}}\n"
    config.write_text(text + bonn, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        run_experiment(load_experiment(config), output=tmp_path / "out")
    assert "no query has a tag or metadata 'selectivity'" in str(caught.value)
    assert "selectivity.recent, selectivity.bonn" in str(caught.value)
    named = config.read_text(encoding="utf-8").replace("[selectivity]", "[selectivity.bonn]")
    config.write_text(named, encoding="utf-8")
    result = run_experiment(load_experiment(config), output=tmp_path / "out")
    (sliced,) = result["data"].slices["all"]
    assert len(sliced.slices) == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (", value: query.year", "", "8:24: retrievers.recent.filter.value: missing. Add it: "),
        ('">="', '"=>"', "8:50: retrievers.recent.filter.op: unknown value '=>'. Did you mean '>'"),
        ("value: query", "valeu: query", "8:56: retrievers.recent.filter.valeu: unknown key. Did"),
        ("query.year}", "[1]}", "8:63: retrievers.recent.filter.value: [1], and op: >= takes one"),
        ("{field: year", "{field: 3", "8:40: retrievers.recent.filter.field: the number 3 where"),
    ],
)
def test_a_condition_that_is_written_wrongly(config: Path, old: str, new: str, said: str) -> None:
    written = config.read_text(encoding="utf-8")
    config.write_text(written.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_experiment(config)
    (problem,) = caught.value.problems
    assert f"{problem.where}: {problem.what}. {problem.instead}".startswith(f"{config}:{said}")


def test_the_report_says_whom_a_filter_leaves_short(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_experiment(load_experiment(config), output=tmp_path / "out")
    assert main(["show", str(tmp_path / "out"), "--section", "verdict"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"Left short by a filter {LATER}" in shown
    assert f"recent 0 {LATER} 5 allowed passages only" in shown


@pytest.mark.parametrize(
    ("old", "new", "option", "wrong"),
    [
        (
            "field: year",
            "field: yaer",
            "",
            ["8:32: retrievers.recent.filter, data: no passage has"],
        ),
        (
            "retrievers:",
            "defaults: {bm25: {collapse: metadata.part}}\nretrievers:",
            "",
            [
                f"6:29: retrievers.{name}.collapse, data: no passage has metadata 'part'"
                for name in ("all", "recent")
            ],
        ),
        ("[selectivity]", "[topic], cluster: age", "", ["5:37: compare.cluster, data: no query"]),
        ("all:", "all:", "compare.slices=[age]", ["compare.slices, data: no query has a tag or"]),
    ],
)
def test_what_does_not_fit_the_data_has_its_place_in_the_file(
    config: Path, old: str, new: str, option: str, wrong: list[str], tmp_path: Path
) -> None:
    config.write_text(config.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    experiment = load_experiment(config, [option] if option else [])
    where = f"--set {option}: " if option else f"{config}:"
    for check in (
        lambda: run_experiment(experiment, output=tmp_path / "out"),
        lambda: plan(experiment),
    ):
        with pytest.raises(ConfigError) as caught:
            check()
        for problem, said in zip(caught.value.problems, wrong, strict=True):
            assert str(problem).startswith(f"{where}{said}")
    if not option:
        assert main(["validate", str(config)]) == 2
