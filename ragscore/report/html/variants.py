"""Which variants a page needs: what is the same for all choices stands there once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")
Numbers = tuple[int | None, int | None]
"""The numbers of a baseline and a measure; None: the same for all of them."""

ALL: Numbers = (None, None)


def needed(held: Mapping[Numbers, T]) -> dict[Numbers, T]:
    """The fewest variants that show the same: one for all, by measure, by baseline, or every one.

    >>> needed({(0, 0): "a", (0, 1): "b", (1, 0): "a", (1, 1): "b"})
    {(None, 0): 'a', (None, 1): 'b'}
    """
    for keep in ((False, False), (False, True), (True, False)):
        found: dict[Numbers, T] = {}
        for (baseline, measure), one in held.items():
            key = (baseline if keep[0] else None, measure if keep[1] else None)
            if found.setdefault(key, one) != one:
                break
        else:
            return found
    return dict(held)


def holds(variant: Numbers, choice: Numbers) -> bool:
    """Whether a variant is shown for a choice."""
    return all(mine is None or mine == one for mine, one in zip(variant, choice, strict=True))
