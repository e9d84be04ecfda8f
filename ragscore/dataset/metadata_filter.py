"""Which passages the conditions of a filter allow each query, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import and_, or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.allowed import Allowed
from ragscore.dataset.conditions import OF_LIST, Condition
from ragscore.dataset.corpus import Corpus
from ragscore.dataset.filter_counts import FilterCounts
from ragscore.dataset.metadata import MetadataColumn, Sort, known_key, sort_of
from ragscore.dataset.queries import Queries
from ragscore.described import in_short
from ragscore.errors import Problem

_NAMES: dict[Sort, str] = {
    "number": "a number",
    "text": "text",
    "truth value": "true or false",
    "list": "a list",
    "date": "a date",
    "time": "a time",
    "object": "something that cannot be compared",
}
ORDERS = frozenset({"<", "<=", ">", ">="})
RECENT = 16
"""Groups of queries whose allowed passages are kept, for indexes that ask query by query."""
NUMERAL = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class _Met:
    """A value that was met, and where: ``passage 'p1' has year 2020``."""

    where: str
    value: Any

    @property
    def sort(self) -> Sort:
        return sort_of(self.value) or "object"

    def __str__(self) -> str:
        return f"{self.where} {in_short(self.value)} ({_NAMES[self.sort]})"


@dataclass(frozen=True, eq=False)
class MetadataFilter:
    """Conditions over the passages of a corpus, all of which must hold. Made by :meth:`over`.

    Attributes:
        conditions: as they were written.
        columns: what the passages have under the field of each; None if that is a problem.
        examples: the first passage's value of each.
        size: how many passages there are.
        problems: what is wrong with the conditions on this corpus.
    """

    conditions: tuple[Condition, ...]
    columns: tuple[MetadataColumn | None, ...]
    examples: tuple[_Met | None, ...]
    size: int
    problems: tuple[Problem, ...]

    @classmethod
    def over(cls, conditions: Sequence[Condition], corpus: Corpus) -> MetadataFilter:
        """The conditions with the columns of a corpus's metadata that they read."""
        read = [_column(condition, corpus) for condition in conditions]
        columns = [column if isinstance(column, MetadataColumn) else None for column, _ in read]
        problems = [column for column, _ in read if isinstance(column, Problem)]
        examples = [example for _, example in read]
        return cls(tuple(conditions), tuple(columns), tuple(examples), len(corpus), tuple(problems))

    def unknown_keys(self, queries: Queries) -> list[Problem]:
        """The keys that conditions name and that none of all queries has."""
        keys = dict.fromkeys(each.key for each in self.conditions if each.key is not None)
        return [
            _problem(f"no query has metadata '{key}'", known_key(key, queries.metadata, "query."))
            for key in keys
            if not any(_has(metadata, key) for metadata in queries.metadata.values())
        ]

    def unfit_values(self, queries: Queries) -> list[Problem]:
        """For each condition the first value that cannot be compared with the passages'."""
        parts = zip(self.conditions, self.columns, self.examples, strict=True)
        found = [
            _unfit(condition, column, example, _wanted(condition, queries))
            for condition, column, example in parts
            if column is not None and example is not None
        ]
        return [problem for problem in found if problem is not None]

    def allowed(self, queries: Queries) -> Allowed:
        """Which passages each of the queries may get; only where nothing is a problem."""
        group, values = self.wanted(queries)
        return self._allowed(group, values)

    def _allowed(self, group: NDArray[np.int64], values: list[tuple[Any, ...]]) -> Allowed:
        def part(first: int, after: int) -> Allowed:
            columns = (column and column.part(first, after) for column in self.columns)
            here = replace(self, columns=tuple(columns), size=after - first)
            return here._allowed(group, values)

        passages = lru_cache(maxsize=RECENT)(lambda at: self._passages(values[at]))
        return Allowed(group, len(values), passages, part)

    def wanted(self, queries: Queries) -> tuple[NDArray[np.int64], list[tuple[Any, ...]]]:
        """The group of each query, int64[Q], and what the passages' values are compared with for
        each group, by condition; None if a query lacks the key."""
        groups: dict[tuple[Any, ...], int] = {}
        group = np.zeros(len(queries), dtype=np.int64)
        for row in range(len(queries)):
            metadata = queries.metadata.get(row, {})
            wanted = [condition.wanted(metadata) for condition in self.conditions]
            found = tuple(tuple(each) if sort_of(each) == "list" else each for each in wanted)
            group[row] = groups.setdefault(found, len(groups))
        return group, list(groups)

    def shares(self, queries: Queries) -> NDArray[np.float64]:
        """The share of all passages that each query may get: float64[Q]."""
        shares = np.zeros(len(queries))
        for members, passages in self.allowed(queries):
            shares[members] = passages.mean()
        return shares

    def counts(self, queries: Queries) -> FilterCounts:
        """How many queries the filter does not restrict, or leaves without any passage."""
        keys = [condition.key for condition in self.conditions if condition.key is not None]
        having = [of for of in queries.metadata.values() if all(_has(of, key) for key in keys)]
        unrestricted = len(queries) - len(having) if keys else 0
        nothing = int((self.shares(queries) == 0).sum())
        return FilterCounts(len(queries), unrestricted, nothing)

    def _passages(self, wanted: tuple[Any, ...]) -> NDArray[np.bool_]:
        masks = [
            holds(condition.op, column, value)
            for condition, column, value in zip(self.conditions, self.columns, wanted, strict=True)
            if value is not None and column is not None
        ]
        return reduce(and_, masks, np.ones(self.size, dtype=bool))


def holds(op: str, column: MetadataColumn, value: Any) -> NDArray[np.bool_]:
    """The passages whose value fulfils a condition: bool[N]."""
    if op in OF_LIST:
        values = value if sort_of(value) == "list" else [value]
        return column.one_of(values, others=op == "not in")
    if op == "contains" and not column.lists:
        return column.containing(value)
    return reduce(or_, (column.between(*span) for span in spans(op, column, value)))


def spans(op: str, column: MetadataColumn, value: Any) -> list[tuple[int, int]]:
    """The places among a column's different values, [low, high), that fulfil a condition; of any
    op that takes no list and is not, where passages have single values, ``contains``."""
    low, high = column.places(value)
    end = len(column.values)
    if op == "!=":
        return [(0, low), (high, end)]
    places = {
        "=": (low, high),
        "contains": (low, high),
        "<": (0, low),
        "<=": (0, high),
        ">": (high, end),
        ">=": (low, end),
    }
    return [places[op]]


def _has(metadata: Mapping[str, Any], key: str) -> bool:
    return sort_of(metadata.get(key)) is not None


def _wanted(condition: Condition, queries: Queries) -> Iterator[_Met]:
    """What passages are compared with: a constant, or what each query has."""
    if condition.key is None:
        yield _Met("the value of the filter is", condition.value)
        return
    for row, metadata in queries.metadata.items():
        value = condition.wanted(metadata)
        if value is not None:
            yield _Met(f"query '{queries.ids[row]}' has {condition.key}", value)


def _column(condition: Condition, corpus: Corpus) -> tuple[MetadataColumn | Problem, _Met | None]:
    """What the passages have under a condition's field, or what is wrong with it; and an example
    of a single value."""
    name = condition.field
    by_row = {
        row: metadata[name] for row, metadata in corpus.metadata.items() if _has(metadata, name)
    }
    if not by_row:
        instead = known_key(name, corpus.metadata)
        return _problem(f"no passage has metadata '{name}'", instead), None
    met = [
        _Met(f"passage '{corpus.ids[row]}' has {name}", value)
        for row, value in _first_of_each_sort(by_row.items())
    ]
    lists = met[0].sort == "list"
    if lists and condition.op not in ("contains", "any"):
        instead = _WITH_LISTS.get(condition.op, "Use op: contains")
        return _problem(f"{met[0]}, and op: {condition.op} takes one value", instead), None
    if condition.op == "any" and not lists:
        return _problem(f"{met[0]}, which is not a list", "Use op: in"), None
    if len(met) == 1 and lists:
        items = ((row, item) for row, listed in by_row.items() for item in listed)
        met = [
            _Met(f"passage '{corpus.ids[row]}' has in {name}", item)
            for row, item in _first_of_each_sort(items)
        ]
    if len(met) > 1:
        return _problem(f"{met[0]} and {met[1]}, which cannot be compared", _ONE_WAY), None
    example = met[0] if met else None
    if condition.op == "contains" and not lists and example and example.sort != "text":
        return _problem(f"{example}, which is neither a list nor text", "Use op: ="), None
    if example is not None and example.sort in ("object", "list"):
        return _problem(f"{example}, which cannot be compared", "Choose another field"), None
    try:
        return MetadataColumn.of(by_row, len(corpus), lists=lists), example
    except TypeError as error:
        return _problem(f"the passages' {name} cannot be compared: {error}", _ONE_WAY), None


def _unfit(
    condition: Condition, column: MetadataColumn, example: _Met, wanted: Iterable[_Met]
) -> Problem | None:
    """What is wrong with the first value that cannot be compared with the passages'."""
    single = []
    for met in wanted:
        several = met.sort == "list" and condition.op in OF_LIST
        for value in met.value if several else (met.value,):
            item = _Met(met.where, value)
            if item.sort != example.sort:
                return _problem(f"{example} and {item}, which cannot be compared", _ONE_WAY)
            single.append(value)
    if example.sort == "text" and condition.op in ORDERS:
        texts = sorted({*column.values, *single})
        numerals = [text for text in texts if NUMERAL.fullmatch(text)]
        as_numbers = sorted(numerals, key=float)
        if len(numerals) == len(texts) and numerals != as_numbers:
            at = next(at for at, text in enumerate(numerals) if text != as_numbers[at])
            return _problem(
                f"the values of {condition.field} are numbers written as text, among which "
                f"'{numerals[at]}' comes before '{as_numbers[at]}'",
                "Write numbers in JSON lines or Parquet (CSV and TSV hold text), or give all as "
                "many digits",
            )
    return None


def _first_of_each_sort(values: Iterable[tuple[int, Any]]) -> list[tuple[int, Any]]:
    first: dict[Sort | None, tuple[int, Any]] = {}
    for row, value in values:
        first.setdefault(sort_of(value), (row, value))
    return list(first.values())


_WITH_LISTS = {
    "in": "Use op: any",
    "not in": "Name a field that has one value in each passage",
}
_ONE_WAY = "Write both as numbers, or both as text (what CSV and TSV hold is text)"


def _problem(what: str, instead: str) -> Problem:
    return Problem(what, "filter", instead)
