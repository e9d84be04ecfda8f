"""Put a pipe, a device, a folder or a link where ragscore expects one of its files.

Nothing may hang, and no number may come from another file than the one that was written.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.faults.flips import _copy
from benchmarks.faults.outcomes import judge, leftovers, numbers, readings
from benchmarks.faults.rows import EVERYTHING, Row, Wanted
from benchmarks.faults.workplace import ragscore

ZERO = os.makedev(1, 5)
"""/dev/zero, which never ends."""


def strange_files(folder: Path, cases: int, wanted: Wanted = EVERYTHING) -> Iterator[Row]:
    """Replace files of a result, of a dataset and of the cache.

    Args:
        folder: a workplace without a cache or results.
        cases: how many files of each sort at most.
        wanted: which rows.
    """
    first = ragscore(folder, "run", "config.yaml", "-q", "-o", "out")
    assert first.code == 0, first.err
    expected = readings(_copy(folder))
    inside, cache = folder / "out", folder / "cache"
    result = [inside / name for name in ("manifest.json", "scores.parquet", "report.html")]
    result += sorted({*inside.glob("*.*"), *inside.glob("runs/*")} - set(result))
    data = sorted((folder / "tool-library").glob("*.jsonl"))
    kept = [path for kind in ("runs", "tokens") for path in sorted((cache / kind).rglob("*.*"))]
    for what, replace in STRANGE.items():
        for where, files in (("a result", result), ("a dataset", data), ("the cache", kept)):
            row = Row(f"{what} in place of a file of {where}")
            if not wanted(row.what):
                continue
            for path in files[:cases]:
                place = _copy(folder)
                if not replace(place / path.relative_to(folder)):
                    continue
                if files is result:
                    judge(row, readings(place), expected)
                    continue
                if "tokens" in path.relative_to(folder).parts:
                    shutil.rmtree(place / "cache" / "runs")  # or the index is not opened
                _run(row, place, numbers(inside))
            yield row


def _run(row: Row, place: Path, expected: object) -> None:
    done = ragscore(place, "run", "config.yaml", "-o", "out-new")
    row.tried += 1
    if done.hung or done.code is None:
        row.hung += 1
    elif done.code != 0:
        row.noticed += 1
    elif numbers(place / "out-new") != expected:
        row.silent += 1
    elif "damaged" in done.err:
        row.noticed += 1
    else:
        row.unharmed += 1
    row.left += leftovers(place) > 0


def _pipe(path: Path) -> bool:
    path.unlink()
    os.mkfifo(path)
    return True


def _device(path: Path) -> bool:
    path.unlink()
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, ZERO)
        path.open("rb").close()
    except OSError:  # only root makes one, and not everywhere
        return False
    return True


def _link_to_device(path: Path) -> bool:
    path.unlink()
    path.symlink_to("/dev/zero")
    return True


def _folder(path: Path) -> bool:
    path.unlink()
    path.mkdir()
    return True


def _link_to_another(path: Path) -> bool:
    """A link out of the folder, to a file of the same kind that holds something else."""
    elsewhere = path.parents[3] / "elsewhere"
    shutil.rmtree(elsewhere, ignore_errors=True)
    elsewhere.mkdir()
    other = elsewhere / path.name
    content = path.read_bytes()
    other.write_bytes(content.replace(b"0.", b"1.") if b"0." in content else content[::-1])
    path.unlink()
    path.symlink_to(other)
    return True


def _link_to_nothing(path: Path) -> bool:
    path.unlink()
    path.symlink_to(path.with_name("nothing-is-here"))
    return True


STRANGE: dict[str, Callable[[Path], bool]] = {
    "a pipe": _pipe,
    "a device": _device,
    "a link to a device": _link_to_device,
    "a folder": _folder,
    "a link to another file": _link_to_another,
    "a link to nothing": _link_to_nothing,
}
