"""Comparing what was scored, dataset by dataset: with all that is known of queries and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragscore.blocks import Section, as_markdown
from ragscore.blocks.markdown import heading
from ragscore.comparison.printing import comparison_blocks
from ragscore.dataset.labels import clusters_of, labels
from ragscore.errors import RagscoreError
from ragscore.experiment.result import Result
from ragscore.progress import Progress

if TYPE_CHECKING:
    from ragscore.comparison import CompareOptions, Comparison, DatasetComparison
    from ragscore.comparison.overlap import Overlap
    from ragscore.comparison.slice_model import Slices
    from ragscore.dataset import Qrels, Queries
    from ragscore.run import Run
    from ragscore.scoring import ProfileName, Scores

Latency = Callable[[str, str], float | None]
"""(dataset, retriever) to half of the single queries' time in milliseconds."""
Runs = Callable[[str, str], "Run"]
"""(dataset, retriever) to its run, as the conventions of the scores read it."""


@dataclass(frozen=True)
class Compared:
    """A comparison with what stands beside it.

    Attributes:
        comparison: on each dataset.
        slices: of all datasets; empty where none were asked for.
        overlap: by dataset, of each pair of runs.
    """

    comparison: Comparison
    slices: tuple[Slices, ...]
    overlap: Mapping[str, tuple[Overlap, ...]]

    def blocks(self, *, every_measure: bool = True) -> tuple[Section, ...]:
        """What is printed of each dataset.

        Args:
            every_measure: slices by all measures, not the primary one alone.
        """
        named = len(self.comparison.datasets) > 1
        return tuple(
            comparison_blocks(
                part,
                self.comparison.options,
                named=named,
                slices=[found for found in self.slices if found.dataset == part.dataset],
                overlap=self.overlap.get(part.dataset, ()),
                every_measure=every_measure,
            )
            for part in self.comparison.datasets
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON, in full precision; a number that does not exist is null."""
        from ragscore.comparison.document import ComparisonDocument

        compared = self.comparison
        document = ComparisonDocument(
            compared.options, compared.datasets, self.slices, self.overlap
        )
        return document.to_dict()

    def write(self, folder: Path, name: str) -> None:
        """comparison.json with every digit, and comparison.md for people.

        Args:
            folder: the result.
            name: of the experiment, for the heading.
        """
        from ragscore.results.placing import write_json

        write_json(folder / "comparison.json", self.to_dict())
        title = f"# {heading(name)}: comparison"
        text = f"{title}\n\n{as_markdown(self.blocks())}\n"
        (folder / "comparison.md").write_text(text, encoding="utf-8", newline="\n")


def compared(
    scores: Scores,
    options: CompareOptions,
    *,
    queries: Mapping[str, Queries],
    latency: Latency,
    runs: Runs,
    qrels: Mapping[str, Qrels],
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    titled: Mapping[str, bool] | None = None,
) -> Compared:
    """The comparison on each dataset, its slices, and what pairs of runs find together.

    Args:
        scores: of two retrievers or more.
        options: how.
        queries: by dataset; needed where they are clustered or sliced.
        latency: for the verdict to name what each costs.
        runs: to tell which retrievers returned the same, and for the overlap.
        qrels: for the overlap; a dataset without judgments has none.
        settings: by retriever its spec as in the manifest, and
        titled: by dataset whether any passage has a title, to tell why runs are the same.

    Raises:
        ConfigError: the baseline is not there, there is one retriever only, or the queries do
            not know what they are to be clustered or sliced by.
        DataError: the retrievers were scored on different queries, or on none.
    """
    from ragscore.comparison import Comparison, compare
    from ragscore.comparison.identical import identical_runs
    from ragscore.comparison.overlap import overlaps
    from ragscore.comparison.slices import slices
    from ragscore.scoring import Scores

    parts: list[DatasetComparison] = []
    sliced: list[Slices] = []
    overlap: dict[str, tuple[Overlap, ...]] = {}
    for dataset in scores.datasets:
        part = Scores(tuple(entry for entry in scores.entries if entry.dataset == dataset))
        clusters = None
        if options.cluster is not None:
            clusters = clusters_of(queries[dataset], options.cluster)
        timed = {name: latency(dataset, name) for name in part.retrievers}
        known = {name: value for name, value in timed.items() if value is not None}
        listed = {name: runs(dataset, name).renamed(name) for name in part.retrievers}
        alike = identical_runs(
            listed, part.entries, settings=settings, titled=(titled or {}).get(dataset)
        )
        same = {dataset: alike}
        parts += compare(part, options, clusters=clusters, latency=known, identical=same).datasets
        if options.slices:
            sliced += slices(part, queries[dataset], options=options, clusters=clusters)
        if dataset in qrels:
            overlap[dataset] = overlaps(list(listed.values()), qrels[dataset], part)
    return Compared(Comparison(options, tuple(parts)), tuple(sliced), overlap)


def check_keys(options: CompareOptions, queries: Mapping[str, Queries]) -> None:
    """Refuse a cluster or slice that the queries do not know, before anything is searched.

    Raises:
        ConfigError: no query of a dataset has such a tag or metadata.
    """
    for dataset, asked in queries.items():
        if options.cluster is not None:
            labels(asked, options.cluster, where=f"compare.cluster, {dataset}")
        for key in options.slices:
            labels(asked, key, where=f"compare.slices, {dataset}")


def with_comparison(
    result: Result,
    options: CompareOptions,
    queries: Mapping[str, Queries],
    qrels: Mapping[str, Qrels],
    profile: ProfileName,
    notes: Progress,
    *,
    settings: Mapping[str, Mapping[str, Any]],
    titled: Mapping[str, bool],
) -> Result:
    """The result with the comparison of the retrievers that have a run; what hinders it is
    noted, and costs nothing that was scored.

    Args:
        queries, qrels: by dataset.
        profile: the conventions of the scores.
        notes: is notified of what was left out.
        settings: by retriever its spec as data.
        titled: by dataset whether any passage has a title.
    """
    from ragscore.comparison import Comparison
    from ragscore.scoring import Scores, profile_named

    read = profile_named(profile).run
    for dataset, retriever in result.failures:
        notes.note(f"{dataset}: {retriever} failed and is left out of the comparison")

    def latency(dataset: str, retriever: str) -> float | None:
        timed = result.stages[dataset, retriever].latency
        return timed.p50_ms if timed is not None else None

    parts: list[Compared] = []
    for dataset in result.scores.datasets:
        entries = tuple(entry for entry in result.scores.entries if entry.dataset == dataset)
        if len(entries) < 2:
            continue
        names = [entry.retriever for entry in entries]
        chosen = options
        if options.baseline is not None and options.baseline not in names:
            notes.note(
                f"{dataset}: the baseline {options.baseline} has no run; all pairs are compared"
            )
            chosen = options.model_copy(update={"baseline": None})
        try:
            part = compared(
                Scores(entries),
                chosen,
                queries=queries,
                latency=latency,
                runs=lambda dataset, retriever: read(result.runs[dataset, retriever]),
                qrels=qrels,
                settings=settings,
                titled=titled,
            )
        except RagscoreError as error:
            notes.note(f"{dataset}: not compared: {error}")
        else:
            parts.append(part)
    if not parts:
        return result
    together = Compared(
        Comparison(options, tuple(one for part in parts for one in part.comparison.datasets)),
        tuple(one for part in parts for one in part.slices),
        {dataset: pairs for part in parts for dataset, pairs in part.overlap.items()},
    )
    return replace(result, compared=together)
