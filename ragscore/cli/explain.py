"""``ragscore explain``: what a measure is."""

from __future__ import annotations

from typing import Annotated

import typer

from ragscore.cli.options import Debug, InLanguage, TextFormat
from ragscore.cli.streams import print_elements


def main(
    measure: Annotated[
        str, typer.Argument(metavar="MEASURE", help="nDCG, or with options: 'nDCG(gain=exp)@5'.")
    ],
    language: InLanguage = "en",
    format: TextFormat = "table",
    debug: Debug = False,
) -> None:
    """Explain a measure: definition, options, who uses which, and an example step by step."""
    from ragscore.scoring.explanation import asked_measure, explanation

    explained = explanation(asked_measure(measure))
    print_elements(explained, language, markdown=format == "markdown")
