"""``ragscore reconcile``: which conventions give a number that was reported elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragscore.cli.dataset_place import judgments_at
from ragscore.cli.options import (
    CorpusSize,
    Debug,
    InLanguage,
    QrelsUnit,
    TextFormat,
    named_as_flags,
    unit_given,
)
from ragscore.cli.streams import print_elements

NOTHING_MATCHES = 1


def main(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run file.")],
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
    judged: Annotated[
        Path | None, typer.Argument(metavar="[QRELS]", help="The same as --qrels.", hidden=True)
    ] = None,
    qrels: Annotated[
        Path | None,
        typer.Option(
            "--qrels",
            metavar="QRELS",
            help="The judgments, a dataset's folder, or an experiment (YAML) with one.",
        ),
    ] = None,
    unit: QrelsUnit = None,
    passages: CorpusSize = None,
    language: InLanguage = "en",
    format: TextFormat = "table",
    debug: Debug = False,
) -> None:
    """Find the conventions that give a number reported elsewhere; exit code 1 if none does."""
    from ragscore.errors import ConfigError
    from ragscore.formats import load_run
    from ragscore.reconcile import reconcile
    from ragscore.scoring import LoadedQrels

    place = judged if qrels is None else qrels
    if place is None or None not in (judged, qrels):
        raise ConfigError(
            "no judgments are given" if place is None else "judgments are given twice",
            where="--qrels",
            instead="Name the judgments, or a dataset's folder, once",
        )
    with named_as_flags(only=("unit",)):
        judgments = LoadedQrels(judgments_at(place), unit=unit_given(unit))
    found = reconcile(
        load_run(run),
        judgments.numbered,
        measure,
        value,
        unanswerable=judgments.unanswerable,
        n_passages=passages if passages is not None else judgments.n_passages,
    )
    print_elements(found.elements(), language, markdown=format == "markdown")
    if not found.matches:
        raise typer.Exit(NOTHING_MATCHES)
