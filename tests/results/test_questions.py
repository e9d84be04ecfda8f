"""compare() and tune() of results, folders, run files, scores and runs say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore import (
    CompareOptions,
    ConfigError,
    DataError,
    Result,
    Scores,
    compare,
    evaluate,
    load_qrels,
    load_run,
    score,
    tune,
)

MEASURES = ["RR@3", "R@3"]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    ids = [f"p{number}" for number in range(9)]
    dataset = {
        "passages": {name: f"passage {name}" for name in ids},
        "queries": {f"q{number}": f"question {number}" for number in range(24)},
        "ground_truth": {f"q{number}": [ids[number % 9]] for number in range(24)},
    }

    def found(first: int):
        def retrieve(query: str, k: int) -> list[tuple[str, float]]:
            number = int(query.split()[1])
            start = number - (number % first == 0)
            return [(ids[(start + at) % 9], 9.0 - at) for at in range(5)]

        return retrieve

    made = evaluate(dataset, {"often": found(2), "seldom": found(7)}, MEASURES, depth=5)
    return made.save(tmp_path_factory.mktemp("results") / "first")


@pytest.fixture(scope="module")
def files(result: Result, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], Path]:
    qrels = tmp_path_factory.mktemp("judged") / "qrels.txt"
    judged = result.qrels().to_dict()
    lines = [f"{q} 0 {p} {int(g)}\n" for q, grades in judged.items() for p, g in grades.items()]
    qrels.write_text("".join(lines))
    assert result.folder is not None
    return [result.folder / "runs" / f"{name}.trec" for name in ("often", "seldom")], qrels


def test_a_result_its_folder_and_its_files_compare_alike(
    result: Result, files: tuple[list[Path], Path]
) -> None:
    wanted = compare(result, resamples=200).datasets[0]
    assert compare(str(result.folder), resamples=200).datasets[0] == wanted
    assert compare(result, CompareOptions(resamples=200)).datasets[0].measures == wanted.measures
    runs, qrels = files
    scores = Scores.joined(score(run, qrels, MEASURES) for run in runs)
    of_scores = compare(scores, resamples=200).datasets[0]
    assert of_scores.measures == wanted.measures
    of_files = compare(runs, qrels=qrels, resamples=200).datasets[0]
    assert of_files["RR@10"].differences[0].n == 24


def test_options_given_are_all_of_them(result: Result) -> None:
    named = compare(result, baseline="seldom", resamples=200)
    assert (named.datasets[0].baseline, named.options.baseline) == ("seldom", "seldom")
    again = compare(result, CompareOptions(resamples=200), language="ko")
    assert (again.options.baseline, again.options.language) == (None, "ko")


def test_a_result_its_folder_its_files_and_its_runs_tune_alike(
    result: Result, files: tuple[list[Path], Path]
) -> None:
    wanted = [tuning.k for tuning in tune(result, rule="recall", target=0.9)]
    assert None not in wanted
    assert result.folder is not None
    assert [found.k for found in tune(result.folder, rule="recall", target=0.9)] == wanted
    runs, qrels = files
    assert [found.k for found in tune(runs, qrels, rule="recall", target=0.9)] == wanted
    (seldom,) = tune(runs, qrels, rule="recall", target=0.9, retrievers=["seldom"])
    alone = tune(load_run(runs[1]), load_qrels(qrels), rule="recall", target=0.9)
    assert (alone.k, seldom.k) == (wanted[1], wanted[1])


def test_what_does_not_go_together_is_an_error_that_says_what_does(
    result: Result, files: tuple[list[Path], Path]
) -> None:
    runs, qrels = files
    with pytest.raises(ConfigError, match="run files do not say what is relevant"):
        compare(runs)
    with pytest.raises(ConfigError, match="a result folder has its own judgments"):
        compare(str(result.folder), qrels=qrels)
    with pytest.raises(ConfigError, match="result folders and other paths are mixed"):
        compare([str(result.folder), runs[0]])
    with pytest.raises(ConfigError, match="scores are already judged"):
        compare(result.scores, qrels=qrels)
    with pytest.raises(ConfigError, match="a result has its own"):
        compare(result, latency={"often": 1.0})
    with pytest.raises(DataError, match="no such file or folder"):
        compare("nowhere")
    with pytest.raises(ConfigError, match="Give load_dataset"):
        tune(load_run(runs[0]), str(qrels))  # type: ignore[call-overload]
    with pytest.raises(ConfigError, match="Did you mean 'often'"):
        tune(result, retrievers=["oftn"])
