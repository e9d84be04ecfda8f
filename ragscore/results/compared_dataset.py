"""ComparedDataset: one dataset of a result, its retrievers compared by every choice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison import CompareOptions, DatasetComparison
from ragscore.comparison.check import ChunkSizes, QueryCost, SearchFacts
from ragscore.comparison.comparing import DatasetComparer, dataset_comparer
from ragscore.comparison.differences import Identical, identical_runs
from ragscore.comparison.query_slices import Slices, sliced
from ragscore.comparison.score_matrix import ContextSize, single_retriever
from ragscore.dataset.labels import clusters_of
from ragscore.encoders.known_models import known_class
from ragscore.errors import RagscoreError
from ragscore.estimate import Estimate
from ragscore.measures import parse_measure
from ragscore.messages import Message, _, few_names
from ragscore.results.manifest import RetrieverEntry
from ragscore.results.result_view import Noted
from ragscore.results.searched_dataset import SearchedDataset
from ragscore.results.selectivity import with_selectivity
from ragscore.results.slicing import affordable, slice_keys
from ragscore.scoring import RetrieverScores
from ragscore.text.script import written_in
from ragscore.tuning.options import Budget, TuneOptions
from ragscore.tuning.tuning_input import BUDGETS, Contexts, TuningInput

MAX_ROWS = 300
"""Baselines times primary measures that can be chosen, times retrievers: each choice is a verdict,
a chart and tables, with a row for each of these."""
MAX_BASELINES = 6
MAX_SHORT = 0.05
"""Share of the queries of which a deeper run might fill more of a context, that is passed over."""


class ComparedDataset(SearchedDataset):
    """One dataset of a result, its retrievers compared."""

    @cached_property
    def options(self) -> CompareOptions:
        """How the retrievers are compared. Their baseline is the one that the experiment names,
        None if it names none, or one without a run: the family is then all pairs."""
        options = self.view.compare.value
        if options.baseline not in self.retrievers:
            options = options.model_copy(update={"baseline": None})
        return options

    @cached_property
    def baselines(self) -> tuple[str, ...]:
        """The retrievers that can be chosen as baseline, the default first; of many the best."""
        others = [name for name in self.retrievers if name != self.baseline]
        most = MAX_BASELINES - 1 if self.view.choices else 0
        best = sorted(others, key=self._place)[:most]
        return (self.baseline, *(name for name in others if name in best))

    def _place(self, retriever: str) -> float:
        """What sorts retrievers by the primary measure, the best first; those without come last."""
        mean = self.scores[retriever].mean(self.primary)
        sign = 1.0 if parse_measure(self.primary).lowest_is_best else -1.0
        return math.inf if math.isnan(mean) else sign * mean

    @cached_property
    def baseline(self) -> str:
        """What tables compare the others with."""
        return self.options.baseline or self.retrievers[0]

    @cached_property
    def primary(self) -> str:
        """The measure that the verdict reads."""
        return self.measures[0]

    @cached_property
    def primaries(self) -> tuple[str, ...]:
        """The measures that can be chosen as primary, the default first."""
        if not self.view.choices:
            return self.measures[:1]
        rows = len(self.baselines) * len(self.retrievers)
        return self.measures[: max(1, MAX_ROWS // rows)]

    @property
    def lacking_baseline(self) -> str | None:
        """The baseline that the experiment names and that has no run here."""
        named = self.view.compare.value.baseline
        return named if named not in self.retrievers and len(self.retrievers) > 1 else None

    @property
    def clusters(self) -> Mapping[str, str] | None:
        """Query id to cluster; None if queries are independent.

        Raises:
            DataError: the dataset, which knows the clusters, is not there.
            ConfigError: no query has such a tag or metadata any more.
        """
        if self.options.cluster is None:
            return None
        if isinstance(self._loaded, RagscoreError):
            raise self._loaded
        return clusters_of(self._loaded.queries, self.options.cluster)

    @cached_property
    def identical(self) -> tuple[Identical, ...]:
        """Retrievers that returned the same passages for every query."""
        corpus = self.data.corpus if self.data is not None else None
        return identical_runs(
            self.runs,
            self.scores.entries,
            settings={name: entry.spec for name, entry in self.entries.items()},
            titled=None if corpus is None else corpus.titled,
        )

    @cached_property
    def chunk_sizes(self) -> ChunkSizes | None:
        """How much text the retrievers return, where they search different chunks; None if
        all search the same passages."""
        if not self.chunked_apart:
            return None
        chunkings = self.data.chunkings if self.data is not None else None
        if chunkings is None:
            return ChunkSizes({})
        chunks, found = chunkings.chunks, {}
        characters = np.append(chunks.end - chunks.start, 0)  # the last stands for -1
        for name in self.retrievers:
            run = self.runs[name]
            own = chunkings.corpus.ids.rows(run.passages)
            sizes = np.append(characters[own], 0)[run.rows]
            found[name] = np.cumsum(sizes, axis=1).mean(axis=0) if len(run) else np.zeros(0)
        try:
            return self._in_context(found)
        except RagscoreError:
            return ChunkSizes(found)  # the verdict says that nothing but the same k is compared

    def _in_context(self, characters: Mapping[str, NDArray[np.float64]]) -> ChunkSizes:
        """The scores of what the same context holds: of the experiment's budget, else of the
        largest that is shown and that all fill, most queries of each and nearly all as far as the
        depth allows."""
        budget, counts = self.view.tune.value.budget or Budget(), None
        if budget.unit == "tokens":
            counts = self.parts.token_counts(self.dataset)
            budget = Budget() if counts is None else budget
        profile, inputs, contexts = self.parts.manifest.profile, {}, {}
        for name in self.retrievers:
            part, run = self.part(name), self.recorded_runs[name]
            if part is None:
                return ChunkSizes(characters)
            options = TuneOptions(budget=budget)
            inputs[name] = TuningInput.of(run, part, options, profile, self.dataset, counts)
            measured = inputs[name].contexts()
            assert measured is not None  # raises where texts are not known
            contexts[name] = measured

        def short(limit: int) -> tuple[str, ...]:
            shares = {name: of.short(limit).mean() for name, of in contexts.items()}
            return tuple(name for name, share in shares.items() if share > MAX_SHORT)

        filled = [
            limit
            for limit in BUDGETS
            if not short(limit) and all(of.filled(limit).mean() >= 0.5 for of in contexts.values())
        ]
        limit = budget.limit or max(filled, default=None)
        if limit is None:
            return ChunkSizes(characters)
        chosen: Literal["experiment", "default"] = "experiment" if budget.limit else "default"
        entries = tuple(
            _entry_in_context(entry, inputs[entry.retriever], contexts[entry.retriever], limit)
            for entry in self.scores.entries
        )
        context = ContextSize(budget.unit, limit, chosen, short(limit))
        return ChunkSizes(characters, context, entries if entries[0].measures else ())

    @cached_property
    def searches(self) -> SearchFacts:
        """What is known of the searches, and may turn a verdict around."""
        runs = self.recorded_runs.items()
        english = tuple(name for name in self.retrievers if self._english(name))
        written = self._written if english else None
        return SearchFacts(
            self.chunk_sizes,
            failed=self.failures,
            unanswered={name: run.failed_queries for name, run in runs if not run.leaves_out},
            english=english if written else (),
            written=written or "",
            truncations=self.truncations,
            costs={name: self._cost(name) for name in self.retrievers},
        )

    def _cost(self, retriever: str) -> QueryCost:
        """What its queries cost, those of what it is built on included, as far as the manifest
        says; only who asked another system counts as a request. Its own time, where it was
        measured, comes before that of the calls to a system outside."""
        entries = list(self._built_on(retriever))
        used = [entry.usage for entry in entries if entry.usage is not None]
        prices = [usage for usage in used if usage.price is not None]
        currencies = {usage.currency for usage in prices if usage.price}
        rates = [entry.queries_per_second for entry in entries]
        known = prices and len(prices) == len(used) and len(currencies) < 2
        calls = self.entries[retriever].calls
        return QueryCost(
            price=sum(usage.price or 0.0 for usage in prices) if known else None,
            currency="".join(currencies) if known else "",
            requests=sum(entry.calls is not None for entry in entries),
            p50=self.latency.get(retriever) or (None if calls is None else calls.p50_ms),
            search=sum(1000 / rate for rate in rates if rate) if all(rates) else None,
        )

    @property
    def _written(self) -> str | None:
        """What passages or queries are written in, where these are not Latin letters."""
        data = self.part(self.retrievers[0])
        if data is None or data.corpus is None:
            return None
        return written_in(data.corpus.texts) or written_in(data.queries.texts)

    def _english(self, retriever: str) -> bool:
        """Whether its encoder, or that of what it is built on, is known to be for English."""
        return any(_names_english(entry.spec) for entry in self._built_on(retriever))

    def _built_on(self, retriever: str) -> Iterator[RetrieverEntry]:
        """A retriever, and all that it is built on."""
        waiting, seen = [retriever], set[str]()
        while waiting:
            entry = self.entries.get(waiting.pop())
            if entry is not None and entry.name not in seen:
                yield entry
                seen.add(entry.name)
                waiting += entry.inputs

    @cached_property
    def comparer(self) -> DatasetComparer:
        """What compares the retrievers by any choice of baseline and primary measure.

        Raises:
            ConfigError: there is one retriever only, or nothing says how queries are clustered.
            DataError: the retrievers were scored on different queries, or on none.
        """
        return dataset_comparer(
            self.scores.entries,
            self.options,
            clusters=self.clusters,
            identical=self.identical,
            searches=self.searches,
        )

    @cached_property
    def not_compared(self) -> RagscoreError | None:
        """Why nothing was compared; None if something was, or there is one retriever only."""
        if len(self.retrievers) < 2:
            return None
        try:
            self.comparer  # noqa: B018 - raises what hinders it
        except RagscoreError as error:
            return error
        return None

    @cached_property
    def slices(self) -> Mapping[str, tuple[Slices, ...]]:
        """The slices against each baseline: all measures by the experiment's keys or, where it
        names none, by the tags and metadata that split the queries well. With one retriever
        there are only means."""
        return self._slices.value

    @cached_property
    def _slices(self) -> Noted[Mapping[str, tuple[Slices, ...]]]:
        only = len(self.retrievers) == 1
        if self.data is None or (self.not_compared is not None and not only):
            return Noted({})
        averaged = self.scores.entries[0].query_ids
        specs = {name: entry.spec for name, entry in self.entries.items()}
        queries = with_selectivity(self.data, specs, self.options.slices).queries
        found = slice_keys(queries, self.options.slices, averaged)
        chosen = found.value
        if not chosen.keys:
            return Noted({}, found.notes)
        options = self.options.model_copy(update={"slices": chosen.keys})
        counts = len(averaged), len(self.retrievers), len(self.measures), len(chosen.keys)
        fewer = affordable(*counts, options.resamples) if chosen.automatic else None
        try:
            by_baseline = sliced(
                single_retriever(self.scores.entries[0], self.clusters)
                if only
                else self.comparer.differences.common,
                chosen.queries,
                options,
                baselines=self.baselines,
                reassignments=fewer,
            )
        except RagscoreError as error:
            note = _("No slices by '{key}': {error}", key=few_names(chosen.keys), error=error)
            return Noted({}, (*found.notes, note))
        return Noted(by_baseline, found.notes)

    @cached_property
    def comparisons(self) -> Mapping[tuple[str, str], DatasetComparison]:
        """By (baseline, primary), for all that can be chosen; empty if nothing was compared."""
        if self.comparison is None:
            return {}
        return {
            (baseline, primary): self._chosen(baseline, primary)
            for primary in self.primaries
            for baseline in self.baselines
        }

    @cached_property
    def comparison(self) -> DatasetComparison | None:
        """The comparison by the default choice; None if nothing was compared."""
        if len(self.retrievers) < 2 or self.not_compared is not None:
            return None
        return self._chosen(self.baseline, self.primary)

    def _chosen(self, baseline: str, primary: str) -> DatasetComparison:
        """A choice, whose verdict knows of the slices; these are the same for every choice."""
        found = self.comparer.chosen(baseline, primary)
        slices = self.slices.get(self.baseline, ())
        return replace(found, verdict=found.verdict.depending_on(slices))

    @cached_property
    def means(self) -> Mapping[str, Mapping[str, Estimate]]:
        """By measure and retriever, with intervals; of each alone where nothing was compared, and
        empty if the clusters are not known: no interval holds then."""
        if self.comparison is not None:
            return {found.measure: found.means for found in self.comparison.measures}
        try:
            clusters = self.clusters
        except RagscoreError:
            return {}
        means: dict[str, dict[str, Estimate]] = {name: {} for name in self.measures}
        for entry in self.scores.entries:
            with suppress(RagscoreError):  # `notes` has it
                alone = single_retriever(entry, clusters)
                for compared, mean in zip(alone.measures, alone.means(self.options), strict=True):
                    means[compared.measure] |= mean
        return means

    @property
    def comparison_notes(self) -> Iterator[Message]:
        """Which baseline has no run, and why nothing was compared."""
        if (named := self.lacking_baseline) is not None:
            lacking, other = few_names((named,)), few_names((self.baseline,))
            yield _(
                "The baseline {baseline} has no run here, so all pairs are compared, and "
                "tables compare with {other}.",
                baseline=lacking,
                other=other,
            )
        if self.options.cluster is not None and self.data is None:
            yield _(
                "Not compared: queries are clustered by '{cluster}', which is only known "
                "from the dataset.",
                cluster=few_names((self.options.cluster,)),
            )
            return
        trouble = self.not_compared
        if trouble is None and len(self.retrievers) == 1:
            try:
                self.clusters  # noqa: B018 - raises what hinders it
            except RagscoreError as error:
                trouble = error
        if trouble is not None:
            yield _("Not compared: {error}", error=trouble)

    @cached_property
    def notes(self) -> tuple[Message, ...]:
        """What is wrong with the data and the comparison."""
        found = (self._data_notes, self._scored.notes, self.view.compare.notes)
        return (*chain(*found), *self.comparison_notes)

    def _fewer_choices(self) -> Iterator[Message]:
        baselines, primaries = len(self.baselines), len(self.primaries)
        if baselines < len(self.retrievers) and self.view.choices:
            facts = {"retrievers": len(self.retrievers), "shown": baselines}
            yield _(
                "To keep the page small, {shown} of {retrievers} retrievers can be chosen as "
                "baseline: the default and the best of the others. The table of all pairs has "
                "every retriever.",
                **facts,
            )
        if self.comparison is not None and primaries < len(self.measures) and self.view.choices:
            facts = {"measures": len(self.measures), "shown": primaries}
            yield _(
                "To keep the page small, the first {shown} of {measures} measures can be chosen "
                "as primary.",
                **facts,
            )


def _names_english(spec: Mapping[str, Any]) -> bool:
    """Whether a retriever's settings name an encoder that is known to be for English: as its own
    model, as its encoder, or as that of its reranker."""
    by = spec.get("by")
    places = [spec, spec.get("encoder"), by, by.get("encoder") if isinstance(by, Mapping) else None]
    models = [
        place.get("model", place.get("kind")) for place in places if isinstance(place, Mapping)
    ]
    return any(isinstance(model, str) and known_class(model) is not None for model in models)


def _entry_in_context(
    entry: RetrieverScores, inputs: TuningInput, contexts: Contexts, limit: int
) -> RetrieverScores:
    """The scores of a retriever by what a context holds: of measures with a curve, without their
    cutoffs."""
    fitting, rows = contexts.fitting(limit), inputs.run.queries.rows(list(entry.query_ids))
    curved = (found for found in entry.measures if found.has_curve and not found.weighs_queries)
    measures = tuple(dict.fromkeys(found.family() for found in curved))
    values = np.full((len(measures), len(rows)), np.nan)
    for at, measure in enumerate(measures):
        values[at, rows >= 0] = inputs.in_context(measure, fitting)[rows[rows >= 0]]
    resolved = {measure: measure for measure in measures}
    return replace(
        entry, measures=measures, resolved=resolved, values=values, weights={}, bounds=None
    )
