"""A dense model of sentence-transformers as an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ragscore.encoders.base import OpenEncoder, Role, TokenCuts, TokenSpans, Vectors
from ragscore.encoders.open_model import OpenModel
from ragscore.encoders.text_model import TextModel
from ragscore.progress import Progress, Stage


class LoadedModel(OpenEncoder):
    """Encodes with a model that is loaded when first used.

    Args:
        spec: which model, and how it is run.
        progress: is notified of a download and of a model that lacks a configuration.
    """

    def __init__(self, spec: TextModel, progress: Progress) -> None:
        self.spec = spec
        self.opened = OpenModel(spec, progress)

    @property
    def model(self) -> Any:
        """The SentenceTransformer, on its device."""
        return self.opened.model

    @property
    def chunk(self) -> int:
        return self.opened.chunk

    def load(self) -> None:
        _ = self.model

    def encode(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for rows, batch in self.opened.batches(texts, stage):
            vectors[rows] = self._encode(batch, role)
        return vectors

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None:
        return self.opened.token_cuts(texts, role, self.spec.prompt(role))

    def token_spans(self, texts: Sequence[str]) -> list[TokenSpans] | None:
        return self.opened.token_spans(texts)

    def room(self, role: Role) -> int | None:
        return self.opened.room(role, self.spec.prompt(role))

    @cached_property
    def dimension(self) -> int:
        """Dimensions of the model's vectors."""
        known = self.model.get_embedding_dimension()
        return int(known) if known else int(self._encode([" "], "passage").shape[1])

    def _encode(self, texts: list[str], role: Role) -> Vectors:
        encode = self.model.encode_query if role == "query" else self.model.encode_document
        with self.opened.running():
            vectors: Vectors = encode(
                texts,
                prompt=self.spec.prompt(role),
                batch_size=self.spec.batch_size,
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=getattr(self.spec, "normalize", False),
            )
        return vectors
