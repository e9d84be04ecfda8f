"""A result folder exists whole or not at all."""

from __future__ import annotations

import datetime
import hashlib
import os
import time
from pathlib import Path

import pytest

from ragscore.errors import ConfigError
from ragscore.experiment.record import (
    check_output,
    new_folder,
    newest_result,
    read_manifest,
    write_folder,
)

NOON = datetime.datetime(2026, 1, 2, 12, 0, 0, tzinfo=datetime.UTC)


def write(
    folder: Path, text: str = "x", created: str = "2026-01-01", overwrite: bool = False
) -> Path:
    def fill(scratch: Path) -> None:
        (scratch / "sub").mkdir()
        (scratch / "sub" / "file.txt").write_text(text, encoding="utf-8")

    return write_folder(folder, fill, {"created": created}, overwrite=overwrite)


def test_the_manifest_has_a_digest_of_every_file(tmp_path: Path) -> None:
    folder = write(tmp_path / "out", "hello")
    assert read_manifest(folder)["files"] == {
        "sub/file.txt": {"bytes": 5, "sha256": hashlib.sha256(b"hello").hexdigest()}
    }
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_while_writing_leaves_nothing(tmp_path: Path) -> None:
    def fill(scratch: Path) -> None:
        (scratch / "half.txt").write_text("half", encoding="utf-8")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_folder(tmp_path / "out", fill, {}, overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_two_runs_in_the_same_second_keep_both(tmp_path: Path) -> None:
    first = new_folder(tmp_path, "name", NOON)
    assert first == tmp_path / "name" / "20260102-120000"
    write(first)
    assert new_folder(tmp_path, "name", NOON).name == "20260102-120000-2"
    assert write(first, "other").name == "20260102-120000-2", "taken between choosing and writing"


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
    with pytest.raises(ConfigError, match="not a result of ragscore"):
        check_output(precious, overwrite=True)


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match="file"):
        check_output(tmp_path / "file" / "out", overwrite=False)


def test_the_newest_complete_result(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no complete result here"):
        newest_result(tmp_path)
    write(tmp_path / "b", created="2026-01-01T10:00:00+00:00")
    newest = write(tmp_path / "a", created="2026-01-01T11:00:00+00:00")
    (tmp_path / ".partial-killed").mkdir()
    (tmp_path / ".partial-killed" / "manifest.json").write_text("{", encoding="utf-8")
    (tmp_path / "unfinished").mkdir()
    assert newest_result(tmp_path) == newest
    assert newest_result(tmp_path / "b") == tmp_path / "b"


def test_what_killed_runs_left_is_swept_after_a_day(tmp_path: Path) -> None:
    for name, age in (("old", 25 * 3600), ("fresh", 60)):
        folder = tmp_path / f".partial-{name}"
        folder.mkdir()
        os.utime(folder, (time.time() - age, time.time() - age))
    write(tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".partial-fresh", "out"]
