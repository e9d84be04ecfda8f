"""Exact search beside every approximate index: what the index loses, apart from the encoder.

Exact search is a retriever as any other, the one that :meth:`RetrieverSpec.exact` gives: its
vectors come from the cache, and its run is kept there, where an exact retriever of the experiment
finds it too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeVar

from ragscore.blocks.numbers import count_text
from ragscore.comparison.rank_overlap import share_found
from ragscore.experiment.run_notes import RunNotes
from ragscore.experiment.search import Search
from ragscore.experiment.strings import STRINGS
from ragscore.progress import Progress
from ragscore.results.stages import ExactSearch
from ragscore.retrievers.base import RetrieverSpec
from ragscore.run import Run
from ragscore.scoring import RetrieverScores

T = TypeVar("T")

MAX_PAIRS = 2_000_000_000
"""Queries times passages above which exact search is left out: below, it takes two cores about
half a minute with 384 dimensions. A pair of token vectors counts for many (``exact_pair``). An
exact retriever in the experiment has no such limit."""


class _StagesOnly(Progress):
    """Shows stages; what there is to note was noted of the retriever itself."""

    def __init__(self, shown: Progress) -> None:
        self.stage = shown.stage  # type: ignore[method-assign]


def approximate(retrievers: Mapping[str, object]) -> dict[str, RetrieverSpec]:
    """Of the retrievers with an approximate index: the same with exact search."""
    specs = {name: spec for name, spec in retrievers.items() if isinstance(spec, RetrieverSpec)}
    found = {name: spec.exact() for name, spec in specs.items()}
    return {name: exact for name, exact in found.items() if exact is not None}


def exact_runs(search: Search, notes: RunNotes) -> dict[str, Run]:
    """The run of exact search for each retriever whose index is approximate, as deep as its own.

    Args:
        search: that has run.
        notes: is told why there is no exact search.
    """
    runs = search.retrieved.runs
    by_key = {search.keys[name]: run for name, run in runs.items() if name in search.keys}
    found: dict[str, Run] = {}
    for name, exact in approximate(search.retrievers).items():
        if name not in runs:
            continue
        key = exact.key()
        if key not in by_key:
            pairs = len(search.dataset.queries) * len(search.corpus) * exact.exact_pair
            if pairs > MAX_PAIRS:
                _note(search, name, notes, "no_exact_large", pairs=count_text(pairs))
                continue
            run = _search(search, f"{name} (exact)", exact)
            if isinstance(run, Exception):
                _note(search, name, notes, "no_exact_failed", error=run)
                continue
            by_key[key] = run
        found[name] = by_key[key]
    return found


def loss(run: Run, exact: Run, scores: RetrieverScores) -> ExactSearch:
    """What an approximate index loses.

    Args:
        run: of the index.
        exact: of exact search, over the same queries and passages.
        scores: of ``exact``.
    """
    named = {measure.cutoff for measure in scores.measures}
    cutoffs = sorted(cutoff for cutoff in named if isinstance(cutoff, int)) or [exact.depth]
    means = zip(map(str, scores.measures), scores.means.tolist(), strict=True)
    return ExactSearch(
        _finite(share_found(run, exact, cutoffs).items()),
        _finite(means),
    )


def _finite(values: Iterable[tuple[T, float]]) -> dict[T, float]:
    return {name: value for name, value in values if math.isfinite(value)}


def _search(search: Search, name: str, exact: RetrieverSpec) -> Run | Exception:
    again = Search(
        search.dataset,
        {name: exact},
        search.depth,
        (name,),
        None,
        search.cache,
        search.strict,
        _StagesOnly(search.progress),
    ).run()
    return again.failures.get(name) or again.runs[name]


def _note(search: Search, name: str, notes: RunNotes, key: str, **facts: object) -> None:
    note = STRINGS.note(key, **facts)
    notes.note(STRINGS.note("of_run", dataset=search.dataset.name, retriever=name, note=note))
