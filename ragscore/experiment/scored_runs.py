"""search_and_score: from datasets and retrievers to runs with their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from ragscore.cache import Cache
from ragscore.dataset import Dataset, SharedQueries
from ragscore.encoders import EncoderSpec, truncation_notes
from ragscore.errors import RagscoreError
from ragscore.experiment.earlier_runs import EarlierRuns, Retry
from ragscore.experiment.exact_runs import approximate, exact_runs, loss
from ragscore.experiment.journal import Journal
from ragscore.experiment.latency import Latency
from ragscore.experiment.run_notes import RunNotes, note_data, note_doubts, note_scores
from ragscore.experiment.search import Search
from ragscore.experiment.spread_queries import SpreadQueries
from ragscore.measures import Measure
from ragscore.messages import _
from ragscore.results.failed_notes import asked_again_notes, failed_notes
from ragscore.results.filter_notes import filter_notes
from ragscore.results.manifest import Key
from ragscore.results.stages import Stages, WholeCorpus
from ragscore.run import Run
from ragscore.scoring import ProfileName, RetrieverScores, Scores, score


@dataclass(frozen=True, eq=False)
class Scored:
    """What was searched and scored, by (dataset, retriever).

    Attributes:
        texts: by dataset without a corpus, the texts that systems returned, by passage id.
        chunkers: whose chunks each retriever searches; empty for all passages.
    """

    runs: dict[Key, Run] = field(default_factory=dict)
    stages: dict[Key, Stages] = field(default_factory=dict)
    failures: dict[Key, RagscoreError] = field(default_factory=dict)
    entries: list[RetrieverScores] = field(default_factory=list)
    texts: dict[str, Mapping[str, str]] = field(default_factory=dict)
    chunkers: dict[Key, tuple[str, ...]] = field(default_factory=dict)

    @property
    def scores(self) -> Scores:
        """The scores of all runs."""
        return Scores(tuple(self.entries))


def search_and_score(
    datasets: list[Dataset],
    retrievers: Mapping[str, Any],
    measures: tuple[Measure, ...],
    *,
    depth: int,
    wanted: tuple[str, ...],
    latency: Latency | None,
    cache: Cache | None,
    strict: bool,
    profile: ProfileName,
    bounds: bool,
    notes: RunNotes,
    journal: Journal,
    retry: Retry | None = None,
    failed: Mapping[Key, RagscoreError] | None = None,
    spread: SpreadQueries | None = None,
    reached: Mapping[str, Mapping[str, WholeCorpus]] = MappingProxyType({}),
) -> Scored:
    """Search each dataset, to the depth or to the size of its corpus where that is less, score the
    runs, and note what is odd about them; see :class:`Search` and :func:`~ragscore.score`. What has
    ``failed`` elsewhere, by dataset and retriever, is not searched. ``spread`` has workers do what
    takes long of a search, and is for datasets of its experiment. ``reached`` says by dataset
    what retrievers reach on a whole corpus of which it is a sample."""
    found = Scored()
    if cache is None and (approximate(retrievers) or _one_encoder(retrievers)):
        cache = Cache()  # nothing is then encoded twice; it goes when this call ends
    if cache is not None:
        cache.sweep()
    for dataset in datasets:
        reachable = dataset.reachable_depth(depth)
        if reachable < depth:
            cut = _(
                "depth {depth} is cut to {passages}, the number of passages",
                depth=depth,
                passages=reachable,
            )
            notes.note_on(dataset.name, cut)
        note_data(dataset, notes)
        count = len(dataset.queries)
        if latency is not None and count < max(latency.concurrency):
            notes.note_on(
                dataset.name,
                _(
                    "latency is timed with at most {queries} clients at once, since there "
                    "are only {queries} queries",
                    queries=count,
                ),
            )
        shared = replace(dataset, queries=SharedQueries.of(dataset.queries))
        options = (latency, cache, strict, notes)
        earlier = EarlierRuns() if retry is None else retry.runs_over(dataset)
        search = Search(
            shared,
            retrievers,
            reachable,
            wanted,
            *options,
            journal=journal,
            earlier=earlier,
            spread=spread,
            failed={name: why for (of, name), why in (failed or {}).items() if of == dataset.name},
        )
        needed = {name: spec for name, spec in search.specs.items() if name in search.depths}
        note_doubts(dataset.name, needed, search.corpus.texts, notes)
        retrieved = search.run()
        cuts = [cut for stages in retrieved.stages.values() for cut in stages.truncations]
        for note in truncation_notes(cuts):
            notes.note_on(dataset.name, note)
        exact = exact_runs(search, notes)
        scored = partial(score, measures=measures, profile=profile)
        filters = {name: stages.filtered for name, stages in retrieved.stages.items()}
        for note in (
            *filter_notes(filters),
            *failed_notes(retrieved.stages, count),
            *asked_again_notes(retrieved.stages, count),
        ):
            notes.note_on(dataset.name, note)
        for retriever, run in retrieved.runs.items():
            stages = retrieved.stages[retriever]
            own = dataset.part(search.chunkers[retriever])
            (entry,) = scored(run, own, bounds=bounds, recorded=reachable).entries
            if retriever in exact:
                (best,) = scored(exact[retriever], own, recorded=reachable).entries
                stages = replace(stages, exact=loss(run, exact[retriever], best))
            if (whole := reached.get(dataset.name, {}).get(retriever)) is not None:
                stages = replace(stages, whole=whole)
            found.runs[dataset.name, retriever] = run
            found.chunkers[dataset.name, retriever] = search.chunkers[retriever]
            found.stages[dataset.name, retriever] = stages
            found.entries.append(entry)
            note_scores(entry, notes)
        found.texts[dataset.name] = retrieved.texts
        found.failures.update(
            {(dataset.name, name): error for name, error in retrieved.failures.items()}
        )
    return found


def _one_encoder(retrievers: Mapping[str, Any]) -> bool:
    """Whether two retrievers have the same encoder."""
    encoders = [getattr(retriever, "encoder", None) for retriever in retrievers.values()]
    known = [encoder for encoder in encoders if isinstance(encoder, EncoderSpec)]
    return any(encoder in known[:at] for at, encoder in enumerate(known))
