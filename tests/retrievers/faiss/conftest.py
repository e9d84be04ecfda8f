"""FAISS over vectors that are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore.encoders import Precomputed, Vectors
from ragscore.retrievers.faiss import Faiss
from tests.factories.vectors import PASSAGE_VECTORS, QUERY_VECTORS, Make


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A retriever over given vectors: ``make(index=..., passages=..., queries=...)``."""

    def made(
        passages: Vectors = PASSAGE_VECTORS, queries: Vectors = QUERY_VECTORS, **options: Any
    ) -> Faiss:
        np.save(tmp_path / "passages.npy", passages)
        np.save(tmp_path / "queries.npy", queries)
        encoder = Precomputed(
            passages=str(tmp_path / "passages.npy"), queries=str(tmp_path / "queries.npy")
        )
        return Faiss(encoder=encoder, **options)

    return made
