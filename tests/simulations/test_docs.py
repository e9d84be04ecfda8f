"""docs/statistics.md shows what the simulations print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.simulations.tables import TABLES

DRIFT = 0.5
"""Points by which a rate may differ: numpy's generators need not give the same draws for ever."""


def shown(root: Path) -> dict[str, list[list[str]]]:
    """Name and cells of each table in the docs that a simulation printed."""
    text = (root / "docs" / "statistics.md").read_text(encoding="utf-8")
    found = {}
    for name, table in re.findall(r"<!-- (\w+) -->\n((?:\|.*\n)+)", text):
        found[name] = [line.strip("| \n").split(" | ") for line in table.splitlines()]
    return found


def test_every_table_is_shown(root: Path) -> None:
    assert list(shown(root)) == [make.__name__ for make in TABLES]


@pytest.mark.slow
@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_the_table_is_what_is_printed(root: Path, make: object) -> None:
    table = make()  # type: ignore[operator]
    printed = [line.strip("| \n").split(" | ") for line in table.markdown().splitlines()]
    there = shown(root)[table.name]
    assert [len(line) for line in there] == [len(line) for line in printed]
    for ours, theirs in zip(printed, there, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            if one.endswith(" %"):
                assert float(one[:-2]) == pytest.approx(float(other[:-2]), abs=DRIFT)
            else:
                assert one == other
