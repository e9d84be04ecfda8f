"""make_report(result) -> Report: the sections of a result, built."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from ragscore.report.build import Report, build
from ragscore.report.data import recorded_options, report_data
from ragscore.report.options import ReportChanges, ReportOptions
from ragscore.results import Result, open_result


def make_report(
    result: Result | str | Path,
    *,
    before: Result | str | Path | None = None,
    options: ReportOptions | None = None,
    **changes: Unpack[ReportChanges],
) -> Report:
    """The report of a result; ``report.write(folder)`` writes it, and a notebook shows it.

    Args:
        result: what :func:`~ragscore.run_experiment`, :func:`~ragscore.evaluate` or
            :func:`~ragscore.open_result` gave, or the folder of a result.
        before: an earlier result to compare with.
        options: what it holds; by default what the experiment says.
        changes: single options: ``language="ko"``, ``sections=("verdict", "curves")``.

    Raises:
        ConfigError: an unknown option, value or section.
        DataError: there is no result, or files of it are missing or were changed.

    >>> from ragscore import evaluate
    >>> faq = {"passages": {"p1": "Rent is due."}, "queries": {"q1": "When?"},
    ...        "ground_truth": {"q1": ["p1"]}}
    >>> result = evaluate(faq, {"mine": lambda query, k: ["p1"]}, ["RR"])
    >>> report = make_report(result, sections=["measures"], language="ko")
    >>> report.title
    'dataset'
    """
    opened = opened_result(result)
    chosen = (options or recorded_options(opened)).changed(**changes)
    earlier = opened_result(before) if before is not None else None
    strict = options is not None or "sections" in changes
    return build(report_data(opened, chosen, before=earlier), strict=strict)


def opened_result(result: Result | str | Path) -> Result:
    """A result, opened where it is the name of a folder.

    Raises:
        DataError: there is no result, or files of it are missing or were changed.
    """
    return result if isinstance(result, Result) else open_result(result)
