"""Postings: which passages hold which term how often, made once for every BM25 over a corpus.

Tokenising is what takes long; the weights of any ``k1``, ``b`` and variant are arithmetic on
postings. They stay in memory as long as their corpus does, and in the cache.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, load_arrays, ranges, save_arrays
from ragscore.cache import Cache, Opened, entry_key, open_or_make
from ragscore.dataset import Corpus, PassageField, Queries
from ragscore.errors import DataError
from ragscore.messages import _
from ragscore.progress import Progress, Stage
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.run_order import rows_by_id
from ragscore.spec import canonical_json
from ragscore.text import Analyzer
from ragscore.text.base import TokenizerSpec

KIND = "tokens"
"""The cache's kind of entry."""
FORMAT = 1
"""Raise this when the meaning of cached postings changes, so that old ones are not found."""
ARRAYS = ("bounds", "places", "counts", "lengths", "row_at")


@dataclass(frozen=True, eq=False)
class Postings:
    """Terms of N passages as compressed sparse columns: one column for each of T terms.

    A passage is known by its place in the order of ids as text, the largest first: what ties
    then stands in the order of a run without being sorted.

    Attributes:
        vocabulary: term to number, 0 up.
        bounds: int64[T + 1]; the postings of a term are those from its bound to the next.
        places: int32[P], the passage of each posting, ascending within a term.
        counts: int32[P], how often it holds the term.
        lengths: int64[N], terms of the passage at each place, repeats counted.
        row_at: int32[N], the corpus row of the passage at each place.
        seconds: how long making them took, now or when they were made; None if nobody counted.
    """

    vocabulary: dict[str, int]
    bounds: NDArray[np.int64]
    places: NDArray[np.int32]
    counts: NDArray[np.int32]
    lengths: NDArray[np.int64]
    row_at: NDArray[np.int32]
    seconds: float | None = None

    @classmethod
    def of(cls, texts: Iterable[str], corpus: Corpus, analyzer: Analyzer) -> Postings:
        """The postings of a corpus, of whose passages ``texts`` is what is indexed."""
        terms = analyzer.terms(texts)
        count = len(corpus)
        row_at = rows_by_id(corpus.ids)
        place_of = np.empty(count, dtype=np.int32)
        place_of[row_at] = np.arange(count, dtype=np.int32)
        lengths = np.fromiter(map(len, terms.ids), dtype=np.int64, count=count)
        total = int(lengths.sum())
        term = np.fromiter(chain.from_iterable(terms.ids), dtype=np.int64, count=total)
        # One number for term and place: sorting it sorts by both.
        pairs = (term << 32) | np.repeat(place_of, lengths).astype(np.int64)
        pairs, counts = np.unique(pairs, return_counts=True)
        bounds = bounds_of(np.bincount(pairs >> 32, minlength=len(terms.vocabulary)))
        places = (pairs & 0xFFFFFFFF).astype(np.int32)
        return cls(
            terms.vocabulary, bounds, places, counts.astype(np.int32), lengths[row_at], row_at
        )

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """int64[T], how many passages hold each term."""
        return np.diff(self.bounds)

    @property
    def size_bytes(self) -> int:
        """Of what a search reads besides weights."""
        return self.places.nbytes + self.bounds.nbytes

    def asked(self, queries: Queries, analyzer: Analyzer) -> list[list[int]]:
        """The numbers of the queries' terms."""
        return queries.computed(
            ("terms", self), lambda: analyzer.lookup(queries.texts, self.vocabulary)
        )

    def restricted(self, vocabulary: dict[str, int]) -> Postings:
        """The postings of some terms alone, in arrays of their own.

        Args:
            vocabulary: term to number, 0 up; terms that no passage holds too.
        """
        number = self.vocabulary.get
        numbers = np.fromiter((number(term, -1) for term in vocabulary), dtype=np.int64)
        held = numbers >= 0
        counts = np.zeros(len(numbers), dtype=np.int64)
        counts[held] = self.frequencies[numbers[held]]
        taken = ranges(self.bounds[numbers[held]], counts[held])
        return Postings(
            vocabulary,
            bounds_of(counts),
            self.places[taken],
            self.counts[taken],
            np.array(self.lengths),
            np.array(self.row_at),
            self.seconds,
        )

    def write(self, folder: Path) -> None:
        """Keep them in a folder."""
        save_arrays(folder, {name: getattr(self, name) for name in ARRAYS})
        if self.seconds is not None:
            BuildCost(self.seconds).write(folder)
        terms = json.dumps(list(self.vocabulary), ensure_ascii=True)
        (folder / "terms.json").write_text(terms, encoding="ascii")

    @classmethod
    def read(cls, folder: Path, *, mapped: bool = False) -> Postings:
        """Those that a folder keeps.

        Args:
            folder: of an entry.
            mapped: leave arrays in their files, for a part of them to be used at once; else they
                are read into memory, and outlive what was checked on disk.

        Raises:
            Exception: any; the entry is damaged.
        """
        arrays = load_arrays(folder, ARRAYS, mapped=mapped)
        terms = json.loads((folder / "terms.json").read_text(encoding="ascii"))
        cost = BuildCost.read(folder)
        seconds = cost.seconds if cost is not None else None
        made = cls({term: number for number, term in enumerate(terms)}, **arrays, seconds=seconds)
        if len(made.bounds) != len(terms) + 1 or len(made.places) != made.bounds[-1]:
            raise DataError("terms and postings do not belong together")
        return made


_made: WeakKeyDictionary[Corpus, dict[str, Postings]] = WeakKeyDictionary()
"""By corpus in memory, then by what they are made with and the cache that keeps them."""


def postings_of(
    corpus: Corpus,
    tokenizer: TokenizerSpec,
    fields: Sequence[PassageField],
    cache: Cache | None,
    *,
    name: str,
    progress: Progress,
) -> Opened[Postings]:
    """The postings of a corpus: from memory, from the cache, or made now.

    Args:
        corpus: what is tokenised.
        tokenizer: how texts become terms.
        fields: of a passage, what is read.
        cache: where they are kept for other processes; None keeps them in memory only.
        name: of the retriever that is built.
        progress: reports the passages that are tokenised.

    Raises:
        MissingPackageError: the tokenizer needs an optional package.
    """
    made_with = postings_content(tokenizer, fields)

    def make() -> Postings:
        texts = corpus.content(fields)
        with progress.stage(_("indexing {name}", name=name), len(texts), "passages") as stage:
            return make_postings(corpus, tokenizer, fields, stage)

    kept_in = cache if cache is not None and cache.persistent else None
    known = canonical_json([made_with, "" if kept_in is None else str(kept_in.root)])
    kept = _made.setdefault(corpus, {})
    if known in kept:
        return Opened(kept[known], reopened=cache is not None)
    key = "" if kept_in is None else postings_key(corpus, tokenizer, fields)
    opened = open_or_make(
        kept_in, KIND, key, make, Postings.write, Postings.read, progress=progress
    )
    kept[known] = opened.value
    return opened


def make_postings(
    corpus: Corpus, tokenizer: TokenizerSpec, fields: Sequence[PassageField], stage: Stage
) -> Postings:
    """The postings of a corpus, made anew; ``stage`` advances with its passages."""
    began = time.perf_counter()
    made = Postings.of(_counted(corpus.content(fields), stage), corpus, tokenizer.open())
    return replace(made, seconds=time.perf_counter() - began)


def postings_content(tokenizer: TokenizerSpec, fields: Sequence[PassageField]) -> list[object]:
    """What postings are made with: the tokenizer, its packages' versions and the fields."""
    versions = {package: version or "" for package, version in tokenizer.versions().items()}
    return [tokenizer.model_dump(mode="json"), versions, list(fields)]


def postings_key(corpus: Corpus, tokenizer: TokenizerSpec, fields: Sequence[PassageField]) -> str:
    """The key of postings in the cache."""
    return entry_key(FORMAT, postings_content(tokenizer, fields), corpus.digest)


def _counted(texts: Sequence[str], stage: Stage, step: int = 1_000) -> Iterable[str]:
    def passing() -> Iterator[str]:
        for start in range(0, len(texts), step):
            block = texts[start : start + step]
            yield from block
            stage.advance(len(block))

    return passing()
