"""``--retry-failed``: a result whose failed queries are asked again, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragscore import Cache, ConfigError, DataError, Result, open_result, run_experiment
from ragscore.cli import main
from ragscore.report.markdown_file import as_markdown
from ragscore.results.manifest import RetriedRun
from tests.factories.systems.counting import CountingSystem, counting_server

QUERIES = [f"q{at}" for at in range(60)]
PASSAGES = [f"p{at}" for at in range(40)]
CONFIG = """\
dataset: many
retrievers:
  http:
    kind: http
    url: "{url}"
    body: {{id: "{{id}}", k: "{{k}}"}}
    response: {{ids: "hits[*].id", scores: "hits[*].score"}}
    max_errors: 5
    failed: {failed}
  bm25: {{kind: bm25, tokenizer: words}}
  both: {{kind: fusion, retrievers: [http, bm25]}}
  late: {{kind: http, url: "{url}/late", body: {{id: "{{id}}", k: "{{k}}"}},
    response: {{ids: "hits[*].id", scores: "hits[*].score"}}, retries: 0}}
measures: [RR, P@3]
depth: 4
"""


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountingSystem]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGSCORE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "many"
    folder.mkdir()
    rows = {
        "passages": [{"id": id, "text": f"text {id}"} for id in PASSAGES],
        "queries": [{"id": id, "text": f"question {id} p1"} for id in QUERIES],
        "ground_truth": [
            {"query_id": id, "passages": [PASSAGES[at % 40]]} for at, id in enumerate(QUERIES)
        ],
    }
    for name, listed in rows.items():
        lines = "".join(json.dumps(row) + "\n" for row in listed)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    with counting_server(PASSAGES) as found:
        write_config(tmp_path, found.url)
        yield found


def write_config(folder: Path, url: str, failed: str = "empty", **extra: Any) -> Path:
    path = folder / "many.yaml"
    text = CONFIG.format(url=url, failed=failed)
    more = "".join(f"{key}: {json.dumps(value)}\n" for key, value in extra.items())
    report = "" if "report" in extra else "report: false\n"
    path.write_text(text + report + more, encoding="utf-8")
    return path


def ran(**options: Any) -> Result:
    return run_experiment("many.yaml", cache=Cache.default(), **options)


def scores_of(result: Result) -> bytes:
    assert result.folder is not None
    return (result.folder / "scores.parquet").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("failed", ["empty", "left out"])
def test_only_what_failed_is_asked_again(
    system: CountingSystem, tmp_path: Path, failed: str
) -> None:
    write_config(tmp_path, system.url, failed)
    calm = scores_of(ran(output="calm"))
    system.failing, system.gone = frozenset({"q7", "q31", "q59"}), True
    first = ran(output="first")
    assert set(first.failures) == {("many", "late")}
    assert [f.query for f in first.run("many", "both").failures] == ["q7", "q31", "q59"]
    assert scores_of(first) != calm
    system.failing, system.gone = frozenset({"q31"}), False
    system.asked.clear()
    second = run_experiment(retry_failed="first", output="second", cache=None)
    # Three of the first system; of the second, which had failed, all.
    assert system.asked == dict.fromkeys(QUERIES, 1) | {"q7": 2, "q31": 1 + 1, "q59": 2}
    assert [f.query for f in second.run("many", "http").failures] == ["q31"]
    retried = second.manifest.retried
    assert retried is not None
    digest = json.loads(Path("first/manifest.json").read_text(encoding="utf-8"))["digest"]
    assert (retried.result, retried.digest) == ("first", digest)
    assert retried.created == first.manifest.created
    assert retried.runs == (
        RetriedRun(dataset="many", retriever="http", queries=3, failed=1),
        RetriedRun(dataset="many", retriever="both", queries=3, failed=1),
        RetriedRun(dataset="many", retriever="late", queries=60, failed=0),
    )
    notes = "\n".join(map(str, second.manifest.notes))
    assert "many, http: 3 of 60 queries failed in first and are asked again" in notes
    assert "many, late: first has no run of this retriever, so all 60 queries are asked" in notes
    assert str(tmp_path) not in json.dumps(retried.model_dump())
    system.failing = frozenset()
    third = run_experiment(retry_failed=second.folder, output="third", cache=Cache.default())
    assert scores_of(third) == calm
    assert open_result("third").manifest.config_digest == first.manifest.config_digest


def test_nothing_failed(system: CountingSystem, capsys: pytest.CaptureFixture[str]) -> None:
    ran(output="calm")
    system.asked.clear()
    assert main(["run", "--retry-failed", "calm"]) == 0
    assert "nothing failed in calm" in capsys.readouterr().err
    assert not system.asked
    assert not Path("results").exists()
    # Who names a folder finds a result there.
    assert main(["run", "--retry-failed", "calm", "--output", "named"]) == 0
    assert "nothing failed in calm, so nothing is asked again; named is a copy" in (
        capsys.readouterr().err
    )
    assert not system.asked
    assert scores_of(open_result("named")) == scores_of(open_result("calm"))
    assert open_result("named").manifest.retried is None
    assert main(["run", "--retry-failed", "calm", "--output", "named"]) == 2
    assert "named" in capsys.readouterr().err
    assert main(["run", "--retry-failed", "calm", "--output", "calm", "--overwrite"]) == 0
    assert scores_of(open_result("calm")) == scores_of(open_result("named"))


def test_a_changed_dataset_is_refused(system: CountingSystem) -> None:
    system.failing = frozenset({"q7"})
    ran(output="first")
    with Path("many/queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "new", "text": "one more"}\n')
    with pytest.raises(DataError, match="the dataset has changed since"):
        run_experiment(retry_failed="first", output="second")
    assert not Path("second").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["many.yaml"], "CONFIG cannot be given too: the experiment is that of first"),
        (["--only", "http"], "--only cannot be given too"),
        (["--set", "depth=3", "--strict"], "--set and --strict cannot be given too"),
        (["--dry-run"], "--dry-run cannot be given too"),
    ],
)
def test_what_would_change_the_experiment_is_refused(
    flags: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *flags, "--retry-failed", "first"]) == 2
    assert said in capsys.readouterr().err


def test_what_is_missing_is_said(
    system: CountingSystem, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run"]) == 2
    assert "no experiment is named" in capsys.readouterr().err
    assert main(["run", "--retry-failed", "nowhere"]) == 3
    with pytest.raises(ConfigError, match="Leave one of them out"):
        run_experiment("many.yaml", retry_failed="first")
    with pytest.raises(ConfigError, match="no experiment is given"):
        run_experiment()


def test_a_run_that_is_not_deep_enough_is_asked_again(
    system: CountingSystem, tmp_path: Path
) -> None:
    """Where a query is a passage itself and is dropped, a fusion reads one passage more."""
    path = write_config(tmp_path, system.url)
    own = path.read_text(encoding="utf-8").replace("many\n", "{path: many, drop_self: true}\n", 1)
    path.write_text(own, encoding="utf-8")
    system.failing = frozenset({"q7"})
    ran(output="first")
    system.failing = frozenset()
    system.asked.clear()
    second = run_experiment(retry_failed="first", output="second")
    assert system.asked == dict.fromkeys(QUERIES, 1)
    said = "its run in first is too shallow for the retrievers built on it, so all 60 queries"
    assert any(said in str(note) for note in second.manifest.notes)


def test_the_report_says_what_was_asked_again(system: CountingSystem) -> None:
    system.failing = frozenset({"q7", "q9"})
    ran(output="first", only=["http"])
    system.failing = frozenset({"q9"})
    second = run_experiment(retry_failed="first", output="second")
    for language, said in (
        ("en", "http: 2, of which 1 failed again. All other answers come from the result first"),
        ("ko", "http: 2개, 그중 다시 실패한 것 1개"),
    ):
        assert said in as_markdown(second.report(language=language, sections=["computed"]))
