"""The report that flags ask for, its errors by the names of flags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragscore.errors import ConfigError

if TYPE_CHECKING:
    from ragscore.report import Report
    from ragscore.results import Result

FLAGS = {
    "depth": "--depth",
    "formats": "--format",
    "language": "--language",
    "max_mb": "--max-mb",
    "pictures": "--pictures",
    "report.sections": "--section",
    "sections": "--section",
}
"""By option, as problems name it."""


def built(folder: Path, *, before: Path | None = None, given: Mapping[str, Any]) -> Report:
    """The report of a result.

    Args:
        folder: the result.
        before: an earlier one to compare with.
        given: options by flags; those that are None are the experiment's.

    Raises:
        ConfigError: a value or section that is not allowed, by its flag.
        DataError: there is no such result, or files of it are missing or were changed.
    """
    from ragscore.report import ReportOptions, make_report
    from ragscore.results import open_result

    given = {name: value for name, value in given.items() if value is not None}
    with _by_flag():
        ReportOptions().changed(**given)  # a wrong flag is an error before anything is read
    opened = open_result(folder)
    earlier = open_result(before) if before is not None else None
    if earlier is not None and _place(earlier) == _place(opened):
        raise ConfigError(
            "the same result is named twice",
            where=opened.parts.where,
            instead="Name the earlier result first, then the later one",
        )
    with _by_flag():
        return make_report(opened, before=earlier, **given)


@contextmanager
def _by_flag() -> Iterator[None]:
    """Problems with options that were given, at the flags that gave them."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(
            [replace(found, where=FLAGS.get(found.where, found.where)) for found in error.problems]
        ) from None


def _place(result: Result) -> Path:
    return Path(result.parts.where).resolve()
