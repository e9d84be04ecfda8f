"""Commands on a disk that fills up: a limit on the size of files, and a small file system.

A command that cannot write ends with exit code 1 and one line that names the folder; what stood
there stays. A cache that fills up is a note.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.faults.kills import RUN, _sizes
from benchmarks.faults.outcomes import leftovers, numbers, torn
from benchmarks.faults.rows import EVERYTHING, Row, Wanted
from benchmarks.faults.workplace import Done, Fault, ragscore


def full_disk(folder: Path, cases: int, wanted: Wanted = EVERYTHING) -> Iterator[Row]:
    """Fill the disk under each command that writes.

    Args:
        folder: a workplace without a cache or results.
        cases: how many sizes at most.
        wanted: which rows.
    """
    fresh = folder.with_name("fresh")
    shutil.copytree(folder, fresh)
    first = ragscore(folder, *RUN, "out")
    assert first.code == 0, first.err
    expected = numbers(folder / "out")
    for what, template, command in (
        ("full disk: run", fresh, (*RUN, "out-new")),
        ("full disk: run over a full cache", folder, (*RUN, "out-new")),
        ("full disk: run --overwrite", folder, (*RUN, "out", "--overwrite")),
        ("full disk: report", folder, ("report", "out", "-q")),
        ("full disk: tune --csv", folder, ("tune", "out", "-q", "--csv", "curves.csv")),
        ("full disk: init", folder, ("init", "starter")),
    ):
        row = Row(what)
        if not wanted(what):
            continue
        for size in _sizes(folder, cases):
            place = _copy(template)
            done = ragscore(place, *command, fault=Fault(size=size))
            _judge(row, place, done, expected, template)
        yield row
    row = Row("full disk: a small file system")
    if wanted(row.what) and hasattr(os, "geteuid") and os.geteuid() == 0:
        for case in range(cases):
            _small_file_system(row, fresh, 16 + 12 * case, expected)
        yield row


def _small_file_system(row: Row, fresh: Path, size: int, expected: object) -> None:
    """Cache and result on a file system of so many KiB."""
    place = _copy(fresh)
    disk = place / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        return
    try:
        (disk / "cache").mkdir()
        (place / "cache").symlink_to(disk / "cache")
        done = ragscore(place, *RUN, "disk/out-new")
        row.tried += 1
        _count(row, done, disk / "out-new", expected, torn(disk))
        row.left += leftovers(disk) > 0
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def _copy(template: Path) -> Path:
    place = template.with_name("trial")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(template, place)
    return place


def _judge(row: Row, place: Path, done: Done, expected: object, template: Path) -> None:
    row.tried += 1
    earlier = place / "out"
    lost = (template / "out").exists() and (not earlier.exists() or numbers(earlier) != expected)
    new = place / "out-new"
    _count(row, done, new if new.exists() else earlier, expected, torn(place) + lost)
    row.left += leftovers(place) > 0


def _count(row: Row, done: Done, result: Path, expected: object, half: int) -> None:
    if done.hung:
        row.hung += 1
    elif half:
        row.torn += 1
    elif done.code == 0:
        if result.exists() and numbers(result) != expected:
            row.silent += 1
        else:
            row.unharmed += 1
    elif done.code == 1 and "cannot be written" in done.err and done.err.count("\n") == 1:
        row.noticed += 1
    else:
        row.silent += 1
