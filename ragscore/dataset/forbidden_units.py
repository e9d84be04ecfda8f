"""What is forbidden where judgments name units: lists name units or passages, rules read passages.

Where cutoffs count units, the reader gets whole units: one is forbidden where any of its passages
is. Where they count passages, a passage is forbidden by itself or with its unit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, distinct, ranges
from ragscore.dataset.forbidden import Forbidden
from ragscore.dataset.ids import Ids
from ragscore.dataset.judged_units import JudgedUnits


def named_by_units(forbidden: Forbidden, units: JudgedUnits, ids: Ids) -> Forbidden:
    """The lists where cutoffs count units: a passage stands for its unit.

    Args:
        forbidden: over the ids that judgments name.
        units: of the corpus.
        ids: the ids that judgments name: units, then others, such as passages in lists.
    """
    if units.unit.cutoff == "passages":
        return forbidden
    others = np.flatnonzero(forbidden.rows >= units.count)
    passages = units.passages.rows(ids.texts(forbidden.rows[others]))
    unit = units.rows(passages[None])[0] if len(others) else passages
    rows = forbidden.rows.copy()
    rows[others] = np.where(unit >= 0, unit, rows[others])
    return _listing(forbidden, forbidden.query_of, rows)


def forbidden_places(forbidden: Forbidden, units: JudgedUnits, ids: Ids) -> Forbidden:
    """What is forbidden of what :meth:`JudgedUnits.places` numbers.

    Args:
        forbidden: lists over the ids that judgments name, rules over the corpus.
        units: over the passages of a run.
        ids: the ids that judgments name.
    """
    query_of, rows = forbidden.query_of, forbidden.rows
    others = np.flatnonzero(rows >= units.count)
    alone = units.passages.rows(ids.texts(rows[others]))
    alone_query = query_of[others][alone >= 0]
    alone = alone[alone >= 0]
    of_units = np.delete(np.arange(len(rows)), others)
    query_of, rows = query_of[of_units], rows[of_units]
    in_corpus = units.corpus_rows
    if in_corpus is None:
        in_corpus = np.arange(len(units.passages), dtype=np.int32)
    in_corpus = np.where(in_corpus < len(units.in_corpus), in_corpus, np.int32(-1))
    if units.unit.cutoff == "passages":
        members, starts = units.members(len(ids))
        lengths = np.diff(starts)[rows]
        expanded = members[ranges(starts[rows], lengths)]
        query_of = np.append(np.repeat(query_of, lengths), alone_query)
        listed = _listing(forbidden, query_of, np.append(expanded, alone))
        return replace(listed, corpus_rows=in_corpus if forbidden.rules else None)
    places = units.places(np.arange(len(units.passages), dtype=np.int32), len(ids))
    of_corpus = units.in_corpus.copy()
    known = np.flatnonzero(in_corpus >= 0)
    of_corpus[in_corpus[known]] = places[known]
    size = len(ids) + len(units.passages)
    rules = tuple(rule.grouped(of_corpus, size) for rule in forbidden.rules)
    query_of, rows = np.append(query_of, alone_query), np.append(rows, places[alone])
    return replace(_listing(forbidden, query_of, rows), rules=rules, corpus_rows=None)


def _listing(
    forbidden: Forbidden, query_of: NDArray[np.int64], rows: NDArray[np.int32]
) -> Forbidden:
    """The same with other lists: pairs of a query and what is forbidden to it."""
    span = int(rows.max(initial=0)) + 1
    pairs = distinct(query_of * span + rows)
    query_of, listed = np.divmod(pairs, span)
    indptr = bounds_of(np.bincount(query_of, minlength=forbidden.queries))
    return replace(forbidden, indptr=indptr, rows=listed.astype(np.int32))
