"""What ``ragscore power`` computes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, compress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import ConfigError, DataError
from ragscore.paths import expanded
from ragscore.stats.intervals import FEW
from ragscore.stats.units import SAME, units_of

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
    ("two settings of one retriever", 0.05),
    ("a retriever and a fusion with it", 0.25),
    ("two tokenizers of one retriever", 0.33),
    ("retrievers of different kinds", 0.49),
)
"""Standard deviations of paired nDCG@10 differences; measured as docs/compare.md says."""
WHERE_FROM = (
    "sd: of paired nDCG@10 differences on the datasets that ship: BM25 with other k1 and b 0.05, "
    "BM25 and its fusion with a dense retriever 0.25, Korean BM25 by morphemes and by spaces 0.33, "
    "BM25 and a dense retriever 0.49. Yours may differ: ragscore power DIR takes them from a run"
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
            cannot be told.
        needed: by wanted difference, how many queries show it at 80 % power; None: too many.
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
        comparisons: with the baseline; alpha is divided by their number.
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
    return (place / name).is_file() or any(place.glob(f"*/{name}"))


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
    spreads = tuple(_spread(of, one, units, alpha, difference, size) for of, one in given)
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


def _of_result(
    result: RecordedResult,
    difference: float | None,
    comparisons: int | None,
    sd: float | None,
    measure: str | None,
    cluster: str | None,
) -> Iterator[Plan]:
    scores = result.scores if measure is None else result.scored([measure])
    for name in scores.datasets:
        entries = [entry for entry in scores.entries if entry.dataset == name]
        m = comparisons or max(len(entries) - 1, 1)
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
        spreads, notes = [], []
        for first, second in combinations(entries, 2) if sd is None else ():
            of = f"{first.retriever} and {second.retriever}"
            known, found = _differences(name, first, second)
            own = _labels(dataset, cluster, known) if dataset is not None and known else None
            units = units_of(found[None, :], own)
            if units.count < 2:
                notes.append(f"{of}: too few queries are defined for both: nothing to tell")
                continue
            spread = float(units.standard_errors()[0]) * math.sqrt(units.count)
            if spread <= SAME:
                notes.append(f"{of}: the same difference on every query: no spread to plan with")
                continue
            if (informative := int(units.informative()[0])) < FEW:
                one, several = ("query", "queries") if labels is None else ("cluster", "clusters")
                what = one if informative == 1 else several
                notes.append(f"{of}: only {informative} informative {what}, so the sd is uncertain")
            size = units.queries / units.count
            spreads.append(_spread(of, spread, units.count, ALPHA / m, difference, size))
        if sd is not None:
            n = len(queries) if clusters is None else clusters
            size = len(queries) / max(n, 1)
            spreads.append(_spread("the given sd", sd, n, ALPHA / m, difference, size))
        elif spreads:
            notes.append("sd: of the paired differences in this result")
        primary = str(entries[0].measures[0])
        counted = (name, len(queries), clusters, primary, m, ALPHA / m, difference)
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
    of: str, sd: float, n: int, alpha: float, difference: float | None, size: float = 1.0
) -> Spread:
    """What follows from a spread of ``n`` units that hold ``size`` queries each."""
    from ragscore.stats.power import detectable_difference, power_of, queries_needed

    enough = n >= 2
    wanted = WANTED if difference is None or difference in WANTED else (difference, *WANTED)
    needed: dict[str, int | None] = {}
    for one in sorted(wanted):
        # About 8 sd^2 / d^2 queries: what is far beyond any judging is not counted out.
        few = 8 * (sd / one) ** 2 < MOST
        needed[f"{one:g}"] = math.ceil(queries_needed(one, sd, alpha=alpha) * size) if few else None
    return Spread(
        of=of,
        sd=sd,
        units=n,
        detectable=detectable_difference(sd, n, alpha=alpha) if enough else None,
        needed=needed,
        power=power_of(difference, sd, n, alpha) if difference is not None and enough else None,
    )
