"""write_result: the files of a result folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import ragscore.sweeps
from ragscore.cache import Cache
from ragscore.comparison.comparing import Comparison
from ragscore.dataset import Chunkings
from ragscore.elements import as_markdown
from ragscore.elements.show import heading
from ragscore.elements.table_files import CAVEAT
from ragscore.file_names import file_stem
from ragscore.formats import DatasetSpec, TrecExport, write_dataset
from ragscore.messages import _
from ragscore.progress import Progress
from ragscore.results.chunks_file import write_chunks
from ragscore.results.folder_parts import FolderParts
from ragscore.results.folder_writing import write_csv, write_folder, write_json
from ragscore.results.kept_files import KeptFiles
from ragscore.results.layout import (
    CHUNKS,
    COMPARISON,
    COMPARISON_TEXT,
    DATASETS,
    EXPERIMENT,
    EXTRA,
    POOLED,
    SCORES,
    SUMMARY,
    SUMMARY_TABLE,
    SWEEP,
    SWEEP_VALUES,
    TEXTS,
    TOKEN_BEGINS,
    TOKENS,
    run_file,
)
from ragscore.results.manifest import DatasetEntry, Key, Manifest
from ragscore.results.pooled_file import write_pooled
from ragscore.results.result_facts import ResultFacts
from ragscore.results.texts_file import write_texts
from ragscore.results.token_begins_file import write_token_begins
from ragscore.results.tokens_file import write_tokens


def write_result(
    result: ResultFacts,
    comparison: Comparison | None,
    sweeps: Sequence[ragscore.sweeps.SweepResult],
    folder: Path,
    *,
    overwrite: bool,
    progress: Progress,
    kept: str,
    cache: Cache | None = None,
) -> FolderParts:
    """Write a result into a folder.

    Args:
        result: with its runs and scores.
        comparison: of its retrievers; None if there is none.
        sweeps: on each dataset; empty if nothing was swept.
        folder: a free place, or a result that may be replaced.
        overwrite: whether it may be.
        progress: receives runs that no TREC file can hold.
        kept: what an error says is whole all the same.
        cache: keeps files that a later result copies; None keeps none.

    Raises:
        DiskError: it cannot be written.
    """
    files = KeptFiles(cache, progress)

    def fill(scratch: Path) -> Manifest:
        if result.experiment_text:
            _write_text(scratch / EXPERIMENT, result.experiment_text)
        manifest = _with_exports(result.manifest, _write_runs(result, scratch, files), progress)
        entries = tuple(_recorded_dataset(result, entry, scratch) for entry in manifest.datasets)
        manifest = manifest.model_copy(update={"datasets": entries})
        files.write_scores(result.scores, scratch / SCORES)
        summary = result.summary()
        write_json(scratch / SUMMARY, summary.to_dict())
        header = ["dataset", "retriever", "measure", "label", "value", "queries", "defined"]
        means = [*summary.results, *summary.averages]
        rows = [[getattr(mean, name) for name in header] for mean in means]
        caveats = [str(entry.sample.caveat()) if entry.sample else "" for entry in entries]
        if any(caveats):
            of_dataset = dict(zip((entry.name for entry in entries), caveats, strict=True))
            # An average over datasets rests on each of them.
            together = " ".join(filter(None, caveats))
            for row, mean in zip(rows, means, strict=True):
                row.append(of_dataset.get(mean.dataset, together))
            header.append(CAVEAT)
        write_csv(scratch / SUMMARY_TABLE, [header, *rows])
        if comparison is not None:
            write_json(scratch / COMPARISON, comparison.to_dict())
            title = f"# {heading(result.name)}: comparison"
            text = f"{title}\n\n{as_markdown(comparison.elements())}\n"
            _write_text(scratch / COMPARISON_TEXT, text)
        for name in EXTRA:
            if (content := result.parts.extra_file(name)) is not None:
                (scratch / name).write_bytes(content)
        if sweeps:
            document = ragscore.sweeps.SweepDocument(tuple(sweeps))
            write_json(scratch / SWEEP, document.to_dict())
            files.write_sweeps([found.swept for found in sweeps], scratch / SWEEP_VALUES)
        counts = {name: result.parts.token_counts(name) for name in result.datasets}
        if known := {name: count for name, count in counts.items() if count is not None}:
            write_tokens(scratch / TOKENS, known)
        if pooled := _pooled(result, entries):
            write_pooled(scratch / POOLED, pooled)
        if cut := _chunkings(result):
            write_chunks(scratch / CHUNKS, cut)
            begins = {name: found.documents.tokens for name, found in cut.items()}
            if any(begins.values()):
                write_token_begins(scratch / TOKEN_BEGINS, begins)
        texts = {name: result.parts.returned_texts(name) for name in result.datasets}
        if any(texts.values()):
            write_texts(scratch / TEXTS, texts)
        return manifest

    return write_folder(folder, fill, overwrite=overwrite, kept=kept)


def _pooled(result: ResultFacts, entries: Sequence[DatasetEntry]) -> dict[str, Sequence[str]]:
    """By dataset of which a sample with a pool was searched: the passages that it holds for the
    pool alone. Reading the result searches nothing, and a dataset in the folder has them."""
    return {
        entry.name: result.dataset(entry.name).pooled
        for entry in entries
        if entry.sample is not None and entry.sample.pool and not entry.in_folder
    }


def _chunkings(result: ResultFacts) -> dict[str, Chunkings]:
    """By dataset whose documents were cut, its chunks."""
    cut = {entry.dataset for entry in result.manifest.retrievers if entry.chunkers}
    found = {name: result.dataset(name).chunkings for name in result.datasets if name in cut}
    return {name: chunkings for name, chunkings in found.items() if chunkings is not None}


def _write_runs(result: ResultFacts, scratch: Path, files: KeptFiles) -> dict[Key, TrecExport]:
    """The runs as Parquet and, as far as it can hold them, in the TREC format."""
    several, exports = len(result.datasets) > 1, {}
    for key, run in result.runs.items():
        place = scratch / run_file(*key, several=several)
        place.parent.mkdir(parents=True, exist_ok=True)
        trec = scratch / run_file(*key, several=several, suffix=".trec")
        exports[key] = files.write_run(run, place, trec)
    return exports


def _with_exports(
    manifest: Manifest, exports: Mapping[Key, TrecExport], progress: Progress
) -> Manifest:
    """The manifest with what became of each run's TREC file."""
    entries, notes = [], list(manifest.notes)
    missing: dict[tuple[str, str | None], list[str]] = {}
    for entry in manifest.retrievers:
        export = exports.get(entry.key)
        entries.append(entry if export is None else entry.model_copy(update={"trec": export}))
        if export is not None and not export.written:
            missing.setdefault((entry.dataset, export.reason), []).append(entry.name)
    for (dataset, reason), names in missing.items():
        retrievers = {"dataset": dataset, "retriever": ", ".join(names)}
        note = _("{dataset}, {retriever}: no TREC file: {reason}", **retrievers, reason=reason)
        if note not in notes:  # of a result that is saved again
            notes.append(note)
            progress.note(note)
    return manifest.model_copy(update={"retrievers": tuple(entries), "notes": tuple(notes)})


def _recorded_dataset(result: ResultFacts, entry: DatasetEntry, scratch: Path) -> DatasetEntry:
    """The entry of a dataset; one whose rows were given in Python is written into the folder, so
    that whoever opens the result has it."""
    if entry.path and not entry.in_folder:
        return entry
    dataset = result.dataset(entry.name)
    dataset = dataset.uncut or dataset
    path = f"{DATASETS}{file_stem(entry.name)}"
    write_dataset(dataset, scratch / path)
    spec = DatasetSpec(
        path=path,
        format="jsonl",
        name=entry.name,
        allow_missing=True,
        drop_self=dataset.drop_self,
        forbidden=dataset.qrels.rules,
        coverage=dataset.coverage,
        together=dataset.together,
        corpus=dataset.corpus is not None or dataset.documents is not None,
        unit=None if dataset.qrels.units is None else dataset.qrels.units.unit,
    )
    update = {"path": path, "spec": spec.model_dump(mode="json"), "in_folder": True}
    return entry.model_copy(update=update)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
