"""docs/report.md names every section and option, and its own section can be installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from ragscore import ReportOptions, load_experiment
from ragscore.report.sections import SECTIONS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [body for name, body in BLOCK.findall(PAGE) if name == language]


@pytest.fixture
def folder(result_of: Callable[[str], Path], tmp_path: Path) -> Path:
    """A folder whose result is named as in the examples."""
    shutil.copytree(result_of("small"), tmp_path / "results" / "quickstart" / "20260101-120000")
    return tmp_path


def done(folder: Path, *command: str) -> str:
    paths = os.pathsep.join([str(folder), str(ROOT)])
    ran = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONUTF8": "1"},
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_options_are_the_defaults(tmp_path: Path) -> None:
    (options,) = blocks("yaml")
    config = "dataset: x\nretrievers:\n  bm25: {kind: bm25}\n" + options
    (tmp_path / "x.yaml").write_text(config, encoding="utf-8")
    assert load_experiment(tmp_path / "x.yaml", files=False).report == ReportOptions()
    assert set(re.findall(r"^  (\w+):", options, re.MULTILINE)) == set(ReportOptions.model_fields)


def test_every_section_is_told_in_order() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(SECTIONS.own), (
        "the table of docs/report.md has a row for each section, in their order"
    )


@pytest.mark.slow
def test_a_section_of_your_own(folder: Path) -> None:
    points = tomllib.loads(blocks("toml")[0])["project"]["entry-points"]
    ((group, named),) = points.items()
    ((name, place),) = named.items()
    module, _, function = place.partition(":")
    package = folder.joinpath(*module.split(".")).with_suffix(".py")
    package.parent.mkdir()
    package.write_text(blocks("python")[1], encoding="utf-8")
    installed = folder / "our_package-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: our_package\nVersion: 1\n")
    (installed / "entry_points.txt").write_text(f"[{group}]\n{name} = {place}\n")
    assert f"def {function}(" in blocks("python")[1]

    assert re.search(rf"^{name} +installed: {place}$", done(folder, "-m", *LIST), re.MULTILINE)
    shown = done(folder, "-m", *SHOW, "--section", name)
    assert "The longest queries" in shown
    assert len([line for line in shown.splitlines() if re.search(r"\d\.\d{3}$", line)]) == 10
    written = done(folder, "-m", "ragscore", "report", "results/quickstart", "--section", name)
    assert "report.html" in written


LIST = ("ragscore", "list", "sections")
SHOW = ("ragscore", "show", "results/quickstart")
