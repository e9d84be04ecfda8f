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
from ragscore.experiment.planned_blocks import PlannedCorpus
from ragscore.experiment.planned_retriever import PlannedRetriever
from ragscore.messages import Text, _, joined

ARTIFACTS = {
    "chunks": _("chunks"),
    "tokens": _("tokens"),
    "vectors": _("vectors"),
    "index": _("index"),
    "runs": _("runs"),
}
"""What a run makes, or finds in the cache."""


def plan_elements(
    rows: Sequence[PlannedRetriever],
    corpora: Sequence[PlannedCorpus],
    samples: Mapping[str, SampledCorpus],
    cache: str | None,
    free: int | None,
) -> Iterator[Element]:
    """What ``ragscore run --dry-run`` prints.

    Args:
        rows: of all datasets.
        corpora: those that are read in blocks.
        samples: by dataset, what its corpus is a sample of.
        cache: its folder; None if nothing is kept.
        free: bytes that are free there; None if nothing is kept.
    """
    in_blocks = {corpus.dataset for corpus in corpora}
    for dataset in dict.fromkeys(row.dataset for row in rows):
        sample = samples.get(str(dataset))
        notes = () if sample is None else (joined([sample.note(), "."], ""),)
        own = [row for row in rows if row.dataset == dataset]
        yield replace(_table(own, dataset, in_blocks), notes=notes)
    yield Lines(tuple(plan_lines(rows, corpora, cache, free)))


def _table(rows: Sequence[PlannedRetriever], dataset: Text, in_blocks: Collection[str]) -> Table:
    asked, parts = any(row.requests for row in rows), dataset in in_blocks
    columns = [
        retriever_column(),
        Column(
            "runs",
            _("Runs"),
            hint=_("One per retriever, or one per configuration of a sweep"),
        ),
        Column("in the cache", _("In the cache"), hint=_("Not searched or scored again")),
        Column("reuses", _("Reuses"), "text"),
        Column("makes", _("Makes"), "text"),
    ]
    if asked:
        columns.append(
            Column(
                "asked",
                _("Asks a service for"),
                "text",
                _("Tokens are estimated from the length of the texts; the service counts its own"),
            )
        )
    columns.append(Column("time", _("Time")))
    if parts:
        hint = _("The rest is encoding and indexing")
        columns.append(Column("searching", _("Of which search"), hint=hint))
    columns.append(Column("cache grows by", _("Cache grows by")))
    cells = tuple(_cells(row, asked=asked, parts=parts) for row in rows)
    title = _("{dataset}: what would run", dataset=dataset)
    return Table(f"plan-{dataset!s}", title, tuple(columns), cells)


def _cells(row: PlannedRetriever, *, asked: bool, parts: bool) -> tuple[Cell, ...]:
    name = _("{retriever} (sweep)", retriever=row.retriever) if row.swept else row.retriever
    made = [
        _("vectors of {texts} texts", texts=count_text(row.texts))
        if what == "vectors" and row.texts
        else ARTIFACTS[what]
        for what in row.made
    ]
    reused = [ARTIFACTS[what] for what in (*(["runs"] if row.kept else []), *row.reused)]
    if row.answered:
        reused.append(_("{count} answers", count=count_text(row.answered)))
    if row.kept < row.runs:
        time, searching = (_time(row, each) for each in (row.seconds, row.search_seconds))
        size = _cell(row.bytes, bytes_text(row.bytes) if math.isfinite(row.bytes) else "")
    else:
        time = searching = size = nothing()
    return (
        text_cell(name),
        count_cell(row.runs),
        count_cell(row.kept),
        text_cell(joined(reused, ", ")) if reused else nothing(),
        text_cell(joined(made, ", ")) if made else nothing(),
        *([_asked(row)] if asked else []),
        time,
        *([searching] if parts else []),
        size,
    )


def _asked(row: PlannedRetriever) -> Cell:
    if not row.requests:
        return nothing()
    counts = {"requests": count_text(row.requests), "tokens": count_text(row.tokens)}
    text = _("{requests} requests, ~{tokens} tokens", **counts)
    if row.price is not None:
        price = price_text(row.price)
        text = _("{asked}, ~{price} {currency}", asked=text, price=price, currency=row.currency)
    return text_cell(text)


def _time(row: PlannedRetriever, seconds: float) -> Cell:
    mark = "" if row.basis == "recorded" else "~"
    return _cell(seconds, joined([mark, time_text(seconds)], ""))


def _cell(value: float, text: Text) -> Cell:
    return Cell(value, text) if math.isfinite(value) else text_cell(_("unknown"))
