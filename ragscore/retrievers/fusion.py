"""Fusion of the runs of other retrievers: nothing is searched twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.described import in_short
from ragscore.errors import RetrieverError
from ragscore.kinds import NameOf
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.base import NO_INPUTS, Index, RetrieverSpec, input_run
from ragscore.retrievers.fusion_methods import METHODS, FusionMethod
from ragscore.run import Run

Weight = Annotated[float, Field(gt=0)]


class Fusion(RetrieverSpec):
    """Combines the rankings of several retrievers, by reciprocal rank fusion (RRF).

    A passage scores the sum of ``weight / (k + rank)`` over the retrievers that returned it
    (Cormack, Clarke and Büttcher, SIGIR 2009), or what another ``method`` gives it. Each
    retriever's run is read to the depth of the fused run.

    >>> Fusion(retrievers=["bm25", "minilm"]).inputs()
    ('bm25', 'minilm')
    """

    summary_ko: ClassVar[str] = "여러 검색기의 순위를 역순위(RRF) 등으로 하나로 합침"
    one_core: ClassVar[bool] = True
    kind: Literal["fusion"] = "fusion"
    retrievers: Annotated[tuple[str, ...], Field(min_length=2)]
    """Names of two or more other retrievers of the experiment."""
    weights: tuple[Weight, ...] | None = None
    """One weight for each retriever, in the same order; by default all count the same."""
    k: Annotated[int, Field(ge=0)] = 60
    """The constant of RRF: the larger it is, the less the first ranks stand out."""
    method: Annotated[str, NameOf(METHODS)] = "rrf"
    """How the rankings are combined: ``rrf`` is reciprocal rank fusion."""

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
        content = self.model_dump(mode="json", exclude={"retrievers"})
        added = METHODS.origin(self.method)  # whose next version may fuse otherwise
        return {**content, "added": added} if added else content

    def build(
        self,
        corpus: Corpus,
        cache: Cache | None = None,
        *,
        name: str | None = None,
        strict: bool = False,
        progress: Progress = SILENT,
    ) -> FusionIndex:
        return FusionIndex(self, METHODS.load(self.method), corpus.ids, name or self.kind)


@dataclass(eq=False)
class FusionIndex(Index):
    """Nothing is kept: the runs of the inputs are all there is."""

    spec: Fusion
    method: FusionMethod
    ids: Ids
    name: str

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        read = self.spec.search_depth(depth)
        runs = [
            input_run(inputs, source, queries.ids, self.ids, read, self.name)
            for source in self.spec.retrievers
        ]
        weights = self.spec.weights or (1.0,) * len(runs)
        fused = self.method(runs, weights, self.spec.k)
        if not _is_pair_of_arrays(fused, len(queries)):
            raise RetrieverError(
                f"the fusion method '{self.spec.method}' returned {in_short(fused)}",
                retriever=self.name,
                instead="Return passages int32[queries, m] and scores float64[queries, m]",
            )
        rows, scores = fused
        return Run.make(queries.ids, self.ids, rows, scores, name=self.name).cut(depth)


def _is_pair_of_arrays(fused: object, queries: int) -> bool:
    """Whether a fusion method returned passages and scores of the same shape, a row a query."""
    if not isinstance(fused, tuple) or len(fused) != 2:
        return False
    shapes = [np.shape(part) for part in fused]
    return shapes[0] == shapes[1] and len(shapes[0]) == 2 and shapes[0][0] == queries
