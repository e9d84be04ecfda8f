"""compare(): each dataset by one choice of baseline and primary measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Unpack

from ragscore.comparison.baselines import compare_choices
from ragscore.comparison.document import Comparison
from ragscore.comparison.model import Identical
from ragscore.comparison.options import CompareChanges, CompareOptions
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
        scores, options, clusters, latency, changes: as for :func:`ragscore.compare` of scores.
        identical: by dataset, retrievers that returned the same passages for every query, as
            :func:`~ragscore.comparison.identical.identical_runs` finds them: they count as one.

    Raises:
        ConfigError, DataError: as there.
    """
    options = (options or CompareOptions()).changed(**changes)
    if not scores.entries:
        raise ConfigError("nothing to compare: there are no scores", instead="Score two retrievers")
    if options.baseline is not None and options.baseline not in scores.retrievers:
        raise ConfigError(
            f"the baseline '{options.baseline}' is not one of the retrievers",
            instead=did_you_mean(options.baseline, scores.retrievers),
        )
    datasets = []
    for dataset in scores.datasets:
        entries = [entry for entry in scores.entries if entry.dataset == dataset]
        choices = compare_choices(
            entries,
            options,
            clusters=clusters,
            latency=latency,
            identical=identical.get(dataset, ()),
        )
        baseline = options.baseline or choices.baselines[0]
        if baseline not in choices.baselines:
            raise ConfigError(
                f"the baseline '{baseline}' has no scores on this dataset",
                where=dataset,
                instead=did_you_mean(baseline, choices.baselines),
            )
        datasets.append(choices[baseline, choices.primaries[0]])
    return Comparison(options, tuple(datasets))
