"""``ragscore explain``: what a measure is."""

from __future__ import annotations

from typing import Annotated

import typer

from ragscore.cli.options import Debug


def main(
    measure: Annotated[
        str, typer.Argument(metavar="MEASURE", help="nDCG, or with options: 'nDCG(gain=exp)@5'.")
    ],
    debug: Debug = False,
) -> None:
    """Explain a measure: definition, options, who uses which, and an example step by step."""
    from ragscore.scoring.explained import asked_measure, explained

    for line in explained(asked_measure(measure)):
        print(line)
