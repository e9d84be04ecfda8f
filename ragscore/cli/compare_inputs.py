"""What ``ragscore compare`` reads: result folders, or run files with judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragscore.cli.options import named_as_flags
from ragscore.errors import ConfigError, DataError
from ragscore.paths import expanded

if TYPE_CHECKING:
    from ragscore.comparison import CompareOptions
    from ragscore.dataset import Dataset, Qrels
    from ragscore.results import RecordedResult
    from ragscore.run import Run
    from ragscore.scoring import Scores


@dataclass(frozen=True)
class Source:
    """What is compared, wherever it comes from.

    Attributes:
        scores: of all retrievers.
        dataset: name to the dataset; raises DataError where it is not known or not the same.
        qrels: name of the dataset to the judgments; the same.
        run: (dataset, retriever) to its run, as the conventions of the scores read it.
        latency: (dataset, retriever) to milliseconds, None where none was timed.
        settings: by retriever its spec as data; empty for run files.
        recorded: the options that the experiment was compared by; of several those that all share.
        notes: what a reader must know.
    """

    scores: Scores
    dataset: Callable[[str], Dataset]
    qrels: Callable[[str], Qrels]
    run: Callable[[str, str], Run]
    latency: Callable[[str, str], float | None]
    recorded: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def given_options(given: Mapping[str, Any], base: CompareOptions | None = None) -> CompareOptions:
    """Options from flags.

    Raises:
        ConfigError: a value that is not allowed, by the flag's name.
    """
    from ragscore.comparison import compare_options

    with named_as_flags():
        return compare_options(base, **given)


def source_of(
    places: Sequence[Path],
    qrels: Path | None,
    measures: Sequence[str] | None,
    *,
    allow_intersect: bool,
) -> Source:
    """The source that the arguments name.

    Raises:
        ConfigError: folders and files are mixed, or --qrels is missing or too much.
        DataError: something cannot be read, or does not belong together.
    """
    folders = [place for place in places if expanded(place).is_dir()]
    if not folders and qrels is None and not any(expanded(place).is_file() for place in places):
        raise DataError(
            "no such folder or file",
            where=str(places[0]),
            instead="Name a folder that `ragscore run` wrote, or run files with --qrels",
        )
    if folders and len(folders) < len(places):
        other = next(place for place in places if place not in folders)
        raise ConfigError(
            "folders and other things are mixed",
            where=str(other),
            instead="Name result folders, or run files with --qrels",
        )
    if folders:
        if qrels is not None:
            raise ConfigError(
                "--qrels: a result folder knows its judgments",
                instead="Leave it out, or name the run files: DIR/runs/NAME.parquet",
            )
        return _of_results(places, measures, allow_intersect)
    if qrels is None:
        raise ConfigError(
            "--qrels is missing: run files do not say what is relevant",
            instead="Add --qrels with judgments or a dataset's folder; or name a folder that "
            "`ragscore run` wrote",
        )
    return _of_runs(places, qrels, measures, allow_intersect)


def _of_runs(
    paths: Sequence[Path], qrels: Path, measures: Sequence[str] | None, allow_intersect: bool
) -> Source:
    from ragscore.measures import DEFAULT_MEASURES
    from ragscore.results import score_runs

    runs = score_runs(paths, qrels, measures or DEFAULT_MEASURES)
    notes = []
    lacking = runs.lacking
    if len(set(lacking.values())) > 1:
        counts = ", ".join(f"{name} lacks {len(queries)}" for name, queries in lacking.items())
        if not allow_intersect:
            raise DataError(
                f"the runs hold different queries: of the judged ones {counts}",
                where=str(qrels),
                instead="Run all on the same queries, or compare on the common ones: "
                "--allow-intersect",
            )
        runs = score_runs(paths, qrels, measures or DEFAULT_MEASURES, missing="drop")
        notes.append(f"of the judged queries {counts}; the common ones are compared")
    elif common := next(iter(lacking.values())):
        notes.append(f"{len(common)} judged queries are in no run; they score 0")
    return Source(
        runs.scores,
        runs.dataset,
        lambda _: runs.qrels,
        runs.run,
        runs.latency_ms,
        {},
        tuple(notes),
    )


def _of_results(
    folders: Sequence[Path], measures: Sequence[str] | None, allow_intersect: bool
) -> Source:
    from ragscore.results import open_result
    from ragscore.scoring import Scores, profile_named

    results = [open_result(folder) for folder in folders]
    opened = [result.folder.resolve() for result in results]
    if len(set(opened)) < len(opened):
        twice = next(folder for folder in opened if opened.count(folder) > 1)
        raise ConfigError("the same result is named twice", where=str(twice))
    notes = [
        f"{dataset}: {retriever} failed in that run and is left out"
        for result in results
        for dataset, retriever in result.failures
    ]
    notes += _fitting(results, allow_intersect)
    agreed = _agreed(results, notes)
    names = _names(results)
    entries, of = [], {}
    for at, result in enumerate(results):
        scores = result.scores if not measures else result.scored(measures)
        for entry in scores.entries:
            name = names[at, entry.retriever]
            of[entry.dataset, name] = (result, entry.retriever)
            entries.append(replace(entry, retriever=name))

    def run(dataset: str, retriever: str) -> Run:
        result, recorded = of[dataset, retriever]
        read = profile_named(result.profile).run
        return read(result.run(dataset, recorded)).renamed(retriever)

    def latency(dataset: str, retriever: str) -> float | None:
        result, recorded = of[dataset, retriever]
        return result.latency_ms(dataset, recorded)

    def dataset(name: str) -> Dataset:
        return next(result for result in results if name in result.datasets).dataset(name)

    return Source(
        Scores(tuple(entries)),
        dataset,
        lambda name: dataset(name).qrels,
        run,
        latency,
        agreed,
        tuple(notes),
        {
            names[at, entry.name]: entry.spec
            for at, result in enumerate(results)
            for entry in result.manifest.retrievers
            if (at, entry.name) in names
        },
    )


def _agreed(results: Sequence[RecordedResult], notes: list[str]) -> dict[str, Any]:
    """The options by which all experiments were compared; of several those that all share,
    without the baseline, whose name need not be there once."""
    first, *others = [result.manifest.compare or {} for result in results]
    agreed = {
        name: value
        for name, value in first.items()
        if not others or (name != "baseline" and all(one.get(name) == value for one in others))
    }
    clustered = {one.get("cluster") for one in (first, *others)}
    if len(clustered) > 1:
        named = " and ".join(sorted(f"'{key}'" for key in clustered if key is not None))
        notes.append(f"not all experiments were clustered by {named}: --cluster says how")
    return agreed


def _fitting(results: Sequence[RecordedResult], allow_intersect: bool) -> list[str]:
    """Refuse results of other data or conventions; notes where that is allowed."""
    notes = []
    first: dict[str, tuple[RecordedResult, str, str]] = {}
    for result in results:
        if result.profile != results[0].profile:
            what = (
                f"{results[0].folder} was scored by the profile '{results[0].profile}' and "
                f"{result.folder} by '{result.profile}'"
            )
            notes.append(_allowed(what, allow_intersect, "Score both by one profile"))
        for entry in result.manifest.datasets:
            size = f"{entry.queries:,} queries and {entry.judgments:,} judgments"
            there, digest, there_size = first.setdefault(entry.name, (result, entry.digest, size))
            if digest != entry.digest:
                what = (
                    f"the dataset '{entry.name}' is not the same in both: {there.folder} has "
                    f"{there_size}, {result.folder} has {size}"
                )
                notes.append(_allowed(what, allow_intersect, "Run both on the same files"))
    return notes


def _allowed(what: str, allow_intersect: bool, instead: str) -> str:
    if not allow_intersect:
        raise DataError(
            what, instead=f"{instead}, or compare on the common queries: --allow-intersect"
        )
    return f"{what}: read the comparison with care"


def _names(results: Sequence[RecordedResult]) -> dict[tuple[int, str], str]:
    """By (place of the result, retriever): a name that is there once."""
    listed = [(at, name) for at, result in enumerate(results) for name in result.retrievers]
    folders = [result.folder.name for result in results]
    if len(set(folders)) < len(folders):
        folders = [result.folder.as_posix() for result in results]
    names = [name for _, name in listed]
    return {
        (at, name): name if names.count(name) == 1 else f"{folders[at]}/{name}"
        for at, name in listed
    }
