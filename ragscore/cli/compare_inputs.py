"""What ``ragscore compare`` reads: result folders, or run files with judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragscore.cli.options import named_as_flags
from ragscore.errors import ConfigError, DataError
from ragscore.paths import expanded

if TYPE_CHECKING:
    from ragscore.comparison import CompareOptions
    from ragscore.results import Result


def given_options(given: Mapping[str, Any], base: CompareOptions | None = None) -> CompareOptions:
    """Options from flags.

    Raises:
        ConfigError: a value that is not allowed, by the flag's name.
    """
    from ragscore.comparison import compare_options

    with named_as_flags():
        return compare_options(base, **given)


def compared_inputs(
    places: Sequence[Path],
    qrels: Path | None,
    measures: Sequence[str] | None,
    *,
    allow_intersect: bool,
) -> Result:
    """What the arguments name, as one result; its notes are for the user.

    Raises:
        ConfigError: folders and files are mixed, or --qrels is missing or too much.
        DataError: something cannot be read, or does not belong together.
    """
    folders = [place for place in places if expanded(place).is_dir()]
    if not folders and qrels is None and not any(expanded(place).is_file() for place in places):
        raise DataError(
            "no such folder or file",
            where=str(places[0]),
            instead="Name a folder that `ragscore run` wrote, or run files with --qrels",
        )
    if folders and len(folders) < len(places):
        other = next(place for place in places if place not in folders)
        raise ConfigError(
            "folders and other things are mixed",
            where=str(other),
            instead="Name result folders, or run files with --qrels",
        )
    if folders:
        if qrels is not None:
            raise ConfigError(
                "--qrels: a result folder knows its judgments",
                instead="Leave it out, or name the run files: DIR/runs/NAME.parquet",
            )
        return _of_results(places, measures, allow_intersect)
    if qrels is None:
        raise ConfigError(
            "--qrels is missing: run files do not say what is relevant",
            instead="Add --qrels with judgments or a dataset's folder; or name a folder that "
            "`ragscore run` wrote",
        )
    return _of_runs(places, qrels, measures, allow_intersect)


def _of_runs(
    paths: Sequence[Path], qrels: Path, measures: Sequence[str] | None, allow_intersect: bool
) -> Result:
    from ragscore.measures import DEFAULT_MEASURES
    from ragscore.results import score_runs
    from ragscore.results.runs import lacking_queries

    result = score_runs(paths, qrels, measures or DEFAULT_MEASURES)
    lacking = lacking_queries(result)
    if len(set(lacking.values())) > 1:
        counts = ", ".join(f"{name} lacks {len(queries)}" for name, queries in lacking.items())
        if not allow_intersect:
            raise DataError(
                f"the runs hold different queries: of the judged ones {counts}",
                where=str(qrels),
                instead="Run all on the same queries, or compare on the common ones: "
                "--allow-intersect",
            )
        result = score_runs(paths, qrels, measures or DEFAULT_MEASURES, missing="drop")
        note = f"of the judged queries {counts}; the common ones are compared"
        return result.reported(notes=[note])
    if common := next(iter(lacking.values())):
        note = f"{len(common)} judged queries are in no run; they score 0"
        return result.reported(notes=[note])
    return result


def _of_results(
    folders: Sequence[Path], measures: Sequence[str] | None, allow_intersect: bool
) -> Result:
    from ragscore.results import Result, open_result
    from ragscore.results.joined import joined_parts

    opened = [open_result(folder).parts for folder in folders]
    return Result(joined_parts(opened, measures or (), allow_intersect=allow_intersect))
