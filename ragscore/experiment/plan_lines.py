"""What a plan adds up to, as sentences: time, money, disk and memory, and what would help."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from ragscore.elements.numbers import bytes_text, count_text, price_text
from ragscore.experiment.memory import memory_bytes
from ragscore.experiment.planned_blocks import PlannedCorpus
from ragscore.experiment.planned_retriever import PlannedRetriever
from ragscore.strings import Strings

HOUR = 3600
"""Seconds; what takes longer may be worth sharing out."""
MIN_RATE = 10
"""Texts a second that are told without a digit after the point."""


def plan_lines(
    rows: Sequence[PlannedRetriever],
    corpora: Sequence[PlannedCorpus],
    cache: str | None,
    free: int | None,
    strings: Strings,
) -> Iterator[str]:
    """What stands below the tables of a plan.

    Args:
        rows, corpora, cache, free: as
            :func:`~ragscore.experiment.plan_elements.plan_elements` takes them.
        strings: of a plan.
    """
    left = [row for row in rows if row.kept < row.runs]
    for corpus in corpora:
        yield from _corpus(corpus, [row for row in left if row.dataset == corpus.dataset], strings)
    if not left:
        yield strings("plan_nothing")
        yield from _cache(cache, free, 0, strings)
        return
    known = all(math.isfinite(row.seconds) and math.isfinite(row.bytes) for row in left)
    seconds = math.fsum([*map(_known_seconds, left), *(corpus.seconds for corpus in corpora)])
    size = _known([row.bytes for row in left] + [corpus.bytes for corpus in corpora])
    total = strings("plan_total_sum", time=_about(seconds, strings), bytes=bytes_text(size))
    prices = Counter[str]()
    for row in left:
        if row.price is not None:
            prices[row.currency] += row.price  # type: ignore[assignment]
    for currency, price in prices.items():
        total = strings("asked_price", asked=total, price=price_text(price), currency=currency)
    yield strings("plan_total" if known else "plan_total_known", total=total)
    sampled = any(row.basis == "sample" for row in left)
    yield strings("plan_in_blocks" if corpora else "plan_sampled" if sampled else "plan_recorded")
    if corpora and known and seconds > HOUR:
        blocks = sum(corpus.blocks for corpus in corpora)
        machines = min(blocks, math.ceil(seconds / HOUR))
        time = _about(seconds / machines, strings)
        yield strings("plan_shared", n=str(machines), time=time)
    found = max((corpus.found_bytes for corpus in corpora), default=0)
    yield from _cache(cache, free, size + found, strings)


def time_text(seconds: float, strings: Strings) -> str:
    """So many seconds in the unit that fits; empty where they are not known."""
    if not math.isfinite(seconds):
        return ""
    if seconds < 1:
        return strings("under_a_second")
    for unit, size in (("days", 24 * HOUR), ("hours", HOUR), ("minutes", 60)):
        if seconds >= 2 * size:
            return strings(unit, n=f"{seconds / size:.3g}")
    return strings("seconds", n=f"{seconds:.2g}" if seconds < 100 else f"{seconds:.0f}")


def _about(seconds: float, strings: Strings) -> str:
    time = time_text(seconds, strings)
    return strings("about", time=time) if seconds >= 1 else time


def _known(values: Sequence[float]) -> float:
    return math.fsum(filter(math.isfinite, values))


def _known_seconds(row: PlannedRetriever) -> float:
    """Of a row; what is known of them where nobody knows all."""
    return _known([row.seconds if math.isfinite(row.seconds) else row.search_seconds])


def _corpus(
    corpus: PlannedCorpus, left: Sequence[PlannedRetriever], strings: Strings
) -> Iterator[str]:
    """What is to be said of one corpus in blocks."""
    counts = {"dataset": corpus.dataset, "passages": count_text(corpus.passages)}
    counts |= {"blocks": count_text(corpus.blocks), "kept": count_text(corpus.kept)}
    if corpus.kept < corpus.blocks:
        size = bytes_text(corpus.bytes)
        yield strings("plan_blocks", time=_about(corpus.seconds, strings), bytes=size, **counts)
    else:
        yield strings("plan_blocks_kept", **counts)
    for row in left:
        if row.texts and row.encoding_seconds > 0:
            rate = row.texts / row.encoding_seconds
            shown = count_text(round(rate)) if rate >= MIN_RATE else f"{rate:.2g}"
            yield strings("plan_rate", retriever=row.retriever, rate=shown)
        elif row.texts:
            yield strings("plan_no_rate", retriever=row.retriever, blocks=str(corpus.blocks))
    if left:
        needed, ids = bytes_text(corpus.memory_bytes), bytes_text(corpus.id_bytes)
        memory = strings("plan_memory", bytes=needed, ids=ids)
        if corpus.memory is None:
            yield strings("plan_memory_unset", memory=memory)
        else:
            enough = corpus.memory_bytes <= memory_bytes(corpus.memory)
            which = "plan_memory_enough" if enough else "plan_memory_short"
            yield strings(which, memory=memory, budget=corpus.memory)
    if corpus.found_bytes:
        yield strings("plan_found", bytes=bytes_text(corpus.found_bytes))


def _cache(cache: str | None, free: int | None, needed: float, strings: Strings) -> Iterator[str]:
    """Where it is kept, and whether it has room there."""
    if cache is None or free is None:
        yield strings("plan_no_cache")
    elif needed > free:
        facts = {"free": bytes_text(free), "needed": bytes_text(needed)}
        yield strings("plan_cache_short", folder=cache, **facts)
    else:
        yield strings("plan_cache", folder=cache, free=bytes_text(free))
    yield strings("plan_dry")
