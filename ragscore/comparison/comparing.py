"""compare(): align the scores of each dataset, test, decide, say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Unpack

from ragscore.comparison.all_pairs import all_pairs
from ragscore.comparison.check import contradiction, trouble_with
from ragscore.comparison.common_queries import on_common_queries
from ragscore.comparison.document import Comparison
from ragscore.comparison.families import (
    Corrected,
    contrasts_of,
    plan_of,
    put_together,
)
from ragscore.comparison.means import means_of
from ragscore.comparison.model import (
    DatasetComparison,
    Family,
    Identical,
    MeanWithInterval,
    PairDifference,
)
from ragscore.comparison.options import CompareChanges, CompareOptions
from ragscore.comparison.verdict import verdict_of
from ragscore.errors import ConfigError, did_you_mean
from ragscore.scoring import Scores


def compare(
    scores: Scores,
    options: CompareOptions | None = None,
    *,
    clusters: Mapping[str, str] | None = None,
    latency: Mapping[str, float] | None = None,
    identical: Mapping[str, Sequence[Identical]] = MappingProxyType({}),
    **changes: Unpack[CompareChanges],
) -> Comparison:
    """Compare retrievers on each dataset; datasets are never pooled.

    Args:
        scores: of two retrievers or more, by the same measures on the same queries.
        options: how; by default the defaults.
        clusters: query id to the name of its cluster, where queries belong together (of one
            document, of one user): clusters are then the unit of every statistic.
        latency: milliseconds a query by retriever, for ties that the cost decides.
        identical: by dataset, retrievers that returned the same passages for every query, as
            :func:`~ragscore.comparison.identical.identical_runs` finds them: they count as one.
        changes: single options: ``compare(scores, baseline="bm25", margin=0.02)``.

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
    >>> print(compare(Scores.joined([one, two])).datasets[0].verdict.lines[0].text("en"))
    These queries cannot decide: bm25 and dense differ on 1 of 18.
    """
    options = (options or CompareOptions()).changed(**changes)
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
        common = on_common_queries(
            dataset, entries, clusters=clusters, allow_intersect=options.allow_intersect
        )
        baseline = options.baseline or common.retrievers[0]
        if baseline not in common.retrievers:
            raise ConfigError(
                f"the baseline '{baseline}' has no scores on this dataset",
                where=common.dataset,
                instead=did_you_mean(baseline, common.retrievers),
            )
        groups = identical.get(dataset, ())
        plan = plan_of(common, groups, options)
        corrected = Corrected(common, plan, contrasts_of(common, plan, options), options)
        means = means_of(common, options)
        pairs = all_pairs(common, options) if options.all_pairs else None
        datasets.append(
            dataset_comparison(corrected, baseline, groups, means, pairs, latency or {})
        )
    return Comparison(options, tuple(datasets))


def dataset_comparison(
    corrected: Corrected,
    baseline: str,
    identical: Sequence[Identical],
    means: Sequence[Mapping[str, MeanWithInterval]],
    pairs: tuple[PairDifference, ...] | None,
    latency: Mapping[str, float],
) -> DatasetComparison:
    """What was computed, with its verdict.

    Args:
        corrected: the contrasts, the primary measure first.
        baseline: the retriever that the tables compare with.
        identical: retrievers that returned the same.
        means: of each measure by retriever.
        pairs: by randomized Tukey HSD, None where that was not asked for.
        latency: milliseconds a query by retriever, where known.
    """
    common, options = corrected.common, corrected.options
    compared = put_together(corrected, common.retrievers.index(baseline), means)
    trouble = trouble_with(common) or contradiction(common, compared.leader[0])
    verdict = verdict_of(
        compared, common.measures, identical, trouble, latency=latency, options=options
    )
    plan = corrected.plan
    named = common.retrievers[plan.baseline] if plan.baseline is not None else None
    return DatasetComparison(
        dataset=common.dataset,
        retrievers=common.retrievers,
        baseline=baseline,
        family=Family(named, len(plan.family)),
        identical=tuple(identical),
        primary=common.measures[0].measure,
        n=len(common.query_ids),
        clusters=int(common.clusters.max()) + 1 if common.clusters is not None else None,
        measures=compared.measures,
        leader=compared.leader[0],
        pairs=pairs,
        verdict=verdict,
        notes=common.notes,
    )
