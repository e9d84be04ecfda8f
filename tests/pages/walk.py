"""A walk down a page: each block is run where those above it left off.

``python -m tests.pages.walk docs/compare.md`` writes what is printed now into the page.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import shutil
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragscore import load_experiment
from ragscore.cli import main
from tests.pages.blocks import Block, blocks_of
from tests.pages.printed import missing_line, refreshed

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("configs", "datasets")
"""The folders of a clone that the pages name."""

INSTALLATION = re.compile(r"python3 -m venv \.venv && \.venv/bin/python -m pip install\b.*?&& ")
"""The beginning of a line that makes an environment; what follows it is run."""
EXIT_CODE = re.compile(r"# exit code (\d+)$")
"""The comment behind a command that is to end with another code than 0."""
SERVERS = ("view",)
"""Commands that run until they are stopped; tests/report/index has them."""

INPUTS = {"bm25": {"kind": "bm25"}, "exact": {"kind": "faiss", "encoder": "minilm"}}
"""Retrievers that a block about retrievers may build on."""


class Walk:
    """A page's blocks and the folder in which they are run.

    Args:
        folder: holds nothing yet; it will look like a clone.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed = ""
        """What the block of commands or of Python above printed."""
        self.names: dict[str, Any] = {"__name__": "page"}
        """What the Python above defined."""
        for name in SHIPPED:
            shutil.copytree(ROOT / name, folder / name)

    def down(self, page: Path) -> dict[Block, str]:
        """Run all blocks of a page; by block of output, what stands in its place now.

        Raises:
            AssertionError: a block fails, or has a language that nothing runs.
        """
        outputs = {}
        for block in blocks_of(page):
            if block.not_run:
                continue
            if block.file:
                self._write(block)
            if block.language == "":
                outputs[block] = self.printed
            elif not block.file or block.language in RUNNERS:
                assert block.language in RUNNERS, f"{block.place}: nothing runs {block.language}"
                with contextlib.chdir(self.folder), pytest.MonkeyPatch.context() as patched:
                    # As on the first day: what is read from a cache prints that it is.
                    patched.setenv("RAGSCORE_CACHE", str(self.folder / "cache"))
                    RUNNERS[block.language](self, block)
        return outputs

    def _write(self, block: Block) -> None:
        path = self.folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.body, encoding="utf-8")

    def commands(self, block: Block) -> None:
        """Each line is a command of ragscore, which ends well, or as its comment says."""
        out = io.StringIO()
        for line in block.body.replace("\\\n", " ").splitlines():
            words = shlex.split(INSTALLATION.sub("", line), comments=True)
            if words[1:2] and words[1] in SERVERS:
                continue
            assert Path("".join(words[:1])).name == "ragscore", f"{block.place}: {line}"
            errors = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                code = main(words[1:])
            wanted = EXIT_CODE.search(line)
            assert code == int(wanted[1] if wanted else 0), (
                f"{block.place}: {line}\n{errors.getvalue()}"
            )
        self.printed = out.getvalue()

    def python(self, block: Block) -> None:
        """Run with the names that the page's Python above it defined."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block.body, block.place, "exec", dont_inherit=True), self.names)
        self.printed = out.getvalue()

    def experiment(self, block: Block) -> None:
        """A whole experiment, or a part of one that is valid in a whole one."""
        path = self.folder / (block.file or "part.yaml")
        path.write_text(_whole(block), encoding="utf-8")
        load_experiment(path, files=False)
        if block.file:
            self._write(block)

    def rows(self, block: Block) -> None:
        """One JSON object a line."""
        for line in block.body.splitlines():
            assert isinstance(json.loads(line), dict), f"{block.place}: {line}"

    def toml(self, block: Block) -> None:
        """A part of a pyproject.toml."""
        assert tomllib.loads(block.body), block.place


RUNNERS: Mapping[str, Callable[[Walk, Block], None]] = {
    "sh": Walk.commands,
    "python": Walk.python,
    "yaml": Walk.experiment,
    "json": Walk.rows,
    "toml": Walk.toml,
}


def _whole(block: Block) -> str:
    """The block as an experiment: with what a part of one lacks, in block style or behind it."""
    part = yaml.safe_load(block.body)
    text = block.body
    if set(part) == {"encoder"}:
        text = "dense:\n  kind: faiss\n" + textwrap.indent(text, "  ")
        part = yaml.safe_load(text)
    if all(isinstance(value, Mapping) and "kind" in value for value in part.values()):
        inputs = {name: spec for name, spec in INPUTS.items() if name not in part}
        text = "retrievers:\n" + textwrap.indent(text + _yaml(inputs), "  ")
        part = yaml.safe_load(text)
    lacking: dict[str, object] = {}
    if not {"dataset", "datasets"} & set(part):
        lacking["dataset"] = "data"
    if "retrievers" not in part:
        lacking["retrievers"] = INPUTS
    return text + _yaml(lacking)


def _yaml(mapping: Mapping[str, object]) -> str:
    return yaml.safe_dump(dict(mapping), sort_keys=False) if mapping else ""


def refresh(page: Path) -> None:
    """Write what is printed now into the page's blocks of output."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = Walk(Path(folder)).down(page)
    text = page.read_text(encoding="utf-8")
    for block, printed in reversed(outputs.items()):
        if missing_line(block.body, printed) is not None:
            text = text[: block.start] + refreshed(block.body, printed) + text[block.end :]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        refresh(Path(name).resolve())
