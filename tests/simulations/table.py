"""A table as the documentation shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A name, a header and rows of texts and numbers; rates are shares from 0 to 1."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]

    def markdown(self) -> str:
        lines = [self.header, tuple("---" for _ in self.header)]
        lines += [tuple(map(_cell, row)) for row in self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: str | float) -> str:
    return value if isinstance(value, str) else f"{100 * value:.1f} %"
