"""Postings of a corpus in blocks: those of a block in the cache, and counts over all blocks.

No vocabulary of the whole corpus is made. A first pass over the blocks counts how many passages
hold each term that the queries ask for; a second one reads the postings of these terms alone,
block by block. The counts are those of the whole corpus, and so are the weights made of them, to
the last bit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import load_arrays, save_arrays
from ragscore.cache import Cache, entry_key, open_or_make
from ragscore.dataset import Corpus, PassageField, Queries
from ragscore.errors import DataError
from ragscore.messages import _
from ragscore.progress import Progress, Stage
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.bm25_variants import CollectionCounts
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.encoded_block import EncodedBlock
from ragscore.retrievers.postings import (
    FORMAT,
    Postings,
    make_postings,
    postings_content,
    postings_key,
)
from ragscore.retrievers.postings import KIND as POSTINGS
from ragscore.spec import canonical_json, digest_text
from ragscore.text.base import TokenizerSpec

COUNTS = "term-counts"
"""The cache's kind of entry for how often terms occur, in a block or in all of them."""


@dataclass(frozen=True, eq=False)
class TermCounts:
    """How often some terms occur in some passages.

    Attributes:
        vocabulary: term to number, 0 up.
        collection: of these passages; its frequencies are by number.
    """

    vocabulary: dict[str, int]
    collection: CollectionCounts

    @classmethod
    def of(cls, postings: Postings) -> TermCounts:
        """Those of all terms of a block."""
        return cls(postings.vocabulary, CollectionCounts.of(postings))

    def frequencies_of(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """int64[t], how many passages hold each of some terms."""
        number = self.vocabulary.get
        held = np.fromiter((number(term, -1) for term in terms), dtype=np.int64, count=len(terms))
        found = np.zeros(len(terms), dtype=np.int64)
        found[held >= 0] = self.collection.frequencies[held[held >= 0]]
        return found

    def write(self, folder: Path) -> None:
        """Keep them in a folder."""
        counts = self.collection
        save_arrays(folder, {"frequencies": counts.frequencies})
        content = [list(self.vocabulary), counts.passages, counts.terms]
        (folder / "terms.json").write_text(json.dumps(content), encoding="ascii")

    @classmethod
    def read(cls, folder: Path) -> TermCounts:
        """Those that a folder keeps.

        Raises:
            Exception: any; the entry is damaged.
        """
        terms, passages, length = json.loads((folder / "terms.json").read_text(encoding="ascii"))
        frequencies = load_arrays(folder, ("frequencies",))["frequencies"]
        if len(frequencies) != len(terms):
            raise DataError("terms and counts do not belong together")
        vocabulary = {term: number for number, term in enumerate(terms)}
        return cls(vocabulary, CollectionCounts(passages, length, frequencies))


@dataclass(frozen=True, eq=False)
class BlockPostings:
    """The postings of one block, which stay in the cache, and what it adds to the counts.

    Attributes:
        block: of a corpus.
        tokenizer: how texts become terms.
        fields: of a passage, what is read.
        cache: where they are.
    """

    block: Corpus
    tokenizer: TokenizerSpec
    fields: Sequence[PassageField]
    cache: Cache

    @staticmethod
    def artifacts(
        block: Corpus, tokenizer: TokenizerSpec, fields: Sequence[PassageField]
    ) -> tuple[Artifact, Artifact]:
        """The entries of a block: its postings, and its counts."""
        key = postings_key(block, tokenizer, fields)
        return Artifact("tokens", key, POSTINGS), Artifact("tokens", key, COUNTS)

    @cached_property
    def key(self) -> str:
        """Of both entries."""
        return postings_key(self.block, self.tokenizer, self.fields)

    def make(self, name: str, progress: Progress) -> EncodedBlock:
        """Make the entries where they are not there."""
        if all(self.cache.has(kind, self.key) for kind in (POSTINGS, COUNTS)):
            kept = self.cache.read(COUNTS, self.key, EncodedBlock.read, progress=progress)
            if kept is not None:
                return kept
        with progress.stage(_("indexing {name}", name=name), len(self.block), "passages") as stage:
            return _encoded(self._keep(stage))

    def counts(self, progress: Progress) -> TermCounts:
        """How often the terms of the block occur in it."""
        found = self.cache.read(COUNTS, self.key, TermCounts.read, progress=progress)
        return TermCounts.of(self._keep(Stage())) if found is None else found

    def asked(self, vocabulary: dict[str, int], progress: Progress) -> Postings:
        """The postings of some terms alone, in arrays of their own."""

        def read(folder: Path) -> Postings:
            return Postings.read(folder, mapped=True).restricted(vocabulary)

        found = self.cache.read(POSTINGS, self.key, read, progress=progress)
        return self._keep(Stage()).restricted(vocabulary) if found is None else found

    def _keep(self, stage: Stage) -> Postings:
        """The postings, made now and kept with their counts."""
        made = make_postings(self.block, self.tokenizer, self.fields, stage)

        def write(folder: Path) -> None:
            TermCounts.of(made).write(folder)
            _encoded(made).write(folder)

        self.cache.keep(COUNTS, self.key, write)
        self.cache.keep(POSTINGS, self.key, made.write)
        return made


@dataclass(frozen=True, eq=False)
class AskedTerms:
    """The terms of some queries that a corpus holds, and how often it does.

    Attributes:
        vocabulary: term to number, 0 up.
        counts: over the whole corpus; its frequencies are by number.
        numbered: by query, the numbers of its terms, in order, repeats kept.
    """

    vocabulary: dict[str, int]
    counts: CollectionCounts
    numbered: list[list[int]]

    @cached_property
    def digest(self) -> str:
        """Of all that weights depend on besides the postings of a block."""
        counts = self.counts
        frequencies = counts.frequencies.tolist()
        content = [list(self.vocabulary), frequencies, counts.passages, counts.terms]
        return digest_text(canonical_json(content))


def asked_terms(
    queries: Queries,
    tokenizer: TokenizerSpec,
    blocks: Sequence[BlockPostings],
    cache: Cache,
    progress: Progress,
) -> AskedTerms:
    """Count the terms of queries in all blocks; the counts are kept in the cache.

    Args:
        queries: all that are asked.
        tokenizer: of queries and passages.
        blocks: their postings.
        cache: where the counts are kept.
        progress: reports damaged entries.
    """
    analyzer = tokenizer.open()

    def count() -> TermCounts:
        return _counted(list(analyzer.terms(queries.texts).vocabulary), blocks, progress)

    content = [postings_content(tokenizer, ()), queries.digest]
    key = entry_key(FORMAT, content, digest_text(canonical_json([block.key for block in blocks])))
    made = open_or_make(
        cache, COUNTS, key, count, TermCounts.write, TermCounts.read, progress=progress
    ).value
    numbered = analyzer.lookup(queries.texts, made.vocabulary)
    return AskedTerms(made.vocabulary, made.collection, numbered)


def _counted(terms: list[str], blocks: Sequence[BlockPostings], progress: Progress) -> TermCounts:
    passages = length = 0
    frequencies = np.zeros(len(terms), dtype=np.int64)
    for block in blocks:
        found = block.counts(progress)
        passages += found.collection.passages
        length += found.collection.terms
        frequencies += found.frequencies_of(terms)
    held = np.flatnonzero(frequencies)
    vocabulary = {terms[number]: place for place, number in enumerate(held.tolist())}
    return TermCounts(vocabulary, CollectionCounts(passages, length, frequencies[held]))


def _encoded(postings: Postings) -> EncodedBlock:
    weights = postings.places.nbytes  # as many, of 32 bits too
    return EncodedBlock(False, postings.size_bytes + weights, BuildCost(postings.seconds or 0.0))
