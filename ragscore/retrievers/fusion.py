"""Fusion of the runs of other retrievers: nothing is searched twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.errors import RetrieverError
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.base import NO_INPUTS, Index, RetrieverSpec
from ragscore.run import Run

Weight = Annotated[float, Field(gt=0)]


class Fusion(RetrieverSpec):
    """Several retrievers' rankings made one, by reciprocal rank (RRF).

    A passage scores the sum of ``weight / (k + rank)`` over the retrievers that returned it
    (Cormack, Clarke and Büttcher, SIGIR 2009). Each retriever counts as deep as the fused run is.

    >>> Fusion(retrievers=["bm25", "minilm"]).inputs()
    ('bm25', 'minilm')
    """

    kind: Literal["fusion"] = "fusion"
    retrievers: Annotated[tuple[str, ...], Field(min_length=2)]
    """Names of two or more other retrievers of the experiment."""
    weights: tuple[Weight, ...] | None = None
    """One for each retriever, in the same order; by default all count the same."""
    k: Annotated[int, Field(ge=0)] = 60
    """The larger, the less the first ranks stand out."""
    method: Literal["rrf"] = "rrf"
    """Reciprocal rank fusion, the only one so far."""

    needs_corpus: ClassVar[bool] = False

    @model_validator(mode="after")
    def _options_fit(self) -> Self:
        if len(set(self.retrievers)) < len(self.retrievers):
            raise ValueError("a retriever is named twice. Name each once, and give it a weight")
        if self.weights is not None and len(self.weights) != len(self.retrievers):
            raise ValueError(
                f"there are {len(self.weights)} weights for {len(self.retrievers)} retrievers. "
                "Give one for each, in the same order"
            )
        return self

    def inputs(self) -> tuple[str, ...]:
        return self.retrievers

    def content(self) -> dict[str, object]:
        return self.model_dump(mode="json", exclude={"retrievers"})

    def build(
        self,
        corpus: Corpus,
        cache: Cache | None = None,
        *,
        name: str | None = None,
        strict: bool = False,
        progress: Progress = SILENT,
    ) -> FusionIndex:
        return FusionIndex(self, corpus.ids, name or self.kind)


@dataclass(eq=False)
class FusionIndex(Index):
    """Nothing is kept: the runs of the inputs are all there is."""

    spec: Fusion
    ids: Ids
    name: str

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        runs = [self._input(name, queries, depth, inputs) for name in self.spec.retrievers]
        weights = self.spec.weights or (1.0,) * len(runs)
        gains = [
            np.broadcast_to(
                weight / (self.spec.k + np.arange(1, run.depth + 1, dtype=np.float64)),
                run.rows.shape,
            )
            for run, weight in zip(runs, weights, strict=True)
        ]
        rows, scores = summed(
            np.concatenate([run.rows for run in runs], axis=1), np.concatenate(gains, axis=1)
        )
        return Run.make(queries.ids, self.ids, rows, scores, name=self.name).cut(depth)

    def _input(self, name: str, queries: Queries, depth: int, inputs: Mapping[str, Run]) -> Run:
        if name not in inputs:
            raise RetrieverError(
                f"the run of '{name}' is missing",
                retriever=self.name,
                instead="Search that retriever first and pass its run in inputs",
            )
        # An input may have been searched deeper for another consumer; that must not show here.
        run = inputs[name].cut(self.spec.search_depth(depth))
        return run.for_queries(queries.ids).onto(self.ids)


def summed(
    rows: NDArray[np.int32], gains: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Each query's passages once, with the sum of their gains.

    Gains of a passage are added from the smallest, so that equal gains give equal sums to the
    last bit, in whatever order the inputs are.

    Args:
        rows: int32[Q, n], passages, the same one perhaps several times; -1 is no passage.
        gains: float64[Q, n].

    Returns:
        Passages int32[Q, m], -1 pads at the end, and their sums float64[Q, m], NaN at pads.
    """
    query, place = np.nonzero(rows >= 0)
    passage, gain = rows[query, place], gains[query, place]
    order = np.lexsort((gain, passage, query))
    query, passage, gain = query[order], passage[order], gain[order]
    first = np.ones(len(query), dtype=bool)
    first[1:] = (query[1:] != query[:-1]) | (passage[1:] != passage[:-1])
    # bincount adds one after the other, in the order given.
    sums = np.bincount(np.cumsum(first) - 1, weights=gain)
    query, passage = query[first], passage[first]
    found = np.bincount(query, minlength=len(rows))
    place = np.arange(len(query)) - np.repeat(np.cumsum(found) - found, found)
    shape = len(rows), int(found.max(initial=0))
    fused, scores = np.full(shape, -1, dtype=np.int32), np.full(shape, np.nan)
    fused[query, place], scores[query, place] = passage, sums
    return fused, scores
