"""RunsOfDataset: the runs of a result, a folder or a run file, and the dataset they are of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ragscore.dataset import Dataset, Qrels
from ragscore.errors import RagscoreError
from ragscore.files import expanded
from ragscore.formats import load_run
from ragscore.results.opening import open_result
from ragscore.results.result import Result
from ragscore.run import Run
from ragscore.scoring import LoadedQrels


@dataclass(frozen=True)
class RunsOfDataset:
    """The runs of one side on one dataset.

    Attributes:
        dataset: its name; empty for run files without one.
        digest: of the dataset; empty if it is not known.
        names: of the retrievers.
        run: the run of a retriever.
        data, qrels: the dataset and the judgments; None if they are not known.
        error: why the dataset is not known.
    """

    dataset: str
    digest: str
    names: tuple[str, ...]
    run: Callable[[str], Run] = field(repr=False)
    data: Dataset | None = None
    qrels: Qrels | None = None
    error: RagscoreError | None = None


def is_file(place: object) -> bool:
    """True for the path of a run file; False for a folder, and for what is no path."""
    return isinstance(place, str | Path) and not expanded(place).is_dir()


def place_name(place: Result | Run | str | Path) -> str:
    """What a reader calls a side: its folder or file, else its name."""
    if isinstance(place, Result):
        return place.parts.where or place.name
    return place.name if isinstance(place, Run) else str(place)


def runs_of(place: Result | Run | str | Path, judged: LoadedQrels | None) -> list[RunsOfDataset]:
    """The runs of one side, dataset by dataset.

    Args:
        place: a result or its folder, a run or its file.
        judged: for a run: judgments, which may name a dataset.

    Raises:
        RagscoreError: it cannot be read.
    """
    if isinstance(place, str | Path):
        place = load_run(place) if is_file(place) else open_result(place)
    if isinstance(place, Run):
        run = place
        if judged is None:
            return [RunsOfDataset("", "", (run.name,), lambda name: run)]
        data = judged.dataset
        digest = "" if data is None else data.digest
        return [
            RunsOfDataset(judged.name, digest, (run.name,), lambda name: run, data, judged.numbered)
        ]
    return [recorded_runs(place, name) for name in place.datasets]


def recorded_runs(result: Result, dataset: str) -> RunsOfDataset:
    """The runs of a result on one of its datasets."""
    data = qrels = error = None
    try:
        data = result.dataset(dataset)
        qrels = data.qrels
    except RagscoreError as problem:
        error = problem
    return RunsOfDataset(
        dataset,
        result.parts.dataset_entry(dataset).digest,
        tuple(name for of, name in result.manifest.runs if of == dataset),
        lambda name: result.run(dataset, name),
        data,
        qrels,
        error,
    )
