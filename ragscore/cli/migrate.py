"""``ragscore migrate``: judgments of old passages, for new ones or for documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragscore.cli.anchor import OutputFile, OverwriteFile
from ragscore.cli.dataset_place import dataset_at, is_experiment
from ragscore.cli.options import Debug, InLanguage, OutputFormat, named_as_flags
from ragscore.cli.streams import print_found


def main(
    old: Annotated[
        Path,
        typer.Argument(
            metavar="OLD",
            help="The dataset with the judgments: a folder, or an experiment (YAML) with one.",
        ),
    ],
    new: Annotated[
        Path,
        typer.Argument(
            metavar="NEW",
            help="The new passages or documents: a file, a folder with them, or an experiment "
            "(YAML) whose dataset has them.",
        ),
    ],
    output: OutputFile = None,
    overwrite: OverwriteFile = False,
    coverage: Annotated[
        float,
        typer.Option(
            "--coverage",
            metavar="SHARE",
            help="Share of an old passage's characters that must be found, above 0.5.",
        ),
    ] = 0.9,
    language: InLanguage = "en",
    format: OutputFormat = "table",
    debug: Debug = False,
) -> None:
    """Carry judgments over to new passages or documents; exit code 3 if a relevant one is lost."""
    from ragscore.anchoring.migrate import migrate
    from ragscore.errors import DataError
    from ragscore.formats import load_dataset

    with named_as_flags(only=("coverage",)):
        texts = load_dataset(dataset_at(new)) if is_experiment(new) else new
        found = migrate(
            dataset_at(old), texts, output=output, overwrite=overwrite, coverage=coverage
        )
    print_found(found, format, language)
    if not found.complete:
        raise typer.Exit(DataError.exit_code)
