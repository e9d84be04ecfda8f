"""Fusion of the runs of other retrievers: nothing is searched twice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.described import in_short
from ragscore.errors import Problem, RetrieverError
from ragscore.kinds import NameOf
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.base import NO_INPUTS, Index, RetrieverSpec, input_run
from ragscore.retrievers.fusion_methods import METHODS, FusionMethod, FusionOptions
from ragscore.run import Run
from ragscore.validation.findings import contradiction

Weight = Annotated[float, Field(gt=0)]
K = 60
"""The constant of the paper on RRF."""


class Fusion(RetrieverSpec):
    """Combines the rankings of several retrievers: by rank (RRF), or by their scores on one scale.

    By default a passage scores the sum of ``weight / (k + rank)`` over the retrievers that returned
    it (RRF; Cormack, Clarke and Büttcher, SIGIR 2009); other methods add up scores. Each
    retriever's run is read to the depth of the fused run.

    >>> Fusion(retrievers=["bm25", "minilm"]).inputs()
    ('bm25', 'minilm')
    """

    one_core: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("numpy",)
    kind: Literal["fusion"] = "fusion"
    retrievers: Annotated[tuple[str, ...], Field(min_length=2)]
    """Names of two or more other retrievers of the experiment."""
    weights: tuple[Weight, ...] | None = None
    """One weight for each retriever, in the same order; by default all count the same."""
    k: Annotated[int, Field(ge=0)] = K
    """For `rrf`: the larger it is, the less the first ranks stand out."""
    method: Annotated[str, NameOf(METHODS)] = "rrf"
    """How the rankings are combined: `rrf` by rank, all others by score."""
    minimums: tuple[float, ...] | None = None
    """For `theoretical-min-max`: the lowest score that each retriever can give, in the same order;
    by default what is known of their kinds (0 for bm25, -1 for cosine)."""

    @property
    def needs_corpus(self) -> bool:
        return False

    @model_validator(mode="after")
    def _options_fit(self) -> Self:
        if len(set(self.retrievers)) < len(self.retrievers):
            what = "a retriever is named twice"
            raise contradiction("retrievers", what, "Name each once, and give it a weight")
        for option, values in (("weight", self.weights), ("minimum", self.minimums)):
            if values is not None and len(values) != len(self.retrievers):
                given = f"is 1 {option}" if len(values) == 1 else f"are {len(values)} {option}s"
                what = f"there {given} for {len(self.retrievers)} retrievers"
                instead = "Give one for each, in the same order"
                raise contradiction(f"{option}s", what, instead)
        if self.k != K and not self._reads("k"):
            what = f"k has no meaning for the method {self.method}"
            raise contradiction("k", what, "Leave it out")
        if self.minimums is not None and not self._reads("minimums"):
            what = f"minimums have no meaning for the method {self.method}"
            raise contradiction("minimums", what, "Leave them out")
        return self

    def _reads(self, option: str) -> bool:
        """Whether the method reads an option; one of an installed package may read any."""
        return option in getattr(METHODS.own.get(self.method), "options", (option,))

    def inputs(self) -> tuple[str, ...]:
        return self.retrievers

    def lowest_score(self) -> float | None:
        return getattr(METHODS.own.get(self.method), "lowest", None)

    def informed(self, inputs: Mapping[str, RetrieverSpec]) -> Self:
        """The same fusion with the minimums that are known of its inputs, where it needs them."""
        if self.method != "theoretical-min-max" or self.minimums is not None:
            return self
        lowest = [inputs[name].lowest_score() if name in inputs else None for name in self.inputs()]
        known = tuple(value for value in lowest if value is not None)
        if len(known) < len(lowest):
            return self
        return self.model_copy(update={"minimums": known})

    def check_inputs(self, inputs: Mapping[str, RetrieverSpec]) -> list[Problem]:
        """The lowest scores of the inputs are known, where the method needs them."""
        if self.method != "theoretical-min-max" or self.informed(inputs).minimums is not None:
            return []
        unknown = [
            name for name, spec in inputs.items() if name in self.inputs()
            if spec.lowest_score() is None
        ]  # fmt: skip
        return [_no_minimums(unknown)] if unknown else []

    def content(self) -> dict[str, object]:
        content = self.model_dump(mode="json", exclude={"retrievers"})
        added = METHODS.origin(self.method)  # whose next version may fuse otherwise
        return {**content, "added": added} if added else content

    def cost_class(self, corpus: Corpus) -> object:
        """Weights and constants change no cost."""
        return [self.kind, self.method, len(self.retrievers)]

    def build(
        self,
        corpus: Corpus,
        cache: Cache | None = None,
        *,
        name: str | None = None,
        strict: bool = False,
        progress: Progress = SILENT,
    ) -> FusionIndex:
        """Combine what the inputs return; nothing is built.

        Raises:
            RetrieverError: the lowest scores that the inputs can give are not known.
        """
        if self.method == "theoretical-min-max" and self.minimums is None:
            problem = _no_minimums(self.retrievers)
            raise RetrieverError(problem.what, retriever=name or self.kind, instead=problem.instead)
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
        if getattr(self.method, "reads_scores", False):
            for source, run in zip(self.spec.retrievers, runs, strict=True):
                self._refuse_unscored(source, run)
        weights = self.spec.weights or (1.0,) * len(runs)
        fused = self.method(runs, FusionOptions(weights, self.spec.k, self.spec.minimums))
        if not _is_pair_of_arrays(fused, len(queries)):
            raise RetrieverError(
                f"the fusion method '{self.spec.method}' returned {in_short(fused)}",
                retriever=self.name,
                instead="Return passages int32[queries, m] and scores float64[queries, m]",
            )
        rows, scores = fused
        return Run.make(queries.ids, self.ids, rows, scores, name=self.name).cut(depth)

    def _refuse_unscored(self, source: str, run: Run) -> None:
        if run.scores is None and run.returned.any():
            raise RetrieverError(
                f"'{source}' returned an order without scores, and the method "
                f"'{self.spec.method}' reads scores",
                retriever=self.name,
                instead="Use method: rrf, which needs none",
            )


def _no_minimums(retrievers: Collection[str]) -> Problem:
    names = ", ".join(f"'{name}'" for name in retrievers)
    return Problem(
        f"the lowest score that {names} can give is not known",
        "minimums",
        "Give the lowest score of each retriever, in their order (0 for BM25, -1 for a cosine), "
        "or use method: min-max",
    )


def _is_pair_of_arrays(fused: object, queries: int) -> bool:
    """Whether a fusion method returned passages and scores of the same shape, a row a query."""
    if not isinstance(fused, tuple) or len(fused) != 2:
        return False
    shapes = [np.shape(part) for part in fused]
    return shapes[0] == shapes[1] and len(shapes[0]) == 2 and shapes[0][0] == queries
