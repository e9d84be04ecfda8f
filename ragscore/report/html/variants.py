"""What is shown for each choice of baseline and measure, written as few times as it differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from markupsafe import Markup

from ragscore.elements import Element, Table
from ragscore.report.model import Beside, Trust

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
        for (baseline, measure), shown in held.items():
            key = (baseline if keep[0] else None, measure if keep[1] else None)
            if found.setdefault(key, shown) != shown:
                break
        else:
            return found
    return dict(held)


def holds(variant: Numbers, choice: Numbers) -> bool:
    """Whether a variant is shown for a choice."""
    pairs = zip(variant, choice, strict=True)
    return all(number is None or number == chosen for number, chosen in pairs)


def variant(
    tag: str, key: Numbers, inside: str, *, default: bool, level: str = "", rest: str = ""
) -> Markup:
    """An element that the page shows for one choice alone.

    Args:
        tag: of the element.
        key: the choice.
        inside: markup.
        default: whether it is shown first.
        level: a further class.
        rest: further attributes, as markup.
    """
    classes = " ".join(["variant", *["default"] * default, *[level] * bool(level)])
    numbers = (f' data-{name}="{at}"' for name, at in zip("bm", key, strict=True) if at is not None)
    return Markup(f'<{tag} class="{classes}"{"".join(numbers)}{rest}>{inside}</{tag}>')


def by_measure(held: Mapping[Numbers, T]) -> dict[int | None, dict[Numbers, T]]:
    """The variants of each measure."""
    groups: dict[int | None, dict[Numbers, T]] = {}
    for key, shown in held.items():
        groups.setdefault(key[1], {})[key] = shown
    return groups


def alike(elements: Iterable[Element]) -> bool:
    """Whether elements of one place are built so alike that they can be one element with variants
    inside: columns of the same kinds, trust rows of as many items, tables whose columns are the
    same and whose cells mostly are."""
    first, *others = elements
    if any(type(element) is not type(first) for element in others):
        return False
    return all(_same_build(first, element) for element in others)


def _same_build(one: Element, other: Element) -> bool:
    if isinstance(one, Trust) and isinstance(other, Trust):
        return len(one.items) == len(other.items)
    if isinstance(one, Beside) and isinstance(other, Beside):
        kinds = ([[type(element) for element in part] for part in of.parts] for of in (one, other))
        return one.shares == other.shares and next(kinds) == next(kinds)
    if isinstance(one, Table) and isinstance(other, Table):
        return _same_table(one, other)
    return False


def _same_table(one: Table, other: Table) -> bool:
    """Whether at least half of the cells are the same: each other one takes more room as a variant
    than in a table of its own."""
    heads = ([(column.name, column.kind) for column in table.columns] for table in (one, other))
    if one.id != other.id or len(one.rows) != len(other.rows) or next(heads) != next(heads):
        return False
    cells = [cell for row in one.rows for cell in row]
    others = [cell for row in other.rows for cell in row]
    same = sum(cell == another for cell, another in zip(cells, others, strict=True))
    return 2 * same >= len(cells) > 0
