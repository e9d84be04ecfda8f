"""Report: the sections of a result, built when they are first read; every format shows the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, Unpack

from pydantic import ValidationError

from ragscore.comparison.across import across_datasets
from ragscore.dataset.judged_units import JudgedUnit
from ragscore.described import in_short
from ragscore.elements import Element, Paragraph, Section
from ragscore.elements.show import Shown
from ragscore.files import expanded
from ragscore.gate.record import GateResult, read_gate
from ragscore.messages import PASSAGES, Message, Text, _, text_of, translated, unit_words
from ragscore.names import Language
from ragscore.report.contents import Contents, contents
from ragscore.report.model import PanelSections
from ragscore.report.options import OUTPUTS, ReportChanges, ReportFormat, ReportOptions
from ragscore.report.panels import choices, head_facts, without_run
from ragscore.report.sections import TITLES, SectionBuilder
from ragscore.report.sections.added_sections import chosen_sections
from ragscore.report.terminal import SectionWriter
from ragscore.report.write import Written, added_file, write_files
from ragscore.results import DatasetResult, Result, open_result
from ragscore.results.layout import PAGE

TEXT_COLUMNS = 100
IN_NOTEBOOK = ("verdict", "changes", "curves")
"""The sections that a notebook shows; the others are on the page."""
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Report(Shown):
    """The report of a result: it writes itself, prints itself, and a notebook shows it.

    Attributes:
        result: what is reported; a section reads one of its datasets at a time.
        options: what the report holds.
        before: the earlier result to compare with; None without one.
        strict: whether a section that is not installed is an error. What a recorded experiment
            named may have been installed elsewhere: a warning then stands in its place.
        unit: what the judgments of the dataset name that a section is about; None for passages.
    """

    result: Result
    options: ReportOptions
    before: Result | None = None
    strict: bool = True
    unit: JudgedUnit | None = None

    @property
    def title(self) -> str:
        """The name of the experiment."""
        return self.result.name

    @cached_property
    def words(self) -> Mapping[str, Message]:
        """What fills ``{item}`` and the like in every text."""
        if self.unit is None:
            return PASSAGES
        return unit_words(self.unit.field, ranked=self.unit.cutoff == "units")

    def say(self, text: Text) -> str:
        """A text in the report's language."""
        return text_of(text, self.options.language, self.words)

    def number(self, retriever: str) -> int:
        """The retriever's number, which is its colour and shape everywhere."""
        return self.result.retrievers.index(retriever)

    @cached_property
    def gated(self) -> GateResult | None:
        """What the gate of the result's experiment said; None if it has none."""
        return read_gate(self.result)

    @cached_property
    def shared(self) -> dict[str, Any]:
        """What several sections read and the first of them computes, by a name of their own."""
        return {}

    @cached_property
    def unsearched(self) -> tuple[str, ...]:
        """The datasets without a run, and why they have none, in the report's language."""
        return tuple(map(self.say, without_run(self.result)))

    @property
    def notes(self) -> tuple[str, ...]:
        """Why the report shows no dataset; empty if it shows one: its section Judgments then has
        the notes."""
        return () if self.result.dataset_results else self.unsearched

    @cached_property
    def _built(self) -> tuple[tuple[PanelSections, ...], tuple[str, ...]]:
        failed: list[str] = []
        builders = chosen_sections(self.options.sections, strict=self.strict, failed=failed)
        panels = tuple(self._panel(dataset, builders) for dataset in self.result)
        return panels, tuple(dict.fromkeys(failed))

    @property
    def panels(self) -> tuple[PanelSections, ...]:
        """The sections of each dataset.

        Raises:
            ConfigError: the options name an unknown section.
        """
        return self._built[0]

    @property
    def failed(self) -> tuple[str, ...]:
        """The sections of other packages that failed, and why."""
        return self._built[1]

    @cached_property
    def overview(self) -> Section | None:
        """Several datasets together: the best on average, and each retriever on each of them; None
        where they have no measure, baseline or retriever in common."""
        parts = self.result.dataset_results
        found = [panel.comparison for panel in parts if parts[1:]]
        across = across_datasets([each for each in found if each is not None])
        if across is None or len(found) < len(across.comparisons) or not self._shows("verdict"):
            return None
        return self.written(Section("datasets", "", across.elements()))

    def _shows(self, name: str) -> bool:
        return any(section.id == name for panel in self.panels for section in panel.sections)

    @cached_property
    def contents(self) -> Contents:
        """Its tables and figures, each with a name of its own."""
        return contents(self.panels)

    def _panel(self, panel: DatasetResult, builders: dict[str, SectionBuilder]) -> PanelSections:
        if self.unit is None and panel.qrels is not None and panel.qrels.units is not None:
            of_units = replace(self, unit=panel.qrels.units.unit)
            return of_units._panel(panel, builders)
        nothing = {"changes": self.before is None, "sweep": not panel.has_sweep}
        made = (
            self._section(panel, name, builder)
            for name, builder in builders.items()
            if not nothing.get(name)  # then nothing of the section is imported
        )
        sections = tuple(section for section in made if section is not None)
        facts = self.written(tuple(head_facts(panel)))
        return PanelSections(panel.dataset, facts, sections, choices(panel, sections))

    def _section(self, panel: DatasetResult, name: str, builder: SectionBuilder) -> Section | None:
        """The section, and notes on what could not be computed for it."""
        made = self.written(builder(self, panel))
        if made is not None and panel.entry.sample is not None:
            made = made.with_caveat(self.say(panel.entry.sample.caveat()))
        notes = tuple(Paragraph(self.say(note), "note") for note in panel.notes_on(name))
        if not notes:
            return made
        if made is None:
            return Section(name, self.say(TITLES[name]), notes)
        return replace(made, elements=(*made.elements, *notes))

    def written(self, made: T) -> T:
        """What was made, in the report's language, its charts drawn."""
        written: T = translated(made, self.options.language, self.words)
        return written

    def text(self, *, width: int = TEXT_COLUMNS, styled: bool = False) -> str:
        """The report as a terminal shows it.

        Args:
            width: of the terminal, in cells; tables that are wider go on underneath. What opens on
                a page is shown where its section was asked for by name.
            styled: whether to write the escape sequences of colours and bold.
        """
        opened = self.options.sections is not None
        writer = SectionWriter(width, styled=styled, opened=opened)
        parts = [writer.head(self.title, self.result.description)]
        parts += [writer.lines(note, "warning") for note in self.notes]
        parts += writer.pieces([self.overview]) if self.overview is not None else ()
        for panel in self.panels:
            parts.append(writer.panel_facts(panel, bold=len(self.panels) > 1))
            for section in panel.sections:
                parts += writer.pieces([section])
                closed = writer.closed(section)
                if closed and not opened:
                    more = _("{count} more with --section {name}", count=closed, name=section.id)
                    parts.append(writer.lines(self.say(more), "dim"))
        return "\n\n".join(parts)

    def write(
        self, folder: str | Path, formats: Iterable[ReportFormat] | None = None, *, page: str = PAGE
    ) -> Written:
        """Write the report; once all of its files are whole, those of an earlier one are replaced,
        each in one step, and tables and charts that the new report lacks are removed.

        Args:
            folder: where; made where it is missing.
            formats: which; by default those of the options.
            page: the name of the HTML file. What the other formats write stands in a folder beside
                it, of its name without the suffix.

        Raises:
            ConfigError: an unknown format, a file where the folder should be, or a link where its
                own folders are.
            MissingPackageError: charts are wanted as PNG, and vl-convert-python is not installed.
            DiskError: something cannot be written.
        """
        wanted = tuple(formats) if formats is not None else self.options.formats
        for name in wanted if formats is not None else ():
            OUTPUTS.load(name, where="formats")
        writing, place = Writing(self, page, Path(page).stem), expanded(folder)
        names = write_files(place, writing.beside, wanted, writing.files(wanted))
        return Written(place, names, tuple(writing.notes))

    def __repr__(self) -> str:
        sections = sum(len(panel.sections) for panel in self.panels)
        return f"Report({in_short(self.title)}: {len(self.panels)} panels, {sections} sections)"

    def elements(self) -> list[Element]:
        """What a notebook shows of it."""
        elements: list[Element] = [*self.overview.elements] if self.overview is not None else []
        for panel in self.panels:
            elements += [Paragraph(panel.dataset)] if len(self.panels) > 1 else []
            for section in panel.sections:
                elements += section.elements if section.id in IN_NOTEBOOK else ()
        return elements

    @property
    def language(self) -> Language:
        """That of its options."""
        return self.options.language

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True)
class Writing:
    """What an output writes, and where.

    Attributes:
        report: the sections of every dataset, and the result they are made of.
        page: the name of the HTML file.
        beside: the folder, beside the page, of everything else.
        notes: for the user; an output adds to them.
    """

    report: Report
    page: str
    beside: str
    notes: list[str] = field(default_factory=list)

    @property
    def contents(self) -> Contents:
        """The report's tables and figures, each with a name of its own."""
        return self.report.contents

    def files(self, formats: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Name and content of each file of these formats."""
        for name in dict.fromkeys(formats):
            if name in OUTPUTS.own:
                yield from OUTPUTS[name](self)
            elif name in OUTPUTS:
                for file, content in OUTPUTS[name](self):
                    yield added_file(self.beside, name, file), content
            else:
                note = _(
                    "{name} was not written: it needs a package that only this result names, "
                    "and such packages are not imported; to write it, use --format {name}",
                    name=name,
                )
                self.notes.append(self.report.say(note))


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
            :func:`~ragscore.open_result` returned, or the folder of a result.
        before: an earlier result to compare with.
        options: what the report holds; by default the experiment's options.
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
    opened = result if isinstance(result, Result) else open_result(result)
    chosen = (options or recorded_options(opened)).changed(**changes)
    earlier = before if before is None or isinstance(before, Result) else open_result(before)
    if earlier is not None:
        earlier.share_datasets(opened)
    report = Report(opened, chosen, earlier, options is not None or "sections" in changes)
    _ = report.panels  # what is wrong with the sections or the files is an error here
    return report


def recorded_options(result: Result) -> ReportOptions:
    """The experiment's report options; the defaults where it has none that are known."""
    try:
        return ReportOptions.model_validate(result.manifest.report or {})
    except ValidationError:  # written by another version
        return ReportOptions()
