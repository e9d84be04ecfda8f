"""``ragscore schema``: JSON Schemas, for editors and for readers of summary.json."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ragscore.cli.options import Debug


def main(
    of: Annotated[
        Literal["config", "summary"],
        typer.Argument(metavar="WHAT", help="The experiment file or summary.json."),
    ] = "config",
    debug: Debug = False,
) -> None:
    """Print the JSON Schema of the config or of summary.json."""
    import json

    from ragscore.experiment import experiment_schema
    from ragscore.experiment.summary import summary_schema

    schema = experiment_schema() if of == "config" else summary_schema()
    print(json.dumps(schema, indent=2, ensure_ascii=False))
