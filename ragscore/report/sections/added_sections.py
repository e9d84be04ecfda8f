"""Sections of other packages, found by entry point."""

from __future__ import annotations

from traceback import extract_tb
from typing import Any, cast

from ragscore.described import in_short
from ragscore.elements import Element, Paragraph, Section
from ragscore.errors import ConfigError, did_you_mean
from ragscore.messages import Text, _
from ragscore.report.sections import SECTIONS, SectionBuilder
from ragscore.results import DatasetResult

EXPECTED = "and ragscore.elements.Section(id, title, (element, ...)) or None is expected"


def chosen_sections(
    names: tuple[str, ...] | None, *, strict: bool = True, failed: list[str] | None = None
) -> dict[str, SectionBuilder]:
    """The sections of a report, by name and in order.

    Args:
        names: as ``report: {sections: ...}`` lists them; None: all of ragscore's own.
        strict: whether an unknown name is an error; otherwise a warning stands in its place.
        failed: gets a sentence for each section that could not be made, when it is built.

    Raises:
        ConfigError: there is no such section.
    """
    if names is None:
        return {name: _checked(name) for name in SECTIONS.own}
    others = SECTIONS.installed()
    failed = [] if failed is None else failed
    found: dict[str, SectionBuilder] = {}
    for name in names:
        if name in SECTIONS.own:
            found[name] = _checked(name)
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


def _checked(name: str) -> SectionBuilder:
    """One of ragscore's own sections, imported when it is built; an error names it where it
    returns no section."""

    def build(report: Any, panel: DatasetResult) -> Section | None:
        made = SECTIONS[name](report, panel)
        if wrong := _not_a_section(made):
            raise ConfigError(wrong, where=f"report.sections.{name}")
        return made

    return build


def _absent(name: str, failed: list[str]) -> SectionBuilder:
    """A warning that a section was installed where the experiment ran, but is not installed
    here."""

    def build(report: Any, panel: DatasetResult) -> Section:
        return _left_out(
            _(
                "The section '{name}' is left out: the package that provides it is not installed "
                "here. `ragscore list sections` shows what is.",
                name=name,
            ),
            name,
            failed,
        )

    return build


def _guarded(name: str, failed: list[str]) -> SectionBuilder:
    """A section of another package: if it fails, a warning replaces it and the rest is built."""

    def build(report: Any, panel: DatasetResult) -> Section | None:
        function: Any = None
        try:
            function = SECTIONS.load(name)
            made: Any = function(report, panel)
            wrong = _not_a_section(made)
        except Exception as raised:  # foreign code
            error = raised
            if function is None and isinstance(raised.__cause__, Exception):
                error = raised.__cause__  # what importing the package raised
            wrong = f"{type(error).__name__}: {error} ({_place(error, function)})"
        if not wrong:
            return cast("Section | None", made)
        text = _("The section '{name}' could not be made: {told}", name=name, told=wrong)
        return _left_out(text, name, failed)

    return build


def _left_out(text: Text, name: str, failed: list[str]) -> Section:
    failed.append(str(text))
    return Section(name, name, (Paragraph(text, "warning"),))


def _not_a_section(made: Any) -> str:
    """What is wrong with a function's result; empty if nothing is."""
    if made is None:
        return ""
    if not isinstance(made, Section):
        return f"it returned {in_short(made)} ({type(made).__name__}), {EXPECTED}"
    if not isinstance(made.elements, tuple | list):
        kind = type(made.elements).__name__
        return f"the elements of the Section that it returned are a {kind}, {EXPECTED}"
    for number, element in enumerate(made.elements):
        if not isinstance(element, Element):
            kind = type(element).__name__
            return f"elements[{number}] of the Section that it returned is a {kind}, {EXPECTED}"
    return ""


def _place(error: Exception, function: Any) -> str:
    """File and line: the last ones in the file of the section's function, else where it was
    raised."""
    frames = extract_tb(error.__traceback__)
    home = getattr(getattr(function, "__code__", None), "co_filename", None)
    frame = [*frames, *(frame for frame in frames if frame.filename == home)][-1]
    return f"{frame.filename}:{frame.lineno}"
