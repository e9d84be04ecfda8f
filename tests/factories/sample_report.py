"""A report of blocks that a test names, without any result behind it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from ragscore.blocks import Block, Section
from ragscore.report.build import Report
from ragscore.report.data import ReportData
from ragscore.report.model import Chosen, Drawing, Figure, PanelSections
from ragscore.report.options import ReportOptions
from ragscore.report.strings import STRINGS
from ragscore.results.manifest import Manifest

BOX = Drawing(40, 20, '<rect class="mark" x="4" y="4" width="32" height="12"/>')


def report(
    *blocks: Block,
    title: str = "trial",
    heading: str = "A section",
    datasets: Sequence[str] = ("data",),
    options: ReportOptions | None = None,
) -> Report:
    """A report whose panels all have one section with these blocks."""
    options = options or ReportOptions()
    data = ReportData(
        name=title,
        description="",
        folder="",
        manifest=Manifest(
            schema_version=1, experiment=title, created="", datasets=(), retrievers=(), files={}
        ),
        experiment="",
        retrievers=("one", "two"),
        panels=(),
        options=options,
        strings=STRINGS.strings(options.language),
    )
    panels = tuple(
        PanelSections(
            dataset, (("Dataset", dataset),), (Section("first", heading, deepcopy(blocks)),)
        )
        for dataset in datasets
    )
    return Report(data, title, panels, (Chosen(),) * len(panels))


def figure(id: str = "picture", title: str = "A picture") -> Figure:
    """A chart of one box."""
    return Figure(id, title, "It has one box.", BOX)
