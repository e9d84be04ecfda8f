"""``ragscore list results``: one line for each result folder and dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragscore.blocks.numbers import minute
from ragscore.cli.streams import print_text
from ragscore.errors import DataError
from ragscore.scoring.tables import aligned

if TYPE_CHECKING:
    from ragscore.report.index.found import Found, FoundDataset

HEADER = ("name", "created", "dataset", "queries", "retrievers", "leader", "verdict", "folder")
NUMBERS = ("queries", "retrievers")


def print_results(place: Path) -> None:
    """The results beneath a folder, the newest first.

    Raises:
        DataError: there is no such folder, or no result in it.
    """
    from ragscore.blocks.plain import one_line
    from ragscore.report.index.found import Finder

    found = Finder(place).results()
    if not found:
        raise DataError(
            "no result is here",
            where=str(place),
            instead="Name a folder that `ragscore run` writes to, such as results",
        )
    rows = [[one_line(cell) for cell in row] for one in found for row in _rows(one)]
    left = [name for name in HEADER if name not in NUMBERS]
    for line in aligned(HEADER, rows, left=left):
        print_text(line)


def _rows(found: Found) -> list[tuple[str, ...]]:
    folder = str(found.folder)
    if found.problem:
        return [("-", "-", "-", "-", "-", "-", f"unreadable: {found.problem}", folder)]
    return [
        (
            found.name,
            minute(found.created),
            one.name,
            f"{one.queries:,}",
            f"{len(one.retrievers)}" + (f" ({len(one.failed)} failed)" if one.failed else ""),
            _leader(one),
            one.state or "-",
            folder,
        )
        for one in found.datasets
    ]


def _leader(one: FoundDataset) -> str:
    """The retriever whose mean on the primary measure is in front; the verdict says whether that
    is decided."""
    from ragscore.measures import parse_measure

    ranked = []
    for retriever, means in one.means.items():
        for measure, mean in list(means.items())[:1]:
            if mean.value is not None:
                sign = -1 if parse_measure(measure).lowest_is_best else 1
                ranked.append((sign * mean.value, f"{retriever} {mean.label} {mean.value:.3f}"))
    return max(ranked, key=lambda pair: pair[0], default=(0.0, "-"))[1]
