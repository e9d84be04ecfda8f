"""``ragscore.testing`` and the pytest plugin, in a test suite of somebody else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ragscore import ConfigError
from ragscore.gate.baseline import Baseline, write_baseline
from ragscore.testing import assert_not_worse
from tests.factories import strangers
from tests.factories.gated import answering, saved

ROOT = Path(__file__).resolve().parents[2]
SUITE = """
import pytest
from ragscore.testing import assert_not_worse

def test_good(ragscore_not_worse):
    ragscore_not_worse("good", {"RR": 0.1})

def test_bad(ragscore_not_worse):
    ragscore_not_worse("bad", {"RR": 0.1}, min={"P@1": 0.9})

def test_by_hand():
    assert_not_worse("good", "baseline.json", {"RR": 0.1})
"""


def test_what_is_not_worse_passes_and_returns_its_outcome() -> None:
    good = answering(50)
    outcome = assert_not_worse(good, Baseline.from_result(good), {"RR": 0.1})
    assert outcome.verdict == "PASS"
    assert assert_not_worse(good, answering(44), {"RR": 0.1}).passed  # it rose


@pytest.mark.parametrize(("correct", "word"), [(20, "FAIL"), (44, "UNDECIDED")])
def test_a_failure_shows_the_table_and_the_queries(correct: int, word: str) -> None:
    with pytest.raises(AssertionError) as failure:
        assert_not_worse(answering(correct), answering(50), {"RR": 0.1})
    assert f"{word}. mine: RR fell from" in str(failure.value).replace("mRR", "RR")
    assert f"question {correct}" in str(failure.value)
    with pytest.raises(AssertionError) as silent:
        assert_not_worse(answering(correct), answering(50), {"RR": 0.1}, texts=False)
    assert f"question {correct}" not in str(silent.value)


def test_options_of_the_gate_are_taken() -> None:
    assert_not_worse(answering(44), answering(50), {"RR": 0.1}, undecided="pass")
    with pytest.raises(ConfigError, match=r"max_drop: the number 0\.1 where a mapping"):
        assert_not_worse(answering(50), answering(50), 0.1)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="strickt"):
        assert_not_worse(answering(44), answering(50), {"RR": 0.1}, strickt=True)


def suite_of(folder: Path) -> Path:
    """A project with a test suite, a baseline and two results."""
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_retrieval.py").write_text(SUITE)
    write_baseline(Baseline.from_result(answering(50)), folder / "baseline.json")
    saved(folder / "good", 50)
    saved(folder / "bad", 20)
    return folder


def run_suite(
    folder: Path, *arguments: str, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    python = shutil.which("python", path=environment["PATH"]) or sys.executable
    return subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def check_suite(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 2 passed" in done.stdout
    assert "-0.500" in done.stdout
    assert "P@1" in done.stdout
    assert "question 20" in done.stdout
    assert "gate_printing.py" not in done.stdout  # no frames of ours


@pytest.mark.slow
def test_the_fixture_judges_folders_against_the_projects_baseline(tmp_path: Path) -> None:
    folder = suite_of(tmp_path / "project")
    # Where ragscore is installed its entry point would load the plugin a second time.
    plugin = ("-p", "no:ragscore", "-p", "ragscore.pytest_plugin")
    given = {**os.environ, "PATH": str(Path(sys.executable).parent), "PYTHONPATH": str(ROOT)}
    check_suite(run_suite(folder, *plugin, environment=given))


@pytest.mark.slow
def test_a_project_that_installs_the_wheel_has_the_plugin(tmp_path: Path) -> None:
    given = strangers.environment(tmp_path / "env")
    wheel = strangers.built_wheel(tmp_path)
    install = ["python", "-m", "pip", "install", "-q", "--no-deps", str(wheel)]
    subprocess.run(install, env=given, cwd=tmp_path, check=True)
    check_suite(run_suite(suite_of(tmp_path / "project"), environment=given))


def test_loading_the_plugin_imports_nothing_heavy() -> None:
    code = "import pytest, sys; before = set(sys.modules); import ragscore.pytest_plugin; "
    code += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert all(name.startswith("ragscore") for name in loaded), loaded
    assert len(loaded) < 8
