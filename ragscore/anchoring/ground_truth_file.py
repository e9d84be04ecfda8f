"""The file of ground truth that a command writes: whole or not at all, and never by surprise."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ragscore.disk import write_file, writing
from ragscore.errors import ConfigError


def refuse_existing(path: Path, *, overwrite: bool) -> None:
    """Refuse a file that exists, unless it is to be replaced.

    Raises:
        ConfigError: it exists, or is a folder.
    """
    if path.is_dir():
        raise ConfigError(
            "it is a folder",
            where=f"--output: {path}",
            instead=f"Name a file: {path / 'new.jsonl'}",
        )
    if path.exists() and not overwrite:
        raise ConfigError(
            "the file exists", where=f"--output: {path}", instead="Name another, or add --overwrite"
        )


def write_ground_truth(path: Path, lines: Iterable[str]) -> None:
    """Write rows of ground truth, each a line of JSON.

    Raises:
        DiskError: they cannot be written.
    """
    content = "".join(f"{line}\n" for line in lines).encode()
    kept = "What was there is unchanged"
    with writing("the ground truth", path, kept=kept, elsewhere="name another file"):
        write_file(path, content)
