"""The action, the GitLab job and the pre-commit hook: parsed, and their commands run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from ragscore.cli import COMMANDS
from tests.factories import command, strangers
from tests.pages.blocks import blocks_of

ROOT = Path(__file__).resolve().parents[2]
FILES = {block.file: block.body for block in blocks_of(ROOT / "docs" / "gate.md") if block.file}
STARTER = ROOT / "ragscore" / "cli" / "starter" / "tool-library"
EXPERIMENT = f"""
name: gated
dataset: {STARTER.as_posix()}
retrievers: {{bm25: {{kind: bm25}}}}
measures: [nDCG@3]
gate: {{max_drop: {{nDCG@3: 0.05}}, baseline: baseline.json}}
report: false
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with an experiment and its baseline, and a ``ragscore`` and a ``python`` to call;
    ``python -m pip`` writes down what it was asked for."""
    folder = tmp_path_factory.mktemp("ci")
    tools = folder / "tools"
    tools.mkdir()
    scripts = {
        "ragscore": f'exec "{sys.executable}" -m ragscore "$@"',
        "python": 'printf "%s\\n" "$@" > "$PROJECT/installed.txt"',
    }
    for name, script in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    (folder / "retrieval").mkdir()
    (folder / "retrieval" / "experiment.yaml").write_text(EXPERIMENT)
    for line in (
        "run retrieval/experiment.yaml --output first",
        "baseline save first -o retrieval/baseline.json",
    ):
        assert command.run(*line.split(), cwd=folder).returncode == 0
    return folder


def shell(script: str, project: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a step with this project's code, and without pip."""
    given = {
        **os.environ,
        "PATH": f"{project / 'tools'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PROJECT": str(project),
    }
    return bash(script, project, {**given, **environment})


def bash(
    script: str, folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run as a CI runs a step: bash, ending at the first error."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def action() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return found


@pytest.mark.slow
def test_the_action_runs_its_commands(project: Path) -> None:
    inputs = {name: each.get("default", "") for name, each in action()["inputs"].items()}
    inputs |= {"config": "retrieval/experiment.yaml", "arguments": "--undecided pass --no-texts"}
    inputs |= {"extras": "dense"}
    summary = project / "summary.md"
    steps = [step for step in action()["runs"]["steps"] if "run" in step]
    for step in steps:
        given = {name: filled(text, inputs, project) for name, text in step["env"].items()}
        assert "${{" not in step["run"]  # an input is never part of a script
        done = shell(
            step["run"],
            project,
            GITHUB_ACTION_PATH=str(ROOT),
            GITHUB_STEP_SUMMARY=str(summary),
            **given,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    installed = (project / "installed.txt").read_text().split("\n")
    assert installed[:4] == ["-m", "pip", "install", "-q"]
    assert installed[4:7] == ["-c", f"{ROOT}/constraints.txt", f"{ROOT}[dense]"]
    assert "PASS" in summary.read_text(encoding="utf-8")
    (kept,) = (step for step in action()["runs"]["steps"] if "upload-artifact" in str(step))
    assert kept["if"] == "always()"
    assert (project / filled(kept["with"]["path"], inputs, project) / "gate.json").is_file()


def filled(text: str, inputs: dict[str, str], project: Path) -> str:
    """An expression of GitHub with its value."""
    known = {f"inputs.{name}": value for name, value in inputs.items()}
    known["runner.temp"] = str(project)
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: known[found[1]], text)


@pytest.mark.slow
def test_the_action_fails_where_the_gate_does(project: Path) -> None:
    text = (project / "retrieval" / "baseline.json").read_text(encoding="utf-8")
    risen = re.sub(r'^("[^"]+"): \[[\d.]+\]', r"\1: [1]", text, flags=re.MULTILINE)
    (project / "risen.json").write_text(risen, encoding="utf-8")
    (step,) = (step for step in action()["runs"]["steps"] if step.get("name") == "Gate")
    given = {"CONFIG": "retrieval/experiment.yaml", "OUTPUT": "failing"}
    given["ARGUMENTS"] = "--strict --baseline risen.json"
    assert shell(step["run"], project, **given).returncode == 5


def test_the_workflow_of_the_page_gives_what_the_action_takes() -> None:
    (job,) = yaml.safe_load(FILES[".github/workflows/retrieval.yml"])["jobs"].values()
    given = job["steps"][-1]["with"]
    assert given.keys() <= action()["inputs"].keys()
    needed = {name for name, each in action()["inputs"].items() if each.get("required")}
    assert needed <= given.keys()


@pytest.mark.slow
def test_the_action_and_the_gitlab_job_work_in_a_clean_clone(project: Path, tmp_path: Path) -> None:
    """Installed by pip from a clone, in an environment that has never seen ragscore."""
    clone = strangers.clean_clone(tmp_path / "clone")
    given = strangers.environment(tmp_path / "env")
    place = tmp_path / "project"
    (place / "retrieval").mkdir(parents=True)
    for name in ("experiment.yaml", "baseline.json"):
        (place / "retrieval" / name).write_bytes((project / "retrieval" / name).read_bytes())

    def step(script: str, **more: str) -> subprocess.CompletedProcess[str]:
        return bash(script, place, {**given, **more})

    inputs = {name: each.get("default", "") for name, each in action()["inputs"].items()}
    inputs |= {"config": "retrieval/experiment.yaml"}
    summary = tmp_path / "summary.md"
    for each in (each for each in action()["runs"]["steps"] if "run" in each):
        variables = {name: filled(text, inputs, place) for name, text in each["env"].items()}
        variables |= {"GITHUB_ACTION_PATH": str(clone), "GITHUB_STEP_SUMMARY": str(summary)}
        done = step(each["run"], **variables)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS" in summary.read_text(encoding="utf-8")
    assert str(tmp_path / "env") in step("command -v ragscore").stdout

    job = yaml.safe_load(FILES[".gitlab-ci.yml"])["retrieval"]
    variables = {"RAGSCORE": f"git+file://{clone}", "RAGSCORE_CACHE": str(tmp_path / "cache")}
    assert variables.keys() == job["variables"].keys()
    assert step("python -m pip uninstall -q -y ragscore-eval").returncode == 0
    done = step("\n".join(job["script"]), **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    done = step("\n".join(job["after_script"]), **variables)
    assert done.returncode == 0, done.stderr
    junit = ElementTree.parse(place / job["artifacts"]["reports"]["junit"]).getroot()
    assert (junit.get("tests"), junit.get("failures")) == ("1", "0")
    assert (place / job["artifacts"]["paths"][0] / "manifest.json").is_file()


@pytest.mark.slow
def test_the_hook_validates_the_files_that_it_names(project: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {"id", "name", "entry", "language", "files"} <= hook.keys()
    assert hook["entry"].split()[1] in COMMANDS
    (used,) = yaml.safe_load(FILES[".pre-commit-config.yaml"])["repos"][0]["hooks"]
    assert used["id"] == hook["id"]
    good = "retrieval/experiment.yaml"
    assert re.search(hook["files"], good)
    assert re.search(used["files"], good)
    # As pre-commit calls it: with all files at once.
    done = shell(f"{hook['entry']} {good} {good}", project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(f"{good}: valid") == 2
    (project / "retrieval" / "experiment-2.yaml").write_text(EXPERIMENT + "retrieverz: 1\n")
    assert shell(f"{hook['entry']} {good} retrieval/experiment-2.yaml", project).returncode == 2
