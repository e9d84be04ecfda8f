"""What an embeddings service answers to one request: vectors in the order of its texts."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.described import in_short
from ragscore.encoders.base import Vectors
from ragscore.outside.failures import PermanentFailure

Packing = Literal["float32", "float16", "bfloat16"]
"""How the numbers of a vector are packed where base64 has them."""
_STORED: Mapping[Packing, str] = {"float32": "<f4", "float16": "<f2", "bfloat16": "<u2"}

MAX_TOKENS = 10**12
"""No request has this many."""


@dataclass(frozen=True, eq=False)
class Embeddings:
    """The vectors of one request.

    Attributes:
        vectors: float32[n, d], in the order of its texts; not all need be finite.
        tokens: that the service counted, of all texts together; None if it counts none.
    """

    vectors: Vectors
    tokens: int | None


def read_embeddings(
    data: Any, texts: int, packing: Packing, redacted: Callable[[Any], Any]
) -> Embeddings:
    """The vectors in an answer, checked: one for each text, all of one length.

    Args:
        data: of the JSON.
        texts: how many were sent.
        packing: of numbers in base64.
        redacted: takes secrets out of what is shown.

    Raises:
        PermanentFailure: it is something else; says what.

    >>> answer = {"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]}
    >>> read_embeddings(answer, 2, "float32", lambda data: data).vectors.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def shown(value: Any) -> str:
        return in_short(redacted(value))

    items = data.get("data") if isinstance(data, dict) else None
    if not isinstance(items, list):
        raise PermanentFailure(f"its answer has no list 'data': {shown(data)}")
    if len(items) != texts:
        raise PermanentFailure(f"it answers with {len(items):,} vectors to {texts:,} texts")
    vectors: list[NDArray[Any]] = [np.empty(0)] * texts
    seen: set[int] = set()
    for item in items:
        index = item.get("index") if isinstance(item, dict) else None
        if type(index) is not int or not 0 <= index < texts or index in seen:
            twice = " twice" if type(index) is int and index in seen else ""
            raise PermanentFailure(
                f"a vector of its answer has the index {shown(index)}{twice}, where each of 0 to "
                f"{texts - 1:,} is expected once"
            )
        seen.add(index)
        vectors[index] = _vector(item.get("embedding"), packing, shown)
    lengths = sorted({len(vector) for vector in vectors})
    if len(lengths) > 1:
        raise PermanentFailure(f"its vectors have {lengths[0]:,} and {lengths[-1]:,} dimensions")
    if not lengths[0]:
        raise PermanentFailure("its vectors are empty")
    with np.errstate(over="ignore"):
        return Embeddings(np.stack(vectors).astype(np.float32, copy=False), _tokens(data))


def _vector(found: Any, packing: Packing, shown: Callable[[Any], str]) -> NDArray[Any]:
    """A list of numbers, or base64 of them.

    Raises:
        PermanentFailure: it is something else.
    """
    if isinstance(found, str):
        try:
            return _unpacked(base64.b64decode(found, validate=True), packing)
        except (binascii.Error, ValueError):
            raise PermanentFailure(
                f"a vector is not base64 of {packing} numbers: {shown(found)}"
            ) from None
    if isinstance(found, list):
        try:
            vector = np.array(found)
        except (ValueError, OverflowError):  # lists of several lengths
            vector = np.empty(0, dtype=object)
        if vector.ndim == 1 and (vector.dtype.kind in "fiu" or not found):
            return vector
    raise PermanentFailure(f"a vector is not a list of numbers: {shown(found)}")


def _unpacked(found: bytes, packing: Packing) -> NDArray[Any]:
    """Numbers in the order of bytes that all usual processors have.

    Raises:
        ValueError: a part of a number is left over.
    """
    numbers: NDArray[Any] = np.frombuffer(found, dtype=_STORED[packing])
    if packing == "bfloat16":  # the upper half of a 32-bit number
        return (numbers.astype(np.uint32) << 16).view(np.float32)
    return numbers


def _tokens(data: Mapping[str, Any]) -> int | None:
    """The tokens that were counted; some services count none, say 0, or what cannot be."""
    usage = data.get("usage")
    if not isinstance(usage, dict):
        return None
    counts = (usage.get(name) for name in ("prompt_tokens", "total_tokens"))
    return next((count for count in counts if type(count) is int and 0 < count < MAX_TOKENS), None)
