"""A cross-encoder for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.factories import tiny_models


@pytest.fixture(scope="session")
def cross_encoder() -> Path:
    """The folder of a small cross-encoder; nothing changes it."""
    pytest.importorskip("sentence_transformers")
    return tiny_models.cross_encoder()
