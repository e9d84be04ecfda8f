"""Vectors of different lengths are gathered, kept by text and read from their files."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from ragscore.arrays import bounds_of
from ragscore.cache import Cache
from ragscore.encoders import Role, vector_store
from ragscore.encoders.base import TokenCuts
from ragscore.encoders.gathering import gather
from ragscore.encoders.ragged import Ragged, RaggedEncoded
from ragscore.progress import SILENT, Stage

TEXTS = ["", "a", "bb", "ccc", "dddd", "bb", "eeeee", "f", "gg", "hhh", "iiii", "a"]


class Letters:
    """Gives each letter of a text its number, or a vector of three."""

    def __init__(self, *, tokens: bool, interrupt_after: int = 100) -> None:
        self.tokens, self.left = tokens, interrupt_after
        self.chunk, self.device = 2, "cpu"

    def load(self) -> None: ...

    def vectors(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Ragged:
        self.left -= len(texts)
        if self.left < 0:
            raise KeyboardInterrupt
        letters = np.array([ord(letter) for text in texts for letter in text], dtype=np.int32)
        values = np.repeat(letters, 3).reshape(-1, 3) if self.tokens else letters
        bounds = bounds_of(np.array([len(text) for text in texts], dtype=np.int64))
        return Ragged(bounds, values.astype(np.float32), None if self.tokens else letters)

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None:
        return None


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("ragscore.encoders.gathering"), "KEEP_TEXTS", 4)
    monkeypatch.setattr(vector_store, "MAX_SMALL", 4)
    monkeypatch.setattr(vector_store, "SMALL", 6)


def gathered(texts: list[str], cache: Cache | None, encoder: Letters) -> Ragged:
    ids = [f"p{at}" for at in range(len(texts))]
    found = gather("letters" * 9, encoder, RaggedEncoded, ids, texts, cache, SILENT)
    assert found.cuts is None
    return found.encoded[found.number]


def check(found: Ragged, *, tokens: bool) -> None:
    expected = Letters(tokens=tokens).vectors([], TEXTS, "passage")
    np.testing.assert_array_equal(found.bounds, expected.bounds)
    np.testing.assert_array_equal(found.values, expected.values)
    if tokens:
        assert found.columns is None
    else:
        np.testing.assert_array_equal(found.columns, expected.columns)


@pytest.mark.parametrize("tokens", [True, False])
def test_an_interrupted_run_goes_on(tokens: bool, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        gathered(TEXTS, cache, Letters(tokens=tokens, interrupt_after=7))
    check(gathered(TEXTS, cache, Letters(tokens=tokens, interrupt_after=4)), tokens=tokens)
    check(gathered(TEXTS, cache, Letters(tokens=tokens, interrupt_after=0)), tokens=tokens)
    check(gathered(TEXTS, None, Letters(tokens=tokens)), tokens=tokens)


@pytest.mark.parametrize("tokens", [True, False])
def test_segments_are_merged(tokens: bool, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for text in TEXTS:
        gathered([text], cache, Letters(tokens=tokens))
    assert len(list((tmp_path / "vectors").glob("*/*"))) < 6
    check(gathered(TEXTS, cache, Letters(tokens=tokens, interrupt_after=0)), tokens=tokens)


def test_vectors_of_the_cache_stay_in_its_files(tmp_path: Path) -> None:
    ids = [f"p{at}" for at in range(len(TEXTS))]
    found = gather(
        "letters" * 9, Letters(tokens=True), RaggedEncoded, ids, TEXTS, Cache(tmp_path), SILENT
    )
    parts = [part for part in found.encoded._parts if part is not None]
    assert len(parts) > 1
    assert all(isinstance(part.values.base, np.memmap) for part in parts)
    assert found.encoded.nbytes == 4 * 3 * sum(map(len, set(TEXTS)))


def test_arrays_that_do_not_belong_together_are_damaged(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    gathered(TEXTS[:4], cache, Letters(tokens=False))
    [segment] = (tmp_path / "vectors").glob("*/*")
    bounds = np.load(segment / "bounds.npy")
    for broken in (bounds + 1, bounds[::-1], np.append(bounds, 99)):
        np.save(segment / "bounds.npy", broken)
        with pytest.raises(Exception, match="do not belong together"):
            RaggedEncoded.files.read(segment, mapped=True)
