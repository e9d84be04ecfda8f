"""Choosing k for every run of a result, where the experiment asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ragscore.errors import RagscoreError
from ragscore.experiment.result import Result
from ragscore.experiment.write import Loaded
from ragscore.progress import Progress
from ragscore.scoring import ProfileName
from ragscore.tuning.options import TuneOptions


def with_tuning(
    result: Result,
    options: TuneOptions,
    datasets: Iterable[Loaded],
    profile: ProfileName,
    notes: Progress,
) -> Result:
    """The result with k chosen for every run; what hinders it is noted, and costs no score."""
    from ragscore.tuning import tune_runs

    by_name = {loaded.dataset.name: loaded.dataset for loaded in datasets}
    try:
        tunings = tune_runs(result.runs, by_name, options, profile=profile)
    except RagscoreError as error:
        notes.note(f"no k was chosen: {error}")
        return result
    return replace(result, tunings=tuple(tunings))
