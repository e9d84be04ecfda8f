"""What a YAML parser complains of, in words that say what to write."""

from __future__ import annotations

import re

import yaml as pyyaml

from ragscore.errors import Problem
from ragscore.experiment.config.text import Mark, Source

_SYNTAX: tuple[tuple[str, str, str], ...] = (
    (
        "mapping values are not allowed",
        "': ' where no key can be",
        "Put text that holds ': ' in quotes; a key in the line above needs ': ' with its space",
    ),
    (
        "unexpected end of stream",
        "text in quotes that begins here never ends",
        "Add the closing quote",
    ),
    ("cannot start any token", "text cannot begin with this character", "Put it in quotes"),
    (
        "unknown escape character",
        "an unknown escape after \\ in double quotes",
        "Write \\\\ for a backslash, or use single quotes",
    ),
    (
        "invalid Unicode character escape",
        "an escape that is no character",
        "Write the character itself",
    ),
    ("expected ',' or ']'", "the list that begins here with [ never ends", "Add ']' or ','"),
    ("expected ',' or '}'", "the mapping that begins here with { never ends", "Add '}' or ','"),
    (
        "expected key",
        "the line does not continue what is above it",
        "Indent it like its neighbours; a key is followed by ': '",
    ),
    (
        "<block end>",
        "the line does not continue what is above it",
        "Indent it like its neighbours; a key is followed by ': '",
    ),
    (
        "could not find expected ':'",
        "a line without ': ' where a key is expected",
        "Write key: value",
    ),
    (
        "-' indicator",
        "a list goes on with something that is no '- item'",
        "Indent it like its neighbours",
    ),
)
_BEGINS_HERE = ("unexpected end of stream", "expected ',' or")


def syntax_problem(source: Source, error: pyyaml.YAMLError) -> Problem:
    """The problem at its place; the words serve both libyaml and PyYAML's own parser."""
    if not isinstance(error, pyyaml.MarkedYAMLError):
        return source.problem(None, f"not YAML: {error}")
    found = error.problem or "cannot be read"
    at = error.problem_mark or error.context_mark
    if any(text in found for text in _BEGINS_HERE) and error.context_mark:
        at = error.context_mark
    mark = Mark(at.line + 1, at.column + 1) if at else None
    line = source.lines[mark.line - 1] if mark and mark.line <= len(source.lines) else ""
    tab = re.match(r" *\t", line)
    if tab and mark:
        mark = Mark(mark.line, tab.end())
        return source.problem(mark, "a tab in the indentation", "Indent with spaces")
    for text, what, instead in _SYNTAX:
        if text in found:
            return source.problem(mark, f"not YAML: {what}", instead)
    return source.problem(mark, f"not YAML: {found}")
