"""``ragscore list results``: one line for each result folder and dataset."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from ragscore.elements import Cell, Column, Table
from ragscore.elements.cells import count_cell, nothing, text_cell
from ragscore.elements.numbers import minute, number_text
from ragscore.errors import DataError
from ragscore.messages import Text, _, joined

if TYPE_CHECKING:
    from ragscore.report.index.finder import FoundDataset, FoundResult


def results_table(place: Path) -> Table:
    """The results beneath a folder, the newest first.

    Raises:
        DataError: there is no such folder, or no result in it.
    """
    from ragscore.report.index.finder import Finder

    found = Finder(place).results()
    if not found:
        raise DataError(
            "this folder holds no result",
            where=str(place),
            instead="Name a folder that `ragscore run` writes to, such as results",
        )
    columns = (
        Column("name", _("name"), "text"),
        Column("created", _("created"), "text"),
        Column("dataset", _("dataset"), "text"),
        Column("queries", _("queries")),
        Column("retrievers", _("retrievers")),
        Column("leader", _("leader"), "text"),
        Column("verdict", _("verdict"), "text"),
        Column("folder", _("folder"), "text"),
    )
    rows = tuple(row for result in found for row in _rows(result))
    return Table("results", "", columns, rows)


def _rows(found: FoundResult) -> Iterator[tuple[Cell, ...]]:
    folder = text_cell(str(found.folder))
    if found.problem:
        unreadable = text_cell(_("unreadable: {problem}", problem=found.problem))
        yield (*[nothing()] * 6, unreadable, folder)
        return
    for dataset in found.datasets:
        failed = sum(run.status == "failed" for run in dataset.runs.values())
        count = len(dataset.runs) - failed
        shown = _("{count} ({failed} failed)", count=count, failed=failed) if failed else str(count)
        yield (
            text_cell(found.name),
            text_cell(minute(found.created)),
            text_cell(_searched(dataset)),
            count_cell(dataset.entry.queries),
            Cell(count, shown),
            text_cell(_leader(dataset)),
            text_cell(_verdict(dataset)),
            folder,
        )


def _searched(dataset: FoundDataset) -> Text:
    """The dataset; of a sample, also how much of it was searched."""
    entry = dataset.entry
    if entry.sample is None:
        return entry.name
    return joined([f"{entry.name} (", entry.sample.size(), ")"], "")


def _verdict(dataset: FoundDataset) -> Text:
    """What the verdict begins with; a dash if there is none."""
    return "-" if dataset.verdict is None else dataset.verdict.word


def _leader(dataset: FoundDataset) -> str:
    """The retriever whose mean on the primary measure is in front; the verdict says whether that
    is decided."""
    from ragscore.measures import parse_measure

    ranked = []
    for retriever, means in dataset.means.items():
        for measure, mean in list(means.items())[:1]:
            if not isnan(mean.value):
                sign = -1 if parse_measure(measure).lowest_is_best else 1
                shown = f"{retriever} {dataset.labels[measure]} {number_text(mean.value)}"
                ranked.append((sign * mean.value, shown))
    return max(ranked, key=lambda pair: pair[0], default=(0.0, "-"))[1]
