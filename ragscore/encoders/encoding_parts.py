"""Encoders whose vectors come part by part, as a service answers, and the tokens they count."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.encoders.base import EncoderSpec, OpenEncoder, Role, Vectors
from ragscore.progress import Stage
from ragscore.usage import Usage

TextTokens = NDArray[np.float32]
"""float32[n]: the tokens of each text as a service counted them, its share of those of a request;
NaN if unknown."""

TakePart = Callable[[NDArray[np.intp], Vectors, TextTokens | None], None]
"""Takes the vectors of some rows, and their tokens where these are counted."""


@dataclass(frozen=True, eq=False)
class EncodedTexts:
    """A block of texts, encoded.

    Attributes:
        vectors: float32[n, d].
        tokens: that were counted; None if nobody counts them.
    """

    vectors: Vectors
    tokens: int | None = None


class PartEncoder(OpenEncoder):
    """An encoder that hands over each part of a block as soon as it has it, so that it can be
    kept."""

    @abstractmethod
    def encode_parts(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        role: Role,
        take: TakePart,
        stage: Stage | None = None,
    ) -> None:
        """Encode a block of passages or queries.

        Args:
            ids, texts, role, stage: as :meth:`encode` takes them.
            take: is given every part of the rows once, in any order.

        Raises:
            ConfigError, DataError, MissingPackageError: as :meth:`encode`; parts that were handed
                over are right.
        """

    @abstractmethod
    def compare_in(self, cache: Cache, key: str) -> None:
        """Refuse to encode where it no longer makes the vectors that a cache has of it: nobody sees
        from here that another model answers.

        Args:
            cache: where a vector of an earlier run stands, or of this one from now on.
            key: digest of all that can change a vector of a passage.

        Raises:
            ConfigError: it makes others; also raised by :meth:`load`, where it is not loaded yet.
        """

    @abstractmethod
    def dimensions(self) -> int:
        """How many numbers its vectors have."""

    @abstractmethod
    def usage_of(self, tokens: int) -> Usage:
        """What this many tokens cost."""

    def encode(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        return self._encoded(ids, texts, role, stage).vectors

    def _encoded(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None
    ) -> EncodedTexts:
        vectors: list[Vectors] = []
        tokens = 0.0

        def take(rows: NDArray[np.intp], part: Vectors, counted: TextTokens | None) -> None:
            nonlocal tokens
            if not vectors:
                vectors.append(np.empty((len(texts), part.shape[1]), dtype=np.float32))
            vectors[0][rows] = part
            tokens += float("nan") if counted is None else float(counted.sum(dtype=np.float64))

        self.encode_parts(ids, texts, role, take, stage)
        if not vectors:
            return EncodedTexts(np.empty((0, self.dimensions()), dtype=np.float32))
        return EncodedTexts(vectors[0], None if np.isnan(tokens) else round(tokens))


def encode_texts(
    encoder: OpenEncoder,
    ids: Sequence[str],
    texts: Sequence[str],
    role: Role,
    stage: Stage | None = None,
) -> EncodedTexts:
    """The vectors of a block, and the tokens where the encoder counts them.

    Args:
        encoder: makes the vectors.
        ids, texts, role, stage: as :meth:`OpenEncoder.vectors` takes them.

    Raises:
        ConfigError, DataError, MissingPackageError: as :meth:`OpenEncoder.vectors`.
    """
    if isinstance(encoder, PartEncoder):
        return encoder._encoded(ids, texts, role, stage)
    return EncodedTexts(encoder.vectors(ids, texts, role, stage))


def compare_with_earlier(spec: EncoderSpec, encoder: OpenEncoder, cache: Cache | None) -> None:
    """Have an encoder refuse to encode beside vectors in the cache that are not its own.

    Args:
        spec: whose encoder it is.
        encoder: that is open.
        cache: where its vectors are kept; None keeps none.

    Raises:
        ConfigError: as :meth:`PartEncoder.compare_in`.
    """
    if cache is not None and isinstance(encoder, PartEncoder):
        encoder.compare_in(cache, spec.vector_key("passage"))


def usage_of(encoder: OpenEncoder, *counted: int | None) -> Usage | None:
    """What tokens cost together; None if nobody counts them.

    Args:
        encoder: that used them.
        counted: tokens; None if they are unknown.
    """
    if not isinstance(encoder, PartEncoder) or None in counted:
        return None
    return encoder.usage_of(sum(tokens or 0 for tokens in counted))
