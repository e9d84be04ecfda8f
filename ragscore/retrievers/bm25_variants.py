"""The variants of BM25: the weight of a term in a passage, as bm25s computes it.

Formulas after Kamphuis, de Vries, Boytsov and Lin, "Which BM25 do you mean?", ECIR 2020. The order
of operations and the widths of numbers are those of bm25s 0.3, so that weights equal its own to
the last bit: counts and idf are 32-bit, lengths and the rest 64-bit, and a weight is rounded to 32
bits at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.retrievers.postings import Postings

BLOCK = 1 << 21
"""Postings that are weighed at a time, so that 64-bit numbers are held for these alone."""

TINY = float(np.finfo(np.float64).tiny)

Saturation = Callable[[Any, Any, float, float, float], Any]
"""Of counts, lengths divided by the mean length and multiplied by b, k1, b and delta."""


@dataclass(frozen=True)
class Formula:
    """One variant.

    Attributes:
        idf: of the number of passages, and of those that hold the term.
        saturation: how a count grows into a weight.
        lower_bound: whether a passage without the term has a weight too, which is taken off here
            and added to the whole query's score.
    """

    idf: Callable[[int, int], float]
    saturation: Saturation
    lower_bound: bool = False


def _robertson_idf(passages: int, holding: int) -> float:
    return math.log(max((passages - holding + 0.5) / (holding + 0.5), 1))


def _robertson(counts: Any, length: Any, k1: float, b: float, delta: float) -> Any:
    return counts / (k1 * ((1 - b) + length) + counts)


def _atire(counts: Any, length: Any, k1: float, b: float, delta: float) -> Any:
    return (counts * (k1 + 1)) / (counts + k1 * (1 - b + length))


def _bm25l(counts: Any, length: Any, k1: float, b: float, delta: float) -> Any:
    scaled = counts / (1 - b + length)
    return ((k1 + 1) * (scaled + delta)) / (k1 + scaled + delta)


def _bm25_plus(counts: Any, length: Any, k1: float, b: float, delta: float) -> Any:
    return ((k1 + 1) * counts) / (k1 * (1 - b + length) + counts) + delta


FORMULAS: Mapping[str, Formula] = {
    "lucene": Formula(lambda n, df: math.log(1 + (n - df + 0.5) / (df + 0.5)), _robertson),
    "robertson": Formula(_robertson_idf, _robertson),
    "atire": Formula(lambda n, df: math.log(n / df), _atire),
    "bm25l": Formula(lambda n, df: math.log((n + 1) / (df + 0.5)), _bm25l, lower_bound=True),
    "bm25+": Formula(lambda n, df: math.log((n + 1) / df), _bm25_plus, lower_bound=True),
}
"""By the name of the variant."""


@dataclass(frozen=True, eq=False)
class Weights:
    """What each posting weighs.

    Attributes:
        data: float32[P].
        absent: float32[T], what a passage without the term gets; None if that is nothing.
    """

    data: NDArray[np.float32]
    absent: NDArray[np.float32] | None


@dataclass(frozen=True, eq=False)
class CollectionCounts:
    """What weights depend on besides a passage's own postings.

    Attributes:
        passages: how many there are.
        terms: of all of them, repeats counted.
        frequencies: int64[T], how many passages hold each term.
    """

    passages: int
    terms: int
    frequencies: NDArray[np.int64]

    @classmethod
    def of(cls, postings: Postings) -> CollectionCounts:
        """Those of passages that are the whole collection."""
        lengths = postings.lengths
        return cls(len(lengths), int(lengths.sum()), postings.frequencies)

    @property
    def mean_length(self) -> np.float64:
        """Terms of a passage on average."""
        return np.float64(self.terms) / self.passages


def weights(
    postings: Postings,
    variant: str,
    k1: float,
    b: float,
    delta: float,
    counts: CollectionCounts | None = None,
) -> Weights:
    """The weights of all postings in a variant of BM25.

    Args:
        postings: which passages hold which terms.
        variant, k1, b, delta: of the formula.
        counts: of the collection that the passages are a part of; None if they are all of it.
    """
    formula = FORMULAS[variant]
    collection = counts or CollectionCounts.of(postings)
    exact = _idf(collection, formula)
    idf = exact.astype(np.float32)
    mean = collection.mean_length
    absent = None
    if formula.lower_bound:
        # Of a passage of mean length; where k1 is 0, bm25+ would divide 0 by 0.
        missing = formula.saturation(0, b * mean / mean, k1 or TINY, b, delta)
        absent = (exact * missing).astype(np.float32)
    scaled = b * postings.lengths / mean
    data = np.empty(len(postings.places), dtype=np.float32)
    bounds = postings.bounds
    first = 0
    while first < len(idf):
        # Whole terms, at least one.
        after = int(np.searchsorted(bounds, bounds[first] + BLOCK, side="right")) - 1
        after = max(after, first + 1)
        block = slice(int(bounds[first]), int(bounds[after]))
        held = postings.frequencies[first:after]
        occurring = postings.counts[block].astype(np.float32)
        found = formula.saturation(occurring, scaled[postings.places[block]], k1, b, delta)
        found = np.repeat(idf[first:after], held) * found
        if absent is not None:
            found -= np.repeat(absent[first:after], held)
        data[block] = found
        first = after
    return Weights(data, absent)


def _idf(collection: CollectionCounts, formula: Formula) -> NDArray[np.float64]:
    """float64[T]; computed once for each number of passages, with Python's own logarithm."""
    held, which = np.unique(collection.frequencies, return_inverse=True)
    return np.array([formula.idf(collection.passages, int(count)) for count in held])[which]
