"""``ragscore reconcile``: which conventions give a number that was reported elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from ragscore.cli.options import Debug
from ragscore.cli.streams import print_text

if TYPE_CHECKING:
    from ragscore.reconcile import Reconciled, Setting

NOTHING_MATCHES = 1
MOST_SHOWN = 12
FEW = 0.5


def main(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run file.")],
    qrels: Annotated[
        Path, typer.Argument(metavar="QRELS", help="Judgments: a file, or a dataset's folder.")
    ],
    measure: Annotated[
        str,
        typer.Option("--measure", "-m", metavar="MEASURE", help="Its measure: nDCG@10."),
    ],
    value: Annotated[
        str,
        typer.Option("--value", metavar="NUMBER", help="The reported number: 0.4312 or 43.12%."),
    ],
    passages: Annotated[
        int | None,
        typer.Option(
            "--passages", metavar="N", min=1, help="Number of passages in the corpus, for AUC."
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Search the conventions that give a number reported elsewhere; exit code 1 if none does."""
    from ragscore.cli.score_inputs import Judgments
    from ragscore.formats import load_run
    from ragscore.reconcile import reconcile

    judgments = Judgments(qrels)
    read = load_run(run)
    found = reconcile(
        read,
        judgments.qrels,
        measure,
        value,
        unanswerable=judgments.unanswerable,
        n_passages=passages if passages is not None else judgments.n_passages,
    )
    for line in _lines(found, value):
        print_text(line)
    if read.duplicates:
        print(
            f"{read.duplicates} passages are named twice for a query: the first counts here. A "
            "tool that counts both gives another number, and is not searched."
        )
    if not found.matches:
        raise typer.Exit(NOTHING_MATCHES)


def _lines(found: Reconciled, value: str) -> Iterator[str]:
    from ragscore.reconcile import meaning_of

    asked = found.asked
    yield f"{asked.measure} is {asked.value:.6f} here; reported: {value}"
    shown = found.matches[:MOST_SHOWN]
    if shown:
        yield f"{len(found.matches)} of {found.tried} conventions print the reported number:"
    else:
        yield f"None of {found.tried} conventions prints the reported number. The nearest:"
        shown = found.misses
    yield from _table(shown)
    if len(found.matches) > MOST_SHOWN:
        yield f"  and {len(found.matches) - MOST_SHOWN} with as many changes or more"
    if found.matches and found.misses:
        yield "The nearest others:"
        yield from _table(found.misses)
    changes = dict.fromkeys(change for one in shown for change in one.changes)
    if changes:
        yield "What they mean:"
        by_change = {change: one for one in shown for change in one.changes}
        for change in changes:
            told = f"{change}: {meaning_of(change, by_change[change].measure)}"
            yield from wrap(told, 96, initial_indent="  ", subsequent_indent="    ")
    if found.between_ties:
        yield "It lies between tie=min and tie=max: an order of the tied passages could give it."
    if found.matches and found.chance > FEW:
        yield (
            f"With so few digits about {found.chance:.1f} of the numbers tried would match any "
            "reported one: ask for more digits before trusting a match."
        )


def _table(settings: tuple[Setting, ...]) -> Iterator[str]:
    rows = []
    for one in settings:
        beside = ", ".join(one.reading.changes())
        rows.append((f"{one.measure} {beside}".strip(), f"{one.value:.6f}", one.profiles))
    width = max((len(text) for text, _, _ in rows), default=0)
    for text, value, profiles in rows:
        yield f"  {text:<{width}}  {value}  {', '.join(profiles)}".rstrip()
