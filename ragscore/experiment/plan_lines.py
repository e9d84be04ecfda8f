"""What a plan adds up to, as sentences: time, money, disk and memory, and what would help."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from ragscore.elements.numbers import bytes_text, count_text, price_text, rough_text
from ragscore.experiment.memory import memory_bytes
from ragscore.experiment.planned_blocks import PlannedCorpus
from ragscore.experiment.planned_retriever import PlannedRetriever
from ragscore.messages import Text, _

HOUR = 3600
"""Seconds; what takes longer may be worth sharing out."""
UNITS = {24 * HOUR: _("{n} days"), HOUR: _("{n} h"), 60: _("{n} min")}
"""By their seconds, the units of long times."""
RECORDED = _(
    "Times come from earlier searches. Loading models, comparing and the report are not included."
)
SAMPLED = _(
    "~ marks estimates from a few passages searched just now; other times come from earlier "
    "searches. Loading models, comparing and the report are not included."
)
IN_BLOCKS = _(
    "~ scales up what was measured on this machine just now: reading the first block, "
    "indexing and searching up to 20,000 of its passages, and comparing random vectors of the "
    "same dimension. Encoding times come from earlier runs here. Loading models, scoring, "
    "comparing and the report are not included."
)
ENOUGH = _("In blocks, {memory}; memory is {budget}.")
SHORT = _(
    "In blocks, {memory}: more than `memory: {budget}` allows. `ragscore stage` needs less: "
    "it holds no ids of other shards' blocks."
)


def plan_lines(
    rows: Sequence[PlannedRetriever],
    corpora: Sequence[PlannedCorpus],
    cache: str | None,
    free: int | None,
) -> Iterator[Text]:
    """What stands below the tables of a plan.

    Args:
        rows, corpora, cache, free: as
            :func:`~ragscore.experiment.plan_elements.plan_elements` takes them.
    """
    left = [row for row in rows if row.kept < row.runs]
    for corpus in corpora:
        yield from _corpus(corpus, [row for row in left if row.dataset == corpus.dataset])
    if not left:
        yield _("Nothing left to search: everything is in the cache.")
        yield from _cache(cache, free, 0)
        return
    known = all(math.isfinite(row.seconds) and math.isfinite(row.bytes) for row in left)
    seconds = math.fsum([*map(_known_seconds, left), *(corpus.seconds for corpus in corpora)])
    size = _known([row.bytes for row in left] + [corpus.bytes for corpus in corpora])
    total = _(
        "{time}, and about {bytes} more in the cache", time=_about(seconds), bytes=bytes_text(size)
    )
    prices = Counter[str]()
    for row in left:
        if row.price is not None:
            prices[row.currency] += row.price  # type: ignore[assignment]
    for currency, price in prices.items():
        total = _(
            "{asked}, ~{price} {currency}", asked=total, price=price_text(price), currency=currency
        )
    yield (
        _("In total: {total}.", total=total)
        if known
        else _(
            "The known parts add up to {total}; the parts marked unknown come on top.",
            total=total,
        )
    )
    sampled = any(row.basis == "sample" for row in left)
    yield IN_BLOCKS if corpora else SAMPLED if sampled else RECORDED
    if corpora and known and seconds > HOUR:
        blocks = sum(corpus.blocks for corpus in corpora)
        machines = min(blocks, math.ceil(seconds / HOUR))
        time = _about(seconds / machines)
        yield _(
            "Split over {n} machines like this one, it takes {time} each: `ragscore stage "
            "encode EXPERIMENT --shard i/{n}`, then `ragscore stage search` with the same "
            "shards, then `ragscore reduce EXPERIMENT`.",
            n=str(machines),
            time=time,
        )
    found = max((corpus.found_bytes for corpus in corpora), default=0)
    yield from _cache(cache, free, size + found)


def time_text(seconds: float) -> Text:
    """Seconds in the unit that fits; empty if unknown."""
    if not math.isfinite(seconds):
        return ""
    if seconds < 1:
        return _("under 1 s")
    for size, unit in UNITS.items():
        if seconds >= 2 * size:
            return unit.given(n=rough_text(seconds / size, 3))
    return _("{n} s", n=rough_text(seconds))


def _about(seconds: float) -> Text:
    time = time_text(seconds)
    return _("about {time}", time=time) if seconds >= 1 else time


def _known(values: Sequence[float]) -> float:
    return math.fsum(filter(math.isfinite, values))


def _known_seconds(row: PlannedRetriever) -> float:
    """Of a row; what is known of them where nobody knows all."""
    return _known([row.seconds if math.isfinite(row.seconds) else row.search_seconds])


def _corpus(corpus: PlannedCorpus, left: Sequence[PlannedRetriever]) -> Iterator[Text]:
    """What is to be said of one corpus in blocks."""
    counts = {"dataset": corpus.dataset, "passages": count_text(corpus.passages)}
    counts |= {"blocks": count_text(corpus.blocks), "kept": count_text(corpus.kept)}
    if corpus.kept < corpus.blocks:
        size = bytes_text(corpus.bytes)
        yield _(
            "{dataset}: {passages} passages in {blocks} blocks, {kept} of them in the cache. "
            "Reading the rest takes {time} and {bytes} of cache.",
            time=_about(corpus.seconds),
            bytes=size,
            **counts,
        )
    else:
        yield _(
            "{dataset}: {passages} passages in {blocks} blocks, all in the cache.",
            **counts,
        )
    for row in left:
        if row.texts and row.encoding_seconds > 0:
            rate = row.texts / row.encoding_seconds
            yield _(
                "{retriever}: encodes {rate} texts a second, as measured here before.",
                retriever=row.retriever,
                rate=rough_text(rate),
            )
        elif row.texts:
            yield _(
                "{retriever}: the encoding speed on this machine is unknown. Encode one block "
                "to measure it: `ragscore stage encode EXPERIMENT --only {retriever} --shard "
                "1/{blocks}`.",
                retriever=row.retriever,
                blocks=str(corpus.blocks),
            )
    if left:
        needed, ids = bytes_text(corpus.memory_bytes), bytes_text(corpus.id_bytes)
        memory = _(
            "a run needs up to about {bytes} of memory besides its models, {ids} of it for "
            "the ids of all passages",
            bytes=needed,
            ids=ids,
        )
        if corpus.memory is None:
            yield _("In blocks, {memory}.", memory=memory)
        else:
            enough = corpus.memory_bytes <= memory_bytes(corpus.memory)
            yield (ENOUGH if enough else SHORT).given(memory=memory, budget=corpus.memory)
    if corpus.found_bytes:
        yield _(
            "Results of single blocks take up to {bytes} more of the cache until a "
            "retriever's run is complete.",
            bytes=bytes_text(corpus.found_bytes),
        )


def _cache(cache: str | None, free: int | None, needed: float) -> Iterator[Text]:
    """Where it is kept, and whether it has room there."""
    if cache is None or free is None:
        yield _("No cache: nothing is kept.")
    elif needed > free:
        facts = {"free": bytes_text(free), "needed": bytes_text(needed)}
        yield _(
            "Cache: {folder} ({free} free, about {needed} needed). Choose another place with "
            "`store:` or RAGSCORE_CACHE.",
            folder=cache,
            **facts,
        )
    else:
        yield _("Cache: {folder} ({free} free)", folder=cache, free=bytes_text(free))
    yield _("This was a dry run: nothing was searched or written.")
