"""The commands that don't run an experiment, and what all commands share."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

import ragscore as package
from ragscore import CompareOptions, ReportOptions, TuneOptions
from ragscore.spec import Spec
from ragscore.validation.annotations import leaves
from tests.factories.command import Ragscore


def test_version(process: Ragscore) -> None:
    done = process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"ragscore {package.__version__}\n",
        "",
    )


OPTIONS: dict[str, type[Spec]] = {
    "compare": CompareOptions,
    "tune": TuneOptions,
    "report": ReportOptions,
}


def choices_of(annotation: object) -> set[str]:
    literals = [leaf for leaf in leaves(annotation) if get_origin(leaf) is Literal]
    return {item for literal in literals for item in get_args(literal)}


@pytest.mark.parametrize("command", OPTIONS)
def test_flags_offer_what_the_options_allow(command: str) -> None:
    """Flags are read without importing the options, so their choices are written a second time."""
    flags = get_type_hints(import_module(f"ragscore.cli.{command}").main, include_extras=True)
    checked = set()
    for name in flags.keys() & OPTIONS[command].model_fields.keys():
        offered, allowed = (
            {
                item
                for leaf in leaves(hint)
                if get_origin(leaf) is Literal
                for item in get_args(leaf)
            }
            for hint in (flags[name], OPTIONS[command].model_fields[name].annotation)
        )
        if offered:
            assert offered == allowed, name
            checked.add(name)
    assert checked


@pytest.mark.parametrize(
    "command",
    [
        *("run", "validate", "report", "show", "view", "score", "schema", "list", "init", "demo"),
        *("compare", "tune", "power", "gate", "baseline", "explain", "reconcile"),
        *("changes", "anchor", "migrate", "check", "convert", "stage", "reduce"),
    ],
)
def test_every_command_explains_itself(ragscore: Ragscore, command: str) -> None:
    assert f"  {command} " in ragscore("--help").stdout
    done = ragscore(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: ragscore {command}")
    # Each help text is a sentence that names its thing, and needs no line above it.
    assert not re.search(r"  Of [a-z-]|still said|part the queries", done.stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rnu", "x.yaml"), "Did you mean 'run'?"),
        (("run",), "no experiment is named"),
        (("run", "x.yaml", "--dept", "5"), "--depth"),
        (("run", "x.yaml", "--depth", "five"), "'--depth'"),
        (("run", "x.yaml", "--format", "xml"), "'--format'"),
        (("list", "measure"), "'measures'"),
        (("schema", "manifest"), "'summary'"),
    ],
)
def test_wrong_usage(ragscore: Ragscore, arguments: tuple[str, ...], said: str) -> None:
    done = ragscore(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("kind", "some"),
    [
        ("measures", ["nDCG", "AP", "F", "MR"]),
        ("retrievers", ["bm25", "faiss", "custom", "fusion", "recorded"]),
        ("encoders", ["minilm", "sentence-transformers", "precomputed"]),
        ("formats", ["jsonl", "beir", "trec", "csv", "tsv", "parquet"]),
        ("run-formats", ["trec", "parquet", "csv", "tsv", "json"]),
        ("tokenizers", ["snowball", "words", "none", "korean"]),
        ("sections", ["verdict", "changes", "curves", "queries", "computed"]),
    ],
)
def test_list(ragscore: Ragscore, kind: str, some: list[str]) -> None:
    done = ragscore("list", kind)
    assert (done.returncode, done.stderr) == (0, "")
    rows = dict(re.split(r" {2,}", line, maxsplit=1) for line in done.stdout.splitlines())
    assert set(some) <= set(rows)
    assert all(rows.values())


@pytest.mark.slow
@pytest.mark.parametrize("of", ["config", "summary", "score"])
def test_schema_is_a_schema(ragscore: Ragscore, of: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(ragscore("schema", of).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["properties"]


def test_init_writes_what_runs(ragscore: Ragscore, starter: Path) -> None:
    done = ragscore("validate", starter)
    assert (done.returncode, done.stderr) == (0, "")
    passages = (starter.parent / "tool-library" / "passages.jsonl").read_text(encoding="utf-8")
    queries = (starter.parent / "tool-library" / "queries.jsonl").read_text(encoding="utf-8")
    assert len(passages.splitlines()) >= 8
    assert len(queries.splitlines()) >= 5


def test_init_refuses_a_folder_that_holds_something(ragscore: Ragscore, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for place in (".", "notes.txt"):
        done = ragscore("init", place)
        assert (done.returncode, done.stdout) == (2, "")
        assert "init changes nothing" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_validate_tells_all_problems_at_once(ragscore: Ragscore, starter: Path) -> None:
    text = starter.read_text(encoding="utf-8")
    starter.write_text(text.replace("k1:", "k:").replace("nDCG@3", "nDGC@3"), encoding="utf-8")
    done = ragscore("validate", starter)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean 'k1'?" in done.stderr
    assert "Did you mean 'nDCG'?" in done.stderr
    assert str(starter) in done.stderr
    assert "Traceback" not in done.stderr


def test_debug_shows_where(ragscore: Ragscore, tmp_path: Path) -> None:
    assert "Traceback" not in ragscore("validate", "none.yaml").stderr
    done = ragscore("validate", "none.yaml", "--debug")
    assert done.returncode == 2
    assert "Traceback" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="closing a pipe early means another thing elsewhere")
def test_a_reader_that_leaves_early_is_no_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "ragscore", "schema"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert said == b""
    assert process.returncode == 0
