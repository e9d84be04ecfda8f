"""A plan as elements: one table for each dataset, and what it adds up to."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ragscore.dataset import SampledCorpus
from ragscore.elements import Cell, Column, Element, Lines, Table
from ragscore.elements.cells import count_cell, nothing, retriever_column, text_cell
from ragscore.elements.numbers import bytes_text, count_text, price_text
from ragscore.experiment.plan_lines import plan_lines, time_text
from ragscore.experiment.plan_strings import STRINGS
from ragscore.experiment.planned_blocks import PlannedCorpus
from ragscore.experiment.planned_retriever import PlannedRetriever
from ragscore.strings import Language, Strings


def plan_elements(
    rows: Sequence[PlannedRetriever],
    corpora: Sequence[PlannedCorpus],
    samples: Mapping[str, SampledCorpus],
    cache: str | None,
    free: int | None,
    language: Language,
) -> Iterator[Element]:
    """What ``ragscore run --dry-run`` prints.

    Args:
        rows: of all datasets.
        corpora: those that are read in blocks.
        samples: by dataset, what its corpus is a sample of.
        cache: its folder; None where nothing is kept.
        free: bytes that are free there; None where nothing is kept.
        language: of all texts.
    """
    strings = STRINGS.strings(language)
    in_elements = {corpus.dataset for corpus in corpora}
    for dataset in dict.fromkeys(row.dataset for row in rows):
        sample = samples.get(dataset)
        notes = () if sample is None else (f"{sample.note().text_in(strings)}.",)
        own = [row for row in rows if row.dataset == dataset]
        yield replace(_table(own, dataset, in_elements, strings), notes=notes)
    yield Lines(tuple(plan_lines(rows, corpora, cache, free, strings)))


def _table(
    rows: Sequence[PlannedRetriever], dataset: str, in_elements: Collection[str], strings: Strings
) -> Table:
    asked, parts = any(row.requests for row in rows), dataset in in_elements
    columns = [
        retriever_column(strings),
        Column("runs", strings("column_runs"), hint=strings("hint_runs")),
        Column("in the cache", strings("column_kept"), hint=strings("hint_kept")),
        Column("reuses", strings("column_reused"), "text"),
        Column("makes", strings("column_made"), "text"),
    ]
    if asked:
        columns.append(Column("asked", strings("column_asked"), "text", strings("hint_asked")))
    columns.append(Column("time", strings("column_time")))
    if parts:
        hint = strings("hint_searching")
        columns.append(Column("searching", strings("column_searching"), hint=hint))
    columns.append(Column("cache grows by", strings("column_bytes")))
    cells = tuple(_cells(row, strings, asked=asked, parts=parts) for row in rows)
    title = strings("plan_title", dataset=dataset)
    return Table(f"plan-{dataset}", title, tuple(columns), cells)


def _cells(
    row: PlannedRetriever, strings: Strings, *, asked: bool, parts: bool
) -> tuple[Cell, ...]:
    name = strings("swept", retriever=row.retriever) if row.swept else row.retriever
    made = [
        strings("texts_encoded", texts=count_text(row.texts))
        if what == "vectors" and row.texts
        else strings(what)
        for what in row.made
    ]
    reused = [strings(what) for what in (*(["runs"] if row.kept else []), *row.reused)]
    if row.answered:
        reused.append(strings("answers", count=count_text(row.answered)))
    if row.kept < row.runs:
        time, searching = (_time(row, each, strings) for each in (row.seconds, row.search_seconds))
        size = _cell(row.bytes, bytes_text(row.bytes) if math.isfinite(row.bytes) else "", strings)
    else:
        time = searching = size = nothing()
    return (
        text_cell(name),
        count_cell(row.runs),
        count_cell(row.kept),
        text_cell(", ".join(reused)) if reused else nothing(),
        text_cell(", ".join(made)) if made else nothing(),
        *([_asked(row, strings)] if asked else []),
        time,
        *([searching] if parts else []),
        size,
    )


def _asked(row: PlannedRetriever, strings: Strings) -> Cell:
    if not row.requests:
        return nothing()
    counts = {"requests": count_text(row.requests), "tokens": count_text(row.tokens)}
    text = strings("asked", **counts)
    if row.price is not None:
        price = price_text(row.price)
        text = strings("asked_price", asked=text, price=price, currency=row.currency)
    return text_cell(text)


def _time(row: PlannedRetriever, seconds: float, strings: Strings) -> Cell:
    mark = "" if row.basis == "recorded" else "~"
    return _cell(seconds, mark + time_text(seconds, strings), strings)


def _cell(value: float, text: str, strings: Strings) -> Cell:
    return Cell(value, text) if math.isfinite(value) else text_cell(strings("unknown"))
