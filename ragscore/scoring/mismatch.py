"""Ids of a run that the judgments spell differently, all or some of them, and the likely cause."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.spellings import CERTAIN, SPELLINGS, Spelling
from ragscore.judge import IdsApart, ids_apart
from ragscore.scoring.counts import Counts

Cause = Spelling | Literal["unknown"]
MAX_IDS = 200_000
"""How many ids of the run are looked at: where all differ, the first do."""
MAX_RETURNED = 50_000
"""A run with more passages is not looked through for ids of which only some differ: while a file
is scored, no more of its ids are kept."""
MIN_SHARE = 0.1
"""Ids that differ are explained from this share of the judged ids on."""


@dataclass(frozen=True)
class IdMismatch:
    """Ids of one kind that differ between the run and the judgments: all, or some.

    Attributes:
        kind: whose ids.
        cause: how they probably differ.
        in_run, in_judgments: one id of each; by a known cause, they mean the same.
        differing: judged ids that the run only has in another spelling; None if no id at all
            is in both.
        judged: of how many judged ids.
    """

    kind: Literal["query", "passage"]
    cause: Cause
    in_run: str
    in_judgments: str
    differing: int | None = None
    judged: int | None = None


def looks_wrong(counts: Counts, values: NDArray[np.float64]) -> bool:
    """Whether the scores may come from ids that differ: then it is worth a look.

    Args:
        counts: of one run.
        values: float64[M, Q], its value of each measure for each query; 0 if nothing was found.
    """
    if counts.without_judgments and counts.missing == counts.queries:
        return True
    if counts.unjudged and min(counts.unjudged.values()) == 1.0:
        return True
    if not values.size or counts.returned > MAX_RETURNED:
        return False
    return float((values == 0).mean(axis=1).min()) > MIN_SHARE


def mismatch_between(
    run_queries: Collection[str],
    run_passages: Collection[str],
    judged_queries: Collection[str],
    judged_passages: Collection[str],
) -> IdMismatch | None:
    """The mismatch of queries, else that of passages; None if no ids differ visibly.

    Where some ids are in both, only causes that are beyond doubt count, and only where they keep
    more than a tenth of the judged ids from being found.

    >>> found = mismatch_between(["q"], ["Doc1"], ["q"], ["doc1", "doc2"])
    >>> found.kind, found.cause, found.in_run, found.in_judgments
    ('passage', 'case', 'Doc1', 'doc1')
    """
    queries = _mismatch("query", ids_apart(islice(run_queries, MAX_IDS), judged_queries))
    return queries or _mismatch(
        "passage", ids_apart(islice(run_passages, MAX_IDS), judged_passages)
    )


def _mismatch(kind: Literal["query", "passage"], apart: IdsApart) -> IdMismatch | None:
    if not apart.in_run or not apart.in_judgments:
        return None
    for cause in CERTAIN if apart.shared else SPELLINGS:
        spelling_of = SPELLINGS[cause]
        by_form = {spelling_of(text): text for text in apart.in_judgments}
        pairs: dict[str, str] = {}
        for text in apart.in_run:
            same = by_form.get(spelling_of(text))
            if same is not None:
                pairs.setdefault(same, text)
        if not pairs:
            continue
        in_judgments, in_run = next(iter(pairs.items()))
        if not apart.shared:
            return IdMismatch(kind, cause, in_run, in_judgments)
        if len(pairs) > MIN_SHARE * apart.judged:
            return IdMismatch(kind, cause, in_run, in_judgments, len(pairs), apart.judged)
    if apart.shared:
        return None
    return IdMismatch(kind, "unknown", apart.in_run[0], apart.in_judgments[0])
