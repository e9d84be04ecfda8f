"""``ragscore list``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from ragscore.cli.options import Debug, InLanguage
from ragscore.cli.streams import print_elements
from ragscore.messages import Text, _

TABLES = {
    "measures": "ragscore.measures:MEASURES",
    "retrievers": "ragscore.retrievers:RETRIEVERS",
    "fusion-methods": "ragscore.retrievers.fusion_methods:METHODS",
    "rerankers": "ragscore.retrievers.rerank:RERANKERS",
    "encoders": "ragscore.encoders:ENCODERS",
    "tokenizers": "ragscore.text:TOKENIZERS",
    "chunkers": "ragscore.chunking:CHUNKERS",
    "executors": "ragscore.executors:EXECUTORS",
    "formats": "ragscore.formats:FORMATS",
    "run-formats": "ragscore.formats:RUN_FORMATS",
    "profiles": "ragscore.scoring:PROFILES",
    "sections": "ragscore.report.sections:SECTIONS",
    "outputs": "ragscore.report.options:OUTPUTS",
}
"""What can be listed: the catalogue, which is imported when it is."""
Kind = StrEnum("Kind", [(name, name) for name in (*TABLES, "results")])  # type: ignore[misc]


def main(
    kind: Annotated[
        Kind,
        typer.Argument(metavar="KIND", help="What to list."),
    ],
    place: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR", help="For results: the folder that holds them. [default: results]"
        ),
    ] = None,
    language: InLanguage = "en",
    debug: Debug = False,
) -> None:
    """List measures, retrievers, formats and the like, a line each, or the results in a folder."""
    from ragscore.elements import Facts

    if kind == "results":
        from ragscore.cli.results_table import results_table

        print_elements([results_table(place or Path("results"))], language)
        return
    if place is not None:
        from ragscore.errors import ConfigError

        raise ConfigError(
            f"'{kind}' takes no folder", where=str(place), instead=f"Write: ragscore list {kind}"
        )
    print_elements([Facts(tuple(_rows(kind.value)))], language)


def _rows(kind: str) -> Iterator[tuple[Text, Text]]:
    """Name and summary of ragscore's own, then of what installed packages add."""
    from ragscore.plugins import Catalogue, summary_of

    module, catalogue = TABLES[kind].split(":")
    things: Catalogue[Any] = getattr(import_module(module), catalogue)
    for name in things.own:
        summary: Text = summary_of(things[name])
        aliases = [
            alias for alias in getattr(things[name], "aliases", ()) if alias.lower() != name.lower()
        ]
        if aliases:
            summary = _("{summary} (also {names})", summary=summary, names=", ".join(aliases))
        yield name, summary
    for name, home in things.installed().items():
        yield name, _("installed: {home}", home=home)
    for name, home in things.shadowed().items():
        yield name, _("installed but not used: {home} (the name belongs to ragscore)", home=home)
