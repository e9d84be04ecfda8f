"""The files of a corpus that lies in several: a folder of shards."""

from __future__ import annotations

from pathlib import Path

from ragscore.errors import DataError, Problem
from ragscore.files import odd_kind
from ragscore.formats.reading.lines import PACKED, unpacked_suffix
from ragscore.formats.reading.problems import shown
from ragscore.numbered_files import in_order

SUFFIXES = (".jsonl", ".parquet")
"""Of the files that can be shards; JSON lines also packed."""


def shard_files(folder: Path) -> list[Path]:
    """The shards of a folder in the order of their names, in which numbers count as numbers; none
    where it is no folder, or holds none.

    >>> shard_files(Path("nowhere"))
    []
    """
    return list(filter(_is_shard, in_order(folder))) if folder.is_dir() else []


def holds_no_shard(folder: Path) -> bool:
    """Whether it is a folder without shards, and without anything else that somebody put there."""
    return folder.is_dir() and not in_order(folder)


def check_shards(folder: Path) -> None:
    """Refuse a folder of shards that holds anything else: it may be a part of the corpus that
    nobody would read.

    Raises:
        DataError: it does.
    """
    problems = []
    for path in in_order(folder):
        odd = odd_kind(path)
        if odd or not _is_shard(path):
            what = odd or "it is not a shard of passages"
            if path.is_symlink() and not path.exists():
                what = f"it is a link to {path.readlink()}, which does not exist"
            instead = "Take it out; shards are .parquet files, or .jsonl, .jsonl.gz or .jsonl.zst"
            problems.append(Problem(what, shown(path), instead))
    if problems:
        raise DataError(problems[:20])


def _is_shard(path: Path) -> bool:
    if path.suffix in PACKED and ".parquet" in path.name:
        return False
    return unpacked_suffix(path) in SUFFIXES and path.is_file()
