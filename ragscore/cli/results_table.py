"""``ragscore list results``: one line for each result folder and dataset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ragscore.cli.strings import STRINGS
from ragscore.comparison.strings import STRINGS as VERDICT_STRINGS
from ragscore.elements import Cell, Column, Table
from ragscore.elements.cells import count_cell, nothing, text_cell
from ragscore.elements.numbers import minute, number_text
from ragscore.errors import DataError
from ragscore.strings import Language, Strings

if TYPE_CHECKING:
    from ragscore.report.index.finder import FoundDataset, FoundResult


def results_table(place: Path, language: Language) -> Table:
    """The results beneath a folder, the newest first.

    Raises:
        DataError: there is no such folder, or no result in it.
    """
    from ragscore.report.index.finder import Finder

    found = Finder(place).results()
    if not found:
        raise DataError(
            "no result is here",
            where=str(place),
            instead="Name a folder that `ragscore run` writes to, such as results",
        )
    strings = STRINGS.strings(language)
    columns = (
        Column("name", strings("column_name"), "text"),
        Column("created", strings("column_created"), "text"),
        Column("dataset", strings("column_dataset"), "text"),
        Column("queries", strings("column_of_queries")),
        Column("retrievers", strings("column_retrievers")),
        Column("leader", strings("column_leader"), "text"),
        Column("verdict", strings("column_verdict"), "text"),
        Column("folder", strings("column_folder"), "text"),
    )
    rows = tuple(row for result in found for row in _rows(result, strings))
    return Table("results", "", columns, rows)


def _rows(found: FoundResult, strings: Strings) -> Iterator[tuple[Cell, ...]]:
    folder = text_cell(str(found.folder))
    if found.problem:
        unreadable = text_cell(strings("unreadable", problem=found.problem))
        yield (*(nothing() for _ in range(6)), unreadable, folder)
        return
    for dataset in found.datasets:
        count, failed = len(dataset.retrievers), len(dataset.failed)
        shown = strings("retrievers_failed", count=count, failed=failed) if failed else str(count)
        yield (
            text_cell(found.name),
            text_cell(minute(found.created)),
            text_cell(_searched(dataset, strings)),
            count_cell(dataset.queries),
            Cell(count, shown),
            text_cell(_leader(dataset)),
            text_cell(_verdict(dataset, strings.language)),
            folder,
        )


def _searched(dataset: FoundDataset, strings: Strings) -> str:
    """The dataset; of a sample, also how much of it was searched."""
    if dataset.sample is None:
        return dataset.name
    return f"{dataset.name} ({dataset.sample.size().text_in(strings)})"


def _verdict(dataset: FoundDataset, language: Language) -> str:
    """The state of the verdict: its name, in Korean its word."""
    if language == "en" or not dataset.state:
        return dataset.state or "-"
    key = f"word_{dataset.state.lower().replace(' ', '_')}"
    return VERDICT_STRINGS.strings(language)(key) if key in VERDICT_STRINGS else dataset.state


def _leader(dataset: FoundDataset) -> str:
    """The retriever whose mean on the primary measure is in front; the verdict says whether that
    is decided."""
    from ragscore.measures import parse_measure

    ranked = []
    for retriever, means in dataset.means.items():
        for measure, mean in list(means.items())[:1]:
            if mean.value is not None:
                sign = -1 if parse_measure(measure).lowest_is_best else 1
                ranked.append(
                    (sign * mean.value, f"{retriever} {mean.label} {number_text(mean.value)}")
                )
    return max(ranked, key=lambda pair: pair[0], default=(0.0, "-"))[1]
