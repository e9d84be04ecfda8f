"""``ragscore check``: what is wrong with a dataset before its numbers are trusted."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ragscore.cli.dataset_place import DatasetPlace, dataset_at
from ragscore.cli.options import (
    Debug,
    InLanguage,
    OutputFormat,
    QrelsUnit,
    named_as_flags,
    unit_given,
)
from ragscore.cli.streams import print_found

FOUND = 1


def main(
    dataset: DatasetPlace,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder",
            metavar="NAME",
            help="Find passages that are longer than this encoder reads, such as minilm.",
        ),
    ] = None,
    checks: Annotated[
        list[str] | None,
        typer.Option("--check", metavar="NAME", help="Run only this check; may be repeated."),
    ] = None,
    fail_on: Annotated[
        Literal["error", "warning", "note", "never"],
        typer.Option("--fail-on", help="Exit with code 1 if something this severe was found."),
    ] = "error",
    unit: QrelsUnit = None,
    language: InLanguage = "en",
    format: OutputFormat = "table",
    debug: Debug = False,
) -> None:
    """Find faults of a dataset that make its scores wrong or less meaningful; exit code 1 for
    errors."""
    from ragscore.diagnose.check_run import check_dataset

    with named_as_flags({"checks": "check"}, only=("encoder", "checks", "unit")):
        read, judged = dataset_at(dataset), unit_given(unit)
        if judged is not None:
            read = read.changed(unit=judged)
        found = check_dataset(read, encoder=encoder, checks=checks or None)
    print_found(found, format, language)
    if fail_on != "never" and found.at_least(fail_on):
        raise typer.Exit(FOUND)
