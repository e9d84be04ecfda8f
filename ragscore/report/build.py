"""build(data) -> Report: the sections of every panel, in order, ready for every renderer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ragscore.blocks import Paragraph, Section
from ragscore.blocks.model import all_blocks
from ragscore.blocks.numbers import count_text, minute
from ragscore.described import in_short
from ragscore.display import Displayed
from ragscore.files import expanded
from ragscore.report.built import BuiltReport
from ragscore.report.data import ReportData
from ragscore.report.model import Chosen, PanelSections, Swap
from ragscore.report.options import ReportFormat
from ragscore.report.sections import SectionBuilder
from ragscore.report.sections.custom import chosen_sections
from ragscore.report.terminal import report_text
from ragscore.report.write import Written, write_report
from ragscore.results import DatasetResult

TEXT_COLUMNS = 100


class Report(BuiltReport, Displayed):
    """A report, built: it writes itself, prints itself, and a notebook shows it."""

    def write(
        self,
        folder: str | Path,
        formats: Iterable[ReportFormat] | None = None,
        *,
        page: str = "report.html",
    ) -> Written:
        """Write the report; see :func:`~ragscore.report.write.write_report`."""
        return write_report(self, expanded(folder), formats, page=page)

    def __repr__(self) -> str:
        sections = sum(len(panel.sections) for panel in self.panels)
        return f"Report({in_short(self.title)}: {len(self.panels)} panels, {sections} sections)"

    def __str__(self) -> str:
        return report_text(self, width=TEXT_COLUMNS)


def build(data: ReportData, *, strict: bool = True) -> Report:
    """The sections that the options name, of every panel.

    Args:
        data: what they read.
        strict: whether a section that is not installed is an error. What a recorded experiment
            named may have been installed elsewhere: its place then says so.

    Raises:
        ConfigError: the options name a section that there is not.
    """
    failed: list[str] = []
    builders = chosen_sections(data.options.sections, strict=strict, failed=failed)
    panels = []
    for panel in data.panels:
        made = (_with_asides(data, panel, name, one) for name, one in builders.items())
        found: tuple[Section, ...] = tuple(one for one in made if one is not None)
        panels.append(PanelSections(panel.dataset, head(data, panel), found))
    choices = tuple(
        chosen(panel, made.sections) for panel, made in zip(data.panels, panels, strict=True)
    )
    return Report(data, data.name, tuple(panels), choices, tuple(dict.fromkeys(failed)))


def _with_asides(
    data: ReportData, panel: DatasetResult, name: str, builder: SectionBuilder
) -> Section | None:
    """The section, and under it what could not be told in it."""
    made = builder(data, panel)
    notes = tuple(Paragraph(note.text_in(data.strings), "note") for note in panel.notes_on(name))
    if not notes:
        return made
    if made is None:
        return Section(name, data.strings(name), notes)
    return replace(made, blocks=(*made.blocks, *notes))


def head(data: ReportData, panel: DatasetResult) -> tuple[tuple[str, str], ...]:
    """What stands beside the experiment's name: dataset, sizes, primary measure, when."""
    strings, entry = data.strings, panel.entry
    queries = count_text(entry.queries)
    unanswerable = entry.counts.get("unanswerable")
    if unanswerable:
        queries = strings(
            "head_unanswerable", queries=queries, unanswerable=count_text(unanswerable)
        )
    facts = [(strings("head_dataset"), panel.dataset), (strings("head_queries"), queries)]
    if entry.passages is not None:
        facts.append((strings("head_passages"), count_text(entry.passages)))
    facts.append((strings("head_judgments"), count_text(entry.judgments)))
    if panel.primary:
        facts.append((strings("head_primary"), panel.labels[panel.primary]))
    facts.append((strings("head_created"), minute(data.manifest.created)))
    return tuple(facts)


def chosen(panel: DatasetResult, sections: Iterable[Section]) -> Chosen:
    """What can be chosen: baselines and measures where a section has a place for each of them."""
    held = [
        choice
        for block in all_blocks(sections)
        if isinstance(block, Swap)
        for choice in block.variants
    ]
    by_baseline = any(choice.baseline is not None for choice in held)
    by_measure = any(choice.measure is not None for choice in held)
    return Chosen(
        panel.baselines if by_baseline else (),
        [(one, panel.labels[one]) for one in panel.primaries] if by_measure else (),
    )
