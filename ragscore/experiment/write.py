"""What stands in a result folder, and what its manifest says."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragscore.cache import Cache
from ragscore.dataset import Dataset
from ragscore.experiment.config.load import resolved_yaml
from ragscore.experiment.model import Experiment
from ragscore.experiment.result import Result
from ragscore.formats import DatasetSpec, TrecExport, write_parquet_run, write_trec_run
from ragscore.progress import SILENT, Progress
from ragscore.results.added import Added
from ragscore.results.layout import (
    EXPERIMENT,
    SCORES,
    SUMMARY,
    SUMMARY_TABLE,
    TOKENS,
    run_file,
)
from ragscore.results.manifest import DatasetEntry, Key, Manifest, RetrieverEntry
from ragscore.results.placing import machine, write_csv, write_folder, write_json
from ragscore.results.stages import package_versions
from ragscore.results.tokens_file import write_tokens


@dataclass(frozen=True, eq=False)
class Loaded:
    """A dataset, the spec it was loaded from, and how many seconds that took."""

    dataset: Dataset
    spec: DatasetSpec
    seconds: float


def manifest_of(
    experiment: Experiment,
    only: Sequence[str] | None,
    datasets: Sequence[Loaded],
    result: Result,
    seconds: float,
) -> Manifest:
    """The manifest of a result; its files come later.

    Args:
        experiment: as it was run.
        only: the names that were chosen of a longer experiment, None where all of it was run.
        datasets: what was searched.
        result: the scores and runs.
        seconds: how long it took in all.
    """
    now = datetime.datetime.now(datetime.UTC)
    added = Added.by(result.scores.measures, experiment.profile)
    return Manifest(
        **({} if added is None else {"added": added}),
        schema_version=1,
        experiment=experiment.name,
        only=tuple(only) if only is not None else None,
        created=now.isoformat(timespec="seconds"),
        seconds=seconds,
        command=tuple(sys.argv),
        config_digest=experiment.digest(),
        profile=experiment.profile,
        compare=experiment.compare.model_dump(mode="json") if experiment.compare else None,
        report=experiment.report.model_dump(mode="json") if experiment.report else None,
        datasets=tuple(_dataset_entry(loaded) for loaded in datasets),
        retrievers=tuple(
            _retriever_entry(experiment, key, result) for key in [*result.runs, *result.failures]
        ),
        notes=result.notes,
        versions=package_versions(),
        machine=machine(),
        files={},
    )


def _dataset_entry(loaded: Loaded) -> DatasetEntry:
    dataset = loaded.dataset
    return DatasetEntry(
        name=dataset.name,
        path=loaded.spec.path,
        spec=loaded.spec.model_dump(mode="json"),
        digest=dataset.digest,
        passages=len(dataset.corpus) if dataset.corpus else None,
        queries=len(dataset.queries),
        judgments=len(dataset.qrels),
        counts=dict(dataset.counts),
        load_seconds=loaded.seconds,
    )


def _retriever_entry(experiment: Experiment, key: Key, result: Result) -> RetrieverEntry:
    dataset, name = key
    spec = experiment.retrievers[name].model_dump(mode="json")
    if key in result.failures:
        error = str(result.failures[key])
        return RetrieverEntry(dataset=dataset, name=name, spec=spec, status="failed", error=error)
    return RetrieverEntry(
        dataset=dataset,
        name=name,
        spec=spec,
        status="complete",
        depth=result.runs[key].depth,
        **vars(result.stages[key]),
    )


def write_result(
    result: Result,
    experiment: Experiment,
    folder: Path,
    manifest: Manifest,
    overwrite: bool,
    cache: Cache | None = None,
    progress: Progress = SILENT,
) -> Result:
    """Write the result folder; the result that is returned knows it and its manifest.

    Args:
        cache: where runs were kept, for the error's sake.

    Raises:
        DiskError: it cannot be written.
    """
    several = len(experiment.datasets) > 1
    described = manifest

    def fill(scratch: Path) -> Manifest:
        nonlocal described
        text = resolved_yaml(experiment)
        (scratch / EXPERIMENT).write_text(text, encoding="utf-8", newline="\n")
        exports = {}
        for key, run in result.runs.items():
            place = scratch / run_file(*key, several=several)
            place.parent.mkdir(parents=True, exist_ok=True)
            frame = run.to_polars()
            write_parquet_run(run, place, frame=frame)
            trec = scratch / run_file(*key, several=several, suffix=".trec")
            exports[key] = write_trec_run(run, trec, frame=frame)
        described = _with_exports(manifest, exports, progress)
        result.per_query().write_parquet(scratch / SCORES, compression="zstd")
        summary = result.summary().to_dict()
        write_json(scratch / SUMMARY, summary)
        header = ["dataset", "retriever", "measure", "label", "value", "queries", "defined"]
        means = [*summary["results"], *summary["averages"]]
        rows = [[mean[name] for name in header] for mean in means]
        write_csv(scratch / SUMMARY_TABLE, header, rows)
        if result.compared is not None:
            result.compared.write(scratch, result.name)
        if result.tunings:
            from ragscore.tuning import TuningDocument

            write_json(scratch / "tuning.json", TuningDocument(tuple(result.tunings)).to_dict())
        if result.token_counts:
            write_tokens(scratch / TOKENS, result.token_counts)
        return described

    kept = "Earlier results are unchanged"
    if cache is not None and cache.persistent and cache.failure is None:
        kept += f", and what was searched is in {cache.root}: the next run goes on from it"
    written = write_folder(folder, fill, overwrite=overwrite, kept=kept)
    return replace(result, notes=described.notes, folder=written, manifest=described)


def _with_exports(
    manifest: Manifest, exports: Mapping[Key, TrecExport], progress: Progress
) -> Manifest:
    """The manifest with what became of each run's TREC file."""
    entries, notes = [], list(manifest.notes)
    for entry in manifest.retrievers:
        export = exports.get(entry.key)
        entries.append(entry if export is None else entry.model_copy(update={"trec": export}))
        if export is not None and not export.written:
            notes.append(f"{entry.dataset}, {entry.name}: no TREC file: {export.reason}")
            progress.note(notes[-1])
    return manifest.model_copy(update={"retrievers": tuple(entries), "notes": tuple(notes)})
