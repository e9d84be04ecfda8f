"""BM25 over bm25s's index.

bm25s weighs every (term, passage) pair when it indexes; a search adds up the weights of the
query's terms. The adding is done here and not by ``bm25s.retrieve``, with the same 32-bit sums
in the same order, for two reasons: a passage that shares no term with the query must not come
back (bm25s fills up with passages of score 0, or of a constant for bm25l and bm25+), and of the
passages that tie at the last place those come back that the order of a run puts first (score,
then id as text, both descending), so that a deeper search never changes what a shallower one
returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ragscore.cache import Cache, entry_key
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.errors import Problem, RetrieverError
from ragscore.progress import STAGES, Progress, Stage
from ragscore.retrievers.base import NO_INPUTS, Index
from ragscore.retrievers.corpus_retriever import FieldRetriever
from ragscore.run import Run
from ragscore.text import Analyzer, Snowball, Tokenizer
from ragscore.version import installed_version

Variant = Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]
WITH_DELTA = ("bm25l", "bm25+")
FORMAT = 1
"""Raise this when the meaning of a cached index changes, so that old ones are not found."""


class BM25(FieldRetriever):
    """Ranks passages by shared words; rare words count more, long passages less (bm25s).

    >>> BM25(k1=0.9, b=0.4, tokenizer="words").tokenizer
    Words()
    """

    summary_ko: ClassVar[str] = "공통 단어로 찾음. 드문 단어는 더, 긴 문단은 덜 침 (bm25s)"
    kind: Literal["bm25"] = "bm25"
    variant: Variant = "lucene"
    """The formula, as named by Kamphuis et al., ECIR 2020."""
    k1: Annotated[float, Field(ge=0)] = 1.5
    """How much a repeated term still adds; 0: only its presence counts."""
    b: Annotated[float, Field(ge=0, le=1)] = 0.75
    """How much a passage's length counts against it: 0 not at all, 1 fully."""
    delta: Annotated[float, Field(ge=0)] = 0.5
    """The least weight of a term that occurs; for bm25l and bm25+ only."""
    tokenizer: Tokenizer = Snowball()
    """How text becomes terms: a Snowball language such as english, words, bigrams, korean, none."""

    @model_validator(mode="after")
    def _options_fit(self) -> Self:
        if self.delta != 0.5 and self.variant not in WITH_DELTA:
            raise ValueError(
                f"delta has no meaning in the variant {self.variant}. "
                "Leave it out, or choose variant: bm25l or bm25+"
            )
        return self

    def check(self) -> list[Problem]:
        """The tokenizer's package is there."""
        return [replace(problem, where="tokenizer") for problem in self.tokenizer.check()]

    def doubt(self, written: str) -> str | None:
        """What speaks against its tokenizer."""
        return self.tokenizer.doubt(written)

    def content(self) -> dict[str, object]:
        """All fields and the versions of the packages that decide tokens and weights."""
        packages = ("bm25s", *self.tokenizer.packages())
        versions = {package: installed_version(package) or "" for package in packages}
        return {**super().content(), "packages": versions}

    def open_index(
        self,
        corpus: Corpus,
        cache: Cache | None,
        *,
        name: str,
        strict: bool,
        progress: Progress,
    ) -> BM25Index:
        """Tokenise and index the corpus, or map the index of an earlier build into memory.

        Raises:
            RetrieverError: no passage holds a term.
            MissingPackageError: the tokenizer needs an optional package.
        """
        analyzer = self.tokenizer.open()
        if cache is None or not cache.persistent:
            index = self._index(corpus, analyzer, name, progress)
            return BM25Index(name, corpus.ids, analyzer, index)

        index = cache.open(
            "bm25",
            entry_key(FORMAT, self.key(), corpus.digest),
            lambda: self._index(corpus, analyzer, name, progress),
            lambda index, folder: index.save(folder, show_progress=False),
            _reopened,
            progress=progress,
        )
        return BM25Index(name, corpus.ids, analyzer, index)

    def _index(self, corpus: Corpus, analyzer: Analyzer, name: str, progress: Progress) -> Any:
        import bm25s

        texts = corpus.content(self.fields)
        with progress.stage(STAGES.note("indexing", name=name), len(texts), "passages") as stage:
            terms = analyzer.terms(_counted(texts, stage))
        if not terms.vocabulary:
            raise RetrieverError(
                f"none of the {len(texts):,} passages holds a term to index",
                retriever=name,
                instead=f"Check fields ({', '.join(self.fields)}) "
                f"and tokenizer ({self.tokenizer.kind})",
            )
        # The backends are named so that an installed numba or jax is never picked up.
        index = bm25s.BM25(
            k1=self.k1,
            b=self.b,
            delta=self.delta,
            method=self.variant,
            backend="numpy",
            csc_backend="numpy",
        )
        index.index(tuple(terms), create_empty_token=False, show_progress=False)
        return index


class BM25Index(Index):
    """Weights by term, as compressed sparse columns.

    Args:
        name: name of the runs.
        ids: the corpus's ids.
        analyzer: the tokenizer at work.
        index: an indexed ``bm25s.BM25``.
    """

    def __init__(self, name: str, ids: Ids, analyzer: Analyzer, index: Any) -> None:
        self.name = name
        self._ids = ids
        self._analyzer = analyzer
        self._vocabulary: dict[str, int] = index.vocab_dict
        # Plain arrays: a numpy.memmap runs Python code at every slice.
        self._weights: NDArray[np.float32] = np.asarray(index.scores["data"])
        # Passages are numbered by their ids as text, the largest first: what ties then stands in
        # the order of a run without being sorted.
        self._row_at = np.array(
            sorted(range(len(ids)), key=ids.__getitem__, reverse=True), dtype=np.int32
        )
        place_of = np.empty(len(ids), dtype=np.int32)
        place_of[self._row_at] = np.arange(len(ids), dtype=np.int32)
        self._places: NDArray[np.int32] = place_of[np.asarray(index.scores["indices"])]
        self._bounds: NDArray[np.int64] = np.asarray(index.scores["indptr"])
        self._absent: NDArray[np.float32] | None = index.nonoccurrence_array
        # robertson and atire give weight 0 to terms that most passages hold.
        self._all_weigh = bool((self._weights > 0).all())
        self.passages_indexed = len(ids)
        self.size_bytes = self._weights.nbytes + self._places.nbytes + self._bounds.nbytes

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        """The passages that share a term with the query, best first; none where none does."""
        width = min(depth, len(self._ids))
        rows = np.full((len(queries), width), -1, dtype=np.int32)
        scores = np.full((len(queries), width), np.nan)
        numbered = self._analyzer.lookup(queries.texts, self._vocabulary)
        for at, terms in enumerate(numbered):
            if terms:
                best, sums = self._best(terms, width)
                rows[at, : len(best)] = best
                scores[at, : len(best)] = sums
        return Run.make(queries.ids, self._ids, rows, scores, name=self.name)

    def _best(
        self, terms: list[int], depth: int
    ) -> tuple[NDArray[np.integer[Any]], NDArray[np.float32]]:
        parts = [slice(self._bounds[term], self._bounds[term + 1]) for term in terms]
        places = np.concatenate([self._places[part] for part in parts])
        sums = np.zeros(len(self._ids), dtype=np.float32)
        np.add.at(sums, places, np.concatenate([self._weights[part] for part in parts]))
        found = (sums > 0).nonzero()[0] if self._all_weigh else np.unique(places)
        values = sums[found]
        if self._absent is not None:
            values += self._absent[terms].sum()
        if len(found) > depth:
            last = np.partition(values, len(values) - depth)[len(values) - depth]
            kept = (values >= last).nonzero()[0]
            if len(kept) > depth:  # of those that tie with the last, the first have larger ids
                better, tied = (values > last).nonzero()[0], (values == last).nonzero()[0]
                kept = np.sort(np.append(better, tied[: depth - len(better)]))
            found, values = found[kept], values[kept]
        order = (-values).argsort(kind="stable")
        return self._row_at[found[order]], values[order]


def _reopened(folder: Path) -> Any:
    import bm25s

    return bm25s.BM25.load(
        folder, mmap=True, allow_pickle=False, show_progress=False, backend="numpy"
    )


def _counted(texts: Sequence[str], stage: Stage, step: int = 1_000) -> Iterable[str]:
    def passing() -> Iterator[str]:
        for start in range(0, len(texts), step):
            block = texts[start : start + step]
            yield from block
            stage.advance(len(block))

    return passing()
