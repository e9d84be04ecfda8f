"""``ragscore power``: what difference this number of queries can detect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragscore.cli.dataset_place import dataset_at, is_experiment
from ragscore.cli.options import (
    Cluster,
    Debug,
    InLanguage,
    OutputFormat,
    measures_loaded,
    named_as_flags,
)
from ragscore.cli.streams import print_found

FLAGS = ("difference", "comparisons", "sd", "measure", "cluster")


def main(
    place: Annotated[
        Path,
        typer.Argument(
            metavar="DATASET|DIR",
            help="A dataset's folder, or an experiment (YAML) with one; or a folder that "
            "`ragscore run` wrote, whose differences are then used.",
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
            help="How many comparisons are corrected together. [default: 1; for a result, its "
            "family]",
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
    cluster: Cluster = None,
    language: InLanguage = "en",
    format: OutputFormat = "table",
    debug: Debug = False,
) -> None:
    """Show what difference a dataset's queries can detect, before you spend a run on them."""
    from ragscore.cli.quick_numpy import defer_unused

    defer_unused()

    from ragscore.formats import load_dataset
    from ragscore.results.questions import power

    with named_as_flags(only=FLAGS):
        source = load_dataset(dataset_at(place)) if is_experiment(place) else place
        found = power(
            source,
            difference=difference,
            comparisons=comparisons,
            sd=sd,
            measure=measure,
            cluster=cluster,
        )
    print_found(found, format, language)
