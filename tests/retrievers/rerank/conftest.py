"""A cross-encoder for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.factories.tiny_cross_encoder import tiny_cross_encoder


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small cross-encoder; nothing changes it."""
    pytest.importorskip("sentence_transformers")
    return tiny_cross_encoder(tmp_path_factory.mktemp("models") / "tiny")
