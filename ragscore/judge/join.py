"""Where the judged passages stand in a piece of a run: order, ties and hits of whole queries.

Only what was judged is looked at as text, and tied passages where one of them was judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct, ranges
from ragscore.dataset.byte_texts import ByteTexts, equal_keys
from ragscore.dataset.text_qrels import TextQrels
from ragscore.judge.placed import Placed
from ragscore.judge.rows_by_query import RowsByQuery, keyed
from ragscore.judge.ties import across_cutoffs, tie_groups


@dataclass(frozen=True, eq=False)
class JoinedRows:
    """What a run's rows of G queries come to; places count from 0 within a query.

    Attributes:
        unknown: ids of the queries that the qrels lack.
        query_rows: int64[G'], rows in the qrels of the others.
        returned: int32[G'], passages each of them got, duplicates dropped.
        depth: most rows of any query, duplicates and unknown queries included.
        duplicates: rows dropped since their passage stood further up in the same query.
        first_duplicate: the passage and the query of the first of them; None if there is none.
        hits: the returned passages that the qrels name.
        ties: the groups of two and more equal scores; none where they were only counted.
        tied: int64[n], by cutoff from 0 the queries with a tie across it, to the last cutoff with
            one, of those whose ties were only counted.
        passages: the ids of all rows, duplicates dropped; None if they were let go.
    """

    unknown: ByteTexts
    query_rows: NDArray[np.int64]
    returned: NDArray[np.int32]
    depth: int
    duplicates: int
    first_duplicate: tuple[str, str] | None
    hits: Placed
    ties: Placed
    tied: NDArray[np.int64]
    passages: ByteTexts | None

    @classmethod
    def concatenated(cls, pieces: Sequence[JoinedRows]) -> JoinedRows:
        """The rows of several pieces, each of other queries, without the ids of passages."""
        return cls(
            unknown=ByteTexts.joined([piece.unknown for piece in pieces]),
            query_rows=_end_to_end([piece.query_rows for piece in pieces], np.int64),
            returned=_end_to_end([piece.returned for piece in pieces], np.int32),
            depth=max((piece.depth for piece in pieces), default=0),
            duplicates=sum(piece.duplicates for piece in pieces),
            first_duplicate=next((p.first_duplicate for p in pieces if p.first_duplicate), None),
            hits=Placed.concatenated([piece.hits for piece in pieces]),
            ties=Placed.concatenated([piece.ties for piece in pieces]),
            tied=_added([piece.tied for piece in pieces]),
            passages=None,
        )


def _end_to_end(columns: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(columns) if columns else np.empty(0, dtype=kind)


def _added(counts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The sum of counts, of which some end earlier than others."""
    total = np.zeros(max(map(len, counts), default=0), dtype=np.int64)
    for each in counts:
        total[: len(each)] += each
    return total


@dataclass(frozen=True, eq=False)
class JoinTo:
    """What rows of a run are joined with.

    Attributes:
        qrels: the judgments.
        count_ties_of: bool[Q], by row of the judgments: only count, for these queries, across which
            cutoffs ties lie. None keeps every group of ties, as measures need them that ask where
            ties stand; their memory goes with what was returned.
    """

    qrels: TextQrels
    count_ties_of: NDArray[np.bool_] | None = None


def join_rows(rows: RowsByQuery, to: JoinTo) -> JoinedRows:
    """Put rows in order and find the judged among them.

    Args:
        rows: returned passages with their scores, or best first without; each query whole.
        to: the judgments.

    Raises:
        RepeatedRankError: ranks alone say the order, and one is given twice for a query.
    """
    qrels = to.qrels
    depth = int(rows.counts.max(initial=0))
    rows = rows.in_order_of_ranks()
    repeated = rows.repeated()
    first_duplicate = None
    if len(repeated):
        row = int(repeated[0])
        first_duplicate = rows.passages[row], rows.query_ids[int(rows.query_of[row])]
    rows = rows.without(repeated)
    query_rows = qrels.rows_of(rows.query_ids)
    known = query_rows >= 0
    order = _order_of(rows)
    tie_starts, tie_lengths = _tie_groups(rows, order)
    hit_rows, judgments = _hits(rows, qrels, query_rows)
    positions = _positions(rows, order, hit_rows, tie_starts, tie_lengths)
    hit_queries, tie_queries = rows.query_of[hit_rows], rows.query_of[tie_starts]
    tie_places = tie_starts - rows.starts[tie_queries]
    ties = Placed(
        query_rows[tie_queries], tie_places.astype(np.int32), tie_lengths.astype(np.int32)
    )
    ties = ties.where(known[tie_queries])
    tied = np.empty(0, dtype=np.int64)
    if to.count_ties_of is not None:
        counted = to.count_ties_of[ties.query]
        tied = across_cutoffs(ties.place[counted], ties.value[counted])
        ties = Placed.concatenated([])
    return JoinedRows(
        unknown=ByteTexts.joined([rows.query_ids.take(np.flatnonzero(~known))]),
        query_rows=query_rows[known],
        returned=rows.counts[known].astype(np.int32),
        depth=depth,
        duplicates=len(repeated),
        first_duplicate=first_duplicate,
        hits=Placed(
            query_rows[hit_queries],
            (positions - rows.starts[hit_queries]).astype(np.int32),
            qrels.grades[judgments],
        ),
        ties=ties,
        tied=tied,
        passages=rows.passages,
    )


def _order_of(rows: RowsByQuery) -> NDArray[np.int64] | None:
    """The rows by falling score within each query; None if they are so already."""
    scores = rows.numbers
    if scores is None:
        return None
    rises = scores[1:] > scores[:-1]
    rises[rows.starts[1:] - 1] = False
    if not rises.any():
        return None
    unordered = distinct(rows.query_of[1:][rises])
    moved = np.flatnonzero(np.isin(rows.query_of, unordered))
    order = np.arange(len(rows))
    order[moved] = moved[np.lexsort((-scores[moved], rows.query_of[moved]))]
    return order


def _tie_groups(
    rows: RowsByQuery, order: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First position in the order, and length, of each group of equal scores in a query."""
    none = np.empty(0, dtype=np.int64)
    if rows.numbers is None or not len(rows):
        return none, none
    scores = rows.numbers if order is None else rows.numbers[order]
    equal = np.zeros(len(scores), dtype=bool)
    np.equal(scores[1:], scores[:-1], out=equal[1:])
    equal[rows.starts] = False
    return tie_groups(equal)


def _hits(
    rows: RowsByQuery, qrels: TextQrels, query_rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows that the qrels name for their query, and the judgment of each.

    Found by hash, in one set for all queries since the query is part of the key, and then held
    against the text; judgments of equal keys (hashes may collide) are tried one after another.
    """
    known = np.flatnonzero(query_rows >= 0)
    counts = qrels.judgments[query_rows[known]]
    judgments = ranges(qrels.indptr[query_rows[known]], counts)
    queries, hashed = np.repeat(known, counts), qrels.hashes[judgments]
    keys, _ = keyed(queries, hashed, len(query_rows))
    by_key = np.argsort(keys)
    keys, judgments = keys[by_key], judgments[by_key]
    candidates = rows.among(queries, hashed)
    row_keys, _ = keyed(rows.query_of[candidates], rows.hashes[candidates], len(query_rows))
    found_rows, found_judgments = [], []
    for place, at_key in equal_keys(row_keys, keys):
        at, judgment = candidates[place], judgments[at_key]
        same = rows.passages.equal(at, qrels.passages, judgment)
        found_rows.append(at[same])
        found_judgments.append(judgment[same])
    if not found_rows:
        return candidates[:0], candidates[:0]
    return np.concatenate(found_rows), np.concatenate(found_judgments)


def _positions(
    rows: RowsByQuery,
    order: NDArray[np.int64] | None,
    hit_rows: NDArray[np.int64],
    tie_starts: NDArray[np.int64],
    tie_lengths: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The position in the order of each hit; tied passages by id, descending, as text."""
    positions = hit_rows
    if order is not None:
        position_of = np.empty_like(order)
        position_of[order] = np.arange(len(order))
        positions = position_of[hit_rows]
    if not len(tie_starts) or not len(hit_rows):
        return positions
    group = np.maximum(np.searchsorted(tie_starts, positions, "right") - 1, 0)
    tied = (positions >= tie_starts[group]) & (positions < (tie_starts + tie_lengths)[group])
    if not tied.any():
        return positions
    touched = distinct(group[tied])
    positions = positions.copy()
    positions[tied] = _positions_in_ties(
        rows, order, hit_rows[tied], tie_starts[touched], tie_lengths[touched]
    )
    return positions


def _positions_in_ties(
    rows: RowsByQuery,
    order: NDArray[np.int64] | None,
    hit_rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The position of each hit among the tie groups given, which hold all of them."""
    positions = ranges(starts, lengths)
    members = positions if order is None else order[positions]
    groups = np.repeat(np.arange(len(starts)), lengths)
    sorted_rows = members[rows.passages.take(members).falling(groups)]
    by_row = np.argsort(sorted_rows)
    found: NDArray[np.int64] = positions[
        by_row[np.searchsorted(sorted_rows, hit_rows, sorter=by_row)]
    ]
    return found
