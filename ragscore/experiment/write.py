"""What stands in a result folder, and what its manifest says."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ragscore.cache import Cache
from ragscore.dataset import Dataset
from ragscore.experiment.model import Experiment, resolved_yaml
from ragscore.experiment.record import machine, write_csv, write_folder, write_json
from ragscore.experiment.result import Key, Result
from ragscore.experiment.stages import package_versions
from ragscore.formats import DatasetSpec, TrecExport, write_parquet_run, write_trec_run
from ragscore.progress import SILENT, Progress
from ragscore.results.tokens_file import TOKENS, write_tokens


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
) -> dict[str, Any]:
    """The manifest of a result; digests of files come later.

    Args:
        experiment: as it was run.
        only: the names that were chosen of a longer experiment, None where all of it was run.
        datasets: what was searched.
        result: the scores and runs.
        seconds: how long it took in all.
    """
    now = datetime.datetime.now(datetime.UTC)
    return {
        "schema": 1,
        "experiment": experiment.name,
        "only": list(only) if only is not None else None,
        "created": now.isoformat(timespec="seconds"),
        "seconds": seconds,
        "command": sys.argv,
        "config_digest": experiment.digest(),
        "profile": experiment.profile,
        "compare": experiment.compare.model_dump(mode="json") if experiment.compare else None,
        "report": experiment.report.model_dump(mode="json") if experiment.report else None,
        "datasets": [
            {
                "name": loaded.dataset.name,
                "path": loaded.spec.path,
                "spec": loaded.spec.model_dump(mode="json"),
                "digest": loaded.dataset.digest,
                "passages": len(loaded.dataset.corpus) if loaded.dataset.corpus else None,
                "queries": len(loaded.dataset.queries),
                "judgments": len(loaded.dataset.qrels),
                "counts": dict(loaded.dataset.counts),
                "load_seconds": loaded.seconds,
            }
            for loaded in datasets
        ],
        "retrievers": [
            _retriever_entry(experiment, key, result) for key in [*result.runs, *result.failures]
        ],
        "notes": list(result.notes),
        "versions": package_versions(),
        "machine": machine(),
    }


def _retriever_entry(experiment: Experiment, key: Key, result: Result) -> dict[str, Any]:
    dataset, name = key
    spec = experiment.retrievers[name].model_dump(mode="json")
    entry: dict[str, Any] = {"dataset": dataset, "name": name, "spec": spec}
    if key in result.failures:
        return {**entry, "status": "failed", "error": str(result.failures[key])}
    depth, stages = result.runs[key].depth, asdict(result.stages[key])
    return {**entry, "status": "complete", "depth": depth, **stages}


def write_result(
    result: Result,
    experiment: Experiment,
    folder: Path,
    manifest: dict[str, Any],
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

    def fill(scratch: Path) -> None:
        text = resolved_yaml(experiment)
        (scratch / "experiment.yaml").write_text(text, encoding="utf-8", newline="\n")
        exports = {}
        for (dataset, retriever), run in result.runs.items():
            place = scratch / "runs" / dataset if several else scratch / "runs"
            place.mkdir(parents=True, exist_ok=True)
            frame = run.to_polars()
            write_parquet_run(run, place / f"{retriever}.parquet", frame=frame)
            trec = place / f"{retriever}.trec"
            exports[dataset, retriever] = write_trec_run(run, trec, frame=frame)
        _describe_exports(manifest, exports, progress)
        result.per_query().write_parquet(scratch / "scores.parquet", compression="zstd")
        summary = result.summary()
        write_json(scratch / "summary.json", summary.model_dump(mode="json", by_alias=True))
        header = ["dataset", "retriever", "measure", "label", "value", "queries", "defined"]
        means = [*summary.results, *summary.averages]
        rows = [[getattr(mean, name) for name in header] for mean in means]
        write_csv(scratch / "summary.csv", header, rows)
        if result.compared is not None:
            result.compared.write(scratch, result.name)
        if result.tunings:
            from ragscore.tuning import tuning_document

            write_json(scratch / "tuning.json", tuning_document(result.tunings))
        if result.token_counts:
            write_tokens(scratch / TOKENS, result.token_counts)

    kept = "Earlier results are unchanged"
    if cache is not None and cache.persistent and cache.failure is None:
        kept += f", and what was searched is in {cache.root}: the next run goes on from it"
    written = write_folder(folder, fill, manifest, overwrite=overwrite, kept=kept)
    return replace(result, notes=tuple(manifest["notes"]), folder=written, manifest=manifest)


def _describe_exports(
    manifest: dict[str, Any], exports: Mapping[Key, TrecExport], progress: Progress
) -> None:
    for entry in manifest["retrievers"]:
        export = exports.get((entry["dataset"], entry["name"]))
        if export is None:
            continue
        entry["trec"] = {
            "written": export.written,
            "reason": export.reason,
            "scores": export.scores,
        }
        if not export.written:
            note = f"{entry['dataset']}, {entry['name']}: no TREC file: {export.reason}"
            manifest["notes"].append(note)
            progress.note(note)
