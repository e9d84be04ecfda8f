"""Cross-encoders: a model that reads query and passage together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.cache import Cache
from ragscore.dataset import Corpus
from ragscore.described import in_short
from ragscore.encoders.base import TokenCuts, shared
from ragscore.encoders.model_options import HubModel
from ragscore.encoders.model_types import CROSS_ENCODER, ModelType, activation_not_run
from ragscore.encoders.open_model import OpenModel, encodable
from ragscore.errors import ConfigError
from ragscore.messages import _
from ragscore.progress import SILENT, Progress, Stage
from ragscore.retrievers.rerank.base import RerankerSpec
from ragscore.retrievers.rerank.pairs import PairReranker


class CrossEncoder(HubModel, RerankerSpec):
    """A cross-encoder of sentence-transformers, which reads query and passage together.

    The score is what the library's ``CrossEncoder.predict`` gives, with the model's own prompt and
    activation function; one that is not PyTorch's is code, which is not run: a note says so.
    """

    model_type: ClassVar[ModelType] = CROSS_ENCODER

    kind: Literal["cross-encoder"] = "cross-encoder"
    """Which reranker this is."""
    model: str = Field(min_length=1)
    """A folder, relative to the experiment file, or a name on the model hub such as
    `cross-encoder/ms-marco-MiniLM-L6-v2`. Code inside a model is never run."""

    def content(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "model": self.weights(),
            "dtype": self.dtype,
            "max_seq_length": self.max_seq_length,
            "packages": self.releases(),
        }

    def open(
        self,
        corpus: Corpus,
        texts: Sequence[str],
        cache: Cache | None,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> OpenCrossEncoder:
        """The model, shared with everyone who opened an equal one and still holds it."""
        model = shared(
            OpenModel(self, progress),
            lambda: [self.kind, self.digest(), self.content()],
            here=self.here(),
        )
        files = self.files()
        function = None if files is None else activation_not_run(files)
        if function is not None:
            facts = {"model": self.label, "function": in_short(function)}
            progress.note(
                _(
                    "{model} defines a custom activation, {function}; model code is never "
                    "run, so the library default is used: scores, and maybe the ranking, will "
                    "differ",
                    **facts,
                )
            )
        return OpenCrossEncoder(model, self, texts, cache, name, progress)


class OpenCrossEncoder(PairReranker):
    """A cross-encoder that is loaded when it first scores a pair that the cache lacks."""

    def __init__(
        self,
        model: OpenModel[CrossEncoder],
        spec: CrossEncoder,
        texts: Sequence[str],
        cache: Cache | None,
        name: str,
        progress: Progress,
    ) -> None:
        super().__init__(spec.content(), texts, cache, name, progress)
        self._model = model
        self._spec = spec

    @property
    def chunk(self) -> int:
        return self._model.chunk

    def load(self) -> None:
        self._model.load()

    def score_pairs(
        self, queries: Sequence[str], passages: Sequence[str], stage: Stage | None = None
    ) -> NDArray[np.float32]:
        model: Any = self._model.model
        pairs = [
            (encodable(query), encodable(passage))
            for query, passage in zip(queries, passages, strict=True)
        ]
        with self._model.running():
            scores: NDArray[np.float32] = model.predict(
                pairs,
                batch_size=self._spec.batch_size,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        if scores.shape != (len(pairs),):
            raise ConfigError(
                f"the model gives {scores.shape[-1]} scores for a pair, and a reranker needs one",
                where=self._spec.where,
                instead=f"Name a model with one label, such as {self._spec.model_type.example}",
            )
        if stage is not None:
            stage.advance(len(pairs))
        return scores

    def pair_cuts(self, queries: Sequence[str], passages: Sequence[str]) -> TokenCuts | None:
        return self._model.pair_cuts(queries, passages)
