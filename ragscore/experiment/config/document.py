"""Plain data that knows where each of its values was written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ragscore.errors import Problem
from ragscore.experiment.config.text import Mark, Source
from ragscore.validation.findings import Path


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value was written.

    Attributes:
        key: the place of its key, None for an item of a list.
        value: the place of the value; where nothing is written, the place after the key.
        text: a plain scalar as it stands in the file, before it was read as a number or so.
    """

    key: Mark | None
    value: Mark
    text: str = ""
    empty: bool = False

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


@dataclass
class Document:
    """Plain data read from a source, the place of every path, and what was wrong."""

    source: Source
    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    problems: dict[Path, tuple[Mark, Problem]] = field(default_factory=dict)
    """By the path at which reading went wrong; the value there is not to be trusted."""
    labels: dict[Path, str] = field(default_factory=dict)
    """Paths that come from elsewhere, such as ``--set depth=5``: the label replaces the place."""

    def problem(
        self, path: Path, what: str, instead: str = "", *, at: str = "key"
    ) -> tuple[Mark, Problem]:
        """A problem of a path: its mark, to sort by, and the problem with place and path.

        Args:
            path: a path that may go past what is written; the nearest place is taken.
            what: what was found, in one clause.
            instead: what to write instead.
            at: ``key`` or ``value``: which of the two the caret points to.
        """
        told = f"{show_path(path)}: {what}" if path else what
        for length in range(len(path), -1, -1):
            if label := self.labels.get(path[:length]):
                return Mark(1 << 30, 1), Problem(told, label, instead)
        for length in range(len(path), -1, -1):
            place = self.places.get(path[:length])
            if place is not None:
                whole = length == len(path)
                mark = place.end if at == "value" and whole else place.start
                return mark, self.source.problem(mark, told, instead)
        return Mark(1, 1), self.source.problem(None, told, instead)


def show_path(path: Path) -> str:
    """A path as text: ``retrievers.bm25.k1``, ``measures[2]``, ``retrievers."bm25.v2".k1``."""
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        else:
            plain = re.fullmatch(r"[^\s.\[\]\"'=]+", step)
            shown += ("." if shown else "") + (step if plain else f'"{step}"')
    return shown
