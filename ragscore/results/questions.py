"""compare(), tune(), power(): asked of a result wherever it comes from, or of scores, runs and
datasets in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack, overload

from ragscore.comparison import comparing
from ragscore.comparison.comparing import Comparison
from ragscore.comparison.options import CompareChanges, CompareOptions
from ragscore.comparison.power_analysis import (
    DatasetPower,
    Power,
    PowerOptions,
    power_of_dataset,
    power_of_scores,
)
from ragscore.dataset import Dataset
from ragscore.dataset.judged_units import AnyUnit
from ragscore.dataset.labels import clusters_of
from ragscore.errors import ConfigError
from ragscore.files import expanded
from ragscore.formats import DatasetSpec, load_dataset
from ragscore.measures import parse_measures
from ragscore.results.layout import MANIFEST
from ragscore.results.opening import open_result, result_at
from ragscore.results.result import Result
from ragscore.run import Run
from ragscore.scoring import ProfileName, Scores
from ragscore.tuning import choose
from ragscore.tuning.options import TuneChanges, TuneOptions
from ragscore.tuning.record import Tuning
from ragscore.tuning.tuning_input import AnyJudgments, TokenCounter


def compare(
    source: Result | Scores | str | Path | Sequence[str | Path],
    options: CompareOptions | None = None,
    *,
    qrels: str | Path | None = None,
    clusters: Mapping[str, str] | None = None,
    latency: Mapping[str, float] | None = None,
    **changes: Unpack[CompareChanges],
) -> Comparison:
    """Compare retrievers on each dataset: which is better, by how much, and how sure that is.

    Args:
        source: a result, its folder, or several folders; scores of two retrievers or more on the
            same queries; or run files.
        options: how to compare; by default the experiment's options, for scores the defaults.
        qrels: for run files: judgments, or the folder of their dataset.
        clusters: for scores: query id to the name of its cluster, where queries belong together
            (on one document, from one user); clusters are then the unit of every statistic. A
            result knows its queries: name the tag or metadata key, ``cluster="document"``.
        latency: for scores: milliseconds per query by retriever, for ties that cost decides.
        changes: single options: ``compare(result, baseline="bm25", margin=0.02)``.

    Raises:
        ConfigError: an option is wrong, the baseline is absent, a measure is missing for one
            retriever, or there is nothing to compare.
        DataError: something cannot be read; retrievers were scored on different queries or by
            different judgments; no query is common; or clusters don't fit.

    >>> from ragscore import Scores, score
    >>> qrels = {f"q{n}": ["a"] for n in range(18)}
    >>> found = {query: ["a"] for query in qrels}
    >>> scores = Scores.joined([
    ...     score({**found, "q1": ["x"]}, qrels, ["Success@1"], retriever="bm25"),
    ...     score({**found, "q1": ["x"], "q2": ["x"]}, qrels, ["Success@1"], retriever="dense"),
    ... ])
    >>> print(compare(scores).datasets[0].verdict)
    Not decided. Use bm25 for now: the best mean of 2 retrievers, Success@1 0.944 [0.742, 0.990].
    Sure: nothing yet.
    Open: bm25 or dense: bm25 leads by 0.056; 1 of 18 questions differ.
    To settle: more questions; too few differ to say how many.
    """
    if isinstance(source, Scores):
        if qrels is not None:
            raise ConfigError("scores are already judged", where="qrels", instead="Leave it out")
        return comparing.compare(source, options, clusters=clusters, latency=latency, **changes)
    for name, given in (("clusters", clusters), ("latency", latency)):
        if given is not None:
            raise ConfigError("a result has its own", where=name, instead="Leave it out")
    # All fields of the options given, so that none is the experiment's.
    chosen: dict[str, Any] = {**(dict(options) if options is not None else {}), **changes}
    if not isinstance(source, Result):
        allow = chosen.get("allow_intersect", False)
        source = result_at(source, qrels, allow_intersect=allow)
    return source.comparison(**chosen)


@overload
def tune(
    source: Run,
    judged: AnyJudgments,
    options: TuneOptions | None = None,
    *,
    dataset: str | None = None,
    profile: ProfileName | None = None,
    count_tokens: TokenCounter | None = None,
    **changes: Unpack[TuneChanges],
) -> Tuning: ...


@overload
def tune(
    source: Result | str | Path | Sequence[str | Path],
    judged: DatasetSpec | str | Path | None = None,
    options: TuneOptions | None = None,
    *,
    retrievers: Sequence[str] = (),
    profile: ProfileName | None = None,
    unit: AnyUnit | None = None,
    count_tokens: TokenCounter | None = None,
    **changes: Unpack[TuneChanges],
) -> list[Tuning]: ...


def tune(
    source: Run | Result | str | Path | Sequence[str | Path],
    judged: AnyJudgments | DatasetSpec | str | Path | None = None,
    options: TuneOptions | None = None,
    *,
    retrievers: Sequence[str] = (),
    dataset: str | None = None,
    profile: ProfileName | None = None,
    unit: AnyUnit | None = None,
    count_tokens: TokenCounter | None = None,
    **changes: Unpack[TuneChanges],
) -> Tuning | list[Tuning]:
    """Choose how many passages to take: for one run, or for every retriever of a result.

    Args:
        source: a run; a result or its folder; or run files.
        judged: for a run: a Dataset; or judgments alone, but then there are no tags, no texts and
            no unanswerable queries. For run files: the folder of a dataset, or judgments.
        options: the rule and all else; without a rule nothing is recommended. For a result, by
            default the experiment's options.
        retrievers: for a result or run files: names; by default all.
        dataset: for a run: a name for tables; by default the dataset's.
        profile: for a run or run files: conventions, as for :func:`~ragscore.score`; by default
            ``trec``.
        unit: for run files: what the judgments of the dataset's folder name in place of passages,
            such as ``metadata.document``.
        count_tokens: for a budget of tokens: the function that counts them, such as
            ``ragscore.token_counter("my_module:count")``, which runs that code. The name in the
            options alone imports nothing.
        changes: single options: ``tune(run, qrels, rule="recall", target=0.9)``.

    Returns:
        One tuning for a run; for anything else a list, dataset by dataset.

    Raises:
        DataError: fewer than two queries are judged, nothing is relevant, or nothing came back;
            something cannot be read.
        ConfigError: an option needs what is missing: texts, tags, scores, more depth; a name is
            unknown.

    >>> run = Run.from_dict({"a": ["x", "y", "z"], "b": ["x", "z", "y"]})
    >>> found = tune(run, {"a": ["x"], "b": ["z"]}, rule="recall", target=0.9)
    >>> found.k, str(found.rule)
    (2, 'smallest k with recall at least 0.9')
    """
    if unit is not None and isinstance(source, Run | Result):
        raise ConfigError(
            "a Dataset and a result have units of their own",
            where="unit",
            instead="Leave it out, or give the run's file and the dataset's folder",
        )
    if isinstance(source, Run):
        if judged is None or isinstance(judged, str | Path | DatasetSpec):
            raise ConfigError(
                "a run in memory is judged by judgments in memory",
                where="judged",
                instead="Give load_dataset(...), load_qrels(...), or the run's file",
            )
        return choose.tune(
            source,
            judged,
            options,
            dataset=dataset,
            profile=profile or "trec",
            count_tokens=count_tokens,
            **changes,
        )
    if isinstance(source, Result):
        if judged is not None:
            raise ConfigError("a result has its own judgments", where="judged")
        result = source
    else:
        if judged is not None and not isinstance(judged, str | Path | DatasetSpec):
            raise ConfigError(
                "files of runs are judged by files",
                where="judged",
                instead="Give the folder of a dataset or a file of judgments",
            )
        result = result_at(source, judged, ["P@1"], profile=profile, same_queries=False, unit=unit)
    return result.tune(options, retrievers=retrievers, count_tokens=count_tokens, **changes)


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
        difference: a difference that would matter, above 0, and no more than 1 on measures from 0
            to 1: the chance of detecting it is computed too.
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
    With 50 judged queries you can detect a difference of at least 0.153 (80 % power).
    """
    options = PowerOptions(difference, comparisons, sd)
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
