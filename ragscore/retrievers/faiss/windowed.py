"""Long passages in a FAISS index: windows of them, or the mean of their windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.canonical import Metric
from ragscore.dataset import Corpus, Ids
from ragscore.dataset.ids import NumberedIds
from ragscore.elements.numbers import count_text
from ragscore.encoders import (
    CutTexts,
    EncoderSpec,
    OpenEncoder,
    Vectors,
    Windows,
    cut_into_windows,
    misfit_of_windows,
)
from ragscore.errors import Problem, RetrieverError
from ragscore.messages import _
from ragscore.progress import Progress


def window_problems(windows: Windows, encoder: EncoderSpec, metric: Metric) -> list[Problem]:
    """What is wrong with windows, if it shows without loading the encoder."""
    problems = []
    if not encoder.tokenizes:
        problems.append(
            Problem(
                f"the tokens of an encoder of kind {encoder.kind} are not known, so that passages "
                "cannot be cut into windows",
                where="windows",
                instead="Leave windows out, or cut the passages before they are encoded (chunk) "
                "and use collapse",
            )
        )
    if windows.by == "mean" and metric == "l2":
        problems.append(
            Problem(
                "with metric l2 the mean score of windows is not a distance to any vector",
                where="windows.by",
                instead="Use by: max, or metric: cosine",
            )
        )
    limit = encoder.token_limit()
    if limit is not None and windows.size > limit:
        problems.append(
            Problem(
                f"windows of {windows.size:,} tokens are too large: the encoder reads {limit:,}, "
                "special tokens and prompt included",
                where="windows.size",
                instead="Write a smaller size",
            )
        )
    return problems


def cut_passages(
    windows: Windows,
    encoder: OpenEncoder,
    corpus: Corpus,
    texts: Sequence[str],
    name: str,
    progress: Progress,
) -> CutTexts:
    """The windows of the passages of a corpus.

    Args:
        windows: how they are cut.
        encoder: whose tokens are counted.
        corpus: the passages.
        texts: what is indexed of each.
        name: of the retriever.
        progress: reports the passages, and how many of them are longer than a window.

    Raises:
        RetrieverError: windows do not fit the encoder.
    """
    misfit = misfit_of_windows(windows, encoder)
    if misfit is not None:
        raise RetrieverError(misfit.what, retriever=name, instead=misfit.instead)
    cut = cut_into_windows(texts, encoder, windows, progress)
    if cut is None:
        raise RetrieverError(
            "its encoder does not say where its tokens stand, so passages cannot be cut into "
            "windows",
            retriever=name,
            instead="Leave windows out, or use a model with a fast tokenizer",
        )
    counts = cut.counts()
    long = counts > 1
    facts = {
        "name": name,
        "count": count_text(int(long.sum())),
        "n": count_text(len(corpus)),
        "size": count_text(windows.size),
        "windows": count_text(int(counts[long].sum())),
    }
    progress.note(
        _(
            "{name}: {count} of {n} passages are longer than {size} tokens and are "
            "encoded as {windows} windows",
            **facts,
        )
    )
    return cut


def mean_of_windows(vectors: Vectors, source: NDArray[np.int32]) -> Vectors:
    """The mean vector of the windows of each passage: float32[n, d].

    Its inner product with a query is the mean of the windows' inner products.

    Args:
        vectors: float32[w, d], of the windows.
        source: int32[w], the passage of each, ascending; every passage has one.
    """
    first = np.flatnonzero(np.diff(source, prepend=-1))
    sums: Vectors = np.add.reduceat(vectors, first, axis=0)
    sums /= np.bincount(source)[:, None].astype(np.float32)
    return sums


def window_ids(passage_of: NDArray[np.int32]) -> Ids:
    """Ids of windows, for a run that is collapsed before anyone sees it."""
    return NumberedIds(len(passage_of))
