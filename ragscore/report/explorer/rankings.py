"""rankings(panel): all runs of a panel over the same queries, judged by its qrels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.dataset import Ids, Qrels
from ragscore.dataset.needs import Needs
from ragscore.judge import in_units, judged_ranks
from ragscore.results import DatasetResult
from ragscore.run import Run


@dataclass(frozen=True, eq=False)
class CoveredBy:
    """The needs that each of J judged passages covers.

    Attributes:
        indptr: int64[J + 1], where those of each begin.
        need: int64[m], numbered within the query from 0.
    """

    indptr: NDArray[np.int64]
    need: NDArray[np.int64]

    @classmethod
    def within(cls, needs: Needs, judgments: NDArray[np.int64], relevant_from: float) -> CoveredBy:
        """What the passages of some judgments cover with a relevant grade."""
        taken = needs.taken(judgments)
        kept = taken.grades >= relevant_from
        indptr = np.append(0, np.cumsum(kept))[taken.indptr]
        return cls(indptr.astype(np.int64), taken.need[kept].astype(np.int64))

    def of(self, judgment: int) -> list[int]:
        """What one covers."""
        found: list[int] = self.need[self.indptr[judgment] : self.indptr[judgment + 1]].tolist()
        return found


@dataclass(frozen=True, eq=False)
class Rankings:
    """Runs over the same queries and passages, and what the judgments say of them.

    Attributes:
        queries: every query that has a value or a ranking, in the dataset's order.
        vocabulary: the passages; rows of the corpus come first where there is one. Where judgments
            name units, these, and the passages without one.
        runs: by retriever, over these queries and passages.
        indptr: int64[Q + 1], where each query's judgments begin.
        passages: int32[J], the judged passages.
        grades: float64[J], none of them negative.
        relevant: bool[J].
        ranks: by retriever int32[J]: the rank (from 1) of each judged passage, 0 if it did not
            come back.
        searched: bool[C] over the chunks of all chunkers, by retriever that searches some of them:
            which ones these are.
        covers: the needs that each judged passage covers; None if every relevant passage is a
            need of its own.
        returned: where judgments name units, the corpus rows of the passages of each that came
            back, or of its first; None if the vocabulary is the corpus's.
    """

    queries: Ids
    vocabulary: Ids
    runs: Mapping[str, Run]
    indptr: NDArray[np.int64]
    passages: NDArray[np.int32]
    grades: NDArray[np.float64]
    relevant: NDArray[np.bool_]
    ranks: Mapping[str, NDArray[np.int32]]
    searched: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    covers: CoveredBy | None = None
    returned: Mapping[int, list[int]] | None = None

    def needs_of(self, judgment: int) -> list[int]:
        """The needs that the passage of a judgment covers, numbered within its query from 0; none
        where needs are not shared."""
        return [] if self.covers is None else self.covers.of(judgment)

    def lacks(self, retriever: str, judgment: int, row: int, k: int) -> bool:
        """Whether a relevant passage is one that a retriever lacks among its first k: it is not
        there, and no other passage there covers what it covers.

        Args:
            retriever: its name.
            judgment: of the passage.
            row: of the query.
            k: how many passages are looked at.
        """
        ranks = self.ranks[retriever]
        if 0 < ranks[judgment] <= k:
            return False
        if self.covers is None:
            return True
        here = range(int(self.indptr[row]), int(self.indptr[row + 1]))
        covered = {need for at in here if 0 < ranks[at] <= k for need in self.covers.of(at)}
        return not covered.issuperset(self.covers.of(judgment))

    def searches(self, retriever: str, passage: int) -> bool:
        """Whether a passage is among those that a retriever searches: chunks of other chunkers are
        not."""
        own = self.searched.get(retriever)
        return own is None or bool(passage < len(own) and own[passage])

    def texts_of(self, row: int) -> list[int]:
        """The corpus rows whose texts stand for a row of the vocabulary."""
        return [row] if self.returned is None else self.returned.get(row, [])

    @property
    def query_of(self) -> NDArray[np.int64]:
        """The query of each judgment: int64[J]."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.indptr))


TEXTS = 3
"""Passages of a unit whose texts are shown."""

_MADE: WeakKeyDictionary[DatasetResult, Rankings] = WeakKeyDictionary()


def rankings(panel: DatasetResult) -> Rankings:
    """The runs of a panel with the rank of every judged passage, to the depth of the runs; made
    once, for the worst queries and for the explorer."""
    if panel not in _MADE:
        _MADE[panel] = _rankings(panel)
    return _MADE[panel]


def _rankings(panel: DatasetResult) -> Rankings:
    queries = explored(panel)
    vocabulary = next((run.passages for run in panel.runs.values()), Ids(()))
    runs = {name: panel.runs[name].for_queries(queries) for name in panel.retrievers}
    if panel.data is None:
        nothing = np.empty(0, dtype=np.int32)
        return Rankings(
            queries,
            vocabulary,
            runs,
            np.zeros(len(queries) + 1, dtype=np.int64),
            nothing,
            np.empty(0),
            np.empty(0, dtype=bool),
            dict.fromkeys(runs, nothing),
        )
    data, returned = panel.data, None
    if data.qrels.units is None:
        qrels = replace(data.qrels, passages=vocabulary)
    else:
        placed = data.qrels.onto(vocabulary)
        of_units, qrels = in_units(runs, placed)
        returned = _returned(runs, of_units, placed)
        runs, vocabulary = of_units, qrels.passages
    ranks = judged_ranks(runs, qrels)
    query_rows = qrels.queries.rows(queries).astype(np.int64)
    counts = np.append(qrels.judgments, 0)[query_rows]  # a query without judgments is row -1
    at = ranges(qrels.indptr[query_rows], counts)
    # A negative grade is no judgment.
    judged = qrels.grades[at] >= 0
    query_of = np.repeat(np.arange(len(queries)), counts)[judged]
    at = at[judged]
    indptr = np.searchsorted(query_of, np.arange(len(queries) + 1)).astype(np.int64)
    grades = qrels.grades[at]
    needs = qrels.shared_needs
    return Rankings(
        queries,
        vocabulary,
        runs,
        indptr,
        qrels.rows[at],
        grades,
        grades >= panel.relevant_from,
        {name: rank[at] for name, rank in ranks.items()},
        _searched(panel) if returned is None else {},
        None if needs is None else CoveredBy.within(needs, at, panel.relevant_from),
        returned,
    )


def _searched(panel: DatasetResult) -> dict[str, NDArray[np.bool_]]:
    """By retriever over the chunks of some chunkers alone, which of all chunks are among these."""
    chunkings = None if panel.data is None else panel.data.chunkings
    if chunkings is None:
        return {}
    found = {}
    for name in panel.retrievers:
        if chunkers := panel.chunkers(name):
            found[name] = np.zeros(len(chunkings.chunks), dtype=bool)
            found[name][chunkings.rows_of(chunkers)] = True
    return found


def _returned(
    runs: Mapping[str, Run], of_units: Mapping[str, Run], qrels: Qrels
) -> dict[int, list[int]]:
    """By row of a unit or passage: the passages of it that came back, the first ones first; of a
    unit that did not, its first."""
    assert qrels.units is not None
    pairs = [
        np.stack([of_units[name].rows[run.rows >= 0], run.rows[run.rows >= 0]])
        for name, run in runs.items()
    ]
    found = np.concatenate([*pairs, np.empty((2, 0), dtype=np.int32)], axis=1)
    found = found[:, np.sort(np.unique(found, axis=1, return_index=True)[1])]
    returned: dict[int, list[int]] = {}
    for row, passage in found.T.tolist():
        if len(listed := returned.setdefault(row, [])) < TEXTS:
            listed.append(passage)
    for row, passage in enumerate(qrels.units.first_passages(len(qrels.passages)).tolist()):
        if passage >= 0:
            returned.setdefault(row, [passage])
    return returned


def explored(panel: DatasetResult) -> Ids:
    """Every query of a panel that has a value or a ranking, in the dataset's order."""
    known: dict[str, None] = {}
    for entry in panel.scores.entries:
        known.update(dict.fromkeys(entry.query_ids))
    for name in panel.retrievers:
        known.update(dict.fromkeys(panel.runs[name].queries))
    if panel.data is None:
        return Ids(known)
    in_order = [query_id for query_id in panel.data.queries.ids if query_id in known]
    return Ids(dict.fromkeys([*in_order, *known]))
