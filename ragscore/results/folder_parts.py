"""FolderParts: a result folder, read back; each part when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ragscore.dataset import Dataset, Qrels
from ragscore.errors import DataError
from ragscore.formats import read_parquet_run
from ragscore.results.chunks_file import MAX_CHUNKS, read_chunks
from ragscore.results.layout import (
    CHUNKS,
    EXPERIMENT,
    MANIFEST,
    POOLED,
    SCORES,
    SUMMARY,
    SWEEP,
    SWEEP_VALUES,
    TEXTS,
    TOKEN_BEGINS,
    TOKENS,
    run_file,
)
from ragscore.results.manifest import DatasetEntry, Manifest
from ragscore.results.manifest_file import DAMAGED, recorded_bytes
from ragscore.results.memory_parts import MemoryParts
from ragscore.results.pooled_file import read_pooled
from ragscore.results.recorded_dataset import judged_by_file, recorded_dataset
from ragscore.results.result_parts import ResultParts
from ragscore.results.scores_file import odd_means, read_scores
from ragscore.results.summary import RecordedSummary, read_summary
from ragscore.results.sweep_file import read_sweeps
from ragscore.results.texts_file import read_texts
from ragscore.results.token_begins_file import read_token_begins
from ragscore.results.tokens_file import TokenCounts, read_tokens
from ragscore.run import Run
from ragscore.scoring import RetrieverScores, Scores
from ragscore.sweeps.model import SweptConfigurations


@dataclass(eq=False)
class FolderParts(ResultParts):
    """A result folder.

    Attributes:
        folder: where it stands.
        manifest: what it says of itself.
        known: by digests, datasets that were read; results that are compared mostly share theirs.
    """

    folder: Path
    manifest: Manifest
    known: dict[tuple[str, str | None], Dataset] = field(default_factory=dict)
    _cut: dict[str, Dataset] = field(default_factory=dict, init=False)

    @cached_property
    def scores(self) -> Scores:
        """The recorded value of every query, with the counts behind the means.

        A measure whose mean weighs its queries is measured anew from the run, since the weights
        are not recorded.

        Raises:
            DataError: scores.parquet or summary.json are damaged or do not agree.
        """
        scores, summary = self._as_recorded
        return Scores(tuple(self._weighed(entry, summary) for entry in scores.entries))

    @cached_property
    def plain_scores(self) -> Scores:
        """The scores without the measures whose mean weighs its queries."""
        scores, summary = self._as_recorded
        entries = []
        for entry in scores.entries:
            odd = odd_means(entry, summary)
            entries.append(entry.by([m for m in entry.measures if str(m) not in odd]))
        return Scores(tuple(entries))

    def weighed(self, dataset: str) -> list[str]:
        """The measures on a dataset whose mean weighs its queries."""
        scores, summary = self._as_recorded
        own = (entry for entry in scores.entries if entry.dataset == dataset)
        return list(dict.fromkeys(name for entry in own for name in odd_means(entry, summary)))

    @cached_property
    def _as_recorded(self) -> tuple[Scores, RecordedSummary]:
        summary = read_summary(self._bytes(SUMMARY), self._at(SUMMARY))
        searched = max((entry.queries for entry in self.manifest.datasets), default=0)
        most = len(summary.means) * searched
        scores = read_scores(self._bytes(SCORES), summary, self._at(SCORES), most)
        scored = {(entry.dataset, entry.retriever) for entry in scores.entries}
        complete = set(self.manifest.runs)
        for dataset, retriever in sorted(scored ^ complete):
            listed = (dataset, retriever) in complete
            has, lacks = (MANIFEST, SCORES) if listed else (SCORES, MANIFEST)
            what = f"{has} names {retriever} on {dataset}, and {lacks} does not"
            raise DataError(what, where=self.where, instead=DAMAGED)
        return scores, summary

    def run(self, dataset: str, retriever: str) -> Run:
        """The recorded run, over the passage ids that it names, with its failed queries."""
        entry = self.entry(dataset, retriever)
        name = run_file(dataset, retriever, several=len(self.datasets) > 1)
        run = read_parquet_run(
            self.folder / name,
            name=retriever,
            content=self._bytes(name),
            most_rows=self.dataset_entry(dataset).queries * entry.depth,
        )
        return run.with_failures(entry.failed, leaves_out=entry.leaves_out)

    def token_counts(self, dataset: str) -> TokenCounts | None:
        """The tokens of the passages that came back; the tokenizer itself is never loaded here."""
        return self._token_counts.get(dataset)

    @cached_property
    def _token_counts(self) -> dict[str, TokenCounts]:
        if TOKENS not in self.manifest.files:
            return {}
        return read_tokens(self._bytes(TOKENS), self._at(TOKENS), self._most_returned)

    def swept(self, dataset: str) -> SweptConfigurations | None:
        """What the experiment swept on a dataset; None if it swept nothing."""
        return self._swept.get(dataset)

    def extra_file(self, name: str) -> bytes | None:
        """A file that is kept as it is."""
        return self._bytes(name) if name in self.manifest.files else None

    @cached_property
    def _swept(self) -> dict[str, SweptConfigurations]:
        if SWEEP not in self.manifest.files:
            return {}
        return read_sweeps(
            self._bytes(SWEEP),
            self._bytes(SWEEP_VALUES),
            (self._at(SWEEP), self._at(SWEEP_VALUES)),
            {entry.name: entry.queries for entry in self.manifest.datasets},
        )

    def dataset(self, name: str) -> Dataset:
        """The dataset that was searched, read from where it was."""
        entry = self.dataset_entry(name)
        if entry.digests not in self.known:
            self.known[entry.digests] = recorded_dataset(entry, self.folder, self._pooled(entry))
        dataset = self._chunked(self.known[entry.digests], entry)
        texts = self.returned_texts(name)
        return replace(dataset, returned=texts) if texts else dataset

    def _pooled(self, entry: DatasetEntry) -> list[str]:
        """The passages that a sample holds for its pool alone; nothing is searched again."""
        if entry.sample is None or POOLED not in self.manifest.files:
            return []
        listed = (each.sample.pooled for each in self.manifest.datasets if each.sample is not None)
        return read_pooled(self._bytes(POOLED), entry.name, self._at(POOLED), sum(listed))

    def _chunked(self, dataset: Dataset, entry: DatasetEntry) -> Dataset:
        """The dataset with the chunks that were searched, where its documents were cut."""
        chunkers = {
            name
            for run in self.manifest.retrievers
            if run.dataset == entry.name
            for name in run.chunkers
        }
        if not chunkers:
            return dataset
        if entry.name not in self._cut:
            if dataset.documents is None:
                what = f"{MANIFEST} names chunkers, and the dataset '{entry.name}' has no documents"
                raise DataError(what, where=self.where, instead=DAMAGED)
            passages = sum((part.passages or 0) for part in self.manifest.datasets)
            most = min(passages * len(chunkers), MAX_CHUNKS)
            content, at = self._bytes(CHUNKS), self._at(CHUNKS)
            found = read_chunks(content, entry.name, dataset.documents, at, most)
            if lacking := sorted(chunkers - found.keys()):
                what = f"the chunks of {lacking[0]} are missing"
                raise DataError(what, where=at, instead=DAMAGED)
            if TOKEN_BEGINS in self.manifest.files:
                content, at = self._bytes(TOKEN_BEGINS), self._at(TOKEN_BEGINS)
                tokens = read_token_begins(content, entry.name, dataset.documents, at)
                dataset = replace(dataset, documents=replace(dataset.documents, tokens=tokens))
            self._cut[entry.name] = dataset.chunked(found)
        return self._cut[entry.name]

    def returned_texts(self, dataset: str) -> Mapping[str, str]:
        """The texts that systems returned, by passage id, where the dataset has no corpus."""
        return self._texts.get(dataset, {})

    @cached_property
    def _texts(self) -> dict[str, dict[str, str]]:
        if TEXTS not in self.manifest.files:
            return {}
        return read_texts(self._bytes(TEXTS), self._at(TEXTS), self._most_returned)

    @property
    def _most_returned(self) -> int:
        """Passages that all runs hold at most."""
        entries = self.manifest.retrievers
        return sum(self.dataset_entry(entry.dataset).queries * entry.depth for entry in entries)

    def qrels(self, name: str) -> Qrels:
        """The judgments of a dataset, or of the file that judged it."""
        judged = judged_by_file(self.dataset_entry(name), self.folder)
        return judged if judged is not None else self.dataset(name).qrels

    @cached_property
    def experiment_text(self) -> str:
        """experiment.yaml as it was written; empty if the result has none."""
        if EXPERIMENT not in self.manifest.files:
            return ""
        return self._bytes(EXPERIMENT).decode("utf-8", "replace")

    def share_datasets(self, other: ResultParts) -> None:
        """Read a dataset that both results have once."""
        if isinstance(other, FolderParts):
            other.known.update(self.known)
            self.known = other.known
        elif isinstance(other, MemoryParts):
            held = other.held_datasets.values()
            self.known.update(
                {(data.digest, data.metadata_digest): data.uncut or data for data in held}
            )

    def _at(self, name: str) -> str:
        return str(self.folder / name)

    def _bytes(self, name: str) -> bytes:
        return recorded_bytes(self.folder, self.manifest, name)

    def _weighed(self, entry: RetrieverScores, summary: RecordedSummary) -> RetrieverScores:
        odd = odd_means(entry, summary)
        if not odd:
            return entry
        measured = self.measured(entry.dataset, entry.retriever, entry.measures)
        at = [measured.measures.index(measure) for measure in entry.measures]
        if not np.array_equal(measured.values[at], entry.values, equal_nan=True):
            what = f"the recorded {', '.join(odd)} of {entry.retriever} are not what its run gives"
            raise DataError(what, where=self._at(SCORES))
        return measured
