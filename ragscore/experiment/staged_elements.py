"""What a stage did for the blocks of a shard, as blocks of output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragscore.elements import Column, Element, Lines, Table
from ragscore.elements.cells import count_cell, nothing, retriever_column, text_cell
from ragscore.experiment.shards import ranges_text
from ragscore.messages import Text, _
from ragscore.records import Record
from ragscore.strings import StringTable

STRINGS = StringTable(
    {
        "staged_encode": {
            "en": "{dataset}: blocks encoded, shard {shard}",
            "ko": "{dataset}: 인코딩한 블록, 샤드 {shard}",
        },
        "staged_search": {
            "en": "{dataset}: blocks searched, shard {shard}",
            "ko": "{dataset}: 검색한 블록, 샤드 {shard}",
        },
        "column_blocks": {"en": "Blocks", "ko": "블록"},
        "hint_blocks": {"en": "Of this shard", "ko": "이 샤드의 블록"},
        "column_there": {"en": "Were there", "ko": "이미 있던 것"},
        "hint_there": {
            "en": "The cache had them; nothing was done for these",
            "ko": "캐시에 있어 다시 하지 않았습니다",
        },
        "column_made": {"en": "Done now", "ko": "이번에 한 것"},
        "column_left": {"en": "To do", "ko": "남은 것"},
        "column_which": {"en": "Which", "ko": "번호"},
        "staged_in": {"en": "Kept in {place}", "ko": "저장 위치: {place}"},
        "staged_nothing": {
            "en": "The shard has no blocks: there are fewer blocks than shards.",
            "ko": "샤드에 블록이 없습니다. 블록이 샤드보다 적습니다.",
        },
        "staged_dry": {
            "en": "This was a dry run: nothing was done, and nothing was written.",
            "ko": "시험 실행입니다. 처리하거나 쓰지 않았습니다.",
        },
        "retriever_failed": {
            "en": "{retriever} failed, and its other blocks are left out",
            "ko": "{retriever} 실패, 나머지 블록은 건너뜁니다",
        },
    }
)
"""What a stage says."""


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
    for dataset in dict.fromkeys(row.dataset for row in rows):
        columns = (
            retriever_column(),
            Column("blocks", _("Blocks"), hint=_("Of this shard")),
            Column(
                "were there",
                _("Were there"),
                hint=_("The cache had them; nothing was done for these"),
            ),
            Column("left", (_("To do") if dry else _("Makes"))),
            Column("which", _("Which"), "text"),
        )
        yield Table(
            f"staged-{dataset}",
            STRINGS(f"staged_{stage}", dataset=dataset, shard=shard),
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
    yield _("Kept in {place}", place=place)
    if dry:
        yield _("This was a dry run: nothing was done, and nothing was written.")
