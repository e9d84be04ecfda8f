"""The result that paths name: a folder or several, or run files with judgments."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from ragscore.dataset import Dataset
from ragscore.dataset.judged_units import AnyUnit
from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError, DataError
from ragscore.files import expanded
from ragscore.formats import DatasetSpec, load_run
from ragscore.formats.runs.run_formats import names_of
from ragscore.measures import DEFAULT_MEASURES, Measure
from ragscore.messages import _, joined
from ragscore.results.folder_parts import FolderParts
from ragscore.results.joined_parts import joined_parts
from ragscore.results.layout import MANIFEST
from ragscore.results.manifest import DatasetEntry, Manifest, RetrieverEntry, now
from ragscore.results.manifest_file import check_files, read_manifest
from ragscore.results.memory_parts import MemoryParts
from ragscore.results.recorded_dataset import check_searched
from ragscore.results.result import Result
from ragscore.scoring import LoadedQrels, ProfileName, profile_named, score

STAMPED = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)(?:-\d+)?", re.ASCII)
"""A folder's name where no other was asked for: when it was made, in UTC."""


def open_result(folder: str | Path, *, datasets: Mapping[str, Dataset] | None = None) -> Result:
    """Open a result that ``ragscore run`` or :meth:`Result.save` wrote; scores, runs and datasets
    are read when they are first used.

    Args:
        folder: the result, or a folder of results such as ``results/NAME``, of which the newest
            is opened; older ones may be damaged.
        datasets: datasets that are already in memory, by name.

    Raises:
        DataError: it is not a result folder, or files of it are missing or have another length.

    >>> import tempfile
    >>> from ragscore import evaluate
    >>> faq = {"passages": {"p1": "Rent is due."}, "queries": {"q1": "When?"},
    ...        "ground_truth": {"q1": ["p1"]}}
    >>> result = evaluate(faq, {"mine": lambda query, k: ["p1"]}, ["RR"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = result.save(Path(folder, "first"))
    ...     open_result(Path(folder, "first")).to_dict()
    {'dataset': {'mine': {'RR': 1.0}}}
    """
    folder = expanded(folder)
    if not os.path.lexists(folder / MANIFEST):
        folder = _newest(folder)
    manifest = read_manifest(folder)
    check_files(folder, manifest)
    parts = FolderParts(folder, manifest)
    for name, dataset in (datasets or {}).items():
        entry = parts.dataset_entry(name)
        check_searched(dataset, entry, folder)
        parts.known[entry.digests] = dataset
    return Result(parts)


def _newest(folder: Path) -> Path:
    complete = [
        path.parent for path in folder.glob(f"*/{MANIFEST}") if not path.parent.name.startswith(".")
    ]
    if not complete:
        if not folder.exists():
            what = "no such folder"
        elif folder.is_dir():
            what = f"this folder holds no result: it has no {MANIFEST}"
        else:
            what = "it is a file, but a result is a folder"
        raise DataError(
            what,
            where=str(folder),
            instead="Name a folder that `ragscore run` wrote, such as results/NAME",
        )
    created: dict[Path, str] = {}
    damaged: dict[Path, DataError] = {}
    for path in complete:
        try:
            created[path] = read_manifest(path).created
        except DataError as error:
            created[path], damaged[path] = _written_about(path), error
    complete.sort(key=lambda path: (created[path], path not in damaged, path.name))
    if complete[-1] in damaged:
        refusal = damaged[complete[-1]]
        sound = [path for path in complete if path not in damaged]
        other = f"; the newest that is sound is {sound[-1]}" if sound else ""
        refusal.add_hint(f"It is the newest result there{other}")
        raise refusal
    return complete[-1]


def _written_about(folder: Path) -> str:
    """When a result whose manifest cannot be read was made: ISO 8601, in UTC."""
    stamp = STAMPED.fullmatch(folder.name)
    if stamp is not None:
        return "{}-{}-{}T{}:{}:{}+00:00".format(*stamp.groups())
    oldest = min(path.lstat().st_mtime for path in folder.iterdir())
    return f"{np.datetime64(int(oldest), 's')}+00:00"  # of any number, unlike datetime


def result_at(
    places: str | Path | Sequence[str | Path],
    qrels: str | Path | DatasetSpec | None = None,
    measures: Sequence[str | Measure] = (),
    *,
    unit: AnyUnit | None = None,
    profile: ProfileName | None = None,
    allow_intersect: bool = False,
    same_queries: bool = True,
) -> Result:
    """What paths name, as one result; its notes are for the user.

    Args:
        places: a folder of a result, or several; or run files.
        qrels: judgments of run files, or the folder of their dataset, or how that is read.
        measures: what all are scored by; by default what was recorded, or the usual ones.
        unit: what the judgments of the dataset's folder name in place of passages.
        profile: of run files, conventions as for :func:`~ragscore.score`; by default ``trec``.
        allow_intersect: take what only shares some queries, with a note.
        same_queries: run files must hold the same judged queries.

    Raises:
        ConfigError: folders and files are mixed, or ``qrels`` is missing or too much.
        DataError: something cannot be read, or does not belong together.
    """
    listed = [places] if isinstance(places, str | Path) else places
    paths = [expanded(place) for place in listed]
    folders = [path for path in paths if path.is_dir() and not _of_parts(path, qrels)]
    for path in paths:
        if not path.exists():
            raise DataError(
                "no such file or folder",
                where=str(path),
                instead="Name a folder that `ragscore run` wrote, or run files and judgments",
            )
    if folders and len(folders) < len(paths):
        other = next(path for path in paths if path not in folders)
        raise ConfigError(
            "result folders and other paths are mixed",
            where=str(other),
            instead="Name result folders, or run files with their judgments",
        )
    if folders:
        _refuse(qrels=qrels, profile=profile, unit=unit)
        return _of_results(paths, measures, allow_intersect)
    if qrels is None:
        raise ConfigError(
            "run files do not say what is relevant, and no judgments are given",
            where="qrels",
            instead="Give judgments or a dataset's folder; or name a folder that `ragscore run` "
            "wrote",
        )
    chosen = profile or "trec"
    profile_named(chosen, load=True)
    if not same_queries:
        return score_runs(paths, qrels, measures or DEFAULT_MEASURES, profile=chosen, unit=unit)
    return _of_runs(paths, qrels, measures, chosen, allow_intersect, unit)


def _of_parts(folder: Path, qrels: object) -> bool:
    """Whether a folder can only hold the parts of a run: judgments are given, and it is no
    result."""
    return qrels is not None and not (folder / MANIFEST).exists()


def _refuse(**given: object) -> None:
    """Refuse for a result what it knows itself."""
    known = {"qrels": "judgments", "profile": "profile", "unit": "judged unit"}
    for option, value in given.items():
        if value is not None:
            raise ConfigError(
                f"a result folder has its own {known[option]}",
                where=option,
                instead="Leave it out, or name the run files: DIR/runs/NAME.parquet",
            )


def _of_runs(
    paths: Sequence[Path],
    qrels: str | Path | DatasetSpec,
    measures: Sequence[str | Measure],
    profile: ProfileName,
    allow_intersect: bool,
    unit: AnyUnit | None,
) -> Result:
    wanted = measures or DEFAULT_MEASURES
    result = score_runs(paths, qrels, wanted, profile=profile, unit=unit)
    lacking = lacking_queries(result)
    if len(set(lacking.values())) > 1:
        counts = [
            _("{run} lacks {count}", run=name, count=count_text(len(queries)))
            for name, queries in lacking.items()
        ]
        if not allow_intersect:
            raise DataError(
                f"the runs hold different queries: of the judged ones {joined(counts, ', ')!s}",
                where=str(_place(qrels)),
                instead="Run all on the same queries, or compare on the common ones: "
                "--allow-intersect",
            )
        result = score_runs(paths, qrels, wanted, profile=profile, missing="drop", unit=unit)
        note = _(
            "judged queries are missing from runs ({counts}); the common ones are compared",
            counts=joined(tuple(counts), ", "),
        )
        return result.reported(notes=[note])
    if common := next(iter(lacking.values())):
        note = _(
            "{count} judged queries are in no run; they score 0", count=count_text(len(common))
        )
        return result.reported(notes=[note])
    return result


def _of_results(
    folders: Sequence[Path], measures: Sequence[str | Measure], allow_intersect: bool
) -> Result:
    opened = [open_result(folder).parts for folder in folders]
    return Result(joined_parts(opened, measures, allow_intersect=allow_intersect))


def score_runs(
    paths: Sequence[str | Path],
    qrels_path: str | Path | DatasetSpec,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    profile: ProfileName = "trec",
    missing: Literal["zero", "drop"] | None = None,
    unit: AnyUnit | None = None,
) -> Result:
    """Read run files and score them: a result whose dataset is named after the judgments.

    Args:
        paths: of runs in any format that :func:`~ragscore.formats.load_run` reads.
        qrels_path: judgments, or the folder of a dataset, or how that is read.
        measures: texts or measures.
        profile: see :func:`~ragscore.scoring.score`.
        missing: a judged query that a run lacks scores ``zero``, or is ``drop``ped; by default
            as the profile says.
        unit: what the judgments of the dataset's folder name in place of passages:
            ``metadata.document``, or the options of
            :class:`~ragscore.dataset.judged_units.JudgedUnit`.

    Raises:
        ConfigError: a unit, and no dataset's folder.
        DataError: a file is missing or broken, or nothing is judged.
        MeasureError: a measure cannot be parsed.
    """
    judged, listed = LoadedQrels(qrels_path, unit=unit), list(measures)
    name, qrels, data = judged.name, judged.numbered, judged.dataset
    runs = {
        (name, run_name): load_run(path, name=run_name)
        for path, run_name in zip(paths, names_of(paths), strict=True)
    }
    scores = score(list(runs.values()), judged, listed, missing=missing, profile=profile)
    path = str(_place(qrels_path).resolve())
    spec = qrels_path.model_dump(mode="json") if isinstance(qrels_path, DatasetSpec) else None
    entry = (
        DatasetEntry.of(data, name=name, path=path, spec=spec)
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
        notes=tuple(judged.notes()),
        datasets=(entry,),
        retrievers=tuple(
            RetrieverEntry(dataset=name, name=run_name, status="complete", depth=run.depth)
            for (_, run_name), run in runs.items()
        ),
        files={},
    )
    datasets = {name: data} if data else {}
    return Result(MemoryParts(manifest, scores, runs, datasets, {name: qrels}))


def _place(qrels: str | Path | DatasetSpec) -> Path:
    return qrels.folder if isinstance(qrels, DatasetSpec) else expanded(qrels)


def lacking_queries(result: Result) -> dict[str, frozenset[str]]:
    """By run of :func:`score_runs`: the judged, answerable queries that it does not name."""
    (name,) = result.datasets
    judged = frozenset(result.qrels(name).to_dict())
    if result.parts.is_readable(name):
        judged -= result.dataset(name).queries.unanswerable
    return {run: judged - frozenset(result.run(name, run).queries) for run in result.retrievers}
