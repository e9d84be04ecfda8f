"""``ragscore run`` and ``demo``: what is printed where, what is written, how it exits."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.factories.command import Ragscore

ONLY = ("--only", "bm25", "--set", "report=false")

FAILING = """
name: failing
dataset: tool-library
retrievers:
  bm25: {kind: bm25}
  broken: {kind: custom, use: "broken_retriever:retrieve"}
measures: [nDCG@3]
depth: 5
"""


def table(stdout: str) -> dict[str, list[str]]:
    """First cell to the other cells, for the lines that look like rows."""
    rows = (re.split(r" {2,}", line.strip()) for line in stdout.splitlines())
    return {row[0]: row[1:] for row in rows if len(row) > 1}


def test_a_run_prints_a_table_and_writes_a_folder(ragscore: Ragscore, starter: Path) -> None:
    done = ragscore("run", starter, *ONLY)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "tool-library: 12 passages, 9 queries (8 averaged, 1 unanswerable)"
    rows = table(done.stdout)
    assert rows["Retriever"][:6] == ["nDCG@3", "mAP@3", "mRR@3", "P@3", "R@3", "R@10"]
    assert all(re.fullmatch(r"[01]\.\d{3}", cell) for cell in rows["bm25"][:6])
    assert rows["Retriever"][-1] == "p50 (ms)"
    assert lines[-1].startswith("written to ")
    folder = Path(lines[-1].removeprefix("written to "))
    assert folder.parent.parent.samefile(starter.parents[1] / "results")
    assert {"manifest.json", "summary.json", "summary.csv", "scores.parquet", "runs"} <= {
        path.name for path in folder.iterdir()
    }


def test_two_runs_keep_history(ragscore: Ragscore, starter: Path) -> None:
    for _ in range(2):
        assert ragscore("run", starter, *ONLY).returncode == 0
    assert len(list((starter.parents[1] / "results" / "starter").iterdir())) == 2


def test_progress_in_a_pipe_is_plain_lines(ragscore: Ragscore, starter: Path) -> None:
    done = ragscore("run", starter, *ONLY, "--no-cache")
    assert done.stderr.strip()
    for text in (done.stdout, done.stderr):
        assert "\r" not in text
        assert "\x1b" not in text
    assert "note: " not in done.stdout


def test_quiet_says_the_data_only(ragscore: Ragscore, starter: Path) -> None:
    done = ragscore("run", starter, *ONLY, "--quiet")
    assert done.stderr == ""
    assert "bm25" in done.stdout


def test_json_is_the_summary(ragscore: Ragscore, starter: Path, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    done = ragscore("run", starter, *ONLY, "--format", "json", "--output", "out")
    printed = json.loads(done.stdout)
    assert printed == json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert printed["schema"] == 1
    jsonschema.validate(printed, json.loads(ragscore("schema", "summary").stdout))


def test_csv_is_the_summary(ragscore: Ragscore, starter: Path) -> None:
    done = ragscore("run", starter, *ONLY, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {row["measure"] for row in rows} >= {"nDCG@3", "AP@3"}
    assert {row["retriever"] for row in rows} == {"bm25"}


def test_markdown_is_a_table(ragscore: Ragscore, starter: Path) -> None:
    lines = ragscore("run", starter, *ONLY, "--format", "markdown").stdout.splitlines()
    header = next(line for line in lines if line.startswith("| Retriever |"))
    rule = lines[lines.index(header) + 1]
    assert rule.count("|") == header.count("|")
    assert lines[lines.index(header) - 1] == ""


def test_the_command_line_changes_the_config(ragscore: Ragscore, starter: Path) -> None:
    plain = table(ragscore("run", starter, *ONLY).stdout)
    done = ragscore(
        "run", starter, *ONLY, "--set", "retrievers.bm25.tokenizer=none", "--depth", "4"
    )
    changed = table(done.stdout)
    assert changed["Retriever"][5] == "R@4"
    assert plain["bm25"][:2] != changed["bm25"][:2]


def test_an_output_folder_is_not_overwritten_unasked(
    ragscore: Ragscore, starter: Path, tmp_path: Path
) -> None:
    command = ("run", starter, *ONLY, "--output", "out")
    assert ragscore(*command).returncode == 0
    before = (tmp_path / "out" / "manifest.json").read_bytes()
    again = ragscore(*command)
    assert (again.returncode, again.stdout) == (2, "")
    assert "--overwrite" in again.stderr
    assert (tmp_path / "out" / "manifest.json").read_bytes() == before
    assert ragscore(*command, "--overwrite").returncode == 0
    assert (tmp_path / "out" / "manifest.json").read_bytes() != before


def test_wrong_config_exits_2(ragscore: Ragscore, starter: Path) -> None:
    done = ragscore("run", starter, "--set", "retrievers.bm25.k=0.9")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean 'k1'?" in done.stderr
    done = ragscore("run", starter, "--only", "bm52")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean 'bm25'?" in done.stderr


def test_broken_data_exits_3(ragscore: Ragscore, starter: Path) -> None:
    queries = starter.parent / "tool-library" / "queries.jsonl"
    queries.write_text(queries.read_text(encoding="utf-8") * 2, encoding="utf-8")
    done = ragscore("run", starter, *ONLY)
    assert (done.returncode, done.stdout) == (3, "")
    assert "queries.jsonl:10" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (starter.parents[1] / "results").exists()


def test_a_failing_retriever_exits_4_and_loses_no_other(
    process: Ragscore, starter: Path, tmp_path: Path
) -> None:
    """In a process of its own, which has to end in peace too: the error holds the retriever."""
    config = starter.with_name("failing.yaml")
    config.write_text(FAILING, encoding="utf-8")
    (starter.parent / "broken_retriever.py").write_text(
        "class retrieve:\n"
        "    def index(self, corpus):\n        raise RuntimeError('no connection')\n"
        "    def retrieve(self, queries, k):\n        return []\n",
        encoding="utf-8",
    )
    python_path = os.pathsep.join([str(starter.parent), str(Path(__file__).parents[2])])
    done = process("run", config, "--output", "out", PYTHONPATH=python_path)
    assert done.returncode == 4
    rows = table(done.stdout)
    assert re.fullmatch(r"[01]\.\d{3}", rows["bm25"][0])
    assert rows["broken"][0] == "failed"
    assert "retriever 'broken'" in done.stderr
    assert "no connection" in done.stderr
    assert "Traceback" not in done.stderr
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert [failure["retriever"] for failure in summary["failures"]] == ["broken"]


def test_demo_runs_from_anywhere(ragscore: Ragscore, tmp_path: Path) -> None:
    done = ragscore("demo", "--only", "bm25", "--output", "shown")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("harbour-tenancy: ")
    named = done.stdout.splitlines()[-1].removeprefix("written to ")
    assert Path(named).samefile(tmp_path / "shown")


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_interrupting_leaves_nothing(ragscore: Ragscore, starter: Path) -> None:
    (starter.parent / "slow_retriever.py").write_text(
        "import sys, time\n"
        "def retrieve(query, k):\n"
        "    print('searching', file=sys.stderr, flush=True)\n"
        "    time.sleep(60)\n",
        encoding="utf-8",
    )
    config = starter.with_name("slow.yaml")
    config.write_text(
        FAILING.replace("broken_retriever", "slow_retriever").replace("broken", "slow"),
        encoding="utf-8",
    )
    python_path = os.pathsep.join([str(starter.parent), str(Path(__file__).parents[2])])
    process = subprocess.Popen(
        [sys.executable, "-m", "ragscore", "run", str(config), "--output", "out", "--quiet"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=starter.parents[1],
        env={**os.environ, "PYTHONPATH": python_path},
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "searching\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert err == "ragscore: interrupted\n"
    assert not (starter.parents[1] / "out").exists()


def test_no_result_is_written_inside_another(ragscore: Ragscore, tmp_path: Path) -> None:
    """A reader of the outer folder would never see it."""
    starter = tmp_path / "starter"
    assert ragscore("init", "starter").returncode == 0
    config = "experiment.yaml"
    name = re.search(r"^name: (\S+)", (starter / config).read_text(encoding="utf-8"), re.M)
    assert name is not None
    outer = f"results/{name[1]}"
    done = ragscore("run", config, *ONLY, "--output", outer, cwd=starter)
    assert done.returncode == 0, done.stderr
    for more in ((), ("--output", f"{outer}/deep/er"), ("--output", f"{outer}/x", "--overwrite")):
        done = ragscore("run", config, *ONLY, *more, cwd=starter)
        assert done.returncode == 2
        (line,) = done.stderr.strip().splitlines()
        assert f"{starter / outer}: the result would be written inside another one" in line
    # Replacing it, and a result beside it, are what they were.
    done = ragscore("run", config, *ONLY, "--output", outer, "--overwrite", cwd=starter)
    assert done.returncode == 0, done.stderr
    # A manifest.json that is not ours, as web projects have one, is in nobody's way.
    (starter / "manifest.json").write_text('{"name": "an app"}', encoding="utf-8")
    done = ragscore("run", config, *ONLY, "--output", "results/beside", cwd=starter)
    assert done.returncode == 0, done.stderr
