"""Run: what one retriever returned, ordered once and for all.

Score descending, then passage id descending as text, scores compared as 64-bit floats: the
order of trec_eval 10. A ranking without scores stands as it was given. Duplicates, NaN and
infinite scores are dealt with here and nowhere else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.dataset import Ids
from ragscore.dataset.python_tables import to_pandas
from ragscore.described import in_short
from ragscore.errors import DataError
from ragscore.run.order import drop_duplicates, pack_left, put_in_order, refuse_unordered
from ragscore.run.query_failure import QueryFailure as QueryFailure
from ragscore.run.query_failure import failures_among

if TYPE_CHECKING:
    import polars

Returned = Mapping[str, float] | Sequence[str] | Sequence[tuple[str, float]]
"""What a query got: {passage id: score}, ids best first, or (id, score) pairs."""


@dataclass(frozen=True, eq=False)
class Run:
    """Per query an ordered list of passages. Make one with :meth:`make` or :meth:`from_dict`.

    Attributes:
        queries: ids of the query rows.
        passages: the vocabulary that ``rows`` points into.
        rows: int32[Q, depth], best first, -1 pads at the end.
        scores: float64[Q, depth], NaN if rows is -1; None for a ranking without scores.
        name: the retriever's name.
        duplicates: how many passages were returned a second time for a query, and dropped.
        failures: the queries that were not answered, in the order of the queries; they have no
            passages. Set by :meth:`with_failures`.
        leaves_out: measures of failed queries are undefined, and left out of means; otherwise
            they score as queries that nothing came back for.
    """

    queries: Ids
    passages: Ids
    rows: NDArray[np.int32]
    scores: NDArray[np.float64] | None = None
    name: str = "run"
    duplicates: int = 0
    failures: tuple[QueryFailure, ...] = ()
    leaves_out: bool = False

    @classmethod
    def make(
        cls,
        queries: Ids,
        passages: Ids,
        rows: ArrayLike,
        scores: ArrayLike | None = None,
        *,
        name: str = "run",
        strict: bool = False,
    ) -> Run:
        """Order, check and pack what a retriever returned.

        Args:
            queries: Q query ids.
            passages: vocabulary of ``rows``.
            rows: integers [Q, depth]; -1 marks an empty place, anywhere in the row.
            scores: floats [Q, depth], higher is better; None if the order is all there is.
            strict: a passage returned twice is an error; otherwise the first is kept.

        Raises:
            DataError: shapes do not fit, a row is out of range, a score is NaN or infinite, or
                (strict) a passage is returned twice.
        """
        given = np.asarray(rows)
        if given.ndim != 2 or given.shape[0] != len(queries):
            raise DataError(
                f"the ranking has shape {given.shape}",
                where=name,
                instead=f"Expected integers [{len(queries)} queries, depth]",
            )
        if given.size and (given.max() >= len(passages) or given.min() < -1):
            raise DataError(
                f"a passage row lies outside 0..{len(passages) - 1}",
                where=name,
                instead="Use -1 for an empty place",
            )
        packed = np.ascontiguousarray(given, dtype=np.int32)
        values: NDArray[np.float64] | None = None
        if scores is not None:
            values = np.asarray(scores, dtype=np.float64)
            if values.shape != packed.shape:
                raise DataError(f"{values.shape} scores for {packed.shape} passages", where=name)
            refuse_unordered(queries, passages, packed, values, name)
        packed, values, duplicates = drop_duplicates(
            queries, passages, packed, values, name, strict
        )
        packed, values = pack_left(packed, values)
        if values is not None:
            packed, values = put_in_order(passages, packed, values)
        return cls(queries, passages, packed, values, name, duplicates)

    @classmethod
    def from_dict(
        cls,
        returned: Mapping[str, Returned],
        *,
        queries: Ids | None = None,
        passages: Ids | None = None,
        name: str = "run",
        strict: bool = False,
    ) -> Run:
        """A run from ``{query id: what it got}``; see :data:`Returned`.

        Args:
            queries: the query rows wanted; by default those of ``returned``.
            passages: a vocabulary to start from; ids it lacks are added at the end.

        Raises:
            DataError: as :meth:`make`; or some queries have scores and others have none.
        """
        query_ids = queries if queries is not None else Ids(returned)
        listed = [_split(returned.get(query_id, ())) for query_id in query_ids]
        scored = {scores is not None for ids, scores in listed if ids}
        if len(scored) > 1:
            raise DataError(
                "some queries have scores and others have none",
                where=name,
                instead="Give scores for every passage or for none",
            )
        flat = [passage_id for ids, _ in listed for passage_id in ids]
        vocabulary = (passages or Ids(())).extended(flat)
        depth = max((len(ids) for ids, _ in listed), default=0)
        rows = np.full((len(query_ids), depth), -1, dtype=np.int32)
        filled = np.arange(depth) < np.array([len(ids) for ids, _ in listed])[:, None]
        rows[filled] = vocabulary.rows(flat)
        values: NDArray[np.float64] | None = None
        if scored == {True}:
            values = np.full(rows.shape, np.nan)
            values[filled] = [score for _, scores in listed for score in scores or ()]
        return cls.make(query_ids, vocabulary, rows, values, name=name, strict=strict)

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        return f"Run({in_short(self.name)}: {len(self):,} queries, depth {self.depth})"

    @property
    def depth(self) -> int:
        """How many places each query has."""
        return int(self.rows.shape[1])

    @cached_property
    def returned(self) -> NDArray[np.int32]:
        """How many passages each query got: int32[Q]."""
        count: NDArray[np.int32] = (self.rows >= 0).sum(axis=1, dtype=np.int32)
        return count

    @property
    def failed_queries(self) -> list[str]:
        """Ids of the queries that failed, in their order."""
        return [failure.query for failure in self.failures]

    @cached_property
    def tie_start(self) -> NDArray[np.int32]:
        """First place (from 0) of the tie group that each place belongs to: int32[Q, depth]."""
        places = np.broadcast_to(np.arange(self.depth, dtype=np.int32), self.rows.shape)
        if self.scores is None or self.depth == 0:
            return places
        first = np.where(self.scores[:, 1:] != self.scores[:, :-1], places[:, 1:], 0)
        start = np.zeros(self.rows.shape, dtype=np.int32)
        np.maximum.accumulate(first, axis=1, out=start[:, 1:])
        return start

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that the run holds, its name included: 64 hex digits."""
        about = self.queries.digest, self.passages.digest, self.name, self.duplicates, self.depth
        sha = hashlib.sha256(repr((*about, self.scores is not None)).encode("utf-8", "replace"))
        if self.failures:
            sha.update(repr((self.failed_queries, self.leaves_out)).encode("utf-8", "replace"))
        sha.update(self.rows.astype("<i4").tobytes())
        if self.scores is not None:
            sha.update(self.scores.astype("<f8").tobytes())
        return sha.hexdigest()

    def cut(self, depth: int) -> Run:
        """The first ``depth`` places of every query."""
        if depth >= self.depth:
            return self
        scores = None if self.scores is None else self.scores[:, :depth]
        return replace(self, rows=self.rows[:, :depth], scores=scores)

    def renamed(self, name: str) -> Run:
        """The same run under another name."""
        return replace(self, name=name)

    def with_failures(self, failures: Collection[QueryFailure], *, leaves_out: bool = False) -> Run:
        """The run where these queries failed: they get nothing.

        Args:
            failures: those of queries that the run lacks are passed over; of a query that failed
                twice the first is kept.
            leaves_out: whether their values are left out of means.
        """
        kept = failures_among(failures, self.queries)
        if not kept:
            return replace(self, failures=(), leaves_out=leaves_out)
        failed = np.zeros(len(self), dtype=bool)
        failed[self.queries.rows([failure.query for failure in kept])] = True
        rows = np.where(failed[:, None], np.int32(-1), self.rows)
        scores = None if self.scores is None else np.where(failed[:, None], np.nan, self.scores)
        return replace(self, rows=rows, scores=scores, failures=kept, leaves_out=leaves_out)

    def failed_with(self, inputs: Mapping[str, Run]) -> Run:
        """The run where each query that failed for one of its inputs has failed, too.

        Their values are left out of means where an input leaves out those of its own.

        Args:
            inputs: the runs that it was made from, by name.
        """
        inherited = [
            QueryFailure.of_input(name, failure)
            for name, found in inputs.items()
            for failure in found.failures
        ]
        if not inherited:
            return self
        leaves_out = any(run.leaves_out for run in (self, *inputs.values()) if run.failures)
        return self.with_failures([*self.failures, *inherited], leaves_out=leaves_out)

    def onto(self, passages: Ids) -> Run:
        """The same ranking over another vocabulary, which must hold every returned id.

        Raises:
            DataError: a returned passage is not in ``passages``.
        """
        if passages is self.passages or passages.starts_with(self.passages):
            return replace(self, passages=passages)
        new_row = np.append(passages.rows(self.passages), np.int32(-1))
        rows = new_row[self.rows]
        lost = (rows < 0) & (self.rows >= 0)
        if lost.any():
            query, place = (int(at[0]) for at in np.nonzero(lost))
            raise DataError(
                f"passage '{self.passages[int(self.rows[query, place])]}' is not in the corpus",
                where=f"{self.name}, query '{self.queries[query]}'",
                instead="The run was made from another corpus; retrieve again or fix its ids",
            )
        return replace(self, passages=passages, rows=rows)

    def for_queries(self, queries: Ids) -> Run:
        """The rows of ``queries`` in their order; a query this run lacks gets nothing."""
        if queries is self.queries or queries == self.queries:
            return self
        at = self.queries.rows(queries)  # -1: the row that is added
        rows = np.pad(self.rows, ((0, 1), (0, 0)), constant_values=-1)[at]
        scores = self.scores
        if scores is not None:
            scores = np.pad(scores, ((0, 1), (0, 0)), constant_values=np.nan)[at]
        failures = failures_among(self.failures, queries)
        return replace(self, queries=queries, rows=rows, scores=scores, failures=failures)

    def without_self(self) -> Run:
        """The run without passages whose id is the query's."""
        own = self.passages.rows(self.queries)
        hit = (self.rows == own[:, None]) & (self.rows >= 0)
        if not hit.any():
            return self
        rows = np.where(hit, np.int32(-1), self.rows)
        scores = None if self.scores is None else np.where(hit, np.nan, self.scores)
        rows, scores = pack_left(rows, scores)
        return replace(self, rows=rows, scores=scores)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{query id: {passage id: score}}``, best first; where there are no scores,
        depth - rank + 1 stands in."""
        stand_in = np.arange(self.depth, 0, -1, dtype=np.float64)
        result: dict[str, dict[str, float]] = {}
        for at, query_id in enumerate(self.queries):
            count = int(self.returned[at])
            scores = stand_in if self.scores is None else self.scores[at]
            ids = (self.passages[row] for row in self.rows[at, :count].tolist())
            result[query_id] = dict(zip(ids, scores[:count].tolist(), strict=True))
        return result

    def to_polars(self) -> polars.DataFrame:
        """Columns query, passage, rank (from 1), score (null if there is none)."""
        import polars

        query, place = np.nonzero(self.rows >= 0)
        score = np.full(len(query), np.nan) if self.scores is None else self.scores[query, place]
        # Of the ids of a large corpus, only those that came back are ever texts.
        named, which = np.unique(self.rows[query, place], return_inverse=True)
        passages = self.passages.texts(named)
        return polars.DataFrame(
            {
                "query": polars.Series(list(self.queries), dtype=polars.String).gather(query),
                "passage": polars.Series(passages, dtype=polars.String).gather(which),
                "rank": polars.Series(place + 1, dtype=polars.Int32),
                "score": polars.Series(score, dtype=polars.Float64).fill_nan(None),
            }
        )

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame; a score that is not there is NaN.

        Raises:
            MissingPackageError: pandas is not installed; nothing else is needed.
        """
        return to_pandas(self.to_polars())


def concatenate(blocks: Sequence[Run]) -> Run:
    """One run from runs of consecutive blocks of queries: over the same passages, or over those of
    any of the blocks where these differ."""
    if len(blocks) == 1:
        return blocks[0]
    passages = reduce(Ids.extended, (block.passages for block in blocks))
    blocks = [block.onto(passages) for block in blocks]
    depth = max(block.depth for block in blocks)

    def stacked(columns: Sequence[NDArray[Any]], fill: float) -> NDArray[Any]:
        rooms = [((0, 0), (0, depth - column.shape[1])) for column in columns]
        return np.concatenate(list(map(partial(np.pad, constant_values=fill), columns, rooms)))

    scores = [block.scores for block in blocks if block.scores is not None]
    return Run(
        Ids(query_id for block in blocks for query_id in block.queries),
        passages,
        stacked([block.rows for block in blocks], -1),
        stacked(scores, np.nan) if len(scores) == len(blocks) else None,
        blocks[0].name,
        sum(block.duplicates for block in blocks),
        tuple(failure for block in blocks for failure in block.failures),
        any(block.leaves_out for block in blocks),
    )


def _split(returned: Returned) -> tuple[list[str], list[float] | None]:
    if isinstance(returned, Mapping):
        return list(returned), list(returned.values())
    ids: list[str] = []
    scores: list[float] = []
    for item in returned:
        if isinstance(item, str):
            ids.append(item)
        else:
            ids.append(item[0])
            scores.append(item[1])
    if scores and len(scores) != len(ids):
        raise DataError("ids with and without scores are mixed in one list")
    return ids, scores if scores else None


def on_one_vocabulary(runs: Mapping[str, Run], passages: Ids) -> tuple[dict[str, Run], Ids]:
    """Runs over one vocabulary, and this: the given passages, and any others that the runs name
    behind them, so that ids are looked up once."""
    for run in runs.values():
        passages = passages.extended(run.passages)
    return {name: run.onto(passages) for name, run in runs.items()}, passages
