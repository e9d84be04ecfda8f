"""A plan as blocks: one table, and what it adds up to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ragscore.blocks import Block, Cell, Column, Lines, Table
from ragscore.blocks.cells import count_cell, nothing, retriever_column, text_cell
from ragscore.blocks.numbers import bytes_text, count_text, price_text
from ragscore.dataset import SampledCorpus
from ragscore.experiment.planned_blocks import PlannedCorpus
from ragscore.experiment.planned_dataset import PlannedRetriever
from ragscore.strings import Language, Strings, StringTable

STRINGS = StringTable(
    {
        "plan_title": {"en": "{dataset}: what would run", "ko": "{dataset}: 실행할 내용"},
        "column_runs": {"en": "Runs", "ko": "실행"},
        "hint_runs": {
            "en": "One for a retriever, one for each configuration of a swept one",
            "ko": "검색기마다 하나, 탐색하는 검색기는 설정마다 하나",
        },
        "column_kept": {"en": "In the cache", "ko": "캐시에 있음"},
        "hint_kept": {
            "en": "These are neither searched nor scored again",
            "ko": "다시 검색하거나 채점하지 않습니다",
        },
        "column_reused": {"en": "Reuses", "ko": "다시 쓰는 것"},
        "column_made": {"en": "Makes", "ko": "새로 만드는 것"},
        "column_time": {"en": "Time", "ko": "시간"},
        "column_bytes": {"en": "Cache grows by", "ko": "캐시 증가"},
        "chunks": {"en": "chunks", "ko": "청크"},
        "tokens": {"en": "tokens", "ko": "토큰"},
        "vectors": {"en": "vectors", "ko": "벡터"},
        "index": {"en": "index", "ko": "색인"},
        "runs": {"en": "runs", "ko": "실행 결과"},
        "column_asked": {"en": "Asks a service for", "ko": "서비스 요청"},
        "hint_asked": {
            "en": "Tokens are estimated from the letters of the texts; the service counts its own",
            "ko": "토큰은 텍스트의 글자 수로 어림합니다. 서비스는 자체 토큰으로 셉니다",
        },
        "asked": {
            "en": "{requests} requests, ~{tokens} tokens",
            "ko": "요청 {requests}개, 약 {tokens} 토큰",
        },
        "asked_price": {
            "en": "{asked}, ~{price} {currency}",
            "ko": "{asked}, 약 {price} {currency}",
        },
        "texts_encoded": {"en": "vectors of {texts} texts", "ko": "텍스트 {texts}개의 벡터"},
        "answers": {"en": "{count} answers", "ko": "답 {count}개"},
        "swept": {"en": "{retriever} (sweep)", "ko": "{retriever} (탐색)"},
        "unknown": {"en": "unknown", "ko": "알 수 없음"},
        "about": {"en": "about {time}", "ko": "약 {time}"},
        "under_a_second": {"en": "under 1 s", "ko": "1초 미만"},
        "seconds": {"en": "{n} s", "ko": "{n}초"},
        "minutes": {"en": "{n} min", "ko": "{n}분"},
        "hours": {"en": "{n} h", "ko": "{n}시간"},
        "plan_total": {
            "en": "Together {time}, and about {bytes} more in the cache.",
            "ko": "모두 {time}, 캐시는 약 {bytes} 늘어납니다.",
        },
        "plan_total_known": {
            "en": "What is known adds up to {time} and about {bytes}; what is marked unknown comes "
            "on top.",
            "ko": "알려진 것은 모두 {time}, 약 {bytes}입니다. 알 수 없음으로 표시한 것은 따로 "
            "더해집니다.",
        },
        "plan_nothing": {
            "en": "Nothing is left to search: all of it is in the cache.",
            "ko": "새로 검색할 것이 없습니다. 모두 캐시에 있습니다.",
        },
        "plan_sampled": {
            "en": "~ from some passages that were searched just now; the others are what earlier "
            "searches took. Loading models, comparing and the report are not counted.",
            "ko": "~ 표시는 방금 문단 몇 개를 검색해 어림한 것이고, 나머지는 이전 검색에 걸린 "
            "시간입니다. 모델 불러오기, 비교, 보고서는 세지 않았습니다.",
        },
        "plan_recorded": {
            "en": "Times are those of earlier searches. Loading models, comparing and the report "
            "are not counted.",
            "ko": "시간은 이전 검색에 걸린 것입니다. 모델 불러오기, 비교, 보고서는 세지 "
            "않았습니다.",
        },
        "plan_cache": {"en": "Cache: {folder}", "ko": "캐시: {folder}"},
        "plan_no_cache": {
            "en": "No cache: nothing is kept.",
            "ko": "캐시 없음. 보관하지 않습니다.",
        },
        "plan_blocks": {
            "en": "{dataset}: {passages} passages in {blocks} blocks, of which {kept} are in the "
            "cache. Reading the others takes {time}, and {bytes} of the cache.",
            "ko": "{dataset}: 문단 {passages}개를 블록 {blocks}개로 읽으며, 그중 {kept}개는 캐시에 "
            "있습니다. 나머지를 읽는 데 {time}, 캐시 {bytes}가 듭니다.",
        },
        "plan_blocks_kept": {
            "en": "{dataset}: {passages} passages in {blocks} blocks, all of which are in the "
            "cache.",
            "ko": "{dataset}: 문단 {passages}개, 블록 {blocks}개가 모두 캐시에 있습니다.",
        },
        "plan_dry": {
            "en": "This was a dry run: nothing was searched, and nothing was written.",
            "ko": "시험 실행입니다. 검색하거나 쓰지 않았습니다.",
        },
    }
)
"""What a plan says."""


def plan_blocks(
    rows: Sequence[PlannedRetriever],
    corpora: Sequence[PlannedCorpus],
    samples: Mapping[str, SampledCorpus],
    cache: str | None,
    language: Language,
) -> Iterator[Block]:
    """What ``ragscore run --dry-run`` prints.

    Args:
        rows: of all datasets.
        corpora: those that are read in blocks.
        samples: by dataset, what its corpus is a sample of.
        cache: its folder; None where nothing is kept.
        language: of all texts.
    """
    strings = STRINGS.strings(language)
    for dataset in dict.fromkeys(row.dataset for row in rows):
        sample = samples.get(dataset)
        notes = () if sample is None else (f"{sample.note().text_in(strings)}.",)
        own = [row for row in rows if row.dataset == dataset]
        yield replace(_table(own, dataset, strings), notes=notes)
    yield Lines((*_corpora(corpora, strings), *_lines(rows, cache, strings)))


def _table(rows: Sequence[PlannedRetriever], dataset: str, strings: Strings) -> Table:
    columns = (
        retriever_column(strings),
        Column("runs", strings("column_runs"), hint=strings("hint_runs")),
        Column("in the cache", strings("column_kept"), hint=strings("hint_kept")),
        Column("reuses", strings("column_reused"), "text"),
        Column("makes", strings("column_made"), "text"),
        *_asked_column(rows, strings),
        Column("time", strings("column_time")),
        Column("cache grows by", strings("column_bytes")),
    )
    return Table(
        f"plan-{dataset}",
        strings("plan_title", dataset=dataset),
        columns,
        tuple(_cells(row, strings, bool(_asked_column(rows, strings))) for row in rows),
    )


def _asked_column(rows: Sequence[PlannedRetriever], strings: Strings) -> list[Column]:
    """None where no service is asked."""
    if not any(row.requests for row in rows):
        return []
    return [Column("asked", strings("column_asked"), "text", strings("hint_asked"))]


def _asked(row: PlannedRetriever, strings: Strings) -> Cell:
    if not row.requests:
        return nothing()
    counts = {"requests": count_text(row.requests), "tokens": count_text(row.tokens)}
    text = strings("asked", **counts)
    if row.price is not None:
        price = price_text(row.price)
        text = strings("asked_price", asked=text, price=price, currency=row.currency)
    return text_cell(text)


def _cells(row: PlannedRetriever, strings: Strings, asked: bool) -> tuple[Cell, ...]:
    name = strings("swept", retriever=row.retriever) if row.swept else row.retriever
    left = row.runs - row.kept
    made = [
        strings("texts_encoded", texts=count_text(row.texts))
        if what == "vectors" and row.texts
        else strings(what)
        for what in row.made
    ]
    reused = [strings(what) for what in (*(["runs"] if row.kept else []), *row.reused)]
    if row.answered:
        reused.append(strings("answers", count=count_text(row.answered)))
    if not left:
        time, size = nothing(), nothing()
    else:
        mark = "~" if row.basis == "sample" else ""
        time = _cell(row.seconds, mark + _time(row.seconds, strings), strings)
        size = _cell(row.bytes, bytes_text(row.bytes) if math.isfinite(row.bytes) else "", strings)
    return (
        text_cell(name),
        count_cell(row.runs),
        count_cell(row.kept),
        text_cell(", ".join(reused)) if reused else nothing(),
        text_cell(", ".join(made)) if made else nothing(),
        *([_asked(row, strings)] if asked else []),
        time,
        size,
    )


def _cell(value: float, text: str, strings: Strings) -> Cell:
    return Cell(value, text) if math.isfinite(value) else text_cell(strings("unknown"))


def _lines(rows: Sequence[PlannedRetriever], cache: str | None, strings: Strings) -> Iterator[str]:
    left = [row for row in rows if row.kept < row.runs]
    if left:
        known = all(math.isfinite(row.seconds) and math.isfinite(row.bytes) for row in left)
        seconds = math.fsum(row.seconds for row in left if math.isfinite(row.seconds))
        size = math.fsum(row.bytes for row in left if math.isfinite(row.bytes))
        facts = {"time": _about(seconds, strings), "bytes": bytes_text(size)}
        yield strings("plan_total" if known else "plan_total_known", **facts)
        sampled = any(row.basis == "sample" for row in left)
        yield strings("plan_sampled" if sampled else "plan_recorded")
    else:
        yield strings("plan_nothing")
    yield strings("plan_no_cache") if cache is None else strings("plan_cache", folder=cache)
    yield strings("plan_dry")


def _corpora(corpora: Sequence[PlannedCorpus], strings: Strings) -> Iterator[str]:
    for corpus in corpora:
        left = corpus.blocks - corpus.kept
        counts = {"dataset": corpus.dataset, "passages": count_text(corpus.passages)}
        counts |= {"blocks": count_text(corpus.blocks), "kept": count_text(corpus.kept)}
        if left:
            size = bytes_text(corpus.bytes)
            yield strings("plan_blocks", time=_about(corpus.seconds, strings), bytes=size, **counts)
        else:
            yield strings("plan_blocks_kept", **counts)


def _about(seconds: float, strings: Strings) -> str:
    time = _time(seconds, strings)
    return strings("about", time=time) if seconds >= 1 else time


def _time(seconds: float, strings: Strings) -> str:
    if not math.isfinite(seconds):
        return ""
    if seconds < 1:
        return strings("under_a_second")
    for unit, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return strings(unit, n=f"{seconds / size:.3g}")
    return strings("seconds", n=f"{seconds:.2g}" if seconds < 100 else f"{seconds:.0f}")
