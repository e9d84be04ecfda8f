"""Result folders beneath a folder, as their manifests, summaries and comparisons describe them."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ragscore.dataset import SampledCorpus
from ragscore.errors import DataError, MeasureError
from ragscore.files import expanded
from ragscore.gate.record import parse_gate
from ragscore.json_data import parse_json
from ragscore.measures import parse_measure
from ragscore.messages import Message, Text, joined
from ragscore.results.layout import COMPARISON, GATE, MANIFEST, SUMMARY
from ragscore.results.manifest import Manifest
from ragscore.results.manifest_file import check_files, read_manifest, recorded_bytes
from ragscore.results.summary import RecordedSummary, read_summary

DEEPEST = 6
"""How many levels beneath the folder are searched."""
SIGNS = frozenset({"summary.json", "scores.parquet"})
"""Files that show that a folder held a result, where its manifest is gone."""


@dataclass(frozen=True)
class Mean:
    """A mean, with its 95 % interval where the retrievers were compared."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class FoundDataset:
    """What a result says of one dataset.

    Attributes:
        name, digest: of the dataset.
        passages, queries: how many.
        retrievers: those with a run.
        failed: those without one.
        unanswered: by retriever with a run: how many queries it did not answer.
        means: by retriever, by measure; the primary measure first.
        state: the verdict's state; empty if nothing was compared.
        verdict: its lines, each with the word before it.
        sample: what the corpus that was searched is a sample of.
    """

    name: str
    digest: str
    passages: int | None
    queries: int
    retrievers: tuple[str, ...]
    failed: tuple[str, ...]
    unanswered: Mapping[str, int]
    means: Mapping[str, Mapping[str, Mean]]
    state: str
    verdict: tuple[tuple[Text, Text], ...]
    sample: SampledCorpus | None = None


@dataclass(frozen=True)
class FoundResult:
    """A result folder.

    Attributes:
        id: what its address is made of: nothing of the folder's name, and the same every time.
        folder: where it stands.
        place: the same from the folder that was searched, with /.
        name: of the experiment.
        created: ISO 8601.
        datasets: what it says of each.
        gate: what its gate said, PASS, FAIL or UNDECIDED; empty if it has none.
        problem: why it can't be read; empty if it can.
        stamp: changes when the result does.
    """

    id: str
    folder: Path
    place: str
    name: str = ""
    created: str = ""
    datasets: tuple[FoundDataset, ...] = ()
    gate: str = ""
    problem: str = ""
    stamp: tuple[int, ...] = ()


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
        stamp = _stamp(folder)
        result, manifest = known.get(place, (None, None))
        try:
            if result is None or result.stamp != stamp or manifest is None:
                manifest = read_manifest(folder)
                check_files(folder, manifest)
                result = _described(FoundResult(id, folder, place, stamp=stamp), manifest)
            else:
                check_files(folder, manifest, content=False)
        except DataError as error:
            return FoundResult(id, folder, place, problem=_first(error), stamp=stamp)
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
    try:
        datetime.fromisoformat(manifest.created)
    except ValueError:
        what = f"created is not a date: {manifest.created!r}"
        raise DataError(what, where=str(found.folder / MANIFEST)) from None
    content = recorded_bytes(found.folder, manifest, SUMMARY)
    summary = read_summary(content, str(found.folder / SUMMARY))
    compared = {}
    if COMPARISON in manifest.files:
        compared = _comparison(found.folder, manifest)
    try:
        return FoundResult(
            found.id,
            found.folder,
            found.place,
            manifest.experiment,
            manifest.created,
            tuple(_datasets(manifest, summary, compared)),
            _gate(found.folder, manifest),
            stamp=found.stamp,
        )
    except (AttributeError, KeyError, TypeError, ValueError, MeasureError) as error:
        what = f"it is not what a result records ({type(error).__name__}: {error})"
        raise DataError(what, where=str(found.folder / SUMMARY)) from error


def _gate(folder: Path, manifest: Manifest) -> str:
    """The verdict of the gate; empty if the result has none."""
    if GATE not in manifest.files:
        return ""
    return parse_gate(recorded_bytes(folder, manifest, GATE), str(folder / GATE)).verdict


def _comparison(folder: Path, manifest: Manifest) -> dict[str, Any]:
    """comparison.json: only means and verdicts are read."""
    path = folder / COMPARISON
    try:
        value = parse_json(recorded_bytes(folder, manifest, COMPARISON))
    except ValueError as error:
        raise DataError(f"it cannot be read: {error}", where=str(path)) from error
    if not isinstance(value, dict):
        raise DataError("it is not a JSON object", where=str(path))
    return value


def _datasets(
    manifest: Manifest, summary: RecordedSummary, compared: Mapping[str, Any]
) -> Iterator[FoundDataset]:
    comparisons = {record["dataset"]: record for record in compared.get("datasets", ())}
    for entry in manifest.datasets:
        comparison = comparisons.get(entry.name, {})
        intervals = {
            (name, measure["measure"]): mean
            for measure in comparison.get("measures", ())
            for name, mean in measure["means"].items()
        }
        means: dict[str, dict[str, Mean]] = {}
        for row in summary.results:
            if row.dataset == entry.name:
                interval = intervals.get((row.retriever, row.measure), {})
                means.setdefault(row.retriever, {})[str(parse_measure(row.measure))] = Mean(
                    row.label,
                    None if math.isnan(row.value) else row.value,
                    _number(interval.get("low")),
                    _number(interval.get("high")),
                )
        of_it = [run for run in manifest.retrievers if run.dataset == entry.name]
        state, verdict = _verdict(comparison.get("verdict"))
        yield FoundDataset(
            name=entry.name,
            digest=entry.digest,
            passages=entry.passages,
            queries=entry.queries,
            retrievers=tuple(run.name for run in of_it if run.status == "complete"),
            failed=tuple(run.name for run in of_it if run.status == "failed"),
            unanswered={run.name: len(run.failed) for run in of_it if run.status == "complete"},
            means=means,
            state=state,
            verdict=verdict,
            sample=entry.sample,
        )


def _verdict(recorded: Mapping[str, Any] | None) -> tuple[str, tuple[tuple[Text, Text], ...]]:
    """The state of a recorded verdict, and its lines."""
    if recorded is None:
        return "", ()
    state = str(recorded["state"])
    return state, tuple(map(_line, recorded["lines"]))


def _line(recorded: Mapping[str, Any]) -> tuple[Text, Text]:
    """The word before a line, and its text."""
    return Message.read(recorded["word"]), joined(map(Message.read, recorded["parts"]))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
