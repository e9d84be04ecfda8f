"""``ragscore list``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import typer

from ragscore.cli.options import Debug

Kind = Literal["measures", "retrievers", "encoders", "formats", "tokenizers"]


def main(
    kind: Annotated[
        Kind,
        typer.Argument(metavar="KIND", help="What to list."),
    ],
    debug: Debug = False,
) -> None:
    """List what there is: a name and one line about it."""
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
    else:
        from ragscore.text import TOKENIZERS

        yield from _by_docstring(TOKENIZERS)


def _by_docstring(table: Mapping[str, type]) -> Iterator[tuple[str, str]]:
    for name, described in table.items():
        yield name, (described.__doc__ or "").partition("\n")[0].rstrip(".")
