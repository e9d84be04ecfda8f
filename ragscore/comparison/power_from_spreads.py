"""What difference a number of queries can detect: from a result's own spread, or a typical one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.differences import plan_of
from ragscore.comparison.power_plan import DatasetPower, Spread
from ragscore.comparison.record import ALPHA, Identical
from ragscore.comparison.score_matrix import lies_in_0_to_1, on_common_queries
from ragscore.dataset import Dataset
from ragscore.dataset.labels import cluster_numbers, clusters_of
from ragscore.elements.numbers import plain_number
from ragscore.errors import ConfigError, DataError
from ragscore.measures import Measure, parse_measure
from ragscore.messages import Message, _, listed
from ragscore.scoring import RetrieverScores
from ragscore.stats.few_differ import differing, only_differ
from ragscore.stats.intervals import few_informative
from ragscore.stats.paired_power import PairedPower, unknown_spreads
from ragscore.stats.units import units_of

DIFFERENCES = (0.01, 0.02, 0.05)
"""True differences whose queries are counted, on measures from 0 to 1."""
MAX_QUERIES = 10_000_000
"""More queries than this are never judged, so they are not counted."""

TYPICAL = {
    "settings": (_("two settings of one retriever"), 0.07),
    "fusion": (_("a retriever and a fusion that contains it"), 0.24),
    "tokenizers": (_("two tokenizers of one retriever"), 0.33),
    "kinds": (_("retrievers of different kinds"), 0.45),
}
"""By kind of pair, its name and the standard deviation of paired differences on nDCG@10; measured
as docs/compare.md says."""
TYPICAL_OF = "nDCG@10"
"""Their measure."""


@dataclass(frozen=True)
class PowerOptions:
    """What power is computed for.

    Attributes:
        difference: one that would matter, above 0; its power is computed too.
        comparisons: that are corrected together; None: those of the result's family, 1 for a
            dataset.
        sd: standard deviation of the per-query differences, where it is known.

    Raises:
        ConfigError: one of them is out of its range.
    """

    difference: float | None = None
    comparisons: int | None = None
    sd: float | None = None

    def __post_init__(self) -> None:
        if self.comparisons is not None and self.comparisons < 1:
            raise ConfigError(f"{self.comparisons}", where="comparisons", instead="Give 1 or more")
        if self.sd is not None and not 0 < self.sd < math.inf:
            raise ConfigError(
                f"{self.sd:g} is not a standard deviation",
                where="sd",
                instead="Give that of the per-query differences, above 0",
            )
        if self.difference is not None and not math.isfinite(self.difference):
            raise self._no_difference("is not a finite number")
        if self.difference is not None and self.difference <= 0:
            raise self._no_difference("is not above 0")

    def check_on(self, measure: Measure) -> None:
        """Refuse a difference that no two values of a measure have.

        Raises:
            ConfigError: it is more than 1, and the measure lies between 0 and 1.
        """
        if self.difference is not None and self.difference > 1 and lies_in_0_to_1(measure):
            raise self._no_difference(f"is more than {measure} can differ, from 0 to 1")

    def _no_difference(self, what: str) -> ConfigError:
        instead = "Give a difference that would matter, such as 0.02"
        return ConfigError(f"{self.difference:g} {what}", where="difference", instead=instead)


def power_of_dataset(
    dataset: Dataset, options: PowerOptions, *, cluster: str | None = None
) -> DatasetPower:
    """What a dataset's queries can detect before anything was retrieved, for typical spreads or for
    a given one.

    Args:
        dataset: whose judged, answerable queries are counted.
        options: see :class:`PowerOptions`.
        cluster: a tag or metadata key: queries that share its value are one unit.

    Raises:
        ConfigError: no query has such a tag or metadata; the difference is more than 1.
        DataError: some query has no cluster.
    """
    if options.sd is None:
        options.check_on(parse_measure(TYPICAL_OF))
    rows = np.flatnonzero(np.diff(dataset.qrels.ideal[0]) > 0)
    judged = set(dataset.qrels.queries.texts(rows)) - dataset.queries.unanswerable
    queries = [query for query in dataset.queries.ids if query in judged]
    named = None if cluster is None else clusters_of(dataset.queries, cluster)
    clusters = _count(named, queries, dataset.name)
    comparisons = options.comparisons or 1
    given = [(_("the given sd"), options.sd)] if options.sd is not None else TYPICAL.values()
    spreads = tuple(
        _spread(
            pair,
            _alone(sd, len(queries), clusters),
            comparisons,
            options,
            DIFFERENCES,
        )
        for pair, sd in given
    )
    notes = []
    if options.sd is None:
        notes.append(
            _(
                "sd: standard deviation of paired nDCG@10 differences on the packaged datasets: "
                "BM25 with another k1 and b 0.07, BM25 and its fusion with a dense retriever "
                "0.24, Korean BM25 split at morphemes and at spaces 0.33, BM25 and a dense "
                "retriever 0.45. Yours may differ, and if few queries differ, you need more "
                "queries than an sd alone says: ragscore power DIR takes both from a result"
            )
        )
        if clusters is not None:
            notes.append(
                _("the typical sds are for single queries; for clusters they are no larger")
            )
    return DatasetPower(
        dataset=dataset.name,
        queries=len(queries),
        clusters=clusters,
        measure=TYPICAL_OF if options.sd is None else _("the measure that has this sd"),
        comparisons=comparisons,
        alpha=ALPHA / comparisons,
        difference=options.difference,
        spreads=spreads,
        notes=tuple(notes),
    )


def power_of_scores(
    dataset: str,
    entries: Sequence[RetrieverScores],
    options: PowerOptions,
    *,
    baseline: str | None = None,
    clusters: Mapping[str, str] | None = None,
    identical: Sequence[Identical] = (),
) -> DatasetPower:
    """What the queries of a dataset can detect, by how the differences of its retrievers spread
    on the first measure.

    Args:
        dataset: its name.
        entries: the scores of its retrievers, by the same measures.
        options: see :class:`PowerOptions`.
        baseline: the retriever whose comparisons are the family; all pairs where it is None or
            has no scores.
        clusters: query id to the name of its cluster.
        identical: retrievers that returned the same passages for every query; they count as one.

    Raises:
        ConfigError: the difference is more than the measure can differ.
        DataError: there is one retriever and no ``sd``; some query has no cluster.
    """
    if len(entries) < 2 and options.sd is None:
        raise DataError(
            "there is one retriever, so no difference has been seen yet",
            where=dataset,
            instead="Give sd, or a dataset's folder for typical values",
        )
    names = [entry.retriever for entry in entries]
    plan = plan_of(names, identical, baseline)
    comparisons = options.comparisons or max(len(plan.family), 1)
    queries = list(entries[0].query_ids)
    measure = entries[0].measures[0]
    options.check_on(measure)
    counted = _count(clusters, queries, dataset)
    # Differences of 0.01 to 0.05 mean something between 0 and 1 only.
    wanted = DIFFERENCES if lies_in_0_to_1(measure) else ()
    spreads = []
    notes = [
        _(
            "{names} returned the same passages for every query: they count as one retriever",
            names=listed(group.retrievers),
        )
        for group in identical
    ]
    if options.sd is not None:
        alone = _alone(options.sd, len(queries), counted)
        spreads.append(_spread(_("the given sd"), alone, comparisons, options, wanted))
    else:
        for first, second in plan.all_pairs:
            pair = _("{A} and {B}", A=names[first], B=names[second])
            found, remark = _paired(dataset, entries[first], entries[second], clusters)
            if remark is not None:
                notes.append(_("{of}: {what}", of=pair, what=remark))
            if found is not None:
                spreads.append(_spread(pair, found, comparisons, options, wanted))
        if spreads:
            notes.append(_("sd: standard deviation of the paired differences in this result"))
            sample = next((each.counts.sample for each in entries if each.counts.sample), None)
            if sample is not None:
                notes.append(
                    _(
                        "the spreads were measured on {size}; on the whole corpus they differ",
                        size=sample.size(),
                    )
                )
    return DatasetPower(
        dataset=dataset,
        queries=len(queries),
        clusters=counted,
        measure=str(measure),
        comparisons=comparisons,
        alpha=ALPHA / comparisons,
        difference=options.difference,
        spreads=tuple(spreads),
        notes=tuple(notes),
    )


def _count(clusters: Mapping[str, str] | None, queries: Sequence[str], where: str) -> int | None:
    """How many clusters the queries form; None if they are independent."""
    if clusters is None:
        return None
    return len(set(cluster_numbers(clusters, queries, where=where).tolist()))


def _paired(
    dataset: str,
    first: RetrieverScores,
    second: RetrieverScores,
    clusters: Mapping[str, str] | None,
) -> tuple[PairedPower | None, Message | None]:
    """How the differences of two retrievers spread, None if that cannot be estimated; and a
    remark on it, if there is one."""
    queries, differences = _differences(dataset, first, second)
    if not queries:
        return None, _("too few queries have a value for both: nothing to plan with")
    numbers = None if clusters is None else cluster_numbers(clusters, queries, where=dataset)
    units = units_of(differences[None, :], numbers)
    unknown = unknown_spreads(units)[0]
    if unknown == "few differ":
        what = only_differ(int(differing(units)[0]), units.count, units.several)
        return None, _("{what}: not estimable", what=what)
    if unknown == "one unit":
        return None, _("too few queries have a value for both: nothing to plan with")
    if unknown:
        return None, _("the same difference on every query: no spread to plan with")
    few = few_informative(int(units.informative()[0]), units.several)
    remark = _("{what}, so the sd is uncertain", what=few) if few else None
    return PairedPower.of(units)[0], remark


def _differences(
    dataset: str, first: RetrieverScores, second: RetrieverScores
) -> tuple[list[str], NDArray[np.float64]]:
    """The queries that are defined for both, and the differences on them, of what ``compare``
    compares: logarithms for a geometric mean."""
    both = on_common_queries(dataset, [first, second], allow_intersect=True)
    differences = both.values[0, 0] - both.values[0, 1]
    known = ~np.isnan(differences)
    return list(compress(both.queries, known.tolist())), differences[known]


def _alone(sd: float, queries: int, clusters: int | None) -> PairedPower:
    """The power of a number of queries at a given sd."""
    units = queries if clusters is None else clusters
    return PairedPower(sd, None, units, queries / max(units, 1))


def _spread(
    pair: Message,
    found: PairedPower,
    comparisons: int,
    options: PowerOptions,
    wanted: Sequence[float],
) -> Spread:
    enough, asked, alpha = found.units >= 2, options.difference, ALPHA / comparisons
    needed: dict[str, int | None] = {}
    for difference in sorted({*wanted, *(() if asked is None else (asked,))}):
        # About 8 sd^2 / d^2 queries: what is far beyond any judging is not counted.
        countable = 8 * (found.sd / difference) ** 2 < MAX_QUERIES
        needed[plain_number(difference)] = found.needed(difference, alpha) if countable else None
    return Spread(
        of=pair,
        sd=found.sd,
        units=found.units,
        detectable=found.detectable(alpha) if enough else None,
        needed=needed,
        power=found.power(asked, alpha) if asked is not None and enough else None,
    )
