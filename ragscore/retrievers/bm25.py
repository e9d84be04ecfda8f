"""BM25 with the weights of bm25s.

Every (term, passage) pair is weighed when the index is opened, from postings that all BM25s over
a corpus share (``postings.py``); a search adds up the weights of the query's terms, with the same
32-bit sums in the same order as bm25s. It differs from ``bm25s.retrieve`` in two things: a passage
that shares no term with the query does not come back (bm25s fills up with passages of score 0, or
of a constant for bm25l and bm25+), and of the passages that tie at the last place those come back
that the order of a run puts first (score, then id as text, both descending), so that a deeper
search never changes what a shallower one returned.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.errors import Problem, RetrieverError
from ragscore.messages import Text
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.base import RestrictedIndex
from ragscore.retrievers.block_postings import AskedTerms, BlockPostings, asked_terms
from ragscore.retrievers.blockwise import BlockwiseRetriever, SearchBlock
from ragscore.retrievers.bm25_variants import CollectionCounts, Weights, weights
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.encoded_block import EncodedBlock
from ragscore.retrievers.group_search import search_groups
from ragscore.retrievers.postings import KIND as POSTINGS
from ragscore.retrievers.postings import (
    Postings,
    postings_content,
    postings_key,
    postings_of,
)
from ragscore.retrievers.run_order import BestPassages
from ragscore.run import Run
from ragscore.text import Analyzer, Snowball, Tokenizer
from ragscore.validation.findings import contradiction

Variant = Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]
WITH_DELTA = ("bm25l", "bm25+")


class BM25(BlockwiseRetriever):
    """Ranks passages by shared words; rare words count more, long passages less (bm25s).

    >>> BM25(k1=0.9, b=0.4, tokenizer="words").tokenizer
    Words()
    """

    one_core: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("numpy",)
    counts_all: ClassVar[bool] = True
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
            what = f"delta has no meaning in the variant {self.variant}"
            raise contradiction("delta", what, "Leave it out, or choose variant: bm25l or bm25+")
        return self

    def lowest_score(self) -> float | None:
        return 0.0

    def check(self) -> list[Problem]:
        """The tokenizer's package is there."""
        of_tokenizer = [replace(problem, where="tokenizer") for problem in self.tokenizer.check()]
        return [*super().check(), *of_tokenizer]

    def doubt(self, written: str) -> Text | None:
        """What speaks against its tokenizer."""
        return self.tokenizer.doubt(written)

    def artifacts(self, corpus: Corpus) -> tuple[Artifact, ...]:
        if corpus.blocks:
            return tuple(entry for block in corpus.blocks for entry in self.block_artifacts(block))
        key = postings_key(corpus, self.tokenizer, self.fields)
        return (Artifact("tokens", key, POSTINGS),)

    def cost_class(self, corpus: Corpus) -> object:
        """All that share tokens cost the same."""
        return [self.kind, *postings_content(self.tokenizer, self.fields)]

    def open_whole(
        self, corpus: Corpus, cache: Cache | None, *, name: str, progress: Progress
    ) -> BM25Index:
        """Weigh the postings of the corpus, which is tokenised once for all its BM25s.

        Raises:
            RetrieverError: no passage holds a term.
            MissingPackageError: the tokenizer needs an optional package.
        """
        analyzer = self.tokenizer.open()
        opened = postings_of(
            corpus, self.tokenizer, self.fields, cache, name=name, progress=progress
        )
        postings = opened.value
        if not postings.vocabulary:
            raise self._without_terms(len(corpus), name)
        began = time.perf_counter()
        weighed = self._weights(postings)
        index = BM25Index(name, corpus.ids, analyzer, postings, weighed)
        index.reopened = opened.reopened
        if postings.seconds is not None:
            index.build_cost = BuildCost(postings.seconds + time.perf_counter() - began)
        return index

    def block_artifacts(self, block: Corpus) -> tuple[Artifact, ...]:
        return BlockPostings.artifacts(block, self.tokenizer, self.fields)

    def encode_block(
        self, block: Corpus, cache: Cache, *, name: str, progress: Progress = SILENT
    ) -> EncodedBlock:
        return self._postings(block, cache).make(name, progress)

    def shared_of(
        self,
        blocks: Sequence[Corpus],
        queries: Queries,
        cache: Cache,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> AskedTerms:
        """The terms of the queries, and how often they occur in all blocks.

        Raises:
            RetrieverError: no passage holds a term.
        """
        postings = [self._postings(block, cache) for block in blocks]
        asked = asked_terms(queries, self.tokenizer, postings, cache, progress)
        if not asked.counts.terms:
            raise self._without_terms(asked.counts.passages, name)
        return asked

    def open_block(
        self,
        block: Corpus,
        shared: AskedTerms,
        cache: Cache,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> SearchBlock:
        postings = self._postings(block, cache).asked(shared.vocabulary, progress)
        weighed = self._weights(postings, shared.counts)
        index = BM25Index(name, block.ids, self.tokenizer.open(), postings, weighed)
        return partial(index.best, shared.numbered)

    def _postings(self, block: Corpus, cache: Cache) -> BlockPostings:
        return BlockPostings(block, self.tokenizer, self.fields, cache)

    def _weights(self, postings: Postings, counts: CollectionCounts | None = None) -> Weights:
        return weights(postings, self.variant, self.k1, self.b, self.delta, counts)

    def _without_terms(self, passages: int, name: str) -> RetrieverError:
        return RetrieverError(
            f"none of the {passages:,} passages holds a term to index",
            retriever=name,
            instead=f"Check fields ({', '.join(self.fields)}) "
            f"and tokenizer ({self.tokenizer.kind})",
        )


class BM25Index(RestrictedIndex):
    """Weights by term, as compressed sparse columns.

    Args:
        name: name of the runs.
        ids: the corpus's ids.
        analyzer: the tokenizer at work.
        postings: of the corpus.
        weights: of the postings.
    """

    def __init__(
        self, name: str, ids: Ids, analyzer: Analyzer, postings: Postings, weights: Weights
    ) -> None:
        self.name = name
        self._ids = ids
        self._analyzer = analyzer
        self._postings = postings
        self._weights = weights.data
        self._absent = weights.absent
        self._row_at, self._places, self._bounds = postings.row_at, postings.places, postings.bounds
        # robertson and atire give weight 0 to terms that most passages hold.
        self._all_weigh = bool((self._weights > 0).all())
        self.passages_indexed = len(ids)
        self.size_bytes = self._weights.nbytes + postings.size_bytes

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        """The passages that share a term with the query, best first; none where none does. A term
        weighs what it weighs among all passages."""
        numbered = self._postings.asked(queries, self._analyzer)
        found = self.best(numbered, min(depth, len(self._ids)), allowed)
        return Run.make(queries.ids, self._ids, found.rows, found.scores, name=self.name)

    def best(
        self, numbered: Sequence[list[int]], depth: int, allowed: Allowed | None
    ) -> BestPassages:
        """The best passages of each query, by row.

        Args:
            numbered: by query, the numbers of its terms.
            depth: how many a query gets, at most as many as there are passages.
            allowed: which passages each may get; None allows all.
        """

        def search(members: NDArray[np.int64], may: NDArray[np.bool_] | None) -> BestPassages:
            found = BestPassages.none(len(members), depth)
            may_at_place = None if may is None else may[self._row_at]
            for at, query in enumerate(members.tolist()):
                if terms := numbered[query]:
                    places, sums = self._matching(terms, may_at_place)
                    found.put(at, self._row_at[places], sums)
            return found

        return search_groups(len(numbered), depth, allowed, search)

    def _matching(
        self, terms: list[int], allowed: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.integer[Any]], NDArray[np.float32]]:
        """The places of the passages that hold one of the terms, ascending, and their scores."""
        parts = [slice(self._bounds[term], self._bounds[term + 1]) for term in terms]
        places = np.concatenate([self._places[part] for part in parts])
        sums = np.zeros(len(self._ids), dtype=np.float32)
        np.add.at(sums, places, np.concatenate([self._weights[part] for part in parts]))
        found = (sums > 0).nonzero()[0] if self._all_weigh else np.unique(places)
        if allowed is not None:
            found = found[allowed[found]]
        values = sums[found]
        if self._absent is not None:
            values += self._absent[terms].sum()
        return found, values
