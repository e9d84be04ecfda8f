"""How much text, and how much evidence, stands in the top k: each character counted once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct, first_of
from ragscore.dataset import Unit
from ragscore.dataset.span_truth import SpanTruth
from ragscore.errors import MeasureError
from ragscore.judge import JUDGED, Judged

Places = NDArray[np.int64]
Counts = NDArray[np.float64]


class Held(NamedTuple):
    """Passages of some queries, where they stand among the characters of all documents, and at
    which rank each came back: int64[n] each."""

    query: Places
    rank: Places
    start: Places
    end: Places


def covered_text(judged: Judged, unit: Unit, tokenizer: str | None, measure: object) -> CoveredText:
    """What a block's top k hold of documents and of evidence, at every k.

    Args:
        judged: a block of queries.
        unit: what is counted: characters, or white-space words or tokens that begin among them.
        tokenizer: whose tokens.
        measure: what reads it, for messages.

    Raises:
        MeasureError: nothing says where evidence stands, or where the tokens begin.
    """
    spans = judged.spans
    if spans is None or judged.rows is None:
        raise no_evidence(measure)
    if unit == "tokens" and tokenizer not in spans.documents.tokens:
        raise MeasureError(
            f"nothing says where the tokens of '{tokenizer}' begin in the documents",
            where=str(measure),
            instead=f"Score ragscore.with_tokens(dataset, {tokenizer!r}), or run an experiment",
        )
    rows = judged.rows
    key = f"covered {unit} {tokenizer or ''}"
    return judged.once(key, 0.0, lambda: CoveredText(judged, spans, rows, unit, tokenizer))


def no_evidence(measure: object) -> MeasureError:
    """What a measure says that reads evidence, if there is none."""
    return MeasureError(
        "it reads evidence in documents, and these judgments have none",
        where=str(measure),
        instead="Score a dataset with documents and evidence, whose retrievers have a chunk",
    )


@dataclass(frozen=True, eq=False)
class CoveredText:
    """Characters, words or tokens of a block of Q queries, each number computed when it is first
    asked.

    Passages that hold none of a query's evidence need only be counted, and passages that share
    nothing with another of the same query likewise: what they add is their size. Where two
    neighbours share some, it is taken off again at the second of their ranks; where more do, and
    where evidence is held, the documents are parted into segments (:class:`_Segments`).

    Attributes:
        judged: the block.
        spans: where passages and evidence stand.
        rows: int32[Q, depth], the passages that came back, -1 pads.
        unit, tokenizer: what is counted.
    """

    judged: Judged
    spans: SpanTruth
    rows: NDArray[np.int32]
    unit: Unit
    tokenizer: str | None

    @property
    def evidence(self) -> Counts:
        """Of all evidence of each query: float64[Q]."""
        return self._found[0]

    @property
    def both(self) -> Counts:
        """Of the evidence in the top k: float64[Q, depth]."""
        return self._found[1]

    @cached_property
    def passages(self) -> Counts:
        """Of the passages in the top k, what several have for each: float64[Q, depth]."""
        return np.cumsum(self._sizes, axis=1)

    @cached_property
    def returned(self) -> Counts:
        """Of the passages in the top k, what several have once: float64[Q, depth]."""
        if self.spans.places.apart:
            return self.passages
        added = self._sizes.copy()
        several = self._take_off(added)
        if len(several):
            rows = self.rows[several]
            query, rank = np.nonzero(rows >= 0)
            segments = self._segments(self._held(query, rank, rows[query, rank]), len(several))
            added[several] = segments.added(segments.first < self.rows.shape[1])
        return np.cumsum(added, axis=1)

    @cached_property
    def _sizes(self) -> Counts:
        """Of the passage at each rank: float64[Q, depth]."""
        before_start, before_end = self.spans.ends_before(self.unit, self.tokenizer)
        sizes: Counts = np.append(before_end - before_start, 0).astype(np.float64)[self.rows]
        return sizes

    def _take_off(self, added: Counts) -> Places:
        """Take off what neighbours share, at the second of their ranks; the queries are returned
        for which that is not all: three passages share something, or one lies in another."""
        places, depth = self.spans.places, self.rows.shape[1]
        # Position and rank in one number, so that one sort brings both into order.
        bits = max(depth - 1, 1).bit_length()
        small = len(places.order) < 1 << (31 - bits)
        ordered = places.position[self.rows].astype(np.int32 if small else np.int64, copy=False)
        ordered = (ordered << bits) | np.arange(depth, dtype=ordered.dtype)
        ordered.sort(axis=1)
        position, rank = ordered >> bits, ordered & ((1 << bits) - 1)
        query, at = np.nonzero(position[:, 1:] < places.reach[position[:, :-1]])
        first, second = position[query, at], position[query, at + 1]
        third = np.where(
            at + 2 < depth, position[query, np.minimum(at + 2, depth - 1)], len(places.order)
        )
        one, other = places.order[first], places.order[second]
        more = (places.end[other] < places.end[one]) | (third < places.reach[first])
        before_start, before_end = self.spans.ends_before(self.unit, self.tokenizer)
        later = np.maximum(rank[query, at], rank[query, at + 1])
        np.subtract.at(added, (query, later), before_end[one] - before_start[other])
        return distinct(query[more])

    @cached_property
    def _found(self) -> tuple[Counts, Counts]:
        """All evidence, and that in the top k. A passage that has some of a query's evidence is
        judged for it: no other is looked at."""
        query, rank = np.nonzero(self.judged.state == JUDGED)
        held = self._held(query, rank, self.rows[query, rank])
        queries, depth = self.rows.shape
        segments = self._segments(held, queries, self.spans.evidence_of(self.judged.query_rows))
        both = segments.added(segments.is_evidence & (segments.first < depth))
        return segments.totals(segments.is_evidence), np.cumsum(both, axis=1)

    def _held(self, query: Places, rank: Places, rows: NDArray[np.int32]) -> Held:
        places = self.spans.places
        return Held(query, rank, places.start[rows], places.end[rows])

    def _segments(
        self, held: Held, queries: int, evidence: tuple[Places, Places, Places] | None = None
    ) -> _Segments:
        """The segments of passages, and of evidence: (query, start, end)."""
        # Queries stand one behind the other on one line.
        line = int(self.spans.documents.offsets[-1]) + 1
        starts, ends = (line * held.query + place for place in (held.start, held.end))
        nothing = np.zeros(0, dtype=np.int64)
        of_query, *found = evidence or (nothing, nothing, nothing)
        evidence_starts, evidence_ends = (line * of_query + place for place in found)
        cuts = distinct(np.concatenate([starts, ends, evidence_starts, evidence_ends]))
        query = cuts // line
        before = self.spans.before(cuts - query * line, self.unit, self.tokenizer)
        # The last segment of a query ends where the next one begins: nothing holds it.
        sizes = np.diff(before, append=before[-1:]).astype(np.float64)
        first = first_of(
            np.searchsorted(cuts, starts), np.searchsorted(cuts, ends), held.rank, len(cuts)
        )
        edges = np.zeros(len(cuts) + 1, dtype=np.int64)
        np.add.at(edges, np.searchsorted(cuts, evidence_starts), 1)
        np.add.at(edges, np.searchsorted(cuts, evidence_ends), -1)
        shape = queries, self.rows.shape[1]
        return _Segments(query, sizes, first, np.cumsum(edges[:-1]) > 0, shape)


class _Segments(NamedTuple):
    """The documents, parted at the ends of all passages and all evidence of a query.

    Attributes:
        query: int64[n], of each segment.
        sizes: float64[n], what it has.
        first: int64[n], the first rank whose passage holds it; a large number where none does.
        is_evidence: bool[n].
        shape: queries and ranks.
    """

    query: Places
    sizes: Counts
    first: Places
    is_evidence: NDArray[np.bool_]
    shape: tuple[int, int]

    def added(self, chosen: NDArray[np.bool_]) -> Counts:
        """What some segments add at each rank: float64[queries, ranks]."""
        queries, depth = self.shape
        at = self.query[chosen] * depth + self.first[chosen]
        found = np.bincount(at, weights=self.sizes[chosen], minlength=queries * depth)
        return found.astype(np.float64).reshape(queries, depth)

    def totals(self, chosen: NDArray[np.bool_]) -> Counts:
        """What some segments have together, by query: float64[queries]."""
        counted = np.bincount(
            self.query[chosen], weights=self.sizes[chosen], minlength=self.shape[0]
        )
        return counted.astype(np.float64)
