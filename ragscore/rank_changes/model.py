"""What changed between two rankings, as values and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ragscore.messages import Text
from ragscore.records import MaybeNaN, Record
from ragscore.stats.intervals import Interval

ChangeKind = Literal[
    "newly failed",
    "newly empty",
    "no longer failed",
    "newly answered",
    "other passages",
    "other order",
]
KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
"""How the top k of a query changes; each query counts once, by the first that applies."""


@dataclass(frozen=True)
class ShareOfQueries(Record):
    """How many of some queries, with Wilson's interval of the share."""

    count: int
    """How many."""
    of: int
    """Of how many queries."""
    share: MaybeNaN
    """``count / of``; null if there is no query."""
    interval: Interval
    """Of the share, the queries taken as a sample of those to come."""


@dataclass(frozen=True)
class ScoreShift(Record):
    """How scores shifted: the later minus the earlier, in the units of the scores."""

    what: Literal["passages", "first"]
    """``passages``: each passage that both returned for a query; ``first``: the highest score of
    each query that both answered, whichever passage has it."""
    n: int
    """How many shifts."""
    lower: int
    """How many scores are lower than before."""
    higher: int
    """How many are higher."""
    p5: MaybeNaN
    """5 % of the shifts are at most this."""
    p25: MaybeNaN
    """A quarter is at most this."""
    median: MaybeNaN
    """Half are at most this."""
    p75: MaybeNaN
    """Three quarters are at most this."""
    p95: MaybeNaN
    """95 % are at most this."""


@dataclass(frozen=True)
class SliceOfChanges(Record):
    """The queries that share a tag or a value of metadata."""

    key: str
    """The tag prefix or metadata key."""
    value: str
    """Its value."""
    changed: ShareOfQueries
    """Queries of the slice whose top k changed."""
    overlap: MaybeNaN
    """Mean overlap@k of its queries."""
    rbo: MaybeNaN
    """Mean rank-biased overlap of its queries."""


@dataclass(frozen=True)
class NewPassage(Record):
    """A passage in the later top k that is not in the earlier top k."""

    passage: str
    """Its id."""
    rank: int
    """Its rank in the later run, from 1."""
    judged: bool | None
    """Whether someone judged it for this query; null if no judgments are known."""


@dataclass(frozen=True)
class QueryChange(Record):
    """One query whose top k changed."""

    query: str
    """Its id."""
    text: str | None
    """Its text; null if no dataset is known."""
    kind: ChangeKind
    """How it changed."""
    overlap: float
    """Overlap@k."""
    rbo: float
    """Rank-biased overlap."""
    new: tuple[NewPassage, ...]
    """What came into the top k, in the order of the later run."""
    gone: tuple[str, ...]
    """Ids of what left it, in the order of the earlier run."""
    error: str | None = None
    """Why the system did not answer it, in the later run, else in the earlier one; null if it
    answered both times."""


@dataclass(frozen=True)
class RetrieverChanges(Record):
    """What changed in the rankings of one retriever."""

    before: str
    """Its name in the earlier result."""
    after: str
    """Its name in the later one."""
    depths: tuple[int, int]
    """How many passages a query each run recorded."""
    changed: ShareOfQueries
    """Queries whose top k changed: in its passages or in their order."""
    kinds: dict[ChangeKind, int]
    """How many of these changed in which way; each counts once."""
    unanswered: int
    """Queries for which neither run returned anything; overlap and RBO leave them out."""
    failed: tuple[int, int]
    """Queries that the system did not answer at all, in each run; they count as queries that got
    nothing."""
    other_first: int
    """Queries that both answered, with another first passage."""
    overlap: MaybeNaN
    """Mean overlap@k: passages in both top k, over the longer of the two."""
    rbo: MaybeNaN
    """Mean extrapolated rank-biased overlap."""
    new: int
    """Passages in the later top k that are not in the earlier top k, over all queries."""
    unjudged: int | None
    """Of these, how many nobody judged for their query; null if no judgments are known."""
    returned: tuple[int, int]
    """Different passages that each run returned, over all queries."""
    shared: int
    """Of these, how many both returned."""
    shifts: tuple[ScoreShift, ...]
    """Shifts of scores; empty if a run has none."""
    slices: tuple[SliceOfChanges, ...]
    """By tags and metadata of the queries."""
    queries: tuple[QueryChange, ...]
    """Changed queries, most changed first: those newly failed, newly empty, newly answered, then
    by overlap@k and RBO, the lowest first."""


@dataclass(frozen=True)
class DatasetRankChanges(Record):
    """What changed on the queries of one dataset."""

    dataset: str
    """Its name in the later result; empty for run files without one."""
    before: str
    """Its name in the earlier result."""
    n: int
    """Queries compared."""
    left_out: int
    """Queries that only one side has, or whose text is another."""
    retrievers: tuple[RetrieverChanges, ...]
    """Those that both sides have, in the order of the later one."""
    only_before: tuple[str, ...]
    """Retrievers that only the earlier result has."""
    only_after: tuple[str, ...]
    """Retrievers that only the later result has."""
    notes: tuple[Text, ...]
    """Notes on the comparison."""
