"""A report of elements that a test names, without any result behind it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from ragscore.elements import Element, Section
from ragscore.report.model import Drawing, Figure, PanelSections
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.results import Result
from ragscore.results.manifest import Manifest, RetrieverEntry
from ragscore.results.memory_parts import MemoryParts
from ragscore.scoring import Scores

BOX = Drawing(40, 20, '<rect class="mark" x="4" y="4" width="32" height="12"/>')


def handmade(
    name: str,
    retrievers: Sequence[str],
    panels: Sequence[PanelSections],
    options: ReportOptions,
    description: str = "",
) -> Report:
    """A report of these sections, with nothing behind them."""
    entries = [RetrieverEntry(dataset="", name=name, status="complete") for name in retrievers]
    manifest = Manifest(
        schema_version=1,
        experiment=name,
        created="",
        datasets=(),
        retrievers=tuple(entries),
        files={},
    )
    result = Result(MemoryParts(manifest, Scores(()), {}, {}))
    vars(result)["description"] = description
    made = Report(result, options)
    vars(made)["_built"] = tuple(panels), ()
    return made


def report(
    *elements: Element,
    title: str = "trial",
    heading: str = "A section",
    datasets: Sequence[str] = ("data",),
    options: ReportOptions | None = None,
) -> Report:
    """A report whose panels all have one section with these elements."""
    panels = [
        PanelSections(
            dataset, (("Dataset", dataset),), (Section("first", heading, deepcopy(elements)),)
        )
        for dataset in datasets
    ]
    return handmade(title, ("one", "two"), panels, options or ReportOptions())


def figure(id: str = "picture", title: str = "A picture") -> Figure:
    """A chart of one box."""
    return Figure(id, title, "It has one box.", BOX)
