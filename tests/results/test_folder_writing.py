"""A result folder exists whole or not at all."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import stat
from pathlib import Path

import pytest

from ragscore.errors import ConfigError, DiskError
from ragscore.results import folder_writing
from ragscore.results.folder_writing import (
    check_output,
    new_folder,
    write_folder,
)
from ragscore.results.manifest import Manifest
from ragscore.results.manifest_file import read_document


def write(
    folder: Path, text: str = "x", created: str = "2026-01-01", overwrite: bool = False
) -> Path:
    def fill(scratch: Path) -> Manifest:
        (scratch / "sub").mkdir()
        (scratch / "sub" / "file.txt").write_text(text, encoding="utf-8")
        return Manifest(
            schema_version=1, experiment="x", created=created, datasets=(), retrievers=(), files={}
        )

    return write_folder(folder, fill, overwrite=overwrite).folder


def text_of(folder: Path) -> str:
    return (folder / "sub" / "file.txt").read_text(encoding="utf-8")


def test_the_manifest_has_a_digest_of_every_file(tmp_path: Path) -> None:
    folder = write(tmp_path / "out", "hello")
    assert read_document(folder)["files"] == {
        "sub/file.txt": {"bytes": 5, "sha256": hashlib.sha256(b"hello").hexdigest()}
    }
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_while_writing_leaves_nothing(tmp_path: Path) -> None:
    def fill(scratch: Path) -> Manifest:
        (scratch / "half.txt").write_text("half", encoding="utf-8")
        raise OSError("disk full")

    with pytest.raises(DiskError, match="the result cannot be written"):
        write_folder(tmp_path / "out", fill, overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_two_runs_in_the_same_second_keep_both(tmp_path: Path) -> None:
    first = new_folder(tmp_path, "name")
    assert re.fullmatch(r"\d{8}-\d{6}", first.name)
    assert first.parent == tmp_path / "name"
    write(first)
    second = write(first, "other")
    assert second.name == f"{first.name}-2", "taken between choosing and writing"
    assert new_folder(tmp_path, "name") not in (first, second)


def test_overwrite_replaces_a_result_and_nothing_else(tmp_path: Path) -> None:
    folder = write(tmp_path / "out", "old")
    with pytest.raises(ConfigError, match=r"exists already.*--overwrite"):
        check_output(folder, overwrite=False)
    check_output(folder, overwrite=True)
    assert write(folder, "new", overwrite=True) == folder
    assert (folder / "sub" / "file.txt").read_text(encoding="utf-8") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]

    precious = tmp_path / "thesis"
    precious.mkdir()
    (precious / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"not a result of ragscore, which did not write 'thesis\.tex'"
    ):
        check_output(precious, overwrite=True)


@pytest.mark.parametrize(
    "manifest",
    [
        '{"name": "my extension"}',
        '{"schema": 1, "experiment": "x", "files": 3}',
        "[]",
        "{",
    ],
)
def test_a_strangers_manifest_is_no_leave_to_overwrite(tmp_path: Path, manifest: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest, encoding="utf-8")
    (tmp_path / "precious.js").write_text("years of work", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"did not write 'manifest\.json'"):
        check_output(tmp_path, overwrite=True)


@pytest.mark.parametrize("foreign", ["notes.md", "sub/notes.md", "empty/"])
def test_what_was_added_to_a_result_is_not_overwritten(tmp_path: Path, foreign: str) -> None:
    folder = write(tmp_path / "out")
    added = folder / foreign
    added.mkdir() if foreign.endswith("/") else added.write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigError, match=f"did not write '{foreign.rstrip('/')}'"):
        check_output(folder, overwrite=True)


@pytest.mark.parametrize("error", [OSError(5, "disk error"), KeyboardInterrupt()])
def test_a_failure_while_replacing_keeps_the_old_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(scratch: Path, folder: Path) -> None:
        raise error

    folder = write(tmp_path / "out", "old")
    monkeypatch.setattr(folder_writing, "publish", fail)
    with pytest.raises((DiskError, KeyboardInterrupt)):
        write(folder, "new", overwrite=True)
    assert text_of(folder) == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def killed_while_replacing(folder: Path) -> None:
    folder_writing.publish = lambda scratch, place: os._exit(9)  # type: ignore[assignment]
    write(folder, "new", overwrite=True)


@pytest.mark.slow
@pytest.mark.parametrize("then", ["check", "another run"])
def test_what_was_set_aside_by_a_killed_run_comes_back(tmp_path: Path, then: str) -> None:
    folder = write(tmp_path / "out", "old")
    process = multiprocessing.get_context("spawn").Process(
        target=killed_while_replacing, args=(folder,)
    )
    process.start()
    process.join()
    assert process.exitcode == 9
    assert not folder.exists()
    if then == "check":
        with pytest.raises(ConfigError, match="exists already"):
            check_output(folder, overwrite=False)
    else:
        write(tmp_path / "other")
    assert text_of(folder) == "old"
    assert not list(tmp_path.glob(".replaced-*"))


def replace_often(folder: Path, text: str) -> None:
    for _ in range(40):
        assert write(folder, text, overwrite=True) == folder


@pytest.mark.slow
def test_two_processes_may_replace_the_same_result(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=replace_often, args=(tmp_path / "out", text)) for text in "ab"
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert text_of(tmp_path / "out") in "ab"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("umask", [0o002, 0o022, 0o077])
def test_a_result_has_the_permissions_that_the_umask_gives(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        folder = write(tmp_path / "out")
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777 & ~umask


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match="file"):
        check_output(tmp_path / "file" / "out", overwrite=False)


def test_a_folder_of_results_never_becomes_a_result(tmp_path: Path) -> None:
    """Whichever comes first: a result in ``results/NAME`` and one as ``results/NAME`` exclude each
    other."""
    first = write(tmp_path / "NAME" / "20260101-120000")
    for overwrite, message in ((False, "exists already"), (True, "holds results")):
        with pytest.raises(ConfigError, match=message):
            check_output(tmp_path / "NAME", overwrite=overwrite)
    assert text_of(first) == "x"
    outer = write(tmp_path / "OTHER")
    with pytest.raises(ConfigError, match="inside another one"):
        check_output(outer / "20260101-120000", overwrite=False)
