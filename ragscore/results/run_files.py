"""score_runs: plain run files with judgments, as a result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from ragscore.files import expanded
from ragscore.formats import load_run
from ragscore.formats.runs.run_formats import names_of
from ragscore.measures import DEFAULT_MEASURES, Measure
from ragscore.results.manifest import DatasetEntry, Manifest, RetrieverEntry, now
from ragscore.results.memory_parts import MemoryParts
from ragscore.results.result import Result
from ragscore.scoring import LoadedQrels, ProfileName, score


def score_runs(
    paths: Sequence[str | Path],
    qrels_path: str | Path,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    profile: ProfileName = "trec",
    missing: Literal["zero", "drop"] | None = None,
) -> Result:
    """Read run files and score them: a result whose dataset is named after the judgments.

    Args:
        paths: of runs in any format that :func:`~ragscore.formats.load_run` reads.
        qrels_path: judgments, or the folder of a dataset.
        measures: texts or measures.
        profile: see :func:`~ragscore.scoring.score`.
        missing: a judged query that a run lacks scores ``zero``, or is ``drop``ped; by default
            as the profile says.

    Raises:
        DataError: a file is missing or broken, or nothing is judged.
        MeasureError: a measure cannot be parsed.
    """
    judged, listed = LoadedQrels(qrels_path), list(measures)
    name, qrels, data = judged.name, judged.numbered, judged.dataset
    runs = {
        (name, run_name): load_run(path, name=run_name)
        for path, run_name in zip(paths, names_of(paths), strict=True)
    }
    scores = score(list(runs.values()), judged, listed, missing=missing, profile=profile)
    path = str(expanded(qrels_path).resolve())
    entry = (
        DatasetEntry.of(data, name=name, path=path)
        if data
        else DatasetEntry(
            name=name,
            path=path,
            digest=qrels.digest,
            passages=None,
            queries=len(qrels.queries),
            judgments=len(qrels),
            counts={},
        )
    )
    manifest = Manifest(
        schema_version=1,
        experiment=name,
        created=now(),
        profile=profile,
        compare={},
        datasets=(entry,),
        retrievers=tuple(
            RetrieverEntry(dataset=name, name=run_name, status="complete", depth=run.depth)
            for (_, run_name), run in runs.items()
        ),
        files={},
    )
    datasets = {name: data} if data else {}
    return Result(MemoryParts(manifest, scores, runs, datasets, {name: qrels}))


def lacking_queries(result: Result) -> dict[str, frozenset[str]]:
    """By run of :func:`score_runs`: the judged, answerable queries that it does not name."""
    (name,) = result.datasets
    judged = frozenset(result.qrels(name).to_dict())
    if result.parts.is_readable(name):
        judged -= result.dataset(name).queries.unanswerable
    return {run: judged - frozenset(result.run(name, run).queries) for run in result.retrievers}
