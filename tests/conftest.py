"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Made absolute at once: a test may change the working folder later.
CONFORMANCE = os.environ.get("RAGSCORE_CONFORMANCE_DATA")
CONFORMANCE_FOLDER = Path(CONFORMANCE).resolve() if CONFORMANCE else None


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's top folder."""
    return ROOT


@pytest.fixture(scope="session")
def conformance() -> Path:
    """Real collections and runs; tests that need them skip where the variable is unset."""
    if CONFORMANCE_FOLDER is None:
        pytest.skip("RAGSCORE_CONFORMANCE_DATA is not set")
    return CONFORMANCE_FOLDER


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test session writes to a cache of its own, never to the user's."""
    monkeypatch.setenv("RAGSCORE_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
