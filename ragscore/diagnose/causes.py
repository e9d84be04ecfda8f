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

from ragscore.dataset import Corpus, Dataset, Ids, Qrels
from ragscore.diagnose.duplicates import nearly_same
from ragscore.diagnose.targets import SearchTargets
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
    ids, query = Ids(targets.query_ids), targets.query
    first = {name: targets.first(run) for name, run in placed.items()}
    nowhere = np.ones(len(targets), dtype=bool)
    for ranks in first.values():
        nowhere &= ranks == 0
    searched = _searched(data, qrels, chunkers or {})
    of = {}
    for name, ranks in first.items():
        cause = np.where(ranks > 0, CAUSES.index("below_k"), CAUSES.index("not_returned"))
        cause[nowhere] = CAUSES.index("nowhere")
        if name in searched:
            cause[~targets.within(searched[name])] = CAUSES.index("cut")
        cause[np.isin(query, ids.rows(runs[name].failed_queries))] = CAUSES.index("failed")
        of[name] = np.where((ranks > 0) & (ranks <= k), FOUND, cause).astype(np.int8)
    copies = {}
    if data.corpus is not None:
        copies = _copies(placed, data.corpus, targets, of, searched, k)
    for name, place in copies:
        of[name][place] = CAUSES.index("duplicate")
    by_query = {name: _first_cause(cause, targets.starts) for name, cause in of.items()}
    duplicate: dict[tuple[str, str], tuple[str, str]] = {}
    for (name, place), pair in copies.items():
        if by_query[name][at := int(query[place])] == CAUSES.index("duplicate"):
            duplicate.setdefault((name, targets.query_ids[at]), pair)
    return Causes(
        k=k,
        query_ids=targets.query_ids,
        of=by_query,
        first={name: _last_rank(ranks, targets.starts) for name, ranks in first.items()},
        duplicate=duplicate,
        without_relevant=len(query_ids) - len(targets.query_ids),
        texts=data.corpus is not None,
        needs=targets.of_needs,
    )


def _first_cause(cause: NDArray[np.int8], starts: NDArray[np.int64]) -> NDArray[np.int8]:
    """Of each query the first cause for anything that it wants, FOUND where all is found."""
    if not len(starts):
        return cause
    found = np.iinfo(np.int8).max
    first = np.minimum.reduceat(np.where(cause == FOUND, found, cause), starts)
    return np.where(first == found, FOUND, first).astype(np.int8)


def _last_rank(ranks: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Of each query the rank at which all that it wants is found, 0 if it is not."""
    if not len(starts):
        return ranks
    all_found = np.minimum.reduceat(ranks, starts) > 0
    return np.where(all_found, np.maximum.reduceat(ranks, starts), 0).astype(np.int32)


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
    text_of = corpus.ids.rows(targets.qrels.vocabulary)
    asked, query = Ids(targets.query_ids), targets.query
    settled = [FOUND, *map(CAUSES.index, ("failed", "cut", "nowhere"))]
    whose, pairs = list[tuple[str, int]](), [np.zeros((0, 2), dtype=np.int64)]
    for name, run in runs.items():
        tops = run.for_queries(asked).cut(k).rows
        for place in np.flatnonzero(~np.isin(of[name], settled)).tolist():
            relevant, top = targets.passages(place), tops[query[place]]
            if name in searched:  # a chunk of another chunker is no passage that it lacks
                relevant = relevant[searched[name][relevant]]
            own, others = text_of[relevant], text_of[top[top >= 0]]
            own, others = own[own >= 0], others[(others >= 0) & ~np.isin(others, own)]
            pairs.append(np.stack([np.tile(own, len(others)), np.repeat(others, len(own))], axis=1))
            whose += [(name, place)] * len(pairs[-1])
    compared = np.concatenate(pairs)
    found = dict[tuple[str, int], tuple[str, str]]()
    for at in np.flatnonzero(nearly_same(corpus.texts, compared)).tolist():
        one, copy = compared[at].tolist()
        found.setdefault(whose[at], (corpus.ids[one], corpus.ids[copy]))
    return found
