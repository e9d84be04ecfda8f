"""Flip a bit, or zero a page, in every kind of file that ragscore writes and reads again.

A damaged entry of the cache is named, removed and made again: the run gives the numbers that it
gives without the damage. A damaged file of a result is named by whoever reads it.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from benchmarks.faults.outcomes import judge, leftovers, numbers, readings, torn
from benchmarks.faults.rows import EVERYTHING, Row, Wanted
from benchmarks.faults.workplace import ragscore

KINDS = ("runs", "latency", "tokens", "faiss", "vectors")
"""Of the cache. One that is there keeps those after it from being read."""
PAGE = 4096
SEED = 7


def flips(folder: Path, cases: int, wanted: Wanted = EVERYTHING) -> Iterator[Row]:
    """Damage files of the cache and of a result.

    Args:
        folder: a workplace without a cache or results.
        cases: how many damages of each kind of entry, and of each file of a result.
        wanted: which rows.
    """
    draw = random.Random(SEED)
    first = ragscore(folder, "run", "config.yaml", "-q", "-o", "out")
    assert first.code == 0, first.err
    for at, kind in enumerate(KINDS):
        what = f"bit or page of the cache's {kind}"
        if (folder / "cache" / kind).is_dir() and wanted(what):
            yield _cache(Row(what), folder, kind, KINDS[:at], cases, draw)
    rows: dict[str, list[Path]] = {}
    for path in sorted((folder / "out").rglob("*")):
        if path.is_file() and (folder / "out" / "report") not in path.parents:
            rows.setdefault(f"bit or page of {_sort_of(path)}", []).append(path)
    chosen = {what: paths for what, paths in rows.items() if wanted(what)}
    expected = readings(_copy(folder)) if chosen else []
    for what, paths in chosen.items():
        row = Row(what)
        for case in range(max(1, cases // 2)):
            place = _copy(folder)
            path = paths[case % len(paths)]
            _damage(place / path.relative_to(folder), draw, whole_page=case % 2 == 1)
            judge(row, readings(place), expected)
        yield row


def _sort_of(path: Path) -> str:
    return f"a run's {path.suffix}" if path.parent.name == "runs" else path.name


def _cache(
    row: Row,
    folder: Path,
    kind: str,
    before: tuple[str, ...],
    cases: int,
    draw: random.Random,
) -> Row:
    expected = numbers(folder / "out")
    for case in range(cases):
        place = _copy(folder)
        for other in before:
            shutil.rmtree(place / "cache" / other, ignore_errors=True)
        paths = sorted(path for path in (place / "cache" / kind).rglob("*") if path.is_file())
        # Large files more often, as a disk has it, and small ones too.
        weights = [path.stat().st_size + 500 for path in paths]
        (path,) = draw.choices(paths, weights)
        _damage(path, draw, whole_page=case % 3 == 2)
        done = ragscore(place, "run", "config.yaml", "-o", "out-new")
        row.tried += 1
        row.hung += done.hung
        if done.code != 0:
            row.torn += 1
        elif numbers(place / "out-new") != expected:
            row.silent += 1
        elif "damaged" in done.err:
            row.noticed += 1
        else:
            row.unharmed += 1
        row.torn += torn(place) > 0 and done.code == 0
        row.left += leftovers(place) > 0
    return row


def _copy(folder: Path) -> Path:
    place = folder.with_name("trial")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    return place


def _damage(path: Path, draw: random.Random, *, whole_page: bool) -> None:
    content = bytearray(path.read_bytes())
    if not content:
        return
    at = draw.randrange(len(content))
    if whole_page:
        start = at - at % PAGE
        content[start : start + PAGE] = bytes(len(content[start : start + PAGE]))
    else:
        content[at] ^= 1 << draw.randrange(8)
    path.write_bytes(content)
