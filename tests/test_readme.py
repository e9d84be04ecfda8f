"""What README.md, docs/README.md and the first example say beside their examples; tests/pages runs
these."""

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
FIRST = ROOT / "docs" / "experiment.md"
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


def test_the_first_experiment_is_valid(tmp_path: Path) -> None:
    example = blocks(FIRST, "yaml")[0]
    (tmp_path / "statutes.yaml").write_text(example, encoding="utf-8")
    experiment = load_experiment(tmp_path / "statutes.yaml", files=False)
    assert list(experiment.retrievers) == ["bm25", "minilm", "hybrid", "ours", "service"]


def test_its_wrong_key_says_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example = blocks(FIRST, "yaml")[0]
    printed = blocks(FIRST, "")[0].strip()
    (tmp_path / "statutes.yaml").write_text(example.replace("k1:", "k:"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["validate", "statutes.yaml"]) == 2
    assert printed in "".join(capsys.readouterr())


def anchors(page: Path) -> set[str]:
    """What links to a part of a page call its headings, as GitHub makes it of them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def links(page: Path) -> list[tuple[Path, str]]:
    """The files of the project that a page links to, each with the part that is meant."""
    targets = re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    parts = [target.partition("#") for target in targets if "://" not in target]
    return [(page.parent / file if file else page, part) for file, _, part in parts]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target, part in links(page):
        assert target.exists(), target
        assert not part or part in anchors(target), f"{target}#{part}"


def test_the_index_names_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {target.resolve() for target, _ in links(index)}
    assert listed >= {page for page in index.parent.glob("*.md") if page != index}
    assert (index, "") in [(target.resolve(), part) for target, part in links(ROOT / "README.md")]


def test_the_picture_is_that_of_the_command_beside_it() -> None:
    name, told = re.findall(r"!\[[^]]*\]\(([^)]+)\)\n\n([^\n]+)", README)[0]
    picture = (ROOT / name).read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (1400, 640)
    assert "`ragscore run configs/quickstart.yaml`" in told
    assert blocks(ROOT / "README.md", "sh")[0].endswith("ragscore run configs/quickstart.yaml\n")
