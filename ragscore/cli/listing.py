"""``ragscore list``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from ragscore.cli.options import Debug

Kind = Literal["measures", "retrievers", "encoders", "formats", "tokenizers", "sections", "results"]


def main(
    kind: Annotated[
        Kind,
        typer.Argument(metavar="KIND", help="What to list."),
    ],
    place: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="The folder of the results to list. [default: results]"),
    ] = None,
    debug: Debug = False,
) -> None:
    """List what there is: a name and one line about it; or the results beneath a folder."""
    if kind == "results":
        from ragscore.cli.results_table import print_results

        print_results(place or Path("results"))
        return
    if place is not None:
        from ragscore.errors import ConfigError

        raise ConfigError(
            f"'{kind}' are in no folder", where=str(place), instead=f"Write: ragscore list {kind}"
        )
    rows = list(_rows(kind))
    width = max(len(name) for name, _ in rows)
    for name, summary in rows:
        print(f"{name:<{width}}  {summary}")


def _rows(kind: Kind) -> Iterator[tuple[str, str]]:
    if kind == "measures":
        from ragscore.measures import TABLE

        for measure in TABLE:
            aliases = [name for name in measure.aliases if name.lower() != measure.name.lower()]
            also = f" (also {', '.join(aliases)})" if aliases else ""
            yield measure.name, f"{measure.summary}{also}"
    elif kind == "formats":
        from ragscore.formats import FORMATS

        yield from ((name, described.description) for name, described in FORMATS.items())
    elif kind == "retrievers":
        from ragscore.retrievers import RETRIEVERS

        yield from _by_docstring(RETRIEVERS)
    elif kind == "encoders":
        from ragscore.encoders import ENCODERS

        yield from _by_docstring(ENCODERS)
    elif kind == "sections":
        from ragscore.report.sections import SECTIONS
        from ragscore.report.sections.custom import installed

        yield from _by_docstring(SECTIONS)
        yield from ((name, f"installed: {home}") for name, home in installed().items())
    else:
        from ragscore.text import TOKENIZERS

        yield from _by_docstring(TOKENIZERS)


def _by_docstring(table: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, described in table.items():
        yield name, (described.__doc__ or "").partition("\n")[0].rstrip(".")
