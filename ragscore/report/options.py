"""ReportOptions: what the report holds: an experiment's ``report:``, the command's flags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field

from ragscore.kinds import NameOf
from ragscore.names import Language
from ragscore.plugins import Catalogue
from ragscore.spec import Spec

Output = Callable[[Any], Iterable[tuple[str, bytes]]]
"""What makes the files of an output, from a Writing: names and contents."""
Pictures = Literal["svg", "png"]
OUTPUTS: Catalogue[Output] = Catalogue(
    "ragscore.report_outputs",
    "report output",
    {
        "html": "ragscore.report.outputs:html",
        "markdown": "ragscore.report.outputs:markdown",
        "latex": "ragscore.report.outputs:latex",
        "csv": "ragscore.report.outputs:csv",
    },
    wanted="a function of a Writing (ragscore.report.outputs)",
    fits=lambda name, thing: callable(thing),
)
"""Every output of a report by its name; its function is imported when a report is written."""
ReportFormat = Annotated[str, NameOf(OUTPUTS)]


class ReportOptions(Spec):
    """What the report of a result holds, and how large it gets.

    >>> ReportOptions(language="ko").max_mb
    5.0
    """

    formats: Annotated[tuple[ReportFormat, ...], Field(min_length=1)] = tuple(OUTPUTS.own)
    """Formats to write: ``html`` is report.html; the others go into the folder report/, those of
    installed packages into report/added/."""
    language: Language = "en"
    """Language of the page and of its sentences; texts of the dataset stay as they are."""
    max_mb: Annotated[float, Field(gt=0)] = 5.0
    """Largest size of report.html in megabytes (10**6 bytes): past it, texts of passages are left
    out step by step, then passages per retriever; numbers never."""
    depth: Annotated[int, Field(ge=1, le=100)] = 20
    """How many passages of each retriever the query explorer shows."""
    sections: tuple[str, ...] | None = None
    """The sections, in order: names that ``ragscore list sections`` shows, also those of installed
    packages; by default all of ragscore's own."""
    pictures: Pictures = "svg"
    """Format of the charts beside report.md; ``png`` needs the extra ``png``."""


class ReportChanges(TypedDict, total=False):
    """The fields of :class:`ReportOptions` as keywords, so that an editor completes them."""

    formats: Sequence[ReportFormat]
    language: Language
    max_mb: float
    depth: int
    sections: Sequence[str] | None
    pictures: Pictures
