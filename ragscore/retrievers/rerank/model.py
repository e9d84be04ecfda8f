"""Reranking: the first passages of another retriever, put into a better order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PositiveInt

from ragscore.cache import Cache
from ragscore.dataset import INDEXED, Corpus, Queries
from ragscore.described import in_short
from ragscore.encoders import EncoderSpec, Truncation
from ragscore.errors import Problem, RetrieverError
from ragscore.kinds import OneOf
from ragscore.messages import Text
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.base import NO_INPUTS, Index, RetrieverSpec, input_run
from ragscore.retrievers.corpus_retriever import IndexedFields
from ragscore.retrievers.fusion_methods import scaled_min_max
from ragscore.retrievers.rerank.base import Pool, Reranker, RerankerSpec
from ragscore.retrievers.rerank.rerankers import RERANKERS
from ragscore.run import Run
from ragscore.usage import Usage


class Rerank(RetrieverSpec):
    """Reranks the first n passages of another retriever: by a cross-encoder, MMR or code of yours.

    The run holds these passages and no others, so a passage that the other retriever does not
    have among its first ``n`` cannot be won back. With ``blend``, a passage scores ``blend`` times
    its first score plus ``1 - blend`` times the reranker's, both scaled to 0..1 over the passages
    of the query, as the fusion method ``min-max`` does (all are 0 if all are equal).

    >>> Rerank(retriever="bm25", n=20, by={"kind": "mmr", "encoder": "minilm"}).inputs()
    ('bm25',)
    """

    packages: ClassVar[tuple[str, ...]] = ("numpy",)
    kind: Literal["rerank"] = "rerank"
    """Which retriever this is."""
    retriever: Annotated[str, Field(min_length=1)]
    """Name of the other retriever of the experiment whose passages are reranked."""
    n: PositiveInt = 50
    """How many of its passages are reranked, at most the experiment's depth."""
    by: Annotated[RerankerSpec, OneOf(RERANKERS)]
    """The reranker: `{kind: cross-encoder, model: ...}`, `{kind: mmr, ...}`, ..."""
    blend: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The weight of the first score, where both count: 0 leaves it out."""
    fields: IndexedFields = INDEXED
    """The fields that the reranker reads: `[title, text]` joined by a space, `[text]` or
    `[title]`. Code of yours gets whole passages."""

    def inputs(self) -> tuple[str, ...]:
        return (self.retriever,)

    def search_depth(self, depth: int) -> int:
        return self.n

    def resolved(self, base: Path) -> Self:
        return self.model_copy(update={"by": self.by.resolved(base)})

    def check(self) -> list[Problem]:
        own = type(self.by).model_fields
        return [
            replace(problem, where=f"by.{problem.where}")
            if problem.where in own
            else problem
            if problem.where
            else replace(problem, where="by")
            for problem in self.by.check()
        ]

    def doubt(self, written: str) -> Text | None:
        """What speaks against its reranker."""
        return self.by.doubt(written)

    def unfit_for_blocks(self) -> Problem | None:
        return self.by.unfit_for_blocks()

    def timed(self) -> bool:
        return self.by.timed()

    def repeatable(self) -> bool:
        return self.by.cacheable

    @property
    def encoder(self) -> EncoderSpec | None:
        """Its reranker's, which a retriever may share; None if that has none."""
        return getattr(self.by, "encoder", None)

    def artifacts(self, corpus: Corpus) -> tuple[Artifact, ...]:
        return self.by.artifacts(corpus.content(self.fields))

    def content(self) -> dict[str, object]:
        content = self.model_dump(mode="json", exclude={"retriever", "by"})
        origin = RERANKERS.origin(self.by.kind)  # whose next version may score otherwise
        added = {"added": origin} if origin else {}
        return {**content, **added, "by": self.by.content()}

    def build(
        self,
        corpus: Corpus,
        cache: Cache | None = None,
        *,
        name: str | None = None,
        strict: bool = False,
        progress: Progress = SILENT,
    ) -> RerankIndex:
        name = name or self.kind
        if corpus.blocks and (unfit := self.unfit_for_blocks()) is not None:
            raise RetrieverError(unfit.what, retriever=name, instead=unfit.instead)
        texts = corpus.content(self.fields)
        reranker = self.by.open(corpus, texts, cache, name=name, progress=progress)
        return RerankIndex(self, reranker, corpus, name)


class RerankIndex(Index):
    """A reranker over a corpus, waiting for the run of another retriever."""

    def __init__(self, spec: Rerank, reranker: Reranker, corpus: Corpus, name: str) -> None:
        self.name = name
        self.block, self.spreads = reranker.block, reranker.spreads
        self._spec = spec
        self._reranker = reranker
        self._ids = corpus.ids
        self._cuts: dict[str, NDArray[np.int32]] = {}

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        self._reranker.prepare(queries, inputs)

    def close(self) -> None:
        self._reranker.close()

    def usage(self) -> Usage | None:
        return self._reranker.usage()

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        """What was not read: also of the pairs that were scored for these queries."""
        counted = [self._cuts[query] for query in queries.ids if query in self._cuts]
        found = self._reranker.truncations(queries)
        if not counted:
            return found
        return (*found, Truncation.of(self.name, "pair", np.concatenate(counted)))

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        spec = self._spec
        found = input_run(inputs, spec.retriever, queries.ids, self._ids, spec.n, self.name)
        self._refuse_blank(queries, found.rows)
        self._reranker.answered = self.answered
        scored = self._reranker.scores(queries, found.rows)
        scores = self._checked(scored.scores, queries, found.rows)
        if scored.cuts is not None:
            there = found.rows >= 0
            self._cuts |= {
                query: scored.cuts[at][there[at]] for at, query in enumerate(queries.ids)
            }
        if spec.blend:
            scores = self._blended(found, scores)
        return Run.make(queries.ids, self._ids, found.rows, scores, name=self.name).cut(depth)

    def _refuse_blank(self, queries: Queries, pool: Pool) -> None:
        """A query without text has nothing that a passage could answer.

        Raises:
            RetrieverError: there is one that has passages.
        """
        for at in np.flatnonzero((pool >= 0).any(axis=1)).tolist():
            if not queries.texts[at].strip():
                raise RetrieverError(
                    "it has no text, so nothing can be reranked for it",
                    retriever=self.name,
                    query=queries.ids[at],
                    instead="Give the query a text, or take it out of the dataset",
                )

    def _checked(self, scores: Any, queries: Queries, pool: Pool) -> NDArray[np.float64]:
        """What the reranker returned: a finite score for each passage.

        Raises:
            RetrieverError: it is something else; names the query and the passage.
        """
        by = f"the reranker '{self._spec.by.kind}' returned"
        if not isinstance(scores, np.ndarray) or scores.shape != pool.shape:
            found = in_short(scores)
            if isinstance(scores, np.ndarray):
                found = f"{scores.dtype}{list(scores.shape)}"
            raise RetrieverError(
                f"{by} {found} for passages {list(pool.shape)}",
                retriever=self.name,
                instead="Return PoolScores of float64[queries, n]",
            )
        numbers = np.where(pool >= 0, scores, np.nan).astype(np.float64)
        broken = ~np.isfinite(numbers) & (pool >= 0)
        if broken.any():
            query, place = (int(at[0]) for at in np.nonzero(broken))
            raise RetrieverError(
                f"{by} the score {numbers[query, place]} for passage "
                f"'{self._ids[int(pool[query, place])]}'",
                retriever=self.name,
                query=queries.ids[query],
                instead="A score is a finite number",
            )
        return numbers

    def _blended(self, found: Run, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if found.scores is None:
            raise RetrieverError(
                f"the run of '{self._spec.retriever}' has no scores that blend could weigh",
                retriever=self.name,
                instead="Leave blend out",
            )
        weight = self._spec.blend
        blended: NDArray[np.float64] = weight * scaled_min_max(found.scores)
        return blended + (1 - weight) * scaled_min_max(scores)
