"""``ragscore changes``: what changed between two results or run files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from ragscore.cli.dataset_place import judgments_at
from ragscore.cli.options import (
    Debug,
    Format,
    InLanguage,
    QrelsUnit,
    RunQrels,
    Slices,
    keys_of,
    named_as_flags,
    unit_given,
)
from ragscore.cli.streams import print_elements, print_json, print_text
from ragscore.errors import ConfigError

NAMED = ("p", "qrels", "unit", "slices", "pair", "missing_is_empty")
"""Options that an error may name."""


def main(
    before: Annotated[
        Path, typer.Argument(metavar="BEFORE", help="The earlier result's folder, or a run file.")
    ],
    after: Annotated[
        Path, typer.Argument(metavar="AFTER", help="The later result's folder, or a run file.")
    ],
    k: Annotated[int, typer.Option("-k", min=1, metavar="K", help="The cutoff of the top k.")] = 10,
    p: Annotated[
        float,
        typer.Option("--persistence", metavar="P", help="Persistence of RBO, between 0 and 1."),
    ] = 0.9,
    pair: Annotated[
        list[str] | None,
        typer.Option("--pair", metavar="OLD=NEW", help="A renamed retriever; may be repeated."),
    ] = None,
    qrels: RunQrels = None,
    unit: QrelsUnit = None,
    slices: Slices = None,
    limit: Annotated[
        str | None,
        typer.Option(
            "--limit",
            metavar="N|all",
            help="Changed queries of each retriever that are listed; JSON and CSV have all. "
            "[default: 20]",
        ),
    ] = None,
    allow_intersect: Annotated[
        bool,
        typer.Option(
            "--allow-intersect", help="Where the queries differ, compare the common ones."
        ),
    ] = False,
    missing_is_empty: Annotated[
        bool,
        typer.Option(
            "--missing-is-empty",
            help="If only one run has a query, count it as unanswered in the other.",
        ),
    ] = False,
    language: InLanguage = "en",
    format: Format = "table",
    debug: Debug = False,
) -> None:
    """Show what changed between two results, without a judgment of which is right."""
    from ragscore.cli.quick_numpy import defer_unused

    defer_unused()

    from ragscore.change.between import changes

    listed = _limit(limit)
    with named_as_flags({"p": "persistence"}, only=NAMED):
        found = changes(
            before,
            after,
            k=k,
            p=p,
            pairs=pair or (),
            qrels=judgments_at(qrels),
            unit=unit_given(unit),
            slices=keys_of(slices or ""),
            allow_intersect=allow_intersect,
            missing_is_empty=missing_is_empty,
        )
    if format == "json":
        print_json(found)
    elif format == "csv":
        print_text(found.to_csv().rstrip("\n"), machine=True)
    else:
        print_elements(found.elements(listed), language, markdown=format == "markdown")


def _limit(text: str | None) -> int | None:
    """How many queries are listed; None for all."""
    if text is None:
        from ragscore.change.ranking_changes import MAX_QUERIES

        return MAX_QUERIES
    if text == "all":
        return None
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ConfigError(
            f"'{text}' is neither a number nor 'all'", where="--limit", instead="Such as 50"
        )
    return int(text)
