"""``ragscore reconcile``: which conventions give a number that was reported elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragscore.cli.options import (
    CorpusSize,
    Debug,
    InLanguage,
    QrelsUnit,
    TextFormat,
    named_as_flags,
    unit_given,
)
from ragscore.cli.streams import print_blocks

NOTHING_MATCHES = 1


def main(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run file.")],
    qrels: Annotated[
        Path, typer.Argument(metavar="QRELS", help="Judgments: a file, or a dataset's folder.")
    ],
    measure: Annotated[
        str,
        typer.Option(
            "--measure", "-m", metavar="MEASURE", help="The measure of that number, e.g. nDCG@10."
        ),
    ],
    value: Annotated[
        str,
        typer.Option(
            "--value", metavar="NUMBER", help="The reported number, e.g. 0.4312 or 43.12%."
        ),
    ],
    unit: QrelsUnit = None,
    passages: CorpusSize = None,
    language: InLanguage = "en",
    format: TextFormat = "table",
    debug: Debug = False,
) -> None:
    """Find the conventions that give a number reported elsewhere; exit code 1 if none does."""
    from ragscore.formats import load_run
    from ragscore.reconcile import reconcile
    from ragscore.reconcile.reconciled_blocks import reconciled_blocks
    from ragscore.scoring import LoadedQrels

    with named_as_flags(only=("unit",)):
        judgments = LoadedQrels(qrels, unit=unit_given(unit))
    read = load_run(run)
    found = reconcile(
        read,
        judgments.numbered,
        measure,
        value,
        unanswerable=judgments.unanswerable,
        n_passages=passages if passages is not None else judgments.n_passages,
    )
    print_blocks(
        reconciled_blocks(found, value, language, duplicates=read.duplicates),
        markdown=format == "markdown",
    )
    if not found.matches:
        raise typer.Exit(NOTHING_MATCHES)
