"""A service that runs a small model, on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from ragscore.encoders import Static
from ragscore.outside import repeating
from tests.factories.static_model import save_static_model
from tests.factories.systems.embedding_server import EmbeddingServer, embedding_server


@pytest.fixture(scope="package")
def model(tmp_path_factory: pytest.TempPathFactory) -> Static:
    return Static(model=str(save_static_model(tmp_path_factory.mktemp("static"))))


@pytest.fixture(scope="package")
def running(model: Static) -> Iterator[EmbeddingServer]:
    """A service that encodes with the static model."""
    opened = model.open()

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        return opened.encode([""] * len(texts), texts, "passage")

    with embedding_server(encode) as server:
        yield server


@pytest.fixture
def server(running: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> EmbeddingServer:
    monkeypatch.setattr(repeating, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(repeating, "LEAST_WAIT", 0.001)
    running.calm()
    return running
