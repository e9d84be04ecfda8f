"""The table of run formats, and a format that an installed package adds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragscore import load_run, score
from ragscore.cli import main
from ragscore.errors import ConfigError, DataError
from ragscore.formats import RUN_FORMATS, RunFormat, run_format, write_parquet_run, write_trec_run
from ragscore.run import Run

RUN = Run.from_dict({"q1": {"a": 2.5, "b": 1.0}, "q2": {"b": 0.5}}, name="bm25")
THEIRS = """
from ragscore.formats import RunFormat
from ragscore.run import Run

def read(path, *, name=None, strict=False):
    pairs = [line.split("=") for line in path.read_text().split()]
    returned = {query: found.split("+") for query, found in pairs}
    return Run.from_dict(returned, name=name or path.stem)

FORMAT = RunFormat("query=passage+passage, best first", (".plus",), read)
BROKEN = "no format"
"""


@pytest.mark.parametrize("name", RUN_FORMATS.own)
def test_every_format_says_what_it_is_and_reads_its_files(name: str, tmp_path: Path) -> None:
    kind = RUN_FORMATS[name]
    assert isinstance(kind, RunFormat)
    assert kind.description
    for suffix in kind.suffixes:
        path = tmp_path / f"bm25{suffix}"
        if name == "parquet":
            write_parquet_run(RUN, path)
        else:
            assert kind.example, "a format of texts has an example, which holds RUN"
            path.write_text(kind.example)
        assert run_format(path) == name
        for run in (load_run(path), load_run(path, format=name)):
            assert (run.name, run.to_dict()) == ("bm25", RUN.to_dict())


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package with a run format, and one that is broken."""
    (tmp_path / "plus_runs.py").write_text(THEIRS)
    about = tmp_path / "plus_runs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plus-runs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[ragscore.run_formats]\nplus = plus_runs:FORMAT\nwrong = plus_runs:BROKEN\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("plus_runs", None)
    RUN_FORMATS._loaded.pop("plus", None)


def test_an_installed_format_is_read_like_ours(
    theirs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = theirs / "mine.plus"
    path.write_text("q1=a+b\nq2=b\n")
    write_trec_run(RUN, theirs / "ours.trec")
    assert load_run(theirs / "ours.trec").to_dict() == RUN.to_dict()
    assert "plus_runs" not in sys.modules  # nobody has named it
    assert load_run(path).name == "mine"
    assert load_run(theirs / "mine.plus", format="plus").to_dict()["q1"] == {"a": 2.0, "b": 1.0}
    values = score(path, {"q1": ["b"], "q2": ["b"]}, ["RR"]).to_dict()
    assert values == {"dataset": {"mine": {"RR": 0.75}}}
    assert main(["list", "run-formats"]) == 0
    listed = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert [*RUN_FORMATS.own, "plus", "wrong"] == list(listed)
    assert "plus_runs:FORMAT" in listed["plus"]


def test_a_format_that_is_none_is_an_error(theirs: Path) -> None:
    path = theirs / "mine.plus"
    path.write_text("q1=a\n")
    with pytest.raises(ConfigError, match="the run format 'wrong' of the package plus-runs is not"):
        load_run(path, format="wrong")
    with pytest.raises(ConfigError, match=r"unknown run format 'plsu'\. Did you mean 'plus'"):
        load_run(path, format="plsu")


@pytest.mark.parametrize("suffixes", [(".plus", "more"), ".plus"])
def test_suffixes_without_their_dot_or_their_tuple(suffixes: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r"the suffixes .* Write a tuple .* their dot"):
        RunFormat("theirs", suffixes, lambda path, *, name=None, strict=False: RUN)


def test_a_reader_that_returns_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bm25.plus"
    path.touch()
    wrong = RunFormat("theirs", (".plus",), lambda path, *, name=None, strict=False: {"q": ["a"]})
    monkeypatch.setitem(RUN_FORMATS.own, "plus", wrong)
    monkeypatch.setattr(RUN_FORMATS, "_loaded", dict(RUN_FORMATS._loaded))
    with pytest.raises(DataError, match=r"bm25\.plus: the reader .* \(theirs\) returned {'q'"):
        load_run(path)
