"""Comparisons by every choice of baseline and primary measure, and means with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragscore.errors import RagscoreError
from ragscore.report.data import Panel
from ragscore.strings import Strings

if TYPE_CHECKING:
    from ragscore.comparison.model import Identical

MOST_CHOICES = 64
"""Baselines times primary measures that a page holds: each is a verdict, a chart and a table."""


def compared_fields(
    panel: Panel, words: Strings, notes: list[str], fewer: list[str]
) -> dict[str, Any]:
    """The fields ``comparisons``, ``pairs``, ``means`` and ``primaries`` of a panel; where nothing
    can be compared, the means of each retriever alone.

    Args:
        panel: with scores, baselines, measures and options.
        words: for notes.
        notes: told why nothing is compared.
        fewer: is notified of choices that are left out.
    """
    from ragscore.comparison.every import every_comparison, means_alone

    if panel.options.cluster is not None and panel.data is None:
        notes.append(words("gathered_cluster", cluster=words.names([panel.options.cluster])))
        return {}
    try:
        clusters = clusters_of(panel)
    except RagscoreError as error:
        notes.append(words("gathered_not_compared", error=error))
        return {}
    if len(panel.retrievers) > 1:
        shown = panel.measures[: max(1, MOST_CHOICES // len(panel.baselines))]
        try:
            every = every_comparison(
                panel.scores.entries,
                panel.options,
                baselines=panel.baselines,
                primaries=shown,
                clusters=clusters,
                latency=panel.latency,
                identical=identical_in(panel),
            )
        except RagscoreError as error:
            notes.append(words("gathered_not_compared", error=error))
        else:
            if len(shown) < len(panel.measures):
                facts = {"measures": len(panel.measures), "shown": len(shown)}
                fewer.append(words("gathered_primaries", **facts))
            one = next(iter(every.comparisons.values()))
            return {
                "comparisons": every.comparisons,
                "pairs": every.pairs,
                "means": {measure.measure: measure.means for measure in one.measures},
                "primaries": shown,
            }
    means: dict[str, dict[str, Any]] = {measure: {} for measure in panel.measures}
    for entry in panel.scores.entries:
        try:
            alone = means_alone(entry, panel.options, clusters=clusters)
        except RagscoreError:
            continue  # said where it was compared
        for measure, mean in alone.items():
            means[measure][entry.retriever] = mean
    return {"means": means}


def identical_in(panel: Panel) -> tuple[Identical, ...]:
    """Retrievers of a panel that returned the same passages for every query."""
    from ragscore.comparison.identical import identical_runs

    corpus = panel.data.corpus if panel.data is not None else None
    return identical_runs(
        panel.runs,
        panel.scores.entries,
        settings={name: entry.get("spec") or {} for name, entry in panel.entries.items()},
        titled=None if corpus is None else corpus.titled,
    )


def clusters_of(panel: Panel) -> Mapping[str, str] | None:
    """Query id to cluster; None where queries are independent or the dataset is not there.

    Raises:
        ConfigError: no query has such a tag or metadata any more.
    """
    from ragscore.dataset.labels import clusters_of

    if panel.options.cluster is None or panel.data is None:
        return None
    return clusters_of(panel.data.queries, panel.options.cluster)
