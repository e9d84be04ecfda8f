"""``ragscore power``: what difference this number of queries can detect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ragscore.cli.options import Debug
from ragscore.cli.streams import print_text
from ragscore.errors import ConfigError


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
    format: Annotated[
        Literal["table", "json", "markdown"],
        typer.Option("--format", help="How it is written to stdout."),
    ] = "table",
    debug: Debug = False,
) -> None:
    """Say what difference this number of queries can detect, before a run is spent."""
    from ragscore.cli.power_plan import plans
    from ragscore.cli.power_text import as_json, as_text

    if comparisons is not None and comparisons < 1:
        raise ConfigError(f"--comparisons: {comparisons}", instead="Give 1 or more")
    if sd is not None and not 0 < sd < float("inf"):
        raise ConfigError(
            f"--sd: {sd:g} is no spread",
            instead="Give the standard deviation of the per-query differences, above 0",
        )
    if difference is not None and not 0 < abs(difference) < float("inf"):
        raise ConfigError(
            f"--difference: {difference:g}", instead="Give a difference that would matter: 0.02"
        )
    made = plans(
        place,
        difference=None if difference is None else abs(difference),
        comparisons=comparisons,
        sd=sd,
        measure=measure,
        cluster=cluster,
    )
    text = as_json(made) if format == "json" else as_text(made, format)
    print_text(text, machine=format != "table")
