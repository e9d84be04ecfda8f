"""make_report(result) -> Report: a result, gathered and built."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ragscore.errors import ConfigError, Problem, did_you_mean
from ragscore.report.options import ReportOptions

if TYPE_CHECKING:
    from ragscore.report.build import Report
    from ragscore.results import RecordedResult


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
    from ragscore.report.build import build
    from ragscore.report.gather import gather
    from ragscore.report.gathered.recorded import recorded_options

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
    from ragscore.results import RecordedResult, open_result

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
    base = options or ReportOptions()
    unknown = [name for name in words if name not in ReportOptions.model_fields]
    if unknown:
        hint = did_you_mean(unknown[0], ReportOptions.model_fields)
        raise ConfigError("unknown option", where=unknown[0], instead=hint)
    given = {name: getattr(base, name) for name in base.model_fields_set}
    try:
        return ReportOptions(**{**given, **words})
    except ValidationError as error:
        raise ConfigError(_problems(error)) from None


def _problems(error: ValidationError) -> list[Problem]:
    found: dict[str, Problem] = {}
    for detail in error.errors(include_url=False):
        where, context = str(detail["loc"][0]), detail.get("ctx", {})
        instead = f"It {detail['msg'].replace('Input should', 'must')}"
        if "gt" in context:
            instead = f"It must be more than {context['gt']:g}"
        elif "ge" in context or "le" in context:
            instead = "It is a number from 1 to 100"
        elif detail["type"] == "tuple_type":
            instead = "It is a list of names"
        elif detail["type"] == "too_short":
            instead = "At least one is needed"
        problem = Problem(f"{detail['input']!r} does not fit", where=where, instead=instead)
        found.setdefault(where, problem)  # a list that is left with no right item comes second
    return list(found.values())
