"""``ragscore gate``: exit codes, conditions, and what each format shows."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from ragscore.gate import judge_gate
from tests.factories.command import Ragscore
from tests.factories.gated import answering, saved

STARTER = Path(__file__).resolve().parents[2] / "ragscore/cli/starter/tool-library"
DROP = ("--max-drop", "RR=0.1", "--baseline", "baseline.json")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A baseline of 50 correct queries, and results of 50, 44 and 20."""
    from tests.factories import command

    folder = tmp_path_factory.mktemp("gate")
    for correct in (50, 44, 20):
        saved(folder / f"of-{correct}", correct)
    assert command.run("baseline", "save", "of-50", cwd=folder).returncode == 0
    few = ("-m", "RR", "-o", "rr.json")
    assert command.run("baseline", "save", "of-50", *few, cwd=folder).returncode == 0
    return folder


@pytest.fixture
def tmp_path(made: Path) -> Path:
    """The folder that ``ragscore`` runs in."""
    return made


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["of-50", *DROP], 0, "PASS"),
        (["of-44", *DROP], 6, "UNDECIDED"),
        (["of-44", *DROP, "--undecided", "pass"], 0, "UNDECIDED"),
        (["of-44", *DROP, "--undecided", "fail"], 5, "UNDECIDED"),
        (["of-44", *DROP, "--strict"], 0, "PASS"),
        (["of-20", *DROP], 5, "FAIL"),
        (["of-20", "--max-drop", "RR=0.1", "--baseline", "of-50"], 5, "FAIL"),
        (["of-50", "--min", "P@1=0.8"], 0, "PASS"),
        (["of-50", "--min", "P@1=0.8", "--confident"], 6, "UNDECIDED"),
        (["of-50", "--min", "P@1=0.95", "--confident"], 5, "FAIL"),
        (["of-50", "--min", "RR=0.8", "--max", "p95_ms=10000"], 0, "PASS"),  # of its calls
        (["of-50", "--min", "RR=0.8", "--retriever", "mine"], 0, "PASS"),
    ],
)
def test_the_exit_code_says_whether_the_build_goes_on(
    ragscore: Ragscore, arguments: list[str], code: int, said: str
) -> None:
    done = ragscore("gate", *arguments)
    assert (done.returncode, done.stderr) == (code, "")
    assert said in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["of-50"], 2, "there is no condition"),
        (["of-50", "of-44"], 2, "ragscore gate of-44 --max-drop nDCG@10=0.02 --baseline of-50"),
        (["baseline.json"], 2, "baseline.json: this file is not a result"),
        (["of-44", "baseline.json"], 2, "write --baseline baseline.json"),
        (["of-50", "--min", "p95_ms=3"], 2, "--min: p95_ms is not a measure, and may only have"),
        (["of-50", "--min", "RR"], 2, "--min: 'RR' is not a name and a number"),
        (["of-50", "--min", "RR=x"], 2, "--min: 'RR=x' is not a name and a number"),
        (["of-50", "--max", "p95=1"], 2, "--max"),
        (["of-50", "--max", "failed=1%"], 2, "Write failed=0.01"),
        (["of-50", "--max-drop", "RR=0.1"], 2, "none is named"),
        (["of-50", "--max-drop", "RR=0.1", "--baseline", "gone.json"], 3, "no such baseline"),
        (["nowhere", "--min", "RR=1"], 3, "no such file or folder"),
        (["of-50", "--min", "RR=0.1", "--retriever", "mime"], 5, "no such retriever. It has: mine"),
        (["of-50", "--min", "RR=0.1", "--by", "kind"], 5, "No question has a tag or metadata."),
        (["of-50", "--max-drop", "P@1=0.1", "--baseline", "rr.json"], 5, "It has: RR"),
        (["of-50", "--min", "RR=1.2"], 2, "--min: a target of 1.2 can never be reached"),
        (["of-50", "--min", "RR=-1"], 2, "--min: a target of -1 is always reached"),
        (["of-50", "--max-drop", "RR=2"], 2, "--max-drop: RR lies between 0 and 1"),
        (["of-50", "--max", "failed=3"], 2, "--max: failed is a share of the queries"),
        (["of-50", "--min", "RR=.1", "--min", "RR=.2"], 2, "--min: 'RR' is given twice"),
        (["of-50", "--min", "rr=.1", "--min", "RR=.2"], 2, "--min: RR is there twice"),
        (["of-50", "--min", "RR@200=.1"], 2, "of-50: RR@200 has a cutoff above the depth"),
        (["of-50", "--min", "RR=.1", "--output", "x"], 2, "--output: only an experiment is run"),
        (["of-50", "--min", "RR=.1", "--cluster", "kind"], 2, "--cluster: no query has a tag"),
        (["e.yaml", "--min", "RR=.1", "--cluster", "kind"], 2, "--cluster: an experiment names"),
        (["e.yaml", "--qrels", "of-50"], 2, "--qrels: an experiment has judgments of its own"),
    ],
)
def test_what_cannot_be_judged_is_said(
    ragscore: Ragscore, arguments: list[str], code: int, said: str
) -> None:
    done = ragscore("gate", *arguments)
    assert done.returncode == code, done.stdout
    assert said in done.stdout + done.stderr


def test_json_is_the_outcome(ragscore: Ragscore) -> None:
    found = json.loads(ragscore("gate", "of-20", *DROP, "--format", "json").stdout)
    (condition,) = found["conditions"]
    assert (found["verdict"], condition["verdict"]) == ("FAIL", "FAIL")
    assert condition["value"] == pytest.approx(0.5)
    assert (condition["threshold"], condition["worse"]) == (0.1, 30)


def test_junit_is_read_by_a_parser(ragscore: Ragscore) -> None:
    printed = ragscore("gate", "of-20", *DROP, "--min", "P@1=0.1", "--format", "junit").stdout
    (suite,) = ElementTree.fromstring(printed)
    assert dict(suite.attrib) == {
        **{"name": "dataset", "tests": "2", "failures": "1", "skipped": "0", "errors": "0"},
    }
    kept, failed = suite.iterfind("testcase")
    assert kept.get("name") == "min P@1 >= 0.1"
    assert kept.find("failure") is None
    failure = failed.find("failure")
    assert failure is not None
    assert (failed.get("classname"), failure.get("type")) == ("dataset.mine", "FAIL")
    assert "fell from 0.833 to 0.333" in str(failure.get("message"))


def test_the_summary_of_a_job_is_appended_and_folds_the_queries(
    ragscore: Ragscore, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    done = ragscore("gate", "of-20", *DROP, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 5
    text = summary.read_text(encoding="utf-8")
    summary.unlink()
    assert text.startswith("before\n")
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert page.index("FAIL.") < page.index("<table>") < page.index("<details>")
    assert page.count("<tr>") == 2 + 11  # the condition, and the ten queries that fell most
    assert "question 20" in page
    markdown = ragscore("gate", "of-20", *DROP, "--format", "markdown", "--no-texts").stdout
    assert "question 2" not in markdown
    assert "q20" in markdown


def test_a_summary_that_is_too_long_for_github_has_the_verdict(
    ragscore: Ragscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragscore.cli.gate.MAX_SUMMARY", 500)
    summary = tmp_path / "short.md"
    ragscore("gate", "of-20", *DROP, GITHUB_STEP_SUMMARY=str(summary))
    text = summary.read_text(encoding="utf-8")
    assert "FAIL" in text
    assert "gate.json" in text
    assert "|" not in text


def test_run_files_are_judged_too(ragscore: Ragscore, tmp_path: Path) -> None:
    (tmp_path / "mine.trec").write_text("q1 Q0 a 1 2.0 x\nq2 Q0 b 1 1.0 x\n")
    (tmp_path / "other.trec").write_text("q1 Q0 b 1 2.0 x\nq2 Q0 c 1 1.0 x\n")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 c 1\n")
    given = ("gate", "mine.trec", "--qrels", "qrels.txt")
    assert ragscore(*given, "--min", "RR=0.5").returncode == 0
    assert ragscore(*given, "--min", "RR=0.51").returncode == 5
    assert "It was not measured" in ragscore(*given, "--max", "p95_ms=9").stdout
    both = ("mine.trec", "other.trec", "--qrels", "qrels.txt")
    saved = ragscore("baseline", "save", *both, "-m", "RR", "-o", "runs.json")
    assert saved.returncode == 0, saved.stderr
    drop = ("--max-drop", "RR=0.1", "--baseline", "runs.json")
    same = ragscore("gate", *both, *drop)
    assert (same.returncode, same.stdout.count("No question's value changed")) == (0, 3)
    alone = ragscore(*given, *drop)
    assert alone.returncode == 5
    assert "The result has no such retriever. It has: mine." in alone.stdout
    (tmp_path / "mine.trec").write_text((tmp_path / "other.trec").read_text())
    assert "UNDECIDED" in ragscore(*given, *drop).stdout


def test_other_judgments_are_refused_or_compared_where_asked(
    ragscore: Ragscore, tmp_path: Path
) -> None:
    answering(50, relevant="x").save(tmp_path / "rejudged")
    refused = ragscore("gate", "rejudged", *DROP)
    assert refused.returncode == 3
    assert "--allow-intersect" in refused.stderr
    compared = ragscore("gate", "rejudged", *DROP, "--allow-intersect")
    assert compared.returncode == 5
    assert "baseline" in compared.stdout


def test_an_experiment_is_run_and_judged_by_its_own_gate(
    ragscore: Ragscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "experiment.yaml"
    written = f"""
name: gated
dataset: {STARTER.as_posix()}
retrievers: {{bm25: {{kind: bm25}}}}
measures: [P@1, nDCG@3]
report: false
"""
    path.write_text(written, encoding="utf-8")
    missing = ragscore("gate", path, "--output", "judged")
    assert missing.returncode == 2
    assert not (tmp_path / "judged").exists()  # found before anything runs
    gate = "gate:\n  max_drop: {nDCG@3: 0.05}\n  baseline: kept.json\n"
    path.write_text(written + gate, encoding="utf-8")
    early = ragscore("gate", path, "--output", "judged")
    assert early.returncode == 3
    assert "no such baseline" in early.stderr
    assert not (tmp_path / "judged").exists()
    first = ragscore("run", path, "--output", "first")
    assert first.returncode == 0
    assert "the gate was not judged" in first.stderr
    assert ragscore("baseline", "save", "first", "-o", "kept.json").returncode == 0
    kept = json.loads((tmp_path / "kept.json").read_text())["retrievers"][0]
    assert kept["measures"] == ["nDCG@3"]  # those of the gate
    done = ragscore("gate", path, "--output", "judged")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.count("depth 100 is cut to 12") == 1  # not once more when it is judged
    assert json.loads((tmp_path / "judged" / "gate.json").read_text())["verdict"] == "PASS"
    # Flags replace parts of the gate: what is recorded is what was printed, and judged once.
    judgings: list[object] = []
    monkeypatch.setattr(
        "ragscore.experiment.gating.judge_gate",
        lambda *given, **options: judgings.append(given) or judge_gate(*given, **options),
    )
    flags = ("--max-drop", "nDCG@3=0", "--min", "P@1=1", "--format", "json")
    done = ragscore("gate", path, "--output", "flagged", *flags, "--baseline", "kept.json")
    assert done.returncode == 5
    assert len(judgings) == 1
    assert (tmp_path / "flagged" / "gate.json").read_text().strip() == done.stdout.strip()
    assert {each["kind"] for each in json.loads(done.stdout)["conditions"]} == {"min", "drop"}
    again = ragscore("gate", "flagged", "--format", "json")
    assert (again.returncode, again.stdout) == (5, done.stdout)
