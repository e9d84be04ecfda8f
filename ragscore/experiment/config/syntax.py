"""What a YAML parser complains of, in words that say what to write."""

from __future__ import annotations

import re

import yaml as pyyaml

from ragscore.errors import Problem
from ragscore.experiment.config.file import ConfigText, Mark

_SYNTAX: tuple[tuple[str, str, str], ...] = (
    (
        "found another document",
        "a second document begins here",
        "One file holds one experiment",
    ),
    (
        "undefined alias",
        "the alias *{name} has no anchor &{name} before it",
        "Quote the text, or write the anchor &{name} first",
    ),
    ("second occurrence", "the anchor &{name} is defined twice", "Give one of them another name"),
    (
        "mapping values are not allowed",
        "not YAML: ': ' where no key can be",
        "Put text that holds ': ' in quotes; a key in the line above needs ': ' with its space",
    ),
    (
        "unexpected end of stream",
        "not YAML: text in quotes that begins here never ends",
        "Add the closing quote",
    ),
    (
        "cannot start any token",
        "not YAML: text cannot begin with this character",
        "Put it in quotes",
    ),
    (
        "unknown escape character",
        "not YAML: an unknown escape after \\ in double quotes",
        "Write \\\\ for a backslash, or use single quotes",
    ),
    (
        "invalid Unicode character escape",
        "not YAML: an escape that is not a character",
        "Write the character itself",
    ),
    (
        "expected ',' or ']'",
        "not YAML: the list that begins here with [ never ends",
        "Add ']' or ','",
    ),
    (
        "expected ',' or '}'",
        "not YAML: the mapping that begins here with { never ends",
        "Add '}' or ','",
    ),
    (
        "expected key",
        "not YAML: the line does not continue what is above it",
        "Indent it like the lines around it; a key is followed by ': '",
    ),
    (
        "<block end>",
        "not YAML: the line does not continue what is above it",
        "Indent it like the lines around it; a key is followed by ': '",
    ),
    (
        "could not find expected ':'",
        "not YAML: a line without ': ' where a key is expected",
        "Write key: value",
    ),
    (
        "-' indicator",
        "not YAML: a list goes on with something that is not a '- item'",
        "Indent it like the lines around it",
    ),
)
"""Part of what the parser says (libyaml and PyYAML's own say it alike), and our words for it."""
_BEGINS_HERE = ("unexpected end of stream", "expected ',' or")


def syntax_problem(text: ConfigText, error: pyyaml.YAMLError) -> Problem:
    """What the parser complains of, at its place, with what to write."""
    if not isinstance(error, pyyaml.MarkedYAMLError):
        return text.problem(None, f"not YAML: {error}")
    found = error.problem or error.context or "cannot be read"
    at = error.problem_mark or error.context_mark
    if any(part in found for part in _BEGINS_HERE) and error.context_mark:
        at = error.context_mark
    mark = Mark(at.line + 1, at.column + 1) if at else None
    line = text.lines[mark.line - 1] if mark and mark.line <= len(text.lines) else ""
    tab = re.match(r" *\t", line)
    if tab and mark:
        mark = Mark(mark.line, tab.end())
        return text.problem(mark, "a tab in the indentation", "Indent with spaces")
    name = re.match(r"[&*]([^\s,\[\]{}]*)", line[mark.column - 1 :]) if mark else None
    for part, what, instead in _SYNTAX:
        if part in found:
            if name:
                what, instead = (words.replace("{name}", name[1]) for words in (what, instead))
            return text.problem(mark, what, instead)
    return text.problem(mark, f"not YAML: {found}")
