"""Writing the report of a result into its folder, where the experiment asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragscore.dataset import Dataset
from ragscore.errors import DiskError, MissingPackageError
from ragscore.experiment.result import Result
from ragscore.progress import Progress
from ragscore.report.options import ReportOptions


def check_report(options: ReportOptions) -> None:
    """Refuse a report that cannot be written, before anything is searched.

    Raises:
        MissingPackageError: charts are wanted as PNG, and vl-convert-python is not installed.
    """
    from importlib.util import find_spec

    wanted = options.pictures == "png" and "markdown" in options.formats
    if wanted and find_spec("vl_convert") is None:
        raise MissingPackageError("vl-convert-python", "report.pictures: png", "png")


def with_report(
    result: Result, options: ReportOptions, datasets: Mapping[str, Dataset], notes: Progress
) -> Result:
    """The result with its report written beside it; whatever hinders that is noted, and costs
    nothing that was recorded.

    Args:
        result: as it was written.
        options: of the report.
        datasets: by name: what was searched, so that it is not read again.
        notes: is notified of the stage, and of what went wrong.
    """
    from ragscore.report.build import build
    from ragscore.report.gather import gather
    from ragscore.report.write import write_report
    from ragscore.results import open_result
    from ragscore.results.layout import BESIDE

    assert result.folder is not None
    try:
        with notes.stage("report", 1):
            opened = open_result(result.folder, datasets=datasets)
            report = build(gather(opened, options))
            written = write_report(report, result.folder)
    except DiskError as error:
        return replace(result, unreported=error)
    except Exception as error:
        first = next(iter(str(error).splitlines()), "")
        told = f"{type(error).__name__}: {first}" if first else type(error).__name__
        note = f"no report was written: {told}. `ragscore report {result.folder}` tries it again"
        notes.note(note)
        return replace(result, notes=(*result.notes, note))
    told_of = (*report.failed, *written.notes)
    for note in told_of:
        notes.note(note)
    page = written.page or result.folder / BESIDE
    return replace(result, notes=(*result.notes, *told_of), report=page)
