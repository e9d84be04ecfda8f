"""Odd names of retrievers, datasets and experiments through a run, its folder and its report."""

from __future__ import annotations

import csv
import html
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ragscore import BM25, Dataset, Fusion, evaluate, load_run, open_result, run_experiment
from ragscore.cli import main
from ragscore.errors import ConfigError
from ragscore.experiment import Experiment, load_experiment, resolved_yaml
from tests.factories.house import PASSAGES, QUERIES, TRUTH, write_dataset
from tests.factories.names import NAMES

ODD = [
    "=1+1, {0} %s",
    "@BM25 [k1=0.9, b=0.4]",
    "형태소 $x_1$ & (검색)",
    "بحث `x`#~^",
]
TITLE, LABEL = "가 [v2] (#1), k=3 & co", "-x+y;z"
RULES = Dataset.from_rows(
    {passage.replace(" ", "-"): text for passage, text in PASSAGES.items()},
    QUERIES,
    {query: [passage.replace(" ", "-") for passage in truth] for query, truth in TRUTH.items()},
)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("names")
    write_dataset(folder / "data")
    one, two, three, four = ODD
    experiment = Experiment(
        name=TITLE,
        datasets=[{"path": str(folder / "data"), "name": LABEL}],
        retrievers={
            one: BM25(),
            two: BM25(k1=0.9, b=0.4),
            three: BM25(tokenizer="words"),  # type: ignore[arg-type]
            four: Fusion(retrievers=(one, three)),
        },
        measures=["nDCG@3", "RR@3"],
        depth=4,
        latency=False,
        compare={"baseline": two},
        report={"formats": ["html", "markdown", "latex", "csv"]},
        output=str(folder / "results"),
    )
    return run_experiment(experiment)


def test_a_result_with_odd_names_is_what_it_was(result: Any) -> None:
    assert result.folder.parent.name == TITLE
    again = open_result(result.folder)
    assert list(again.retrievers) == ODD
    assert again.to_dict() == result.to_dict()
    assert list(again.to_dict()) == [LABEL]
    assert load_experiment(result.folder / "experiment.yaml").retrievers.keys() == set(ODD)
    for name in ODD:
        assert (result.folder / "runs" / f"{name}.parquet").is_file()


def test_no_table_for_spreadsheets_computes_a_name(result: Any) -> None:
    tables = [result.folder / "summary.csv", *result.folder.glob("report/tables/*.csv")]
    assert len(tables) > 5
    cells = [
        cell
        for table in tables
        for row in csv.reader(table.read_text(encoding="utf-8-sig").splitlines())
        for cell in row
    ]
    assert {f"'{ODD[0]}", f"'{ODD[1]}", f"'{LABEL}"} <= set(cells)
    assert not [cell for cell in cells if cell.startswith(("=", "@", "+", "-x"))]


def test_every_format_shows_the_names(result: Any) -> None:
    page = result.page.read_text(encoding="utf-8")
    for name in ODD:
        assert html.escape(name, quote=False) in page
    markdown = (result.folder / "report" / "report.md").read_text(encoding="utf-8")
    assert r"x\_1" in markdown
    tex = (result.folder / "report" / "tables" / "leaderboard.tex").read_text(encoding="utf-8")
    assert r"\$x\_1\$ \& (검색)" in tex
    assert r"\{0\} \%s" in tex


def test_the_command_line_takes_them(result: Any, capsys: pytest.CaptureFixture[str]) -> None:
    config = str(result.folder / "experiment.yaml")
    assert main(["validate", config, "--set", f'retrievers."{ODD[1]}".k1=2']) == 0
    assert main(["compare", str(result.folder), "--baseline", ODD[0], "--format", "json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])
    changed = load_experiment(
        config, [f'retrievers."{ODD[1]}".k1=2', f'compare.baseline="{ODD[2]}"']
    )
    assert changed.retrievers[ODD[1]] == BM25(k1=2, b=0.4)
    unquoted = load_experiment(config, [f"retrievers.{ODD[1]}.k1=2"])
    assert unquoted.retrievers[ODD[1]] == BM25(k1=2, b=0.4)


@settings(max_examples=12, deadline=None)
@given(st.lists(NAMES, min_size=3, max_size=6, unique_by=str.casefold), NAMES)
def test_an_experiment_with_any_names_reads_back_equal(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], title: str
) -> None:
    experiment = Experiment(
        name=title,
        datasets=[{"path": "/data", "name": title}],
        retrievers={name: BM25() for name in names[1:]}
        | {names[0]: Fusion(retrievers=tuple(names[1:]))},
        compare={"baseline": names[1]},
    )
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(resolved_yaml(experiment), encoding="utf-8")
    assert load_experiment(path, files=False) == experiment
    set_there = load_experiment(path, [f'retrievers."{names[1]}".k1=3'], files=False)
    assert set_there.retrievers[names[1]] == BM25(k1=3)


@settings(max_examples=4, deadline=None, phases=[Phase.generate])
@given(st.lists(NAMES, min_size=3, max_size=3, unique_by=str.casefold))
def test_a_result_of_any_names_is_saved_and_opened(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    retrievers = {name: BM25(k1=at) for at, name in enumerate(names)}
    result = evaluate(RULES, retrievers, ["nDCG@3"], depth=3)
    folder = tmp_path_factory.mktemp("any") / "result"
    result.save(folder)
    again = open_result(folder)
    assert list(again.retrievers) == names
    assert again.to_dict() == result.to_dict()
    for name in names:
        assert load_run(folder / "runs" / f"{name}.trec").to_dict() == (
            {
                query: found
                for query, found in again["dataset"].runs[name].to_dict().items()
                if found
            }
        )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a/b"], "retrievers.a/b: a name with '/', which no file can have. "),
        (["../a"], "retrievers.\"../a\": a name with '/'"),
        (["a", "A"], "retrievers.A: the name differs from 'a' only in upper and lower case. "),
        ([""], 'retrievers."": an empty name'),
    ],
)
def test_python_takes_the_names_that_yaml_takes(names: list[str], said: str) -> None:
    retrievers = {name: BM25() for name in names}
    with pytest.raises(ConfigError) as caught:
        evaluate(RULES, retrievers, ["RR"])
    assert str(caught.value).startswith(said)
    with pytest.raises(ConfigError) as caught:
        Experiment(datasets=["data"], retrievers=retrievers)
    assert str(caught.value).startswith(said)


def test_names_that_files_cannot_have_stay_inside_the_folder(tmp_path: Path) -> None:
    """Runs of other tools are named by their paths where stems are alike."""
    from ragscore.results import score_runs

    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "bm25.run").write_text("q1 Q0 p1 1 2.0 x\nq2 Q0 p1 1 2.0 x\n")
    (tmp_path / "qrels").write_text("q1 0 p1 1\nq2 0 p1 0\nq2 0 p2 1\n")
    paths = [tmp_path / "a" / "bm25.run", tmp_path / "a" / ".." / "b" / "bm25.run"]
    result = score_runs(paths, tmp_path / "qrels", ["RR"])
    result.save(tmp_path / "out" / "result")
    again = open_result(tmp_path / "out" / "result")
    assert list(again.retrievers) == list(result.retrievers)
    assert [run.to_dict() for run in again["qrels"].runs.values()]
    assert len(list((tmp_path / "out" / "result" / "runs").glob("*.parquet"))) == 2
