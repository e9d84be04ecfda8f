"""Sparse and multi-vector models of sentence-transformers: what they make of a text is ragged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of
from ragscore.encoders.base import Role
from ragscore.encoders.model_options import TextReader
from ragscore.encoders.open_model import OpenModel
from ragscore.encoders.ragged import Ragged
from ragscore.errors import DataError
from ragscore.progress import Progress, Stage

Storage = Literal["float32", "float16"]


class RaggedEncoder(OpenModel[TextReader], ABC):
    """An encoder that loads its model when it first encodes."""

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
        for rows, batch in self.batches(texts, stage):
            part = self._encode(batch, role)
            finite = np.isfinite(part.values)
            if not finite.all():
                entry = int(np.flatnonzero(~finite.reshape(len(finite), -1).all(axis=1))[0])
                text = int(np.searchsorted(part.bounds, entry, side="right")) - 1
                raise DataError(
                    f"the model's numbers for the {role} '{ids[int(rows[text])]}' are not finite",
                    where=self.options.where,
                    instead=f"Look at that {role}, or use dtype: float32",
                )
            parts.append(part)
            order.append(rows)
        return Ragged.join(parts)[np.argsort(np.concatenate(order))] if parts else self.nothing()

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
        weights = self.encoded(texts, role, convert_to_sparse_tensor=False, save_to_cpu=True)
        matrix = weights.float().numpy()
        row, column = np.nonzero(matrix)
        bounds = bounds_of(np.bincount(row, minlength=len(texts)))
        return Ragged(bounds, matrix[row, column], column.astype(np.int32))


class TokenModel(RaggedEncoder):
    """Encodes with a MultiVectorEncoder: a vector for each token.

    Args:
        options: which model, and how it is run.
        storage: the precision of the vectors of passages.
        progress: reports a download.
    """

    def __init__(self, options: TextReader, storage: Storage, progress: Progress) -> None:
        super().__init__(options, progress)
        self.storage = storage

    def nothing(self) -> Ragged:
        return Ragged(np.zeros(1, np.int64), np.empty((0, self.dimension), dtype=np.float32))

    @property
    def dimension(self) -> int:
        """Of the vector of a token."""
        return int(self.model.get_embedding_dimension())

    def _encode(self, texts: list[str], role: Role) -> Ragged:
        tokens = self.encoded(texts, role, convert_to_numpy=True)
        dtype = np.float32 if role == "query" else np.dtype(self.storage)
        lengths = np.array([len(vectors) for vectors in tokens], dtype=np.int64)
        return Ragged(bounds_of(lengths), np.concatenate(tokens).astype(dtype, copy=False))
