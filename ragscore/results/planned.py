"""power(): what difference a number of queries can detect, of a result, scores or a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragscore.comparison.power_from_spreads import PowerOptions, power_of_dataset, power_of_scores
from ragscore.comparison.power_plan import DatasetPower, Power
from ragscore.dataset import Dataset
from ragscore.dataset.labels import clusters_of
from ragscore.errors import ConfigError
from ragscore.files import expanded
from ragscore.formats import load_dataset
from ragscore.measures import parse_measures
from ragscore.results.layout import MANIFEST
from ragscore.results.opening import open_result
from ragscore.results.result import Result
from ragscore.scoring import Scores


def power(
    source: Result | Scores | Dataset | str | Path,
    *,
    difference: float | None = None,
    comparisons: int | None = None,
    sd: float | None = None,
    measure: str | None = None,
    cluster: str | None = None,
) -> Power:
    """What difference a number of queries can detect with 80 % power.

    A result or scores give the spread of the differences of each pair of retrievers; for a
    dataset alone, typical spreads are used.

    Args:
        source: a result, scores, a dataset; or the folder of a result or of a dataset.
        difference: a difference that would matter: the chance of detecting it is computed too.
        comparisons: how many comparisons are corrected together; by default those of the
            result's family, and 1 for a dataset.
        sd: standard deviation of the per-query differences, where it is known.
        measure: a measure of the result or scores; by default the first.
        cluster: a tag or metadata key: queries that share its value are one unit; by default that
            of the result's experiment.

    Raises:
        ConfigError: an option is out of its range, no query has the tag or metadata, or a measure
            is asked of a dataset, which has no scores.
        DataError: the folder is neither a result nor a dataset, or there is one retriever only.

    >>> from ragscore.dataset import Dataset
    >>> from ragscore.scoring import Scores, score
    >>> qrels = {f"q{n}": ["a"] for n in range(50)}
    >>> runs = {name: {f"q{n}": ["a"] if n % every else ["x", "a"] for n in range(50)}
    ...         for name, every in (("bm25", 2), ("dense", 5))}
    >>> scores = Scores.joined(
    ...     score(run, qrels, ["RR@10"], dataset="faq", retriever=name)
    ...     for name, run in runs.items())
    >>> found = power(scores, difference=0.1)
    >>> print(str(found).splitlines()[0])
    With 50 judged queries you can see a difference of 0.153 or more (80 % power).
    """
    options = PowerOptions(
        difference=None if difference is None else abs(difference), comparisons=comparisons, sd=sd
    )
    if isinstance(source, str | Path):
        place = expanded(source)
        source = open_result(place) if _is_result(place) else load_dataset(place)
    if isinstance(source, Dataset):
        if measure is not None:
            raise ConfigError(
                "a dataset has no scores",
                where="measure",
                instead="Leave it out, or name a folder that `ragscore run` wrote",
            )
        return Power((power_of_dataset(source, options, cluster=cluster),))
    if isinstance(source, Scores):
        if cluster is not None:
            raise ConfigError(
                f"cluster '{cluster}' needs the queries", instead="Give a result or its folder"
            )
        return Power(tuple(_of_scores(source, options, measure)))
    return Power(tuple(_of_result(source, options, measure, cluster)))


def _is_result(place: Path) -> bool:
    """Whether a folder holds a result, or results right under it."""
    return any(place.glob(MANIFEST)) or any(place.glob(f"*/{MANIFEST}"))


def _of_scores(
    scores: Scores, options: PowerOptions, measure: str | None
) -> Iterator[DatasetPower]:
    for dataset in scores.datasets:
        entries = [entry for entry in scores.entries if entry.dataset == dataset]
        if measure is not None:
            (asked,) = parse_measures([measure])
            if any(asked not in entry.measures for entry in entries):
                listed = ", ".join(map(str, entries[0].measures))
                raise ConfigError(f"{asked} was not scored", instead=f"There is: {listed}")
            entries = [entry.by([asked]) for entry in entries]
        yield power_of_scores(dataset, entries, options)


def _of_result(
    result: Result, options: PowerOptions, measure: str | None, cluster: str | None
) -> Iterator[DatasetPower]:
    scores = result.scores if measure is None else result.scored([measure])
    for dataset in scores.datasets:
        found = result[dataset]
        key, clusters = cluster or found.options.cluster, None
        if key is not None:
            clusters = clusters_of(result.dataset(dataset).queries, key)
        yield power_of_scores(
            dataset,
            [entry for entry in scores.entries if entry.dataset == dataset],
            options,
            baseline=found.options.baseline,
            clusters=clusters,
            identical=found.identical,
        )
