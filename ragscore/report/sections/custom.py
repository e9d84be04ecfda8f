"""Sections of others, by entry point."""

from __future__ import annotations

from traceback import extract_tb
from typing import Any

from ragscore.blocks import Paragraph, Section
from ragscore.errors import ConfigError, did_you_mean
from ragscore.report.sections import SECTIONS, SectionBuilder
from ragscore.results import DatasetResult


def chosen_sections(
    names: tuple[str, ...] | None, *, strict: bool = True, failed: list[str] | None = None
) -> dict[str, SectionBuilder]:
    """The sections of a report, by name and in order.

    Args:
        names: as ``report: {sections: ...}`` lists them; None: all of ragscore's own.
        strict: whether a name that is not there is an error; otherwise its place says so.
        failed: told in words of sections that could not be made, when they are built.

    Raises:
        ConfigError: there is no such section.
    """
    if names is None:
        return {name: SECTIONS[name] for name in SECTIONS.own}
    others = SECTIONS.installed()
    failed = [] if failed is None else failed
    found: dict[str, SectionBuilder] = {}
    for name in names:
        if name in SECTIONS.own:
            found[name] = SECTIONS[name]
        elif name in others:
            found[name] = _guarded(name, failed)
        elif not strict:
            found[name] = _absent(name, failed)
        else:
            raise ConfigError(
                f"no section is named '{name}'",
                where="report.sections",
                instead=did_you_mean(name, SECTIONS.names()),
            )
    return found


def _absent(name: str, failed: list[str]) -> SectionBuilder:
    """A section that was there where the experiment ran, and is not here."""

    def build(report: Any, panel: DatasetResult) -> Section:
        text = report.strings("section_absent", name=name)
        failed.append(text)
        return Section(name, name, (Paragraph(text, "warning"),))

    return build


def _guarded(name: str, failed: list[str]) -> SectionBuilder:
    """A section of another package: what it raises stands in its place, and the rest is built."""

    def build(report: Any, panel: DatasetResult) -> Section | None:
        function: Any = None
        try:
            function = SECTIONS.load(name)
            made: Any = function(report, panel)
            if made is None or isinstance(made, Section):
                return made
            told = f"it returned {type(made).__name__}, and a Section is expected"
        except Exception as raised:  # foreign code
            error = raised
            if function is None and isinstance(raised.__cause__, Exception):
                error = raised.__cause__  # what importing the package raised
            told = f"{type(error).__name__}: {error} ({_place(error, function)})"
        text = report.strings("section_failed", name=name, told=told)
        failed.append(text)
        return Section(name, name, (Paragraph(text, "warning"),))

    return build


def _place(error: Exception, function: Any) -> str:
    """File and line: the last ones in the file of the section's function, else where it was
    raised."""
    frames = extract_tb(error.__traceback__)
    home = getattr(getattr(function, "__code__", None), "co_filename", None)
    frame = [*frames, *(one for one in frames if one.filename == home)][-1]
    return f"{frame.filename}:{frame.lineno}"
