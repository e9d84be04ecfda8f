"""What ``ragscore power`` computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, compress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import ConfigError, DataError
from ragscore.paths import expanded
from ragscore.stats.few_differ import TOO_FEW, differing, only_differ
from ragscore.stats.intervals import FEW
from ragscore.stats.paired_power import PairedPower
from ragscore.stats.units import units_of

if TYPE_CHECKING:
    from ragscore.dataset import Dataset
    from ragscore.results import RecordedResult
    from ragscore.scoring import RetrieverScores

Labels = NDArray[np.int64]
Values = NDArray[np.float64]
POWER, ALPHA = 0.8, 0.05
WANTED = (0.01, 0.02, 0.05)
MOST = 10_000_000
"""More queries than this are never judged; they are not counted out."""

TYPICAL = (
    ("two settings of one retriever", 0.07),
    ("a retriever and a fusion with it", 0.24),
    ("two tokenizers of one retriever", 0.33),
    ("retrievers of different kinds", 0.45),
)
"""Standard deviations of paired nDCG@10 differences; measured as docs/compare.md says."""
WHERE_FROM = (
    "sd: of paired nDCG@10 differences on the datasets that ship: BM25 with other k1 and b 0.07, "
    "BM25 and its fusion with a dense retriever 0.24, Korean BM25 by morphemes and by spaces 0.33, "
    "BM25 and a dense retriever 0.45. Yours may differ, and where few queries differ more are "
    "needed than an sd alone says: ragscore power DIR takes both from a run"
)


@dataclass(frozen=True)
class Spread:
    """How widely the differences of one pair spread, and what follows from it.

    Attributes:
        of: the pair, or what kind of pair.
        sd: standard deviation of the per-query differences; with clusters what a cluster's share
            in the mean has.
        units: queries that were compared, or clusters where there are some.
        detectable: the smallest true difference that is shown at 80 % power; None where it
            not estimable.
        needed: by wanted difference, how many queries detect it with 80 % power; None: too many.
        power: the chance of showing the wanted ``--difference`` with these queries.
    """

    of: str
    sd: float
    units: int
    detectable: float | None
    needed: dict[str, int | None]
    power: float | None


@dataclass(frozen=True)
class Plan:
    """What one dataset's queries can show.

    Attributes:
        dataset: its name.
        queries: judged and answerable.
        clusters: that they form, None where queries are independent.
        measure: whose differences spread so.
        comparisons: in the family; alpha is divided by their number.
        alpha: after that.
        difference: that was asked for.
        spreads: one or several.
        notes: where the spread comes from, and what was left out.
    """

    dataset: str
    queries: int
    clusters: int | None
    measure: str
    comparisons: int
    alpha: float
    difference: float | None
    spreads: tuple[Spread, ...]
    notes: tuple[str, ...]


def plans(
    place: Path,
    *,
    difference: float | None,
    comparisons: int | None,
    sd: float | None,
    measure: str | None,
    cluster: str | None = None,
) -> list[Plan]:
    """One plan for a dataset's folder, or one for each dataset of a result, whose queries are
    clustered as its experiment compared them.

    Raises:
        DataError: the folder is neither, or a result has one retriever only.
        ConfigError: a measure is asked of a dataset, which has no scores.
    """
    from ragscore.formats import load_dataset
    from ragscore.results import open_result

    place = expanded(place)
    if is_result(place):
        result = open_result(place)
        cluster = cluster or (result.manifest.compare or {}).get("cluster")
        return list(_of_result(result, difference, comparisons, sd, measure, cluster))
    if measure is not None:
        raise ConfigError(
            "--measure: a dataset has no scores",
            instead="Leave it out, or name a folder that `ragscore run` wrote",
        )
    dataset = load_dataset(place)
    return [_of_dataset(dataset, difference, comparisons or 1, sd, cluster)]


def is_result(place: Path) -> bool:
    """Whether a folder holds a result, or results right under it."""
    name = "manifest.json"
    return any(place.glob(name)) or any(place.glob(f"*/{name}"))


def _of_dataset(
    dataset: Dataset,
    difference: float | None,
    comparisons: int,
    sd: float | None,
    cluster: str | None,
) -> Plan:
    rows = np.flatnonzero(np.diff(dataset.qrels.ideal[0]) > 0)
    judged = set(dataset.qrels.queries.texts(rows)) - dataset.queries.unanswerable
    queries = [query for query in dataset.queries.ids if query in judged]
    labels = _labels(dataset, cluster, queries)
    clusters = None if labels is None else len(set(labels.tolist()))
    alpha = ALPHA / comparisons
    given = TYPICAL if sd is None else (("the given sd", sd),)
    units = len(queries) if clusters is None else clusters
    size = len(queries) / max(units, 1)
    spreads = tuple(
        _spread(of, PairedPower(one, None, units, size), alpha, difference, WANTED)
        for of, one in given
    )
    notes = [WHERE_FROM] if sd is None else []
    if sd is None and clusters is not None:
        notes.append("the typical sd are of single queries; that of clusters is no larger")
    return Plan(
        dataset.name,
        len(queries),
        clusters,
        "nDCG@10" if sd is None else "the measure that has this sd",
        comparisons,
        alpha,
        difference,
        spreads,
        tuple(notes),
    )


def _labels(dataset: Dataset, cluster: str | None, queries: Sequence[str]) -> Labels | None:
    """The cluster of each query as a number: int64[n]; None without clusters."""
    if cluster is None:
        return None
    from ragscore.dataset.labels import cluster_numbers, clusters_of

    named = clusters_of(dataset.queries, cluster, where="--cluster")
    return cluster_numbers(named, queries, where=dataset.name)


def _comparisons(result: RecordedResult, retrievers: Sequence[str]) -> int:
    """How many comparisons the family of a result has: those with the baseline that its experiment
    names, else all pairs."""
    from ragscore.comparison.families import ComparisonPlan

    named = (result.manifest.compare or {}).get("baseline")
    baseline = retrievers.index(named) if named in retrievers else None
    return max(len(ComparisonPlan(tuple(range(len(retrievers))), baseline).family), 1)


def _of_result(
    result: RecordedResult,
    difference: float | None,
    comparisons: int | None,
    sd: float | None,
    measure: str | None,
    cluster: str | None,
) -> Iterator[Plan]:
    from ragscore.comparison.quantity import lies_in_0_to_1

    scores = result.scores if measure is None else result.scored([measure])
    for name in scores.datasets:
        entries = [entry for entry in scores.entries if entry.dataset == name]
        m = comparisons or _comparisons(result, [entry.retriever for entry in entries])
        if len(entries) < 2 and sd is None:
            raise DataError(
                f"there is one retriever on {name}, so no difference has been seen yet",
                where=str(result.folder),
                instead="Give --sd, or the dataset's folder for typical values",
            )
        queries = list(entries[0].query_ids)
        dataset = result.dataset(name) if cluster is not None else None
        labels = _labels(dataset, cluster, queries) if dataset is not None else None
        clusters = None if labels is None else len(set(labels.tolist()))
        primary = entries[0].measures[0]
        # Differences of 0.01 to 0.05 mean something between 0 and 1 only.
        wanted = WANTED if lies_in_0_to_1(primary) else ()
        spreads, notes = [], []
        for first, second in combinations(entries, 2) if sd is None else ():
            of = f"{first.retriever} and {second.retriever}"
            known, found = _differences(name, first, second)
            own = _labels(dataset, cluster, known) if dataset is not None and known else None
            units = units_of(found[None, :], own) if len(found) else None
            if units is None or units.count < 2:
                notes.append(f"{of}: too few queries are defined for both: nothing to plan with")
                continue
            several = "queries" if labels is None else "clusters"
            count, informative = int(differing(units)[0]), int(units.informative()[0])
            if count <= TOO_FEW:
                few = only_differ(count, units.count, several)
                notes.append(f"{of}: {few}: not estimable")
                continue
            if not informative:
                notes.append(f"{of}: the same difference on every query: no spread to plan with")
                continue
            if informative < FEW:
                what = several if informative > 1 else {"queries": "query"}.get(several, "cluster")
                notes.append(f"{of}: only {informative} informative {what}, so the sd is uncertain")
            power = PairedPower.of(found, clusters=own)
            spreads.append(_spread(of, power, ALPHA / m, difference, wanted))
        if sd is not None:
            n = len(queries) if clusters is None else clusters
            size = len(queries) / max(n, 1)
            given = PairedPower(sd, None, n, size)
            spreads.append(_spread("the given sd", given, ALPHA / m, difference, wanted))
        elif spreads:
            notes.append("sd: of the paired differences in this result")
        counted = (name, len(queries), clusters, str(primary), m, ALPHA / m, difference)
        yield Plan(*counted, tuple(spreads), tuple(notes))


def _differences(
    dataset: str, first: RetrieverScores, second: RetrieverScores
) -> tuple[list[str], Values]:
    """The queries that are defined for both, and the differences on them, of what ``compare``
    compares: logarithms for a geometric mean."""
    from ragscore.comparison.aligned import align

    both = align(dataset, [first, second], allow_intersect=True)
    differences = both.values[0, 0] - both.values[0, 1]
    known = ~np.isnan(differences)
    return list(compress(both.query_ids, known.tolist())), differences[known]


def _spread(
    of: str,
    planned: PairedPower,
    alpha: float,
    difference: float | None,
    wanted: tuple[float, ...],
) -> Spread:
    """What follows from how the differences of a pair spread."""
    enough = planned.units >= 2
    needed: dict[str, int | None] = {}
    for one in sorted({*wanted, *(() if difference is None else (difference,))}):
        # About 8 sd^2 / d^2 queries: what is far beyond any judging is not counted out.
        few = 8 * (planned.sd / one) ** 2 < MOST
        needed[f"{one:g}"] = planned.needed(one, alpha) if few else None
    return Spread(
        of=of,
        sd=planned.sd,
        units=planned.units,
        detectable=planned.detectable(alpha) if enough else None,
        needed=needed,
        power=planned.power(difference, alpha) if difference is not None and enough else None,
    )
