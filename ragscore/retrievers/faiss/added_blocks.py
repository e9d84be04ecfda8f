"""One FAISS index over a corpus in blocks, trained on a sample and added to block by block.

Besides the index itself, memory holds the sample or one block.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ragscore.canonical import Metric
from ragscore.encoders import OpenEncoder, Truncation, Vectors
from ragscore.messages import _
from ragscore.progress import SILENT, OneStage, Progress
from ragscore.retrievers.block_vectors import BlockVectors
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.faiss import construction, stored
from ragscore.retrievers.faiss.construction import Training
from ragscore.retrievers.faiss.stored import StoredIndex
from ragscore.retrievers.prepared_vectors import prepare_passages


def add_blocks(
    blocks: Sequence[BlockVectors],
    empty: Callable[[int], Any],
    metric: Metric,
    training: Training,
    threads: int,
    opened: OpenEncoder,
    passages: int | None,
    name: str,
    progress: Progress,
) -> StoredIndex:
    """An index over blocks that follow one another, their rows as its ids.

    Args:
        blocks: in the corpus's order; those that are not encoded are encoded first.
        empty: makes the empty index, by dimension.
        metric: of its comparisons.
        training: how many passages are drawn, from all blocks alike, and with which seed.
        threads: that build a graph.
        opened: the encoder.
        passages: of the whole corpus; None if only these blocks are known.
        name: of the retriever.
        progress: reports passages.

    Raises:
        UnfitError: there are fewer passages than the index has centroids.
        RetrieverError: a vector is not finite.
    """
    there = [part for part in blocks if len(part.block)]
    count = sum(len(part.block) for part in there)
    with OneStage(progress, count) as shown:
        encoded = [part.make(opened, shown) for part in there]
    began = time.perf_counter()
    zeros = 0

    def vectors_of(part: BlockVectors) -> tuple[Vectors, int]:
        vectors = part.read(opened, passages, progress)
        return vectors, prepare_passages(vectors, metric, part.block.ids, name)

    dimension = vectors_of(there[0])[0].shape[1]
    index = empty(dimension)
    size = construction.sample_size(index, training, count)
    if size:
        rows = construction.sampled_rows(count, size, training)
        sample = np.empty((size, dimension), dtype=np.float32)
        start = 0
        for part in there:
            after = start + len(part.block)
            low, high = np.searchsorted(rows, [start, after])
            if low < high:
                vectors = vectors_of(part)[0]
                sample[low:high] = vectors[rows[low:high] - start]
            start = after
        construction.train(index, sample, training, progress, name)
        del sample
    label = _("building {name}", name=name)
    with progress.stage(label, count, "passages") as stage:
        for part in there:
            vectors, directionless = vectors_of(part)
            zeros += directionless
            construction.add(index, vectors, threads, SILENT, name)
            stage.advance(len(vectors))
    if zeros:
        progress.note(
            _(
                "{name}: {count} passages have a zero vector; they score 0",
                name=name,
                count=f"{zeros:,}",
            )
        )
    costs = [block.cost for block in encoded if block.cost is not None]
    encoding = BuildCost.total(costs).encoding if costs else None
    cost = BuildCost(time.perf_counter() - began, encoding)
    truncation = Truncation.total(block.truncation for block in encoded)
    return StoredIndex(index, stored.size_bytes(index), truncation, cost)
