"""ReportOptions: what the report holds: an experiment's ``report:``, the command's flags."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ragscore.spec import Spec
from ragscore.strings import Language

ReportFormat = Literal["html", "markdown", "latex", "csv"]
Pictures = Literal["svg", "png"]
ALL_FORMATS: tuple[ReportFormat, ...] = ("html", "markdown", "latex", "csv")


class ReportOptions(Spec):
    """What the report of a result holds, and how large it may get.

    >>> ReportOptions(language="ko").max_mb
    5.0
    """

    formats: Annotated[tuple[ReportFormat, ...], Field(min_length=1)] = ALL_FORMATS
    """What is written: ``html`` is report.html; the others stand in the folder report/."""
    language: Language = "en"
    """Language of the page and of its sentences; texts of the dataset stay as they are."""
    max_mb: Annotated[float, Field(gt=0)] = 5.0
    """How large report.html may get, in megabytes (10**6 bytes). Texts of passages are left out
    step by step, then the depth that is shown; numbers never."""
    depth: Annotated[int, Field(ge=1, le=100)] = 20
    """How many passages of each retriever the query explorer shows."""
    sections: tuple[str, ...] | None = None
    """Which sections, in order: names that ``ragscore list sections`` shows, installed ones of
    others too; by default all of ragscore's own."""
    pictures: Pictures = "svg"
    """Of the charts beside report.md; ``png`` needs the extra ``png``."""
