"""The vector of the first text that a service encodes: kept, and compared in later runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ragscore.cache import Cache, entry_key
from ragscore.encoders.base import Vectors
from ragscore.errors import ConfigError

KIND = "first-vectors"
"""The cache's kind of entry."""
FORMAT = 1
"""Raise this when the meaning of these entries changes, so that old ones are not found."""
FILE = "vector.npy"
SAME = 0.99
"""Least cosine of two vectors that one model makes of a text: on other processors and in other
precisions they differ far less, those of two models are not alike at all."""


def compare_first(found: Vectors, cache: Cache, key: str, where: str) -> None:
    """Compare a vector with that of an earlier run, or keep it for later ones.

    Args:
        found: float32[1, d], of the first text.
        cache: where it is kept.
        key: digest of all that is known here to change it.
        where: what an error names.

    Raises:
        ConfigError: it is another one.
    """
    entry = entry_key(FORMAT, key, "")

    def read(folder: Path) -> Vectors:
        vector: Vectors = np.load(folder / FILE, allow_pickle=False)
        return vector

    before = cache.read(KIND, entry, read)
    if before is None:
        cache.keep(KIND, entry, lambda folder: np.save(folder / FILE, found))
        return
    alike = _cosine(found[0], before[0]) if found.shape == before.shape else None
    if alike is None or alike < SAME:
        how = (
            f"{found.shape[1]:,} dimensions, and had {before.shape[1]:,}"
            if alike is None
            else f"a cosine of {alike:.2f} with those of earlier runs"
        )
        raise ConfigError(
            f"another model answers than the one whose vectors are in the cache: its vectors have "
            f"{how}",
            where=where,
            instead="Write the name of the model that answers now, another passage_prompt or url, "
            "or run with --no-cache",
        )


def _cosine(first: Vectors, other: Vectors) -> float:
    lengths = float(np.linalg.norm(first)) * float(np.linalg.norm(other))
    return float(first @ other) / lengths if lengths else 1.0
