"""What README.md says beside its examples; tests/pages runs these."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from ragscore import load_experiment
from ragscore.cli import main
from tests.pages.blocks import blocks_of

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[str]:
    return [block.body for block in blocks_of(page) if block.language == language]


def test_the_second_command_is_the_one_that_ci_runs() -> None:
    command = blocks(ROOT / "README.md", "sh")[1]
    assert command.count("\n") == 1
    install, _, test = (part.strip() for part in command.rpartition("&&"))
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert test.removeprefix(".venv/bin/python ") in ci
    assert install.rpartition(" -m ")[2] in ci


def test_the_experiment_of_the_readme_is_valid(tmp_path: Path) -> None:
    (example,) = blocks(ROOT / "README.md", "yaml")
    (tmp_path / "statutes.yaml").write_text(example, encoding="utf-8")
    experiment = load_experiment(tmp_path / "statutes.yaml", files=False)
    assert list(experiment.retrievers) == ["bm25", "minilm", "hybrid", "ours", "service"]


def test_the_wrong_key_of_the_readme_says_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = blocks(ROOT / "README.md", "yaml")
    printed = blocks(ROOT / "README.md", "")[1].strip()
    (tmp_path / "statutes.yaml").write_text(example.replace("k1:", "k:"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["validate", "statutes.yaml"]) == 2
    assert printed in "".join(capsys.readouterr())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_picture_is_that_of_the_command_beside_it() -> None:
    name, told = re.findall(r"!\[[^]]*\]\(([^)]+)\)\n\n([^\n]+)", README)[0]
    picture = (ROOT / name).read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (1400, 900)
    assert "`ragscore run configs/quickstart.yaml`" in told
    assert blocks(ROOT / "README.md", "sh")[0].endswith("ragscore run configs/quickstart.yaml\n")
