"""``ragscore list``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from ragscore.cli.options import Debug, InLanguage
from ragscore.cli.streams import print_blocks
from ragscore.cli.strings import STRINGS, summary_in
from ragscore.strings import Language

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
    language: InLanguage = "en",
    debug: Debug = False,
) -> None:
    """List what there is: a name and one line about it; or the results beneath a folder."""
    from ragscore.blocks import Facts

    if kind == "results":
        from ragscore.cli.results_table import results_table

        print_blocks([results_table(place or Path("results"), language)])
        return
    if place is not None:
        from ragscore.errors import ConfigError

        raise ConfigError(
            f"'{kind}' are in no folder", where=str(place), instead=f"Write: ragscore list {kind}"
        )
    print_blocks([Facts(tuple(_rows(kind, language)))])


def _rows(kind: Kind, language: Language) -> Iterator[tuple[str, str]]:
    if kind == "measures":
        from ragscore.measures import TABLE

        strings = STRINGS.strings(language)
        for measure in TABLE:
            aliases = [name for name in measure.aliases if name.lower() != measure.name.lower()]
            summary = measure.summary_in(language)
            if aliases:
                summary = strings("listed_also", summary=summary, names=", ".join(aliases))
            yield measure.name, summary
        return
    for name, english in _in_english(kind):
        yield name, summary_in(language, kind, name, english)
    if kind == "sections":
        from ragscore.report.sections.custom import installed

        strings = STRINGS.strings(language)
        yield from (
            (name, strings("listed_installed", home=home)) for name, home in installed().items()
        )


def _in_english(kind: Kind) -> Iterator[tuple[str, str]]:
    if kind == "formats":
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

        yield from _by_docstring(SECTIONS)
    else:
        from ragscore.text import TOKENIZERS

        yield from _by_docstring(TOKENIZERS)


def _by_docstring(table: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, described in table.items():
        yield name, (described.__doc__ or "").partition("\n")[0].rstrip(".")
