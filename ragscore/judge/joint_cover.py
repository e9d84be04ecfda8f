"""What chunks cover together: evidence that the chunks up to a rank hold among them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, first_of, ranges
from ragscore.dataset import Qrels


def covered_together(
    qrels: Qrels,
    query_rows: NDArray[np.int64],
    hits: tuple[NDArray[np.int64], NDArray[np.int64]],
    judgments: NDArray[np.int64],
    width: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Where the needs of a block of queries are covered by what came back up to there.

    A piece of evidence is covered at the first rank up to which the chunks hold, each character
    counted once and white space not, the wanted share of it. The chunk at that rank covers its
    need, whether it holds the rest of it or all.

    Args:
        qrels: of chunks, with the evidence and where they stand.
        query_rows: int64[Q], rows of the queries in them.
        hits: row in the block and column of each returned chunk that holds some evidence of its
            query, in rank order within each query.
        judgments: the judgment of each.
        width: columns of the block.

    Returns:
        The place in the block, flat, at which each piece of evidence is covered, its need,
        numbered over all queries, and its grade: int64[e], int64[e], float64[e], in the order of
        the places.
    """
    assert qrels.spans is not None
    assert qrels.spans.together is not None
    assert qrels.needs is not None
    evidence, chunks = qrels.spans.evidence, qrels.spans.chunks
    row, column = hits
    # Every pair of a returned chunk and a piece of evidence of its query.
    own = bounds_of(np.bincount(evidence.query, minlength=len(qrels.queries)))
    query = query_rows[row]
    counts = own[query + 1] - own[query]
    piece = ranges(own[query], counts)
    chunk = np.repeat(qrels.spans.rows[qrels.rows[judgments]], counts)
    place = np.repeat(row * width + column, counts)
    start = np.maximum(chunks.start[chunk], evidence.start[piece])
    end = np.minimum(chunks.end[chunk], evidence.end[piece])
    shares = (end > start) & (chunks.document[chunk] == evidence.document[piece])
    piece, place, start, end = piece[shares], place[shares], start[shares], end[shares]
    line = qrels.spans.evidence_line
    start, end = line.places(piece, start), line.places(piece, end)
    # Each stretch of the line belongs to the first place that holds it.
    cuts = np.unique(np.concatenate([start, end]))
    held_by = first_of(
        np.searchsorted(cuts, start), np.searchsorted(cuts, end), place, max(len(cuts) - 1, 0)
    )
    held = np.flatnonzero(held_by < np.iinfo(np.int64).max)
    piece_of = np.searchsorted(line.begins, cuts[held], side="right") - 1
    length = line.characters(cuts[held], cuts[held + 1]) if len(held) else held
    order = np.lexsort((held_by[held], piece_of))
    piece_of, held_by, length = piece_of[order], held_by[held][order], length[order]
    # Characters held of the piece, up to each stretch.
    total = np.cumsum(length)
    first = np.searchsorted(piece_of, piece_of, side="left")
    so_far = total - (total[first] - length[first])
    reached = np.flatnonzero(so_far >= line.wanted(qrels.spans.together)[piece_of])
    at = reached[np.unique(piece_of[reached], return_index=True)[1]]
    covered, places = piece_of[at], held_by[at]
    by_place = np.lexsort((evidence.need[covered], places))
    covered, places = covered[by_place], places[by_place]
    need = qrels.needs.bounds[evidence.query[covered]] + evidence.need[covered]
    return places, need, evidence.grade[covered]
