"""Result folders beneath a folder, as their manifests, summaries and comparisons describe them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from math import nan
from pathlib import Path

from pydantic import BaseModel

from ragscore.comparison.verdict import Verdict
from ragscore.comparison.verdict_text import verdict_headline
from ragscore.elements import Headline
from ragscore.errors import DataError, MeasureError
from ragscore.estimate import Estimate
from ragscore.files import expanded
from ragscore.gate.record import parse_gate
from ragscore.gate.text import gate_headline
from ragscore.measures import parse_measure
from ragscore.results.layout import COMPARISON, GATE, MANIFEST, SUMMARY
from ragscore.results.manifest import DatasetEntry, Manifest, RetrieverEntry
from ragscore.results.manifest_file import check_files, read_manifest, recorded_bytes
from ragscore.results.summary import RecordedSummary, read_recorded, read_summary

DEEPEST = 6
"""How many levels beneath the folder are searched."""
SIGNS = frozenset({"summary.json", "scores.parquet"})
"""Files that show that a folder held a result, where its manifest is gone."""
NOT_RECORDED = "it is not what a result records"


@dataclass(frozen=True)
class FoundDataset:
    """What a result says of one dataset.

    Attributes:
        entry: what the manifest says of it.
        runs: what it says of the retrievers on it.
        means: by retriever, by measure, the primary first; with bounds where they were compared.
        labels: by measure, as tables print it.
        verdict: the card; None if nothing was compared.
    """

    entry: DatasetEntry
    runs: Mapping[str, RetrieverEntry]
    means: Mapping[str, Mapping[str, Estimate]]
    labels: Mapping[str, str]
    verdict: Headline | None = None


@dataclass(frozen=True)
class FoundResult:
    """A result folder.

    Attributes:
        id: what its address is made of: nothing of the folder's name, and the same every time.
        folder: where it stands.
        place: the same from the folder that was searched, with /.
        stamp: changes when the result does.
        name: of the experiment.
        created: ISO 8601.
        datasets: what it says of each.
        gate: what its gate said; None if it has none.
        problem: why it can't be read; empty if it can.
    """

    id: str
    folder: Path
    place: str
    stamp: tuple[int, ...]
    name: str = ""
    created: str = ""
    datasets: tuple[FoundDataset, ...] = ()
    gate: Headline | None = None
    problem: str = ""


class _RecordedMeasure(BaseModel):
    measure: str
    means: dict[str, Estimate]


class _RecordedDataset(BaseModel):
    dataset: str
    measures: list[_RecordedMeasure]
    verdict: Verdict


class _RecordedComparison(BaseModel):
    """comparison.json: only means and verdicts are read."""

    datasets: list[_RecordedDataset] = []


class Finder:
    """Finds the results beneath a folder, and reads again only what has changed.

    Args:
        top: the folder, or a result folder itself.

    Raises:
        DataError: it is not there, or is no folder.
    """

    def __init__(self, top: str | Path) -> None:
        self.top = expanded(top)
        if not self.top.is_dir():
            what = "it is a file" if self.top.exists() else "no such folder"
            raise DataError(
                what,
                where=str(top),
                instead="Name the folder that holds results; `ragscore run` writes to results/",
            )
        self._known: dict[str, tuple[FoundResult, Manifest | None]] = {}

    def results(self) -> list[FoundResult]:
        """Everything that is there now, the newest first, damaged ones last."""
        known, self._known = self._known, {}
        found = [self._read(folder, known) for folder in _folders(self.top)]
        return sorted(
            found,
            key=lambda result: (not result.problem, result.created, result.place),
            reverse=True,
        )

    def _read(
        self, folder: Path, known: Mapping[str, tuple[FoundResult, Manifest | None]]
    ) -> FoundResult:
        place = folder.relative_to(self.top).as_posix()
        id = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:12]
        found = FoundResult(id, folder, place, _stamp(folder))
        result, manifest = known.get(place, (None, None))
        try:
            if result is None or result.stamp != found.stamp or manifest is None:
                manifest = read_manifest(folder)
                check_files(folder, manifest)
                result = _described(found, manifest)
            else:
                check_files(folder, manifest, content=False)
        except DataError as error:
            return replace(found, problem=_first(error))
        self._known[place] = (result, manifest)
        return result


def _folders(top: Path) -> Iterator[Path]:
    """Folders that hold or held a result; links are not followed, results are not searched."""
    waiting = [(top, 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError:  # it may not be read, or is gone by now
            continue
        names = {entry.name for entry in listed}
        if MANIFEST in names or names >= SIGNS:
            yield folder
        elif depth < DEEPEST:
            waiting += [
                (folder / entry.name, depth + 1)
                for entry in listed
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
            ]


def _stamp(folder: Path) -> tuple[int, ...]:
    """When the files that are read here were written."""
    times = []
    for name in (MANIFEST, SUMMARY, COMPARISON, GATE):
        try:
            times.append((folder / name).lstat().st_mtime_ns)
        except OSError:
            times.append(0)
    return tuple(times)


def _first(error: DataError) -> str:
    """The first problem, without the folder, which is shown beside it."""
    first = error.problems[0]
    file = Path(first.where).name
    return f"{file}: {first.what}" if file else first.what


def _described(found: FoundResult, manifest: Manifest) -> FoundResult:
    def recorded(name: str) -> tuple[bytes, str]:
        return recorded_bytes(found.folder, manifest, name), str(found.folder / name)

    try:
        datetime.fromisoformat(manifest.created)
    except ValueError:
        what = f"created is not a date: {manifest.created!r}"
        raise DataError(what, where=str(found.folder / MANIFEST)) from None
    summary = read_summary(*recorded(SUMMARY))
    compared = {}
    if COMPARISON in manifest.files:
        read = read_recorded(_RecordedComparison, *recorded(COMPARISON), NOT_RECORDED)
        compared = {each.dataset: each for each in read.datasets}
    gated = parse_gate(*recorded(GATE)) if GATE in manifest.files else None
    try:
        return replace(
            found,
            name=manifest.experiment,
            created=manifest.created,
            datasets=tuple(
                _dataset(entry, manifest, summary, compared.get(entry.name))
                for entry in manifest.datasets
            ),
            gate=None if gated is None else gate_headline(gated),
        )
    except (AttributeError, KeyError, TypeError, ValueError, MeasureError) as error:
        what = f"{NOT_RECORDED} ({type(error).__name__}: {error})"
        raise DataError(what, where=str(found.folder / SUMMARY)) from error


def _dataset(
    entry: DatasetEntry,
    manifest: Manifest,
    summary: RecordedSummary,
    compared: _RecordedDataset | None,
) -> FoundDataset:
    bounds = {found.measure: found.means for found in compared.measures} if compared else {}
    means: dict[str, dict[str, Estimate]] = {}
    labels = {}
    for row in summary.results:
        if row.dataset == entry.name:
            measure = str(parse_measure(row.measure))
            of_it = bounds.get(row.measure, {}).get(row.retriever, Estimate(nan))
            means.setdefault(row.retriever, {})[measure] = replace(of_it, value=row.value)
            labels[measure] = row.label
    runs = {run.name: run for run in manifest.retrievers if run.dataset == entry.name}
    if compared is None:
        return FoundDataset(entry, runs, means, labels)
    return FoundDataset(entry, runs, means, labels, verdict_headline(compared.verdict))
