"""A run in parts as a whole in memory, for what cannot be judged while it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragscore.dataset import Ids
from ragscore.dataset.byte_texts import ByteTexts, first_rows, numbered
from ragscore.formats.runs.base import PartRows
from ragscore.judge import SplitQueryError
from ragscore.judge.rows_by_query import RowsByQuery
from ragscore.run import Run


def run_of_parts(parts: Sequence[PartRows], name: str, *, strict: bool = False) -> Run:
    """The run whose parts these are, in their order; a query at the end of one part may go on at
    the beginning of the next.

    Raises:
        SplitQueryError: rows of a query stand anywhere else in a later part.
        RepeatedRankError: a query has a rank twice, and no scores.
        DataError: a passage is named twice for a query, and ``strict`` is set.
    """
    rows = _together([part.rows for part in parts]).in_order_of_ranks()
    texts, passage_rows = numbered(rows.passages)
    listed = [part.listed for part in parts if part.listed is not None]
    queries = Ids(dict.fromkeys(ByteTexts.joined([*listed, rows.query_ids]).to_list()))
    depth = max([int(rows.counts.max(initial=0)), *(part.depth for part in parts)])
    matrix = np.full((len(queries), depth), -1, dtype=np.int32)
    at = queries.rows(rows.query_ids.to_list())
    query = np.repeat(at, rows.counts)
    place = np.arange(len(rows)) - np.repeat(rows.starts, rows.counts)
    matrix[query, place] = passage_rows
    scores = None
    if rows.numbers is not None:
        scores = np.full(matrix.shape, np.nan)
        scores[query, place] = rows.numbers
    run = Run.make(queries, Ids(texts.to_list()), matrix, scores, name=name, strict=strict)
    recorded = sum(part.duplicates for part in parts)
    return replace(run, duplicates=run.duplicates + recorded)


def _together(parts: Sequence[RowsByQuery]) -> RowsByQuery:
    """The rows of all parts, each query's together."""
    ends = [part.with_last_row_last() for part in parts]
    heads = ByteTexts.joined([part.query_ids for part in ends])
    first = first_rows(heads)
    goes_on = np.append(False, first[1:] == first[:-1])
    back = np.flatnonzero((first != np.arange(len(first))) & ~goes_on)
    if len(back):
        bounds = np.cumsum([len(part.query_ids) for part in ends])
        earlier, later = np.searchsorted(bounds, [first[back[0]], back[0]], "right").tolist()
        raise SplitQueryError(heads[int(back[0])], earlier, later)
    numbers = [part.numbers for part in ends if part.numbers is not None]
    ranks = [part.ranks for part in ends if part.ranks is not None]
    return RowsByQuery.of_runs(
        heads,
        np.concatenate([part.counts for part in ends]),
        ByteTexts.joined([part.passages for part in ends]),
        np.concatenate(numbers) if numbers else None,
        np.concatenate(ranks) if ranks else None,
    )
