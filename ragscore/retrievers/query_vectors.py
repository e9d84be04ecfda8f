"""query_vectors(encoder, queries): the vectors of a block of queries, ready for comparisons."""

from __future__ import annotations

from ragscore.dataset import Queries, SharedQueries
from ragscore.encoders import OpenEncoder, Vectors
from ragscore.errors import RetrieverError
from ragscore.progress import SILENT, STAGES, Progress
from ragscore.retrievers.faiss.construction import Metric
from ragscore.retrievers.faiss.vectors import prepare


def query_vectors(
    encoder: OpenEncoder, queries: Queries, metric: Metric, name: str, progress: Progress
) -> Vectors:
    """Vectors of queries, of length 1 where the metric is cosine: float32[Q, d].

    Retrievers over one encoder that are asked the same queries encode them once.

    Args:
        encoder: for the dataset of these queries.
        queries: a block. A query that is searched alone is being timed, or typed: no stage is
            shown for it.
        metric: of the comparisons.
        name: of the retriever, for messages.
        progress: is notified of the queries to encode.

    Raises:
        RetrieverError: a vector is not finite; names the query.
        ConfigError, DataError, MissingPackageError: as :meth:`OpenEncoder.encode`.
    """
    shown = progress if len(queries) > 1 else SILENT
    with shown.stage(STAGES.note("encoding_queries"), len(queries), "queries") as stage:

        def encode() -> Vectors:
            return encoder.vectors(queries.ids, queries.texts, "query", stage)

        # A copy, where the queries keep them: they are scaled in place.
        made = queries.computed(("vectors", encoder), encode)
        vectors = made.copy() if isinstance(queries, SharedQueries) else made
    prepared = prepare(vectors, metric)
    if prepared.broken is not None:
        raise RetrieverError(
            "its vector is not finite",
            retriever=name,
            query=queries.ids[prepared.broken],
            instead="Look at that query, or use dtype: float32",
        )
    return vectors
