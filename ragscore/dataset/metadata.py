"""Metadata of passages and queries as columns that can be compared, and digests of them."""

from __future__ import annotations

import hashlib
import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct
from ragscore.dataset.columns import MISSING_TYPES
from ragscore.errors import did_you_mean

Metadata = Mapping[int, Mapping[str, Any]]
"""Of passages or queries by row, only of those that have any."""

OF_METADATA = "metadata."
"""What a text begins with that names a key."""

Sort = Literal["number", "text", "truth value", "list", "date", "time", "object"]
"""What a value is; values of two sorts cannot be compared, and objects not at all."""

_SORTS: tuple[tuple[tuple[type, ...], Sort], ...] = (
    ((bool, np.bool_), "truth value"),
    ((int, float, Decimal, np.integer, np.floating), "number"),
    ((str,), "text"),
    ((list, tuple, set, frozenset), "list"),
    ((datetime,), "time"),
    ((date,), "date"),
)


def sort_of(value: object) -> Sort | None:
    """What a value is; None if it is missing: null, or not a number (NaN).

    >>> sort_of(2020), sort_of("2020"), sort_of(True), sort_of(["a"]), sort_of(None)
    ('number', 'text', 'truth value', 'list', None)
    """
    if value is None or type(value).__name__ in MISSING_TYPES:
        return None
    for types, sort in _SORTS:
        if isinstance(value, types):
            return None if sort == "number" and value != value else sort
    return "object"


def metadata_keys(metadata: Metadata) -> list[str]:
    """Every key that a row has, in order of appearance."""
    return list(dict.fromkeys(key for of_row in metadata.values() for key in of_row))


def metadata_key(text: str) -> str:
    """The key that a text such as ``metadata.document`` names; empty if it names none."""
    return text.removeprefix(OF_METADATA) if text.startswith(OF_METADATA) else ""


def known_key(written: str, metadata: Metadata, before: str = "") -> str:
    """What to write in place of a key that no row has.

    Args:
        written: the key.
        metadata: of all passages, or all queries.
        before: what stands in front of keys there, such as ``query.``.
    """
    known = metadata_keys(metadata)
    if not known:
        return "They have no metadata"
    bare = metadata_key(written)  # as `collapse` and tables write it
    return f"Write {before}{bare}" if bare in known else did_you_mean(written, known)


def plain(value: object) -> Any:
    """A value as a file of JSON gives it back: what is missing is null, dates and times are text,
    numpy's numbers Python's, and a set is a list in an order of its own.

    >>> plain({"years": {2021, 2020}, "on": date(2020, 1, 31), "grade": float("nan")})
    {'years': [2020, 2021], 'on': '2020-01-31', 'grade': None}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value), key=json.dumps)
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if sort_of(value) is not None and not isinstance(value, float) else None


def digest_metadata(metadata: Metadata, keys: Iterable[str] | None = None) -> str:
    """SHA-256 of what all rows have under some keys, or under all: 64 hex digits."""
    sha = hashlib.sha256()
    wanted = None if keys is None else set(keys)
    for row in sorted(metadata):
        of_row = metadata[row]
        found = {key: of_row[key] for key in of_row if wanted is None or key in wanted}
        if found:
            sha.update(json.dumps([row, plain(found)], sort_keys=True).encode())
    return sha.hexdigest()


class WithMetadata:
    """Base of what has metadata by row."""

    metadata: Metadata

    def metadata_digest(self, keys: frozenset[str]) -> str:
        """:func:`digest_metadata` under some keys, computed once."""
        if keys not in self._digested:
            self._digested[keys] = digest_metadata(self.metadata, keys)
        return self._digested[keys]

    @cached_property
    def _digested(self) -> dict[frozenset[str], str]:
        return {}


@dataclass(frozen=True, eq=False)
class MetadataColumn:
    """The values of one metadata key over all passages, in their order.

    Attributes:
        values: the different ones, ascending; of lists, the different items.
        codes: int64[m], places in ``values``.
        rows: int64[m], the passage that has each of them: one without the key has none, and one
            with a list has one for each of its items.
        size: how many passages there are.
        lists: true where passages have lists.
        several: true where a row stands for several passages, such as a unit, and has the values of
            each: it fulfils a condition where any of them does.
    """

    values: Sequence[Any]
    codes: NDArray[np.int64]
    rows: NDArray[np.int64]
    size: int
    lists: bool = False
    several: bool = False

    @classmethod
    def of(cls, by_row: Mapping[int, Any], size: int, *, lists: bool) -> MetadataColumn:
        """The column of some rows' values, or of their lists' items, all of one sort.

        Raises:
            TypeError: they are of one sort and cannot be compared, such as times with and without
                a time zone.
        """
        if lists:
            pairs = [(row, item) for row, items in by_row.items() for item in items]
        else:
            pairs = list(by_row.items())
        values = sorted({value for _, value in pairs})
        place = {value: at for at, value in enumerate(values)}
        codes = np.fromiter((place[value] for _, value in pairs), np.int64, len(pairs))
        rows = np.fromiter((row for row, _ in pairs), np.int64, len(pairs))
        return cls(values, codes, rows, size, lists)

    def part(self, first: int, after: int) -> MetadataColumn:
        """The column of the rows from ``first`` to before ``after`` alone."""
        here = (self.rows >= first) & (self.rows < after)
        codes, rows = self.codes[here], self.rows[here] - first
        return replace(self, codes=codes, rows=rows, size=after - first)

    def between(self, low: int, high: int) -> NDArray[np.bool_]:
        """The rows with a value at the places ``low`` to ``high`` - 1: bool[n]."""
        many = self.lists or self.several
        codes = self.codes if many else self.by_passage
        chosen: NDArray[np.bool_] = (codes >= low) & (codes < high)
        return self._rows(chosen) if many else chosen

    def grouped(self, row_of: NDArray[np.int32], size: int) -> MetadataColumn:
        """The values of several passages together.

        Args:
            row_of: int32[n], the new row of each passage, -1 for none.
            size: how many new rows there are.
        """
        rows = row_of[self.rows].astype(np.int64)
        keys = rows * max(len(self.values), 1) + self.codes
        rows, codes = np.divmod(distinct(keys[rows >= 0]), max(len(self.values), 1))
        return replace(self, rows=rows, codes=codes, size=size, several=True)

    def any_between(
        self, rows: NDArray[np.int32], low: NDArray[np.int64], high: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Which rows, of several passages each, have a value from ``low`` to ``high`` - 1: of
        their common shape; -1 has none."""
        first = rows.astype(np.int64) * max(len(self.values), 1)
        at = np.searchsorted(self._keys, first + low)
        found = np.append(self._keys, np.iinfo(np.int64).max)[at] < first + high
        return found & (rows >= 0)

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        return np.sort(self.rows * max(len(self.values), 1) + self.codes)

    @cached_property
    def by_passage(self) -> NDArray[np.int32]:
        """Of single values: the place of each passage's, int32[n]; -1 where it has none."""
        codes = np.full(self.size, -1, dtype=np.int32)
        codes[self.rows] = self.codes
        return codes

    def places(self, value: Any) -> tuple[int, int]:
        """Where a value stands among the different ones: first place, and that after the last."""
        return bisect_left(self.values, value), bisect_right(self.values, value)

    def one_of(self, values: Iterable[Any], *, others: bool = False) -> NDArray[np.bool_]:
        """The rows with one of several values, or with one of the ``others``: bool[n]."""
        found = [low for low, high in map(self.places, values) if low < high]
        return self._rows(np.isin(self.codes, found, invert=others))

    def containing(self, part: str) -> NDArray[np.bool_]:
        """The rows whose text has a part: bool[n]."""
        having = np.array([part in value for value in self.values], dtype=bool)
        return self._rows(having[self.codes])

    def _rows(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        rows = np.zeros(self.size, dtype=bool)
        rows[self.rows[chosen]] = True
        return rows
