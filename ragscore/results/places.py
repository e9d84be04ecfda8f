"""The result that paths name: folders of results, or run files with judgments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragscore.blocks.numbers import count_text
from ragscore.errors import ConfigError, DataError
from ragscore.files import expanded
from ragscore.measures import DEFAULT_MEASURES, Measure
from ragscore.results.joined_parts import joined_parts
from ragscore.results.opening import open_result
from ragscore.results.result import Result
from ragscore.results.run_files import lacking_queries, score_runs
from ragscore.results.strings import STRINGS
from ragscore.scoring import ProfileName, profile_named
from ragscore.strings import Joined


def result_at(
    places: str | Path | Sequence[str | Path],
    qrels: str | Path | None = None,
    measures: Sequence[str | Measure] = (),
    *,
    profile: ProfileName | None = None,
    allow_intersect: bool = False,
    same_queries: bool = True,
) -> Result:
    """What paths name, as one result; its notes are for the user.

    Args:
        places: a folder of a result, or several; or run files.
        qrels: judgments of run files, or the folder of their dataset.
        measures: what all are scored by; by default what was recorded, or the usual ones.
        profile: of run files, conventions as for :func:`~ragscore.score`; by default ``trec``.
        allow_intersect: take what only shares some queries, with a note.
        same_queries: run files must hold the same judged queries.

    Raises:
        ConfigError: folders and files are mixed, or ``qrels`` is missing or too much.
        DataError: something cannot be read, or does not belong together.
    """
    listed = [places] if isinstance(places, str | Path) else places
    paths = [expanded(place) for place in listed]
    folders = [path for path in paths if path.is_dir()]
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
        _refuse(qrels=qrels, profile=profile)
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
        return score_runs(paths, qrels, measures or DEFAULT_MEASURES, profile=chosen)
    return _of_runs(paths, expanded(qrels), measures, chosen, allow_intersect)


def _refuse(*, qrels: str | Path | None, profile: ProfileName | None) -> None:
    """Refuse for a result what it knows itself."""
    if qrels is not None:
        raise ConfigError(
            "a result folder has its own judgments",
            where="qrels",
            instead="Leave it out, or name the run files: DIR/runs/NAME.parquet",
        )
    if profile is not None:
        raise ConfigError(
            "a result folder has its own profile",
            where="profile",
            instead="Leave it out, or name the run files: DIR/runs/NAME.parquet",
        )


def _of_runs(
    paths: Sequence[Path],
    qrels: Path,
    measures: Sequence[str | Measure],
    profile: ProfileName,
    allow_intersect: bool,
) -> Result:
    result = score_runs(paths, qrels, measures or DEFAULT_MEASURES, profile=profile)
    lacking = lacking_queries(result)
    if len(set(lacking.values())) > 1:
        counts = [
            STRINGS.note("run_lacks", run=name, count=count_text(len(queries)))
            for name, queries in lacking.items()
        ]
        if not allow_intersect:
            raise DataError(
                f"the runs hold different queries: of the judged ones {', '.join(counts)}",
                where=str(qrels),
                instead="Run all on the same queries, or compare on the common ones: "
                "--allow-intersect",
            )
        result = score_runs(
            paths, qrels, measures or DEFAULT_MEASURES, profile=profile, missing="drop"
        )
        note = STRINGS.note("runs_differ", counts=Joined(tuple(counts)))
        return result.reported(notes=[note])
    if common := next(iter(lacking.values())):
        note = STRINGS.note("runs_lack", count=count_text(len(common)))
        return result.reported(notes=[note])
    return result


def _of_results(
    folders: Sequence[Path], measures: Sequence[str | Measure], allow_intersect: bool
) -> Result:
    opened = [open_result(folder).parts for folder in folders]
    return Result(joined_parts(opened, measures, allow_intersect=allow_intersect))
