"""Kill a command before each of its writes, in the middle of writes, and at any moment.

A killed run leaves a complete result or none; the same command then gives the same numbers, to
the bit, and deletes what was left.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.faults.outcomes import leftovers, numbers, results, torn, whole
from benchmarks.faults.rows import EVERYTHING, Row, Wanted
from benchmarks.faults.workplace import Fault, ragscore

RUN = ("run", "config.yaml", "-q", "-o")


def kills(folder: Path, cases: int, wanted: Wanted = EVERYTHING) -> Iterator[Row]:
    """Kill a first run, a run that replaces a result, and a report.

    Args:
        folder: a workplace without a cache or results.
        cases: how many kills of each kind at most.
        wanted: which rows.
    """
    fresh = folder.with_name("fresh")
    shutil.copytree(folder, fresh)
    first = ragscore(folder, *RUN, "out")
    assert first.code == 0, first.err
    expected = numbers(folder / "out")
    done = folder.with_name("done")
    shutil.copytree(folder, done)
    replacing = (*RUN, "out", "--overwrite")
    for what, template, command in (
        ("killed run", fresh, (*RUN, "out")),
        ("killed run that replaces a result", done, replacing),
        ("killed report", done, ("report", "out", "-q")),
    ):
        again = (*RUN, "out-next") if what == "killed run" else command
        began = time.monotonic()
        count = _trial(template, command)
        seconds = time.monotonic() - began
        for moment, faults in (
            ("before a write", [Fault(at_write=at) for at in _spread(count, cases)]),
            ("inside a write", [Fault(size=at, deadly=True) for at in _sizes(folder, cases)]),
            ("at any moment", [Fault(after=seconds * at / cases) for at in range(cases)]),
        ):
            row = Row(f"{what}, {moment}")
            if not wanted(row.what):
                continue
            for fault in faults:
                _killed(row, template, command, again, fault, expected)
            yield row


def _trial(template: Path, command: tuple[str, ...]) -> int:
    """How many changes of files a command makes in a copy of the template."""
    place = template.with_name("trial")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(template, place)
    done = ragscore(place, *command)
    assert done.code == 0, done.err
    assert done.writes is not None
    return done.writes


def _killed(
    row: Row,
    template: Path,
    command: tuple[str, ...],
    again: tuple[str, ...],
    fault: Fault,
    expected: object,
) -> None:
    place = template.with_name("trial")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(template, place)
    done = ragscore(place, *command, fault=fault)
    if done.code is not None:  # it ended before it could be killed
        return
    row.tried += 1
    half = torn(place)
    if template.name == "done":  # the earlier result stands there, or is set aside
        half += not any(whole(path) for path in (place / "out", *place.glob(".replaced-*/out")))
    next_run = ragscore(place, *again)
    row.hung += done.hung or next_run.hung
    if next_run.code != 0 or half or torn(place):
        row.torn += 1
    elif any(numbers(path) != expected for path in results(place)):
        row.silent += 1
    else:
        row.unharmed += 1
    row.left += leftovers(place) > 0


def _spread(count: int, cases: int) -> list[int]:
    """So many numbers below the count, evenly."""
    return sorted({at * count // min(cases, count) for at in range(min(cases, count))})


def _sizes(folder: Path, cases: int) -> list[int]:
    """Sizes of files that cut each file of the folder somewhere."""
    lengths = {path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    sizes = sorted(lengths - {0})
    return [max(0, sizes[at] - 1 - at % 7) for at in _spread(len(sizes), cases)]
