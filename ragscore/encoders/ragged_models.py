"""Sparse and multi-vector models of sentence-transformers: what they make of a text is ragged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of
from ragscore.encoders.base import Role, TokenCuts, shared
from ragscore.encoders.model_options import HubModel
from ragscore.encoders.open_model import OpenModel
from ragscore.encoders.ragged import Ragged
from ragscore.encoders.text_model import TextReader
from ragscore.errors import DataError
from ragscore.progress import SILENT, Progress, Stage
from ragscore.spec import canonical_json, digest_text

Storage = Literal["float32", "float16"]


class RaggedModel(HubModel, TextReader):
    """The options of a retriever whose model is sparse or multi-vector."""

    def vector_key(self, role: Role) -> str:
        """Digest of everything that can change what is made of a text: 64 hex digits."""
        return digest_text(canonical_json([self.model_type.library_class, self.read_by(role)]))

    def vector_keys(self) -> dict[str, object]:
        """:meth:`vector_key` of both roles."""
        return {"passage": self.vector_key("passage"), "query": self.vector_key("query")}

    def apart_from_model(self, content: dict[str, object]) -> dict[str, object]:
        """What a retriever's key digests, with the options of the model replaced by what they come
        to."""
        own = {name: value for name, value in content.items() if name not in _OF_MODEL}
        return {**own, **self.vector_keys()}

    def open_encoder(self, progress: Progress = SILENT) -> RaggedEncoder:
        """The encoder, shared with everyone who opened an equal one and still holds it.

        Raises:
            ConfigError, MissingPackageError: it has to be fetched first, and cannot be.
        """
        opened = self._encoder(progress)
        if self.folder is None and self.commit() is None:
            opened.load()  # until it is here, nothing can tell its content
        options = self.model_dump(mode="json", include=set(_OF_MODEL))
        return shared([type(opened).__name__, options, self.vector_keys()], opened)

    @abstractmethod
    def _encoder(self, progress: Progress) -> RaggedEncoder:
        """A new encoder; ``progress`` is notified of what loading meets."""


_OF_MODEL = frozenset(RaggedModel.model_fields)


class RaggedEncoder(ABC):
    """An encoder that loads its model when it first encodes.

    Args:
        spec: which model, and how it is run.
        progress: is notified of a download.
    """

    def __init__(self, spec: RaggedModel, progress: Progress) -> None:
        self.spec = spec
        self.opened = OpenModel(spec, progress)

    @property
    def model(self) -> Any:
        """The model of sentence-transformers, loaded."""
        return self.opened.model

    @property
    def chunk(self) -> int:
        """How many texts are worth encoding in one call."""
        return self.opened.chunk

    def load(self) -> None:
        """Load the model."""
        _ = self.opened.model

    def vectors(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Ragged:
        """What the model makes of n passages or queries, in their order.

        Raises:
            ConfigError: the model cannot be loaded or run as asked.
            DataError: a number of a text is not finite.
            MissingPackageError: an optional package is needed.
        """
        parts: list[Ragged] = []
        order: list[NDArray[np.intp]] = []
        for rows, batch in self.opened.batches(texts, stage):
            with self.opened.running():
                part = self._encode(batch, role)
            finite = np.isfinite(part.values)
            if not finite.all():
                entry = int(np.flatnonzero(~finite.reshape(len(finite), -1).all(axis=1))[0])
                text = int(np.searchsorted(part.bounds, entry, side="right")) - 1
                raise DataError(
                    f"the model's numbers for the {role} '{ids[int(rows[text])]}' are not finite",
                    where=self.spec.where,
                    instead=f"Look at that {role}, or use dtype: float32",
                )
            parts.append(part)
            order.append(rows)
        return Ragged.join(parts)[np.argsort(np.concatenate(order))] if parts else self.nothing()

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None:
        """How much of each text is not read; None where that is unknown."""
        return self.opened.token_cuts(texts, role, self.spec.prompt(role))

    @abstractmethod
    def nothing(self) -> Ragged:
        """What is made of no text."""

    @abstractmethod
    def _encode(self, texts: list[str], role: Role) -> Ragged:
        """What the model makes of the texts of one call."""


class SparseModel(RaggedEncoder):
    """Encodes with a SparseEncoder: the weights of terms of the model's vocabulary."""

    def nothing(self) -> Ragged:
        return Ragged(np.zeros(1, np.int64), np.empty(0, np.float32), np.empty(0, dtype=np.int32))

    def _encode(self, texts: list[str], role: Role) -> Ragged:
        encode = self.model.encode_query if role == "query" else self.model.encode_document
        weights = encode(
            texts,
            prompt=self.spec.prompt(role),
            batch_size=self.spec.batch_size,
            show_progress_bar=False,
            convert_to_sparse_tensor=False,
            save_to_cpu=True,
        )
        matrix = weights.float().numpy()
        row, column = np.nonzero(matrix)
        bounds = bounds_of(np.bincount(row, minlength=len(texts)))
        return Ragged(bounds, matrix[row, column], column.astype(np.int32))


class TokenModel(RaggedEncoder):
    """Encodes with a MultiVectorEncoder: a vector for each token.

    Args:
        spec: which model, and how it is run.
        storage: the precision of the vectors of passages.
        progress: is notified of a download.
    """

    def __init__(self, spec: RaggedModel, storage: Storage, progress: Progress) -> None:
        super().__init__(spec, progress)
        self.storage = storage

    def nothing(self) -> Ragged:
        return Ragged(np.zeros(1, np.int64), np.empty((0, self.dimension), dtype=np.float32))

    @property
    def dimension(self) -> int:
        """Of the vector of a token."""
        return int(self.model.get_embedding_dimension())

    def _encode(self, texts: list[str], role: Role) -> Ragged:
        encode = self.model.encode_query if role == "query" else self.model.encode_document
        tokens = encode(
            texts,
            prompt=self.spec.prompt(role),
            batch_size=self.spec.batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        dtype = np.float32 if role == "query" else np.dtype(self.storage)
        lengths = np.array([len(vectors) for vectors in tokens], dtype=np.int64)
        return Ragged(bounds_of(lengths), np.concatenate(tokens).astype(dtype, copy=False))
