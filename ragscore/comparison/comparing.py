"""compare(): align the scores of each dataset, test, decide, say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragscore.comparison.aligned import Aligned, align
from ragscore.comparison.check import contradiction, trouble_with
from ragscore.comparison.families import Compared, all_pairs, compare_measures
from ragscore.comparison.model import Comparison, DatasetComparison, PairDifference
from ragscore.comparison.options import CompareOptions, compare_options
from ragscore.comparison.verdict import verdict_of
from ragscore.errors import ConfigError, did_you_mean
from ragscore.scoring import Scores


def compare(
    scores: Scores,
    options: CompareOptions | None = None,
    *,
    clusters: Mapping[str, str] | None = None,
    latency: Mapping[str, float] | None = None,
    **words: Any,
) -> Comparison:
    """Compare retrievers on each dataset; datasets are never pooled.

    Args:
        scores: of two retrievers or more, by the same measures on the same queries.
        options: how; by default the defaults.
        clusters: query id to the name of its cluster, where queries belong together (of one
            document, of one user): clusters are then the unit of every statistic.
        latency: milliseconds a query by retriever, for "choose by cost".
        words: options one by one: ``compare(scores, baseline="bm25", margin=0.02)``.

    Raises:
        ConfigError: an option is wrong, the baseline is absent, a measure is missing for one
            retriever, or there is nothing to compare.
        DataError: retrievers were scored on different queries or by different judgments, no
            query is common, or clusters don't fit.

    >>> from ragscore.scoring import Scores, score
    >>> qrels = {f"q{n}": ["a"] for n in range(18)}
    >>> found = {query: ["a"] for query in qrels}
    >>> one = score({**found, "q1": ["x"]}, qrels, ["Success@1"], retriever="bm25")
    >>> two = score({**found, "q1": ["x"], "q2": ["x"]}, qrels, ["Success@1"], retriever="dense")
    >>> print(compare(Scores.joined([one, two])).datasets[0].verdict.text)
    Cannot be decided: only 1 of 18 queries differ between bm25 and dense; no outcome of so few \
could be significant.
    """
    options = compare_options(options, **words)
    if options.cluster is not None and clusters is None:
        raise ConfigError(
            f"cluster '{options.cluster}' needs the queries",
            instead="Give clusters={query id: cluster}, or compare a result folder",
        )
    if not scores.entries:
        raise ConfigError("nothing to compare: there are no scores", instead="Score two retrievers")
    if options.baseline is not None and options.baseline not in scores.retrievers:
        raise ConfigError(
            f"the baseline '{options.baseline}' is none of the retrievers",
            instead=did_you_mean(options.baseline, scores.retrievers),
        )
    datasets = []
    for dataset in scores.datasets:
        entries = [entry for entry in scores.entries if entry.dataset == dataset]
        aligned = align(
            dataset, entries, clusters=clusters, allow_intersect=options.allow_intersect
        )
        datasets.append(_compared(aligned, options, latency or {}))
    return Comparison(tuple(datasets), options)


def _compared(
    aligned: Aligned, options: CompareOptions, latency: Mapping[str, float]
) -> DatasetComparison:
    baseline = options.baseline or aligned.retrievers[0]
    if baseline not in aligned.retrievers:
        raise ConfigError(
            f"the baseline '{baseline}' has no scores on this dataset",
            where=aligned.dataset,
            instead=did_you_mean(baseline, aligned.retrievers),
        )
    compared = compare_measures(aligned, aligned.retrievers.index(baseline), options)
    pairs = all_pairs(aligned, options) if options.all_pairs else None
    return told(aligned, baseline, compared, pairs, options, latency)


def told(
    aligned: Aligned,
    baseline: str,
    compared: Compared,
    pairs: tuple[PairDifference, ...] | None,
    options: CompareOptions,
    latency: Mapping[str, float],
) -> DatasetComparison:
    """What was computed, with its verdict.

    Args:
        aligned: the primary measure first.
        baseline: a retriever.
        compared: every measure against it.
        pairs: by randomized Tukey HSD, None where that was not asked for.
        options: margin, correction, language.
        latency: milliseconds a query by retriever, where known.
    """
    trouble = trouble_with(aligned) or contradiction(aligned, compared.leader[0])
    verdict = verdict_of(compared, aligned.quantities, trouble, latency=latency, options=options)
    return DatasetComparison(
        dataset=aligned.dataset,
        retrievers=aligned.retrievers,
        baseline=baseline,
        primary=aligned.quantities[0].measure,
        n=len(aligned.query_ids),
        clusters=int(aligned.clusters.max()) + 1 if aligned.clusters is not None else None,
        measures=compared.measures,
        leader=compared.leader[0],
        pairs=pairs,
        verdict=verdict,
        notes=aligned.notes,
    )
