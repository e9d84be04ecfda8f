"""Why a retriever fails a query: one cause each, the first that holds of a short list.

A retriever fails a query where none of its first k passages is relevant. Only queries with a
relevant passage are looked at: where nothing is relevant, nothing can be found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Corpus, Dataset, Ids, Qrels
from ragscore.diagnose.near_duplicates import NearDuplicates
from ragscore.diagnose.relevant import relevant_judgments
from ragscore.judge import judge
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
        k: a query fails where none of the first k passages is relevant.
        query_ids: the Q queries looked at: the given ones that have a relevant passage.
        of: by retriever: int8[Q], FOUND, else the number of the cause in CAUSES.
        first: by retriever: int32[Q], rank (from 1) of the first relevant passage, 0 where none
            is returned.
        duplicate: by (retriever, query id) whose cause is ``duplicate``: the relevant passage, and
            its near-duplicate among the first k.
        without_relevant: how many of the given queries have no relevant passage.
        texts: whether there were texts in which to look for near-duplicates.
    """

    k: int
    query_ids: tuple[str, ...]
    of: Mapping[str, NDArray[np.int8]]
    first: Mapping[str, NDArray[np.int32]]
    duplicate: Mapping[tuple[str, str], tuple[str, str]]
    without_relevant: int
    texts: bool

    def counts(self, retriever: str) -> dict[str, int]:
        """How many queries fail by each cause, in the order of CAUSES; zeros stand there too."""
        return {name: int((self.of[retriever] == at).sum()) for at, name in enumerate(CAUSES)}

    def cause(self, retriever: str, query_id: str) -> str | None:
        """The cause of one query; None where it did not fail or was not looked at."""
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
        k: a query fails where none of the first k passages is relevant.
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
    at, query = relevant_judgments(qrels, query_ids, relevant_from)
    with_relevant, starts = np.unique(query, return_index=True)
    asked = tuple(query_ids[place] for place in with_relevant.tolist())
    ids = Ids(asked)
    first = {name: _first(run, qrels, ids, relevant_from) for name, run in placed.items()}
    nowhere = np.ones(len(asked), dtype=bool)
    for ranks in first.values():
        nowhere &= ranks == 0
    of = {}
    for name, ranks in first.items():
        cause = np.where(ranks > 0, CAUSES.index("below_k"), CAUSES.index("not_returned"))
        cause[nowhere] = CAUSES.index("nowhere")
        cause[_cut(data, qrels, at, starts, (chunkers or {}).get(name, ()))] = CAUSES.index("cut")
        failed = ids.rows(runs[name].failed_queries)
        cause[failed[failed >= 0]] = CAUSES.index("failed")
        of[name] = np.where((ranks > 0) & (ranks <= k), FOUND, cause).astype(np.int8)
    copies = {}
    if data.corpus is not None:
        relevant = [_passages(qrels, rows) for rows in np.split(qrels.rows[at], starts[1:])]
        copies = _copies(placed, data.corpus, vocabulary, asked, relevant, of, k)
    for name, query_id in copies:
        of[name][ids.row(query_id)] = CAUSES.index("duplicate")
    return Causes(
        k=k,
        query_ids=asked,
        of=of,
        first=first,
        duplicate=copies,
        without_relevant=len(query_ids) - len(asked),
        texts=data.corpus is not None,
    )


def _cut(
    data: Dataset,
    qrels: Qrels,
    relevant: NDArray[np.int64],
    starts: NDArray[np.int64],
    chunkers: Sequence[str],
) -> NDArray[np.bool_]:
    """Of which queries no relevant passage is among the chunks of some chunkers: bool[Q].

    Args:
        relevant: the judgments of relevant passages, query by query.
        starts: where those of each query begin.
    """
    if data.chunkings is None or not chunkers or data.together:
        return np.zeros(len(starts), dtype=bool)
    own = np.zeros(len(qrels.passages), dtype=bool)
    ids = data.chunkings.corpus.ids.texts(data.chunkings.rows_of(chunkers))
    own[qrels.passages.rows(ids)] = True
    held = own[qrels.rows[relevant]]
    return ~np.logical_or.reduceat(held, starts) if len(starts) else held


def _first(run: Run, qrels: Qrels, ids: Ids, relevant_from: float) -> NDArray[np.int32]:
    """Rank of the first relevant passage of each query, 0 where none is returned."""
    judged = judge(run, qrels)
    hits = judged.relevant(relevant_from)
    ranks = np.zeros(len(hits), dtype=np.int32)
    if hits.shape[1]:
        ranks = np.where(hits.any(axis=1), hits.argmax(axis=1) + 1, 0).astype(np.int32)
    place = np.full(len(qrels.queries), -1, dtype=np.int64)
    place[judged.query_rows] = np.arange(len(ranks))
    at = place[qrels.queries.rows(ids)]
    # One behind the last stands for queries that are not judged.
    return np.append(ranks, np.int32(0))[at]


def _copies(
    runs: Mapping[str, Run],
    corpus: Corpus,
    vocabulary: Ids,
    asked: Sequence[str],
    relevant: Sequence[NDArray[np.int32]],
    of: Mapping[str, NDArray[np.int8]],
    k: int,
) -> dict[tuple[str, str], tuple[str, str]]:
    """As ``Causes.duplicate``: of the queries that fail and whose passage somebody returned."""
    text_of = corpus.ids.rows(vocabulary)
    finder = NearDuplicates(corpus.texts)
    tops = {name: run.for_queries(Ids(asked)).cut(k).rows for name, run in runs.items()}
    settled = (FOUND, CAUSES.index("failed"), CAUSES.index("nowhere"))
    found = {}
    for at, query_id in enumerate(asked):
        failing = [name for name in runs if of[name][at] not in settled]
        if not failing:
            continue
        # None of the first k is relevant, so no passage is on both sides.
        first_k = {name: _there(text_of[tops[name][at][tops[name][at] >= 0]]) for name in failing}
        candidates = dict.fromkeys(row for rows in first_k.values() for row in rows)
        same = finder.of(_there(text_of[relevant[at]]), candidates)
        for name, rows in first_k.items():
            copy = next((row for row in rows if row in same), None)
            if copy is not None:
                found[name, query_id] = (corpus.ids[same[copy]], corpus.ids[copy])
    return found


def _passages(qrels: Qrels, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """The passages that some judgments are of: those of their units where they name units."""
    if qrels.units is None:
        return rows
    return np.flatnonzero(np.isin(qrels.units.of, rows)).astype(np.int32)


def _there(rows: NDArray[np.int32]) -> list[int]:
    """The rows of passages that have a text."""
    return [row for row in rows.tolist() if row >= 0]
