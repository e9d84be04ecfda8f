"""Projection: evidence in documents becomes judgments of the chunks that hold it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, changes, ranges
from ragscore.dataset.chunks import Chunks
from ragscore.dataset.evidence import EvidenceColumns
from ragscore.dataset.evidence_line import EvidenceLine
from ragscore.dataset.ids import Ids
from ragscore.dataset.needs import Needs
from ragscore.dataset.qrels import Qrels
from ragscore.described import in_short
from ragscore.errors import Problem

WHOLE = 1.0
"""The share of its characters by which a chunk holds evidence: all of them."""


def projected(
    evidence: EvidenceColumns,
    chunks: Chunks,
    texts: Sequence[str],
    *,
    queries: Ids,
    passages: Ids,
    coverage: float = WHOLE,
) -> Qrels:
    """Judgments of chunks: each has the grade of the evidence that it holds.

    A chunk covers a need with the grade of the need's evidence where it holds at least the share
    ``coverage`` of its characters, white space not counted; one that holds fewer, but some, is
    judged and has grade 0. What no chunk holds remains a need. It takes time in proportion to the
    pairs that overlap.

    Args:
        evidence: spans of documents.
        chunks: of the same documents.
        texts: of the documents.
        queries: all query ids; they begin with those of the evidence.
        passages: the ids of the chunks.
        coverage: above 0, at most 1.
    """
    span, row, starts, ends = overlapping(evidence, chunks)
    if coverage == WHOLE:
        held = ends - starts == (evidence.end - evidence.start)[span]
    else:
        line = EvidenceLine.of(evidence, texts)
        shared = line.characters(line.places(span, starts), line.places(span, ends))
        held = shared >= line.wanted(coverage)[span]
    query, need = evidence.query.astype(np.int64)[span], evidence.need.astype(np.int64)[span]
    grade = np.where(held, evidence.grade[span], 0.0)
    # By judgment and need, the best grade first.
    order = np.lexsort((-grade, need, row, query))
    query, row, need, grade = query[order], row[order], need[order], grade[order]
    new_pair = changes(query, row)
    new_need = new_pair | changes(need)
    covers = new_need & (grade > 0)
    pair = np.cumsum(new_pair) - 1
    grades = np.zeros(int(new_pair.sum()))
    np.maximum.at(grades, pair, grade)
    indptr = bounds_of(np.bincount(query[new_pair], minlength=len(queries)))
    bounds, best = _best(evidence, len(queries))
    return Qrels(
        queries,
        passages,
        indptr,
        row[new_pair].astype(np.int32),
        grades,
        needs=Needs(
            indptr=bounds_of(np.bincount(pair[covers], minlength=len(grades))),
            need=need[covers].astype(np.int32),
            grades=grade[covers],
            bounds=bounds,
            best=best,
        ),
    )


def overlapping(
    evidence: EvidenceColumns, chunks: Chunks
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The pairs of evidence and chunk that share characters, as (rows of the evidence, rows of the
    chunks, where what they share begins in the document, and where it ends): int64[n] each.

    Chunks are looked at by length, in classes that double: among those of like length the ones that
    can overlap a span stand together in the order of their starts.
    """
    found: list[tuple[NDArray[np.int64], ...]] = []
    lengths = chunks.end - chunks.start
    classes = np.frexp(np.maximum(lengths, 1).astype(np.float64))[1]
    far = int(max(chunks.end.max(initial=0), evidence.end.max(initial=0))) + 1
    start_of_span = evidence.document.astype(np.int64) * far + evidence.start
    end_of_span = evidence.document.astype(np.int64) * far + evidence.end
    for size in np.unique(classes).tolist():
        rows = np.flatnonzero(classes == size)
        starts = chunks.document[rows].astype(np.int64) * far + chunks.start[rows]
        first = np.searchsorted(starts, start_of_span - (1 << size), side="right")
        counts = np.searchsorted(starts, end_of_span, side="left") - first
        span = np.repeat(np.arange(len(evidence), dtype=np.int64), counts)
        row = rows[ranges(first, counts)]
        starts = np.maximum(chunks.start[row], evidence.start[span])
        ends = np.minimum(chunks.end[row], evidence.end[span])
        kept = (ends > starts) & (chunks.document[row] == evidence.document[span])
        found.append((span[kept], row[kept], starts[kept], ends[kept]))
    if not found:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing, nothing
    span, row, starts, ends = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return span, row, starts, ends


def _best(evidence: EvidenceColumns, queries: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Where each query's needs begin, and the highest grade of the evidence of each."""
    query = evidence.query.astype(np.int64)
    count = np.zeros(queries, dtype=np.int64)
    np.maximum.at(count, query, evidence.need.astype(np.int64) + 1)
    bounds = bounds_of(count)
    best = np.zeros(int(bounds[-1]))
    np.maximum.at(best, bounds[query] + evidence.need, evidence.grade)
    return bounds, best


def coverage_problems(coverage: object, together: bool, *, cited: bool) -> Iterator[Problem]:
    """What is wrong with the options that say when evidence is covered; ``cited`` says whether
    there is any."""
    if not isinstance(coverage, int | float) or isinstance(coverage, bool) or not 0 < coverage <= 1:
        what = f"{in_short(coverage)} is not a share of the evidence's characters"
        yield Problem(what, "coverage", "Give a number above 0 and at most 1")
        return
    given = {"coverage": coverage != WHOLE, "together": together}
    for option in [name for name, is_given in given.items() if is_given and not cited]:
        yield Problem(
            "it says when evidence in documents is covered, and the ground truth has none",
            option,
            f"Leave {option} out, or give evidence",
        )


def coverage_text(coverage: float) -> str:
    """How results print a coverage.

    >>> coverage_text(1.0), coverage_text(0.5)
    ('100 %', '50 %')
    """
    return f"{math.floor(coverage * 10_000 + 0.5) / 100:g} %"
