"""How much text, and how much evidence, stands in the top k: each character counted once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import first_of
from ragscore.dataset import Unit
from ragscore.errors import MeasureError
from ragscore.judge import Judged


@dataclass(frozen=True, eq=False)
class CoveredText:
    """Characters, words or tokens of a block of Q queries.

    Attributes:
        evidence: float64[Q], of all evidence of each query.
        returned: float64[Q, depth], of the passages in the top k, those in several once.
        passages: float64[Q, depth], the same, those in several for each.
        both: float64[Q, depth], of the evidence in the top k.
    """

    evidence: NDArray[np.float64]
    returned: NDArray[np.float64]
    passages: NDArray[np.float64]
    both: NDArray[np.float64]


def covered_text(judged: Judged, unit: Unit, tokenizer: str | None, measure: object) -> CoveredText:
    """What a block's top k hold of documents and of evidence, at every k.

    The ends of all passages and all evidence of a query part the documents into segments, of which
    each belongs to the first rank whose passage holds it.

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
            instead=f"Score ragscore.with_tokens(dataset, [{tokenizer!r}]), or run an experiment",
        )
    key = f"covered {unit} {tokenizer or ''}"
    return judged.once(key, 0.0, lambda: _covered(judged, unit, tokenizer))


def no_evidence(measure: object) -> MeasureError:
    """What a measure says that reads evidence, where there is none."""
    return MeasureError(
        "it reads evidence in documents, and these judgments have none",
        where=str(measure),
        instead="Score a dataset with documents and evidence, whose retrievers have a chunk",
    )


def _covered(judged: Judged, unit: Unit, tokenizer: str | None) -> CoveredText:
    assert judged.spans is not None
    assert judged.rows is not None
    spans, queries, depth = judged.spans, len(judged), judged.depth
    starts, ends = spans.passage_places
    query, rank = np.nonzero(judged.rows >= 0)
    rows = judged.rows[query, rank]
    places = starts[rows], ends[rows]
    evidence_query, *evidence_places = spans.evidence_of(judged.query_rows)
    # Queries stand one behind the other on one line.
    line = int(spans.documents.offsets[-1]) + 1
    bounds = [line * query + place for place in places]
    evidence_bounds = [line * evidence_query + place for place in evidence_places]
    cuts = np.unique(np.concatenate([*bounds, *evidence_bounds]))
    of_query = cuts // line if len(cuts) else cuts
    before = spans.before(cuts - of_query * line, unit, tokenizer)
    sizes = np.diff(before, append=before[-1:]).astype(np.float64)
    # The last segment of a query ends where the next one begins: nothing holds it.
    first = first_of(
        np.searchsorted(cuts, bounds[0]), np.searchsorted(cuts, bounds[1]), rank, len(cuts)
    )
    edges = np.zeros(len(cuts) + 1, dtype=np.int64)
    np.add.at(edges, np.searchsorted(cuts, evidence_bounds[0]), 1)
    np.add.at(edges, np.searchsorted(cuts, evidence_bounds[1]), -1)
    is_evidence = np.cumsum(edges[:-1]) > 0

    def by_rank(chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        at = of_query[chosen] * depth + first[chosen]
        added = np.bincount(at, weights=sizes[chosen], minlength=queries * depth)
        return np.cumsum(added.reshape(queries, depth), axis=1)

    whole = spans.before(ends, unit, tokenizer) - spans.before(starts, unit, tokenizer)
    passages = np.cumsum(whole[judged.rows], axis=1, dtype=np.float64)

    held = first < depth
    total: NDArray[np.float64] = np.zeros(queries)
    np.add.at(total, of_query[is_evidence], sizes[is_evidence])
    return CoveredText(total, by_rank(held), passages, by_rank(held & is_evidence))
