"""What several checks of a dataset need, each computed when it is first needed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import changes
from ragscore.dataset import Chunks, Corpus, Dataset, Qrels
from ragscore.dataset.located import UnplacedQuote
from ragscore.dataset.projection import projected
from ragscore.dataset.text_columns import empty_texts
from ragscore.diagnose.duplicates import TextWords, near_duplicate_pairs, new_vocabulary
from ragscore.encoders import EncoderSpec
from ragscore.names import shortened


@dataclass(frozen=True, eq=False)
class CheckedData:
    """A dataset, and what is computed of it.

    Attributes:
        dataset: the dataset.
        encoder: whose limit passages are held against; None for none.
        unplaced: evidence that was left out, since its quote has no certain place.
    """

    dataset: Dataset
    encoder: EncoderSpec | None = None
    unplaced: tuple[UnplacedQuote, ...] = ()

    @cached_property
    def texts(self) -> Sequence[str]:
        """What retrievers index of each passage: title and text; empty without a corpus."""
        return () if self.dataset.corpus is None else self.dataset.corpus.content()

    @cached_property
    def judges_passages(self) -> bool:
        """Whether judgments name passages, whose texts are known: not units of them."""
        corpus = self.dataset.corpus
        return corpus is not None and self.dataset.qrels.passages.starts_with(corpus.ids)

    @cached_property
    def empty(self) -> NDArray[np.bool_]:
        """Which passages have neither title nor text: bool[N]."""
        return empty_texts(self.texts)

    @cached_property
    def query_of(self) -> NDArray[np.int64]:
        """The query of each judgment: int64[n]."""
        return self.dataset.qrels.query_of

    @cached_property
    def relevant(self) -> NDArray[np.int64]:
        """The judgments with a grade above 0: int64[m]."""
        return np.flatnonzero(self.dataset.qrels.grades > 0)

    @cached_property
    def reachable(self) -> NDArray[np.bool_]:
        """Which judgments name a passage that can come back for the query: bool[n]. One that is
        empty, or not in the corpus, or the query itself where that is dropped, cannot."""
        dataset, qrels = self.dataset, self.dataset.qrels
        there = np.ones(len(qrels), dtype=bool)
        if self.judges_passages:
            there = qrels.rows < len(self.texts)
            there[there] = ~self.empty[qrels.rows[there]]
        if dataset.drop_self:
            there &= qrels.passages.rows(qrels.queries)[self.query_of] != qrels.rows
        return there

    @cached_property
    def words(self) -> tuple[TextWords, TextWords]:
        """The words of the queries and of the passages, of one vocabulary."""
        queries, known = self.dataset.queries.texts, self._vocabulary
        return TextWords.of(queries, known), TextWords.of(self.texts, known)

    @cached_property
    def _vocabulary(self) -> defaultdict[str, int]:
        return new_vocabulary()

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return np.bincount(self.words[1].words, minlength=len(self._vocabulary) + 1)

    def count_of(self, word: str) -> int:
        """How often a lower-cased word stands in passages."""
        counts = self._counts
        return int(counts[self._vocabulary.get(word, 0)])

    @cached_property
    def first_copy(self) -> NDArray[np.int64]:
        """The first passage with the same title and text, but for case and white space: int64 by
        row of the corpus, and of judged ids that it lacks; an empty passage, and one that is not
        in the corpus, is its own."""
        first: dict[str, int] = {}
        rows = np.arange(max(len(self.texts), len(self.dataset.qrels.passages)))
        for row in np.flatnonzero(~self.empty).tolist():
            text = " ".join(self.texts[row].split()).lower()
            rows[row] = first.setdefault(text, row)
        return rows

    @cached_property
    def copies(self) -> NDArray[np.int64]:
        """How many passages are the same as each one that is the first of them: int64."""
        return np.bincount(self.first_copy, minlength=len(self.first_copy))

    def copies_beside(self, judgments: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some judgments whose passages are copies, each with the next one of the same
        query and text: int64[m, 2]."""
        text = self.first_copy[self.dataset.qrels.rows]
        several = judgments[self.copies[text[judgments]] > 1]
        order = several[np.lexsort((text[several], self.query_of[several]))]
        next_one = np.flatnonzero(~changes(self.query_of[order], text[order]))
        return np.stack([order[next_one - 1], order[next_one]], axis=1)

    @cached_property
    def near_pairs(self) -> NDArray[np.int64]:
        """The pairs of passages that are nearly the same, and not the same: int64[m, 2]."""
        firsts = np.unique(self.first_copy[: len(self.texts)][~self.empty])
        return near_duplicate_pairs(self.words[1], firsts)

    @cached_property
    def asked_alike(self) -> NDArray[np.int64]:
        """For each query, the first that has the same words in the same order and the same
        metadata; itself where it has no word: int64[Q]."""
        return self._first_with(in_order=True)

    @cached_property
    def asked_in_any_order(self) -> NDArray[np.int64]:
        """The same of words in any order: int64[Q]."""
        return self._first_with(in_order=False)

    def _first_with(self, *, in_order: bool) -> NDArray[np.int64]:
        asked, metadata = self.words[0], self.dataset.queries.metadata
        first: dict[tuple[bytes, str], int] = {}
        rows = np.arange(len(asked))
        for row in np.flatnonzero(asked.lengths).tolist():
            words = asked.words[asked.bounds[row] : asked.bounds[row + 1]]
            key = (words if in_order else np.sort(words)).tobytes()
            values = repr(sorted(metadata[row].items())) if row in metadata else ""
            rows[row] = first.setdefault((key, values), row)
        return rows

    def answers_of(self, query: int) -> tuple[dict[int, float], list[tuple[float, ...]]]:
        """What answers one query: its judgments, and its evidence in documents."""
        return self.judgments_of(query), self._evidence.get(query, [])

    @cached_property
    def _evidence(self) -> dict[int, list[tuple[float, ...]]]:
        """By query, document, start, end, grade and need of each span."""
        spans: dict[int, list[tuple[float, ...]]] = {}
        if (known := self.dataset.evidence) is not None:
            columns = (known.document, known.start, known.end, known.grade, known.need)
            rows = zip(*(column.tolist() for column in columns), strict=True)
            for query, span in zip(known.query.tolist(), rows, strict=True):
                spans.setdefault(query, []).append(span)
        return spans

    def judgments_of(self, query: int) -> dict[int, float]:
        """Passage to grade of one query."""
        qrels = self.dataset.qrels
        part = slice(qrels.indptr[query], qrels.indptr[query + 1])
        return dict(zip(qrels.rows[part].tolist(), qrels.grades[part].tolist(), strict=True))

    def asked(self, judgment: int) -> str:
        """The id of the query of a judgment."""
        return self.query(int(self.query_of[judgment]))

    def judged(self, judgment: int) -> str:
        """The id of the passage of a judgment."""
        return self.passage(int(self.dataset.qrels.rows[judgment]))

    def graded(self, judgments: Sequence[int]) -> str:
        """The query of some judgments, and the passage and grade of each."""
        grades = self.dataset.qrels.grades
        listed = (f"{self.judged(judgment)} ({grades[judgment]:g})" for judgment in judgments)
        return f"{self.asked(judgments[0])}: {', '.join(listed)}"

    def passage(self, row: int) -> str:
        """The id of a passage, also of one that the corpus lacks."""
        corpus = self.dataset.corpus
        known = corpus is not None and row < len(corpus)
        return shortened((corpus.ids if corpus and known else self.dataset.qrels.passages)[row])

    def query(self, row: int) -> str:
        """The id of a query."""
        return shortened(self.dataset.qrels.queries[row])

    def question(self, row: int) -> str:
        """The id of a query, and its text in short."""
        return f'{self.query(row)} "{shortened(self.dataset.queries.texts[row])}"'

    def quoted(self, row: int) -> str:
        """The id of a passage, and its text in short."""
        return f'{self.passage(row)} "{shortened(self.texts[row].strip())}"'


def documents_as_passages(dataset: Dataset) -> Dataset:
    """A dataset of documents, each of which is one passage, judged by the evidence it holds."""
    documents = dataset.documents
    assert documents is not None
    corpus, queries = Corpus.uncut(documents), dataset.qrels.queries
    qrels = Qrels.from_dict({}, queries=queries, passages=corpus.ids)
    if dataset.evidence is not None:
        rows = np.arange(len(documents))
        chunks = Chunks.of(rows, np.zeros(len(documents), dtype=np.int64), documents.lengths)
        qrels = projected(
            dataset.evidence, chunks, documents.texts, queries=queries, passages=corpus.ids
        )
    return replace(dataset, corpus=corpus, qrels=qrels)


def groups(first: NDArray[np.int64]) -> list[list[int]]:
    """Rows that share a value, where several do: ascending, by the value.

    Args:
        first: by row, a row.

    >>> groups(np.array([0, 1, 0, 3, 3, 0]))
    [[0, 2, 5], [3, 4]]
    """
    rows = np.flatnonzero(np.bincount(first)[first] > 1)
    rows = rows[np.argsort(first[rows], kind="stable")]
    parts = np.split(rows, np.flatnonzero(np.diff(first[rows])) + 1)
    return [part.tolist() for part in parts if len(part)]
