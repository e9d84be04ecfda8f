"""Exact search beside every approximate index: what the index loses, apart from the encoder.

Exact search is a retriever as any other, the one that :meth:`RetrieverSpec.exact` gives: its
vectors come from the cache, and its run is kept there, where an exact retriever of the experiment
finds it too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeVar

from ragscore.elements.numbers import count_text
from ragscore.errors import RagscoreError
from ragscore.experiment.failing_alone import failing_alone
from ragscore.experiment.run_notes import RunNotes
from ragscore.experiment.search import Search
from ragscore.messages import Message, _
from ragscore.progress import Progress
from ragscore.results.stages import ExactSearch
from ragscore.retrievers.base import RetrieverSpec
from ragscore.run import Run
from ragscore.run.rank_overlap import share_found
from ragscore.scoring import RetrieverScores

T = TypeVar("T")

MAX_PAIRS = 2_000_000_000
"""Queries times passages above which exact search is left out: below, it takes two cores about
half a minute with 384 dimensions. A pair of token vectors counts for many (``exact_pair``). An
exact retriever in the experiment has no such limit."""


class _StagesOnly(Progress):
    """Forwards stages and drops notes, which the retriever has reported already."""

    def __init__(self, shown: Progress) -> None:
        self.stage = shown.stage  # type: ignore[method-assign]


def approximate(retrievers: Mapping[str, object]) -> dict[str, RetrieverSpec | RagscoreError]:
    """Of the retrievers with an approximate index: the same with exact search, or what went wrong
    where a retriever of another package should have named it."""
    found: dict[str, RetrieverSpec | RagscoreError] = {}
    for name, spec in retrievers.items():
        if isinstance(spec, RetrieverSpec):
            try:
                with failing_alone(name):
                    exact = spec.exact()
            except RagscoreError as error:
                found[name] = error
            else:
                if exact is not None:
                    found[name] = exact
    return found


def searched_beside(search: Search) -> dict[str, RetrieverSpec]:
    """The exact searches that :func:`exact_runs` will do besides the experiment's own, by the name
    that progress shows."""
    known = set(search.keys.values())
    found: dict[str, RetrieverSpec] = {}
    for name, exact in approximate(search.retrievers).items():
        if (
            name in search.wanted
            and isinstance(exact, RetrieverSpec)
            and not exact.inputs()
            and (key := exact.key()) not in known
            and _pairs(search, name, exact) <= MAX_PAIRS
        ):
            known.add(key)
            found[exact_name(name)] = exact
    return found


def exact_name(name: str) -> str:
    """What the exact search beside a retriever is called."""
    return f"{name} (exact)"


def exact_runs(search: Search, notes: RunNotes) -> dict[str, Run]:
    """The run of exact search for each retriever whose index is approximate, as deep as its own.

    Args:
        search: that has run.
        notes: says why there is no exact search.
    """
    runs = search.retrieved.runs
    by_key = {search.keys[name]: run for name, run in runs.items() if name in search.keys}
    found: dict[str, Run] = {}
    for name, exact in approximate(search.retrievers).items():
        if name not in runs:
            continue
        try:
            with failing_alone(name):
                run = _exact_run(search, name, exact, by_key)
        except RagscoreError as error:
            failed = _(
                "it was not compared with exact search, which failed: {error}", error=str(error)
            )
            _note(search, name, notes, failed)
            continue
        if run is None:
            large = _(
                "it was not compared with exact search, which would take {pairs} comparisons; add "
                "the same retriever with exact search to compare them",
                pairs=count_text(_pairs(search, name, exact)),
            )
            _note(search, name, notes, large)
        else:
            found[name] = run
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


def _exact_run(
    search: Search, name: str, exact: RetrieverSpec | RagscoreError, by_key: dict[str, Run]
) -> Run | None:
    """The run of exact search, which ``by_key`` may hold; None if it would take too long.

    Raises:
        RagscoreError: there is none.
    """
    if isinstance(exact, RagscoreError):
        raise exact
    key = exact.key()
    if key in by_key:
        return by_key[key]
    if _pairs(search, name, exact) > MAX_PAIRS:
        return None
    name = exact_name(name)
    progress = _StagesOnly(search.progress)
    again = Search(
        search.dataset,
        {name: exact},
        search.depth,
        (name,),
        None,
        search.cache,
        search.strict,
        progress,
    ).run()
    for failure in again.failures.values():
        raise failure
    by_key[key] = again.runs[name]
    return by_key[key]


def _pairs(search: Search, name: str, exact: RetrieverSpec | RagscoreError) -> int:
    """How many vectors exact search compares, by what one comparison takes."""
    times = exact.exact_pair if isinstance(exact, RetrieverSpec) else 0
    passages = len(search.corpus_of(name))
    return len(search.dataset.queries) * passages * times


def _note(search: Search, name: str, notes: RunNotes, note: Message) -> None:
    notes.note(
        _("{dataset}, {retriever}: {note}", dataset=search.dataset.name, retriever=name, note=note)
    )
