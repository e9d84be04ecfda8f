"""Why a retriever fails a query: one cause each, the first that holds of a short list.

A retriever fails a query where none of its first k passages is relevant; a query whose passages
share needs, where these k leave a need uncovered. Then the causes are asked of each such need, by
the passages that cover it, and the first of the list that holds for any is the query's. Only
queries with something relevant are looked at: where nothing is relevant, nothing can be found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import changes, ranges
from ragscore.dataset import Corpus, Dataset, Ids, Qrels
from ragscore.dataset.needs import Needs
from ragscore.diagnose.duplicates import nearly_same
from ragscore.judge import judge, judged_ranks
from ragscore.run import Run, on_one_vocabulary

CAUSES = ("failed", "cut", "nowhere", "duplicate", "below_k", "not_returned")
"""The causes in the order in which they are tried; the first that holds is the cause:

- ``failed``: the retriever, or one that it is built on, did not answer the query.
- ``cut``: none of the chunks that the retriever searches holds enough of the evidence: its chunker
  cut it in two. No retriever over these chunks can find it.
- ``nowhere``: no retriever returned a relevant passage, as deep as its run was recorded. The
  query may be hard, its judgments wrong, or its passage not to be found by any of these.
- ``duplicate``: among the first k is a passage that is not relevant by the judgments and nearly
  the same text as a relevant one, which is returned below k or not at all. The judgments may
  lack it, or copies crowd each other out. Only with the texts of the passages.
- ``below_k``: a relevant passage is returned, below k.
- ``not_returned``: this retriever returned none, and another did.
"""
FOUND = -1
"""Stands in place of a cause where a relevant passage is among the first k."""


@dataclass(frozen=True, eq=False)
class Causes:
    """Why the queries of a dataset fail, by retriever.

    Attributes:
        k: a query fails where none of the first k passages is relevant, or a need is uncovered.
        query_ids: the Q queries looked at: the given ones that have anything relevant.
        of: by retriever: int8[Q], FOUND, else the number of the cause in CAUSES.
        first: by retriever: int32[Q], rank (from 1) of the first relevant passage, 0 if none
            is returned; where passages share needs, the rank at which the last need is covered.
        duplicate: by (retriever, query id) whose cause is ``duplicate``: the relevant passage, and
            its near-duplicate among the first k.
        without_relevant: how many of the given queries have no relevant passage.
        texts: whether there were texts in which to look for near-duplicates.
        needs: whether passages share needs, and a query fails where one is uncovered.
    """

    k: int
    query_ids: tuple[str, ...]
    of: Mapping[str, NDArray[np.int8]]
    first: Mapping[str, NDArray[np.int32]]
    duplicate: Mapping[tuple[str, str], tuple[str, str]]
    without_relevant: int
    texts: bool
    needs: bool = False

    def counts(self, retriever: str) -> dict[str, int]:
        """How many queries fail by each cause, in the order of CAUSES; zeros stand there too."""
        return {name: int((self.of[retriever] == at).sum()) for at, name in enumerate(CAUSES)}

    def cause(self, retriever: str, query_id: str) -> str | None:
        """The cause of one query; None if it did not fail or was not looked at."""
        at = self._place.row(query_id)
        number = int(self.of[retriever][at]) if at >= 0 else FOUND
        return CAUSES[number] if number != FOUND else None

    @cached_property
    def _place(self) -> Ids:
        return Ids(self.query_ids)


def causes(
    runs: Mapping[str, Run],
    data: Dataset,
    query_ids: Sequence[str],
    *,
    k: int,
    relevant_from: float = 1,
    chunkers: Mapping[str, Sequence[str]] | None = None,
) -> Causes:
    """Why each retriever fails queries.

    Args:
        runs: by retriever.
        data: judgments, and the texts where there are any.
        query_ids: the queries that were averaged.
        k: how many passages of each retriever have to do.
        relevant_from: the lowest relevant grade.
        chunkers: by retriever, the names of the chunkers whose chunks it searches.

    >>> data = Dataset.from_rows({"a": "Rent is due on the first.", "b": "Pets are welcome."},
    ...                          {"q": "when is rent due"}, {"q": ["a"]})
    >>> runs = {"one": Run.from_dict({"q": ["b", "a"]}), "two": Run.from_dict({"q": ["b"]})}
    >>> found = causes(runs, data, ["q"], k=1)
    >>> found.cause("one", "q"), found.cause("two", "q"), found.first["one"].tolist()
    ('below_k', 'not_returned', [2])
    """
    placed, vocabulary = on_one_vocabulary(runs, data.qrels.vocabulary)
    qrels = data.qrels.onto(vocabulary)
    targets = SearchTargets.of(qrels, query_ids, relevant_from)
    ids = Ids(targets.query_ids)
    first = {name: targets.first(run) for name, run in placed.items()}
    nowhere = np.all([ranks == 0 for ranks in first.values()], axis=0)
    searched = _searched(data, qrels, chunkers or {})
    of = {}
    for name, ranks in first.items():
        cause = np.where(ranks > 0, CAUSES.index("below_k"), CAUSES.index("not_returned"))
        cause[nowhere] = CAUSES.index("nowhere")
        if name in searched:
            cause[~targets.within(searched[name])] = CAUSES.index("cut")
        cause[np.isin(targets.query, ids.rows(runs[name].failed_queries))] = CAUSES.index("failed")
        of[name] = np.where((ranks > 0) & (ranks <= k), FOUND, cause).astype(np.int8)
    copies = {}
    if data.corpus is not None:
        copies = _copies(placed, data.corpus, targets, of, searched, k)
    for name, place in copies:
        of[name][place] = CAUSES.index("duplicate")
    by_query = {name: targets.first_cause(cause) for name, cause in of.items()}
    duplicate: dict[tuple[str, str], tuple[str, str]] = {}
    for (name, place), pair in copies.items():
        if by_query[name][at := int(targets.query[place])] == CAUSES.index("duplicate"):
            duplicate.setdefault((name, targets.query_ids[at]), pair)
    return Causes(
        k=k,
        query_ids=targets.query_ids,
        of=by_query,
        first={name: targets.last_rank(ranks) for name, ranks in first.items()},
        duplicate=duplicate,
        without_relevant=len(query_ids) - len(targets.query_ids),
        texts=data.corpus is not None,
        needs=targets.needs is not None,
    )


def _searched(
    data: Dataset, qrels: Qrels, chunkers: Mapping[str, Sequence[str]]
) -> dict[str, NDArray[np.bool_]]:
    """By retriever that searches the chunks of some chunkers: which passages of the judgments
    these are. Where chunks may cover evidence together, or judgments name units, no cut keeps what
    is sought from being found."""
    searched: dict[str, NDArray[np.bool_]] = {}
    if data.chunkings is None or data.together or qrels.units is not None:
        return searched
    for name, own in chunkers.items():
        if own:
            ids = data.chunkings.corpus.ids.texts(data.chunkings.rows_of(own))
            rows = qrels.passages.rows(ids)
            searched[name] = np.zeros(len(qrels.passages), dtype=bool)
            searched[name][rows[rows >= 0]] = True
    return searched


def _copies(
    runs: Mapping[str, Run],
    corpus: Corpus,
    targets: SearchTargets,
    of: Mapping[str, NDArray[np.int8]],
    searched: Mapping[str, NDArray[np.bool_]],
    k: int,
) -> dict[tuple[str, int], tuple[str, str]]:
    """By (retriever, place of what is sought) whose passage somebody returned: the passage that
    the retriever searches, and its near-duplicate among the first k."""
    text_of = np.append(corpus.ids.rows(targets.qrels.vocabulary), -1)
    asked = Ids(targets.query_ids)
    settled = [FOUND, *map(CAUSES.index, ("failed", "cut", "nowhere"))]
    found = dict[tuple[str, int], tuple[str, str]]()
    for name, run in runs.items():
        place, relevant = targets.passages(~np.isin(of[name], settled))
        kept = text_of[relevant] >= 0
        if name in searched:  # a chunk of another chunker is no passage that it lacks
            kept &= searched[name][relevant]
        place, own = place[kept], text_of[relevant[kept]]
        others = text_of[run.for_queries(asked).cut(k).rows[targets.query[place]]]
        same = np.isin(place[:, None] * len(corpus) + others, place * len(corpus) + own)
        at, rank = np.nonzero((others >= 0) & ~same)
        order = np.lexsort((rank, place[at]))
        at, rank = at[order], rank[order]
        pairs = np.stack([own[at], others[at, rank]], axis=1).astype(np.int64)
        for number in np.flatnonzero(nearly_same(corpus.texts, pairs)).tolist():
            one, copy = pairs[number].tolist()
            found.setdefault((name, int(place[at[number]])), (corpus.ids[one], corpus.ids[copy]))
    return found


@dataclass(frozen=True, eq=False)
class SearchTargets:
    """T things to be found, query by query: of each query that a relevant passage be there, or,
    where its passages share needs, that each need be covered.

    A query whose every need has a passage of its own is one with several relevant passages, of
    which any will do, unless evidence in documents says what answers it.

    Attributes:
        qrels: all judgments.
        needs: those of the judgments; None where any relevant passage of a query is enough.
        relevant_from: the lowest relevant grade.
        query_ids: the Q queries that want anything.
        query: int64[T], the place of each one's query there, ascending.
        need: int64[T], the first need of each, numbered over all queries of the judgments.
        judgments: int64[m], of the passages any of which is wanted, target by target; none for a
            need that nothing covers.
        target: int64[m], for which of the T.
    """

    qrels: Qrels
    needs: Needs | None
    relevant_from: float
    query_ids: tuple[str, ...]
    query: NDArray[np.int64]
    need: NDArray[np.int64]
    judgments: NDArray[np.int64]
    target: NDArray[np.int64]

    @classmethod
    def of(cls, qrels: Qrels, query_ids: Sequence[str], relevant_from: float) -> SearchTargets:
        """What some queries want, but for those that have nothing relevant."""
        # Passages share needs, or evidence says what they are.
        needs = qrels.shared_needs if qrels.spans is None else qrels.needs
        if needs is None:
            judgments, query = relevant_judgments(qrels, query_ids, relevant_from)
            need, target = np.unique(query, return_inverse=True)
            query = need
        else:
            query, need = _wanted(qrels, needs, query_ids, relevant_from)
            judgments, target = _covering(qrels, needs, need, relevant_from)
            if qrels.spans is None:
                alone = np.bincount(target, minlength=len(need)) == 1
                alone[target[np.bincount(judgments)[judgments] > 1]] = False
                apart = changes(query) | np.isin(query, query[~alone])
                query, need, target = query[apart], need[apart], (np.cumsum(apart) - 1)[target]
        asked, query = np.unique(query, return_inverse=True)
        ids = tuple(query_ids[place] for place in asked.tolist())
        return cls(qrels, needs, relevant_from, ids, query, need, judgments, target)

    def first(self, run: Run) -> NDArray[np.int32]:
        """The rank (from 1) at which a run finds each, 0 if it does not: int32[T]."""
        last = np.iinfo(np.int32).max
        if self.needs is not None and self.qrels.together:
            # Several passages may cover a need among them: no judgment says at which rank.
            judged, covered = judge(run, self.qrels), np.full(len(self.needs.best), last)
            if judged.needs is not None and judged.depth:
                newly = judged.needs.newly(self.relevant_from)
                covered[judged.needs.need[newly]] = judged.needs.column[newly] % judged.depth + 1
            first = covered[self.need]
        else:
            ranks = judged_ranks({run.name: run}, self.qrels)[run.name][self.judgments]
            first = np.full(len(self.query), last)
            np.minimum.at(first, self.target[ranks > 0], ranks[ranks > 0])
        return np.where(first == last, 0, first).astype(np.int32)

    def within(self, passages: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which can be found among some passages, of those of the judgments: bool[T]."""
        there = self.target[passages[self.qrels.rows[self.judgments]]]
        return np.bincount(there, minlength=len(self.query)) > 0

    def passages(self, wanted: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The passages that some of the T can be found by, one after the other: those of their
        units where judgments name units. For which it is, and its row: int64[n] both."""
        at = np.flatnonzero(wanted[self.target])
        target, rows = self.target[at], self.qrels.rows[self.judgments[at]]
        if self.qrels.units is None:
            return target, rows.astype(np.int64)
        members = np.argsort(self.qrels.units.of, kind="stable")
        unit_of = self.qrels.units.of[members]
        starts = np.searchsorted(unit_of, rows)
        counts = np.searchsorted(unit_of, rows, side="right") - starts
        return np.repeat(target, counts), members[ranges(starts, counts)]

    def first_cause(self, cause: NDArray[np.int8]) -> NDArray[np.int8]:
        """Of each query the first cause for anything that it wants, FOUND where all is found:
        int8[Q]."""
        first = np.full(len(self.query_ids), len(CAUSES), dtype=np.int8)
        np.minimum.at(first, self.query[cause != FOUND], cause[cause != FOUND])
        return np.where(first == len(CAUSES), np.int8(FOUND), first)

    def last_rank(self, ranks: NDArray[np.int32]) -> NDArray[np.int32]:
        """Of each query the rank at which all that it wants is found, 0 if it is not: int32[Q]."""
        last = np.zeros(len(self.query_ids), dtype=np.int32)
        np.maximum.at(last, self.query, ranks)
        last[self.query[ranks == 0]] = 0
        return last


def _wanted(
    qrels: Qrels, needs: Needs, query_ids: Sequence[str], relevant_from: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The needs of some queries that something relevant could cover: the place of each one's query
    and its number over all queries of the judgments, int64[T] both."""
    rows = qrels.queries.rows(Ids(query_ids)).astype(np.int64)
    counts = np.append(np.diff(needs.bounds), 0)[rows]  # a query nobody judged is row -1
    number = ranges(needs.bounds[rows], counts)
    kept = needs.best[number] >= relevant_from
    return np.repeat(np.arange(len(rows)), counts)[kept], number[kept]


def _covering(
    qrels: Qrels, needs: Needs, wanted: NDArray[np.int64], relevant_from: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The judgments that cover each wanted need with a relevant grade, need by need, and which of
    these it is: int64[m] both."""
    judgment = np.repeat(np.arange(len(qrels)), np.diff(needs.indptr))
    place = np.full(len(needs.best), -1, dtype=np.int64)
    place[wanted] = np.arange(len(wanted))
    target = place[needs.bounds[qrels.query_of[judgment]] + needs.need]
    kept = np.flatnonzero((target >= 0) & (needs.grades >= relevant_from))
    order = kept[np.argsort(target[kept], kind="stable")]
    return judgment[order], target[order]


def relevant_judgments(
    qrels: Qrels, query_ids: Sequence[str], relevant_from: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The relevant judgments of the queries, query by query.

    Args:
        qrels: the judgments.
        query_ids: the queries; nobody need have judged them.
        relevant_from: the lowest relevant grade.

    Returns:
        Their places among the judgments, and for each the place of its query among ``query_ids``:
        int64[J] each.

    >>> qrels = Qrels.from_dict({"q": {"a": 1}, "r": {"b": 0, "c": 2}})
    >>> [places.tolist() for places in relevant_judgments(qrels, ["r", "s", "q"], 1)]
    [[2, 0], [0, 2]]
    """
    rows = qrels.queries.rows(Ids(query_ids)).astype(np.int64)
    counts = np.append(qrels.judgments, 0)[rows]  # a query without judgments is row -1
    at = ranges(qrels.indptr[rows], counts)
    query = np.repeat(np.arange(len(rows)), counts)
    relevant = qrels.grades[at] >= relevant_from
    return at[relevant], query[relevant]
