"""Writing the report of a result into its folder, where the experiment asks for it."""

from __future__ import annotations

from ragscore.errors import DiskError, MissingPackageError
from ragscore.messages import _
from ragscore.progress import Progress
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.results import Result
from ragscore.results.layout import BESIDE


def check_report(options: ReportOptions) -> None:
    """Refuse a report that cannot be written, before anything is searched.

    Raises:
        MissingPackageError: charts are wanted as PNG, and vl-convert-python is not installed.
    """
    from importlib.util import find_spec

    wanted = options.pictures == "png" and "markdown" in options.formats
    if wanted and find_spec("vl_convert") is None:
        raise MissingPackageError("vl-convert-python", "report.pictures: png", "png")


def with_report(result: Result, options: ReportOptions, notes: Progress) -> Result:
    """The result with its report written beside it; where that fails, a note says why, and what was
    recorded stays.

    Args:
        result: as it was written.
        options: of the report.
        notes: reports the stage, and of what went wrong.
    """
    assert result.folder is not None
    try:
        with notes.stage(_("report"), 1):
            report = Report(result, options)
            written = report.write(result.folder)
    except DiskError as error:
        return result.reported(unreported=error)
    except Exception as error:
        first = next(iter(str(error).splitlines()), "")
        what = f"{type(error).__name__}: {first}" if first else type(error).__name__
        note = _(
            "the report could not be written: {error}. Try again with `ragscore report {folder}`",
            error=what,
            folder=result.folder,
        )
        notes.note(note)
        return result.reported(notes=(note,))
    found = (*report.failed, *written.notes)
    for text in found:
        notes.note(text)
    return result.reported(page=written.page or result.folder / BESIDE, notes=found)
