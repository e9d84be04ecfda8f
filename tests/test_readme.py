"""Every example of README.md and docs/ is run as it is printed."""

from __future__ import annotations

import re
import shlex
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from ragscore import load_experiment

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[str]:
    return [
        body for name, body in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language
    ]


def ragscore(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ragscore", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=cwd)


def test_the_first_command_is_one_line_and_prints_what_the_readme_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSCORE_CACHE", str(tmp_path / "cache"))  # as on the first day
    command, printed = blocks(ROOT / "README.md", "sh")[0], blocks(ROOT / "README.md", "")[0]
    assert command.count("\n") == 1
    last = shlex.split(command.rpartition("&&")[2])
    assert Path(last[0]).name == "ragscore"
    done = ragscore(*last[1:], "--output", str(tmp_path / "out"), cwd=ROOT)
    shown = done.stdout.splitlines()
    wanted_lines = printed.splitlines()
    assert len(shown) >= len(wanted_lines)  # below the table it says where it was written
    for wanted, found in zip(wanted_lines, shown[: len(wanted_lines)], strict=True):
        words, numbers = [], []
        for line in (wanted, found):
            parts = re.split(r"(\d+\.\d+)", line)
            words.append([part.split() for part in parts[::2]])
            numbers.append([float(part) for part in parts[1::2]])
        assert words[0] == words[1]
        if "retriever" in wanted or ":" in wanted:
            continue
        # The last column is a time; the others may move in the fourth digit with the processor.
        assert numbers[1][:-1] == pytest.approx(numbers[0][:-1], abs=0.002)


def test_the_second_command_is_the_one_that_ci_runs() -> None:
    command = blocks(ROOT / "README.md", "sh")[1]
    assert command.count("\n") == 1
    install, _, test = (part.strip() for part in command.rpartition("&&"))
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert test.removeprefix(".venv/bin/python ") in ci
    assert install.rpartition(" -m ")[2] in ci


def test_the_commands_for_your_own_data(tmp_path: Path) -> None:
    for line in blocks(ROOT / "README.md", "sh")[2].splitlines():
        words = shlex.split(line)
        assert Path(words[0]).name == "ragscore"
        ragscore(*words[1:], cwd=tmp_path)
    assert list((tmp_path / "results" / "starter").iterdir())


def test_the_experiment_of_the_readme_is_valid(tmp_path: Path) -> None:
    (example,) = blocks(ROOT / "README.md", "yaml")
    (tmp_path / "statutes.yaml").write_text(example, encoding="utf-8")
    experiment = load_experiment(tmp_path / "statutes.yaml", files=False)
    assert list(experiment.retrievers) == ["bm25", "minilm", "hybrid", "ours"]


def test_the_wrong_key_of_the_readme_says_what_is_printed(tmp_path: Path) -> None:
    (example,) = blocks(ROOT / "README.md", "yaml")
    printed = blocks(ROOT / "README.md", "")[1].strip()
    (tmp_path / "statutes.yaml").write_text(example.replace("k1:", "k:"), encoding="utf-8")
    command = [sys.executable, "-m", "ragscore", "validate", "statutes.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert printed in done.stdout + done.stderr


def test_python_of_the_readme(tmp_path: Path) -> None:
    (example,) = blocks(ROOT / "README.md", "python")
    shutil.copytree(ROOT / "datasets" / "harbour-tenancy", tmp_path / "data" / "statutes")
    command = [sys.executable, "-c", example]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "nDCG@10" in done.stdout


def test_python_of_the_worked_examples() -> None:
    (example,) = blocks(ROOT / "datasets" / "worked-examples" / "README.md", "python")
    command = [sys.executable, "-c", example]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert "0.6396122693718669" in done.stdout


RETRIEVERS = [
    body
    for body in blocks(ROOT / "docs" / "retrievers.md", "yaml")
    if not body.startswith("encoder:")
]


@pytest.mark.parametrize("number", range(len(RETRIEVERS)))
def test_retrievers_of_the_docs_are_valid(number: int, tmp_path: Path) -> None:
    names = "exact: {kind: faiss, encoder: minilm}\nbm25: {kind: bm25}\n"
    wanted = RETRIEVERS[number]
    lines = [line for line in names.splitlines() if line.split(":")[0] + ":" not in wanted]
    body = "\n  ".join([*wanted.splitlines(), *lines])
    config = tmp_path / "docs.yaml"
    config.write_text(f"dataset: data\nretrievers:\n  {body}\n", encoding="utf-8")
    assert load_experiment(config, files=False).retrievers


ENCODERS = [
    body for body in blocks(ROOT / "docs" / "retrievers.md", "yaml") if body.startswith("encoder:")
]


@pytest.mark.parametrize("number", range(len(ENCODERS)))
def test_encoders_of_the_docs_are_valid(number: int, tmp_path: Path) -> None:
    body = "\n    ".join(ENCODERS[number].splitlines())
    config = tmp_path / "docs.yaml"
    text = f"dataset: data\nretrievers:\n  dense:\n    kind: faiss\n    {body}\n"
    config.write_text(text, encoding="utf-8")
    assert load_experiment(config, files=False).retrievers


@pytest.mark.parametrize("body", blocks(ROOT / "docs" / "datasets.md", "yaml"))
def test_datasets_of_the_docs_are_valid(body: str, tmp_path: Path) -> None:
    config = tmp_path / "docs.yaml"
    config.write_text(f"{body}\nretrievers: {{bm25: {{kind: bm25}}}}\n", encoding="utf-8")
    assert load_experiment(config, files=False).datasets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_commands_that_decide(tmp_path: Path) -> None:
    """On the quickstart's two lexical relatives of its runs: what is recorded is all they need."""
    config = tmp_path / "quickstart.yaml"
    config.write_text(
        (ROOT / "configs" / "quickstart.yaml")
        .read_text(encoding="utf-8")
        .replace("../datasets", (ROOT / "datasets").as_posix())
        .replace("kind: faiss\n    encoder: minilm", "kind: bm25\n    k1: 0.9"),
        encoding="utf-8",
    )
    ragscore("run", str(config), cwd=tmp_path)
    (commands,) = (b for b in blocks(ROOT / "README.md", "sh") if "ragscore compare" in b)
    (reports,) = (b for b in blocks(ROOT / "README.md", "sh") if "ragscore report" in b)
    for line in (commands + reports).splitlines():
        done = ragscore(*shlex.split(line)[1:], cwd=tmp_path)
        assert done.stdout
    (page,) = (tmp_path / "results" / "quickstart").glob("*/report.html")
    assert 'class="no-js" lang="ko"' in page.read_text(encoding="utf-8")


def test_the_picture_is_that_of_the_command_beside_it() -> None:
    name, told = re.findall(r"!\[[^]]*\]\(([^)]+)\)\n\n([^\n]+)", README)[0]
    picture = (ROOT / name).read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (1400, 900)
    assert "`ragscore run configs/quickstart.yaml`" in told
    assert blocks(ROOT / "README.md", "sh")[0].endswith("ragscore run configs/quickstart.yaml\n")
