"""Shards: which blocks of a corpus one job of many takes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from ragscore.errors import ConfigError

MAX_SHARDS = 1_000_000
WRITTEN = re.compile(r"\s*([0-9,\s-]+?)\s*/\s*([0-9]+)\s*", re.ASCII)
RANGE = re.compile(r"\s*([0-9]{1,9})(?:\s*-\s*([0-9]{1,9}))?\s*", re.ASCII)
EXPECTED = "Write which of how many, such as 3/64: from 1/64 to 64/64"


@dataclass(frozen=True)
class Shards:
    """Some of the shards that a corpus's blocks are dealt to, in turn.

    Attributes:
        numbers: which, from 1.
        count: how many there are.
    """

    numbers: frozenset[int]
    count: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Shards as they are written: ``3/64``, or several: ``3,17,20-25/64``.

        Raises:
            ConfigError: they are not written so, or one is not among as many.

        >>> str(Shards.parse("17,3,20-22/64"))
        '3,17,20-22/64'
        """
        found = WRITTEN.fullmatch(text)
        ranges = [RANGE.fullmatch(part) for part in found[1].split(",")] if found else []
        if found is None or not all(ranges):
            raise ConfigError(f"'{text}' names no shard", where="--shard", instead=EXPECTED)
        count = int(found[2])
        bounds = [(int(pair[1]), int(pair[2] or pair[1])) for pair in ranges if pair]
        if not 1 <= count <= MAX_SHARDS:
            what = f"{count} is not a number of shards"
            instead = f"Write a number from 1 to {MAX_SHARDS:,} behind the /"
            raise ConfigError(what, where="--shard", instead=instead)
        for first, last in bounds:
            if first > last:
                raise ConfigError(f"{first}-{last} is empty", where="--shard", instead=EXPECTED)
            if not (first >= 1 and last <= count):
                wrong = last if first >= 1 else first
                what = f"there is no shard {wrong} among {count}"
                instead = f"Shards count from 1: write 1/{count} to {count}/{count}"
                raise ConfigError(what, where="--shard", instead=instead)
        numbers = (number for first, last in bounds for number in range(first, last + 1))
        return cls(frozenset(numbers), count)

    @classmethod
    def of_blocks(cls, blocks: Iterable[int], count: int) -> Self:
        """Those that have some blocks, counted from 0, of as many shards."""
        return cls(frozenset(block % count + 1 for block in blocks), count)

    def has(self, block: int) -> bool:
        """Whether a block is among theirs; ``block`` is its number, from 0."""
        return block % self.count + 1 in self.numbers

    def __str__(self) -> str:
        return f"{ranges_text(self.numbers)}/{self.count}"


def ranges_text(numbers: Iterable[int], separator: str = ",") -> str:
    """Numbers in order, those that follow one another as a range.

    >>> ranges_text([3, 1, 2, 7, 9, 8])
    '1-3,7-9'
    """
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    written = [str(first) if first == last else f"{first}-{last}" for first, last in ranges]
    return separator.join(written)
