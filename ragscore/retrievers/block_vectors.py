"""Vectors of a corpus in blocks: those of a block are one entry of the cache, in its order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from ragscore.cache import Cache, entry_key
from ragscore.dataset import Corpus, PassageField
from ragscore.encoders import (
    EncoderSpec,
    OpenEncoder,
    RowBuffers,
    Truncation,
    Vectors,
    encode_passages,
)
from ragscore.encoders.base import TokenCuts
from ragscore.encoders.dense_vectors import forget_block
from ragscore.encoders.vector_rows import NpyRows
from ragscore.errors import DataError
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.encoded_block import COSTS, EncodedBlock

VECTORS = "vector-blocks"
"""The cache's kind of entry for the vectors of a block."""
FORMAT = 1
"""Raise this when the meaning of these entries changes, so that old ones are not found."""
FILE = "vectors.npy"


@dataclass(frozen=True, eq=False)
class BlockVectors:
    """The vectors of one block, which stay in the cache; those that were made elsewhere stay in
    their file.

    Attributes:
        block: of a corpus.
        encoder: what makes vectors.
        fields: of a passage, what is encoded.
        cache: where they are.
    """

    block: Corpus
    encoder: EncoderSpec
    fields: Sequence[PassageField]
    cache: Cache

    @property
    def kept(self) -> bool:
        """False if nothing has to be encoded."""
        return self.encoder.slow and len(self.block) > 0

    @cached_property
    def key(self) -> str:
        """Of the vectors and of what they cost."""
        return _key(self.block, self.encoder, self.fields)

    @cached_property
    def cut_key(self) -> str:
        """Of what they cost and what was not read."""
        return _cut_key(self.key, self.encoder)

    def make(self, opened: OpenEncoder, progress: Progress) -> EncodedBlock:
        """Encode the block where it is not there; one that was begun goes on."""
        if not self.kept:
            return EncodedBlock(size_bytes=4 * len(self.block) * (self.encoder.dimension() or 0))
        if self.cache.has(VECTORS, self.key):
            kept = self._cost(self.cut_key, progress)
            if kept is None and (cost := self._cost(self.key, progress)) is not None:
                kept = self._counted(cost, opened.token_cuts(self._texts, "passage"))
            if kept is not None:
                return kept
        _, encoded = self._encoded(opened, progress)
        return encoded

    @property
    def _texts(self) -> list[str]:
        return list(self.block.content(self.fields))

    def _cost(self, key: str, progress: Progress) -> EncodedBlock | None:
        if not self.cache.has(COSTS, key):
            return None
        return self.cache.read(COSTS, key, EncodedBlock.read, progress=progress)

    def _counted(self, encoded: EncodedBlock, cuts: TokenCuts | None) -> EncodedBlock:
        """The same with what was not read of the block; both are kept."""
        counted = replace(encoded, truncation=Truncation.known("", "passage", cuts))
        self.cache.keep(COSTS, self.cut_key, counted.write)
        return counted

    def read(
        self,
        opened: OpenEncoder,
        passages: int | None,
        progress: Progress = SILENT,
        buffers: RowBuffers | None = None,
    ) -> Vectors:
        """The block's vectors, float32[n, d], in block order.

        Args:
            opened: the encoder; it is asked where the cache does not have them.
            passages: of the whole corpus; None if only this block is known.
            progress: reports a damaged entry.
            buffers: what they may be read into; by default they are in new memory.
        """
        if not self.kept:
            texts = [""] * len(self.block)  # they are looked up by place, or by id
            lookup = opened.for_block(self.block.first, passages, buffers)
            return lookup.vectors(self.block.ids, texts, "passage")
        read = partial(self._read, buffers=buffers)
        found = self.cache.read(VECTORS, self.key, read, progress=progress)
        return self._encoded(opened, progress)[0] if found is None else found

    def _read(self, folder: Path, buffers: RowBuffers | None) -> Vectors:
        rows, count = NpyRows(folder / FILE), len(self.block)
        if len(rows) != count:
            raise DataError("vectors and passages do not belong together")
        room = None if buffers is None else buffers.take(count, rows.dimension)
        vectors = rows.read(0, count, room).vectors
        if vectors.dtype != np.float32:
            raise DataError("the vectors are not 32-bit numbers")
        return vectors

    def _encoded(self, opened: OpenEncoder, progress: Progress) -> tuple[Vectors, EncodedBlock]:
        scope, begun = self.block.digest, self.cache.here()
        made = encode_passages(
            self.encoder, opened, self.block.ids, self._texts, begun, progress, scope=scope
        )
        vectors = made.vectors
        encoded = EncodedBlock(False, vectors.nbytes, BuildCost(0.0, made.cost))
        if self.cut_key != self.key:
            self.cache.keep(COSTS, self.key, encoded.write)
        encoded = self._counted(encoded, made.cuts)
        self.cache.keep(VECTORS, self.key, lambda folder: np.save(folder / FILE, vectors))
        if self.cache.failure is None:
            forget_block(self.encoder, begun, scope)
        return vectors, encoded


def vector_entries(
    block: Corpus, encoder: EncoderSpec, fields: Sequence[PassageField]
) -> tuple[Artifact, ...]:
    """The entries of a block's vectors; none where nothing has to be encoded."""
    if not encoder.slow or not len(block):
        return ()
    key = _key(block, encoder, fields)
    return (
        Artifact("vectors", key, VECTORS, dimension=encoder.dimension()),
        Artifact("vectors", _cut_key(key, encoder), COSTS),
    )


def _key(block: Corpus, encoder: EncoderSpec, fields: Sequence[PassageField]) -> str:
    content = [encoder.vector_key("passage"), list(fields)]
    return entry_key(FORMAT, content, block.digest)


def _cut_key(key: str, encoder: EncoderSpec) -> str:
    """Another one where what is not read is counted by something that no vector depends on, such as
    the tokenizer of a service."""
    cut_by = encoder.cut_by()
    return key if cut_by is None else entry_key(FORMAT, [key, cut_by], "")
