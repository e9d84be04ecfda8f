"""Plain data that knows where each of its values was written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ragscore.errors import Problem
from ragscore.experiment.config.file import ConfigText, Mark
from ragscore.validation.findings import Finding, KeyPath, show_path

LAST = Mark(1 << 30, 1)
"""Sorts values from the command line after those of the file."""
EXTENSION = "x-"
"""How keys at the top of a file begin that are no options: places for anchors."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value was written.

    Attributes:
        value: the place of the value; where nothing is written, the place after the key.
        key: the place of its key, None for an item of a list.
        empty: whether nothing is written.
        override: the flag that the value comes from (``--set depth=5``); empty for the file.
    """

    value: Mark
    key: Mark | None = None
    empty: bool = False
    override: str = ""

    @property
    def start(self) -> Mark:
        """The key's mark where there is a key, else the value's."""
        return self.key or self.value

    @property
    def end(self) -> Mark:
        """The value's mark, but the key's where the value is empty or in a later line."""
        if self.key and (self.empty or self.key.line != self.value.line):
            return self.key
        return self.value


@dataclass(frozen=True, slots=True)
class Misread:
    """Something wrong with what is written, whatever it is to mean.

    Attributes:
        path: where in the data.
        mark: where in the text.
        problem: what, with place and remedy.
        unread: whether the value at the path is not what was meant, so that nothing else that is
            wrong with it is worth a word.
    """

    path: KeyPath
    mark: Mark
    problem: Problem
    unread: bool = True


@dataclass
class ConfigDocument:
    """Plain data read from a text, the place of every path, and what was wrong.

    Attributes:
        text: what was read.
        data: its values.
        places: by path.
        misread: what was wrong, in the order of the text.
    """

    text: ConfigText
    data: Any = None
    places: dict[KeyPath, Place] = field(default_factory=dict)
    misread: list[Misread] = field(default_factory=list)

    def problem(self, finding: Finding) -> tuple[Mark, Problem]:
        """A finding as a problem with its place, and the mark to sort it by.

        Its path may go past what is written: the nearest place is taken. Below a text it stands
        for the text itself, the short form of a mapping (``dataset: FOLDER`` for its path).
        """
        path = finding.path
        while path and isinstance(self.value_at(path[:-1]), str):
            path = path[:-1]
        what = f"{show_path(path)}: {finding.what}" if path else finding.what
        nearest = next(n for n in range(len(path), -1, -1) if path[:n] in self.places)
        place = self.places[path[:nearest]]
        if place.override:
            return LAST, Problem(what, place.override, finding.instead)
        whole = nearest == len(path)
        mark = place.end if finding.at == "value" and whole else place.start
        return mark, self.text.problem(mark, what, finding.instead)

    def override(self, path: KeyPath, flag: str) -> None:
        """Note that the value at a path comes from a flag: its place, and what was wrong there,
        are those of the file no more."""
        for known in [known for known in self.places if known[: len(path)] == path]:
            del self.places[known]
        self.places[path] = Place(LAST, override=flag)
        self.misread = [misread for misread in self.misread if misread.path[: len(path)] != path]

    def value_at(self, path: KeyPath) -> Any:
        """The value at a path, None if there is none."""
        value = self.data
        for step in path:
            if isinstance(value, dict):
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                return None
        return value
