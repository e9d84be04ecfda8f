"""What a stage did for the blocks of a shard, as blocks of output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragscore.elements import Column, Element, Lines, Table
from ragscore.elements.cells import count_cell, nothing, retriever_column, text_cell
from ragscore.experiment.shards import ranges_text
from ragscore.messages import Text, _
from ragscore.records import Record


@dataclass(frozen=True)
class StagedRetriever(Record):
    """What a stage did for one retriever on one dataset; blocks are numbered from 1."""

    dataset: str
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""
    blocks: tuple[int, ...]
    """The blocks of the shard."""
    there: tuple[int, ...]
    """Those of them for which the cache had everything."""
    left: tuple[int, ...]
    """The others: they were done now; in a dry run they are still to do."""


def staged_elements(
    rows: Sequence[StagedRetriever], stage: str, shard: str, place: str, dry: bool
) -> Iterator[Element]:
    """What ``ragscore stage`` prints.

    Args:
        rows: of all datasets.
        stage: ``encode`` or ``search``.
        shard: which blocks.
        place: of the cache.
        dry: nothing was done.
    """
    title = (
        _("{dataset}: blocks encoded, shard {shard}")
        if stage == "encode"
        else _("{dataset}: blocks searched, shard {shard}")
    )
    for dataset in dict.fromkeys(row.dataset for row in rows):
        columns = (
            retriever_column(),
            Column("blocks", _("Blocks"), hint=_("In this shard")),
            Column(
                "were there",
                _("Already there"),
                hint=_("Found in the cache; nothing had to be done"),
            ),
            Column("left", (_("To do") if dry else _("Done now"))),
            Column("which", _("Which"), "text"),
        )
        yield Table(
            f"staged-{dataset}",
            title.given(dataset=dataset, shard=shard),
            columns,
            tuple(
                (
                    text_cell(row.retriever),
                    count_cell(len(row.blocks)),
                    count_cell(len(row.there)),
                    count_cell(len(row.left)),
                    text_cell(ranges_text(row.left, ", ")) if row.left else nothing(),
                )
                for row in rows
                if row.dataset == dataset
            ),
        )
    yield Lines(tuple(_lines(rows, place, dry)))


def _lines(rows: Sequence[StagedRetriever], place: str, dry: bool) -> Iterator[Text]:
    if not rows:
        yield _("The shard has no blocks: there are fewer blocks than shards.")
    yield _("Saved in {place}", place=place)
    if dry:
        yield _("This was a dry run: nothing was done or written.")
