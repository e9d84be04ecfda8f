"""What a fault leaves: what commands make of the result, and what of it is torn or unfinished."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.faults.rows import Row
from benchmarks.faults.workplace import VIEW, ragscore
from ragscore.disk import PARTIAL
from ragscore.results.folder_writing import ASIDE
from ragscore.seal import DamagedError, check_seal

READERS: tuple[tuple[str, ...], ...] = (
    ("show", "out"),
    ("compare", "out", "--format", "json"),
    ("tune", "out", "--format", "json"),
    ("report", "out", "--format", "csv", "-o", "read"),
    ("list", "results", "."),
    (VIEW,),
)
"""Commands that read a result."""
TIME = re.compile(r"^report: .* s$", re.MULTILINE)
VALUE = re.compile(r"(?<![\w.-])-?\d+\.\d{2,}")
"""A number as tables print it."""


@dataclass(frozen=True)
class Reading:
    """What a command made of a result.

    Attributes:
        code: its exit code; None where it was killed.
        told: what it printed, but for times.
        values: the numbers in that, and in the tables that it wrote.
        hung: it did not end by itself.
    """

    code: int | None
    told: str
    values: frozenset[str]
    hung: bool


def readings(folder: Path) -> list[Reading]:
    """What each command makes of the result ``out``."""
    found = []
    for command in READERS:
        done = ragscore(folder, *command)
        tables = [path.read_text(encoding="utf-8") for path in (folder / "read").rglob("*.csv")]
        shutil.rmtree(folder / "read", ignore_errors=True)
        told = TIME.sub("", done.out + done.err)
        values = frozenset(VALUE.findall(" ".join([done.out, *tables])))
        found.append(Reading(done.code, told, values, done.hung))
    return found


def judge(row: Row, found: list[Reading], expected: list[Reading]) -> None:
    """Count what commands made of one fault.

    A number that does not stand in what is expected is wrong, unless the command that printed it
    failed. A command that prints something else, and no such number, has noticed the fault.
    """
    row.tried += 1
    pairs = list(zip(found, expected, strict=True))
    if any(now.hung or now.code is None for now in found):
        row.hung += 1
    elif any(now.code == 0 and now.values - before.values for now, before in pairs):
        row.silent += 1
    elif any((now.code, now.told) != (before.code, before.told) for now, before in pairs):
        row.noticed += 1
    else:
        row.unharmed += 1


def numbers(result: Path) -> Any:
    """All numbers of a result, and the digests of its runs and scores; no times."""
    summary = json.loads((result / "summary.json").read_text(encoding="utf-8"))
    comparison = json.loads((result / "comparison.json").read_text(encoding="utf-8"))
    files = json.loads((result / "manifest.json").read_text(encoding="utf-8"))["files"]
    return {
        "summary": summary,
        "measures": [dataset["measures"] for dataset in comparison["datasets"]],
        "files": {
            name: file["sha256"]
            for name, file in files.items()
            if name.startswith("runs/") or name == "scores.parquet"
        },
    }


def whole(result: Path) -> bool:
    """Whether a result folder holds all that its manifest names, as it was written."""
    try:
        files = json.loads((result / "manifest.json").read_text(encoding="utf-8"))["files"]
        return all(
            hashlib.sha256((result / name).read_bytes()).hexdigest() == file["sha256"]
            for name, file in files.items()
        )
    except (OSError, ValueError, KeyError):
        return False


def results(folder: Path) -> list[Path]:
    """The folders that pass as results."""
    return [path for path in folder.glob("out*") if path.is_dir()]


def torn(folder: Path) -> int:
    """How many results and entries of the cache pass as whole and are not."""
    count = sum(not whole(path) for path in results(folder))
    for entry in (folder / "cache").glob("[!.]*/??/*"):
        try:
            check_seal(entry, entry.name)
        except DamagedError:
            count += 1
    return count


def leftovers(folder: Path) -> int:
    """How many unfinished folders and files there are."""
    return sum(path.name.startswith((PARTIAL, ASIDE)) for path in folder.rglob(".*"))
