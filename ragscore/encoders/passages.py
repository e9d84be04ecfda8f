"""Vectors of a whole corpus, encoded block by block and kept.

A block's key is the encoder and its own texts, so that an interrupted run goes on where it
stopped, and a corpus with a few changed passages encodes only their blocks again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ragscore.cache import Cache, entry_key
from ragscore.dataset import digest_texts
from ragscore.encoders.base import EncoderSpec, OpenEncoder, Vectors
from ragscore.progress import SILENT, Progress

BLOCK = 4096
"""Passages whose vectors make one entry of the cache."""

FORMAT = 1
"""Raised when kept vectors mean something else than before, so that old ones are not found."""


def encode_passages(
    spec: EncoderSpec,
    opened: OpenEncoder,
    ids: Sequence[str],
    texts: Sequence[str],
    cache: Cache | None = None,
    progress: Progress = SILENT,
) -> Vectors:
    """The vectors of all passages: float32[n, d].

    Args:
        spec: whose encoder it is.
        opened: the encoder; it is not asked where the cache holds every block.
        ids: n passage ids.
        texts: what is encoded of each.
        cache: where blocks are kept; None keeps none.
        progress: is told of the passages to encode, and of those that were there.

    Raises:
        ConfigError, DataError, MissingPackageError: as :meth:`OpenEncoder.encode`.
        DataError: blocks have different dimensions.
    """
    if cache is None or not spec.slow:
        with progress.stage("encoding passages", len(texts), "passages") as stage:
            return opened.encode(ids, texts, "passage", stage)
    blocks = [slice(at, min(at + BLOCK, len(texts))) for at in range(0, len(texts), BLOCK)]
    encoder_key = spec.key("passage")
    keys = [entry_key(FORMAT, encoder_key, digest_texts(texts[block])) for block in blocks]
    missing = [at for at, key in enumerate(keys) if cache.read("vectors", key, _load) is None]
    to_encode = sum(blocks[at].stop - blocks[at].start for at in missing)
    if missing:
        if to_encode < len(texts):
            progress.note(
                f"{len(texts) - to_encode:,} of {len(texts):,} passages were encoded before"
            )
        with progress.stage("encoding passages", to_encode, "passages") as stage:
            for at in missing:
                vectors = opened.encode(ids[blocks[at]], texts[blocks[at]], "passage", stage)
                cache.entry("vectors", keys[at], _saver(vectors))
    found = (cache.read("vectors", key, _load) for key in keys)
    stored = [part for part in found if part is not None]
    vectors = np.empty((len(texts), stored[0].shape[1]), dtype=np.float32)
    for block, part in zip(blocks, stored, strict=True):
        vectors[block] = part
    return vectors


def _load(folder: Path) -> Vectors:
    vectors: Vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    return vectors


def _saver(vectors: Vectors) -> Callable[[Path], None]:
    return lambda folder: np.save(folder / "vectors.npy", vectors)
