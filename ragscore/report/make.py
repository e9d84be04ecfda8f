"""make_report(result) -> Report: a result, gathered and built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragscore.errors import ConfigError
from ragscore.report.build import Report, build
from ragscore.report.gather import gather
from ragscore.report.gathered.recorded import recorded_options
from ragscore.report.options import ReportOptions
from ragscore.results import RecordedResult, open_result


def make_report(
    result: RecordedResult | str | Path | Any,
    *,
    before: RecordedResult | str | Path | Any | None = None,
    options: ReportOptions | None = None,
    **words: Any,
) -> Report:
    """The report of a result; ``report.write(folder)`` writes it, and a notebook shows it.

    Args:
        result: a result folder, or what :func:`~ragscore.open_result` or
            :func:`~ragscore.run_experiment` gave.
        before: another result that this one is held against.
        options: what it holds; by default what the experiment says.
        words: single options: ``language="ko"``, ``sections=("verdict", "curves")``.

    Raises:
        ConfigError: an unknown option, value or section, or a result that was not written.
        DataError: there is no result, or files of it are missing or were changed.
    """
    opened = recorded(result)
    chosen = report_options(options or recorded_options(opened), **words)
    earlier = recorded(before) if before is not None else None
    strict = options is not None or "sections" in words
    return build(gather(opened, chosen, before=earlier), strict=strict)


def recorded(result: RecordedResult | str | Path | Any) -> RecordedResult:
    """A result folder, opened.

    Raises:
        ConfigError: the result is only in memory.
        DataError: there is no result, or files of it are missing or were changed.
    """
    if isinstance(result, RecordedResult):
        return result
    if isinstance(result, str | Path):
        return open_result(result)
    folder = getattr(result, "folder", None)
    if folder is None:
        raise ConfigError(
            "this result was not written to a folder",
            instead="Give what run_experiment wrote, or its folder",
        )
    return open_result(folder)


def report_options(options: ReportOptions | None = None, **words: Any) -> ReportOptions:
    """Options with single ones changed.

    Raises:
        ConfigError: a name, value or section that is not allowed.

    >>> report_options(max_mb=25).max_mb
    25.0
    """
    return (options or ReportOptions()).changed(**words)
