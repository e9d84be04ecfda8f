"""``ragscore power``: what difference this number of queries can detect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from ragscore.cli.options import Debug, InLanguage, measures_loaded, named_as_flags
from ragscore.cli.streams import print_blocks, print_text

FLAGS = ("difference", "comparisons", "sd", "measure", "cluster")


def main(
    place: Annotated[
        Path,
        typer.Argument(
            metavar="DATASET|DIR",
            help="A dataset's folder; or a folder that `ragscore run` wrote, whose spread is used.",
        ),
    ],
    difference: Annotated[
        float | None,
        typer.Option("--difference", metavar="D", help="A difference that would matter to you."),
    ] = None,
    comparisons: Annotated[
        int | None,
        typer.Option(
            "--comparisons",
            metavar="M",
            help="Comparisons that are corrected together. [default: 1; of a result: its family]",
        ),
    ] = None,
    sd: Annotated[
        float | None,
        typer.Option(
            "--sd", metavar="S", help="Standard deviation of the differences, where you know it."
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            "-m",
            callback=measures_loaded,
            metavar="MEASURE",
            help="A measure of the result. [default: the first]",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster", metavar="KEY", help="Tag or metadata: queries that share it are one unit."
        ),
    ] = None,
    language: InLanguage = "en",
    format: Annotated[
        Literal["table", "json", "markdown"],
        typer.Option("--format", help="How it is written to stdout."),
    ] = "table",
    debug: Debug = False,
) -> None:
    """Say what difference this number of queries can detect, before a run is spent."""
    from ragscore.results.planned import power

    with named_as_flags(only=FLAGS):
        found = power(
            place,
            difference=difference,
            comparisons=comparisons,
            sd=sd,
            measure=measure,
            cluster=cluster,
        )
    if format == "json":
        document = json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        print_text(document, machine=True)
    else:
        print_blocks(found.blocks(language), markdown=format == "markdown")
