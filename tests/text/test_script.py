"""What passages are written in, and who is told."""

from __future__ import annotations

import pytest

from ragscore import BM25, Dataset, evaluate
from ragscore.text import Korean, Ngrams, Snowball, TokenizerSpec, Whitespace, Words, written_in

KOREAN = "임차인은 매달 1일까지 rent를 집주인의 account로 보낸다."
CHINESE = "承租人应于每月一日前支付租金。"
JAPANESE = "借主は毎月一日までに家賃を支払う。"
RUSSIAN = "Арендатор платит до первого числа."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (KOREAN, "Korean"),
        (CHINESE, "Chinese"),
        (JAPANESE, "Japanese"),
        (RUSSIAN, "Cyrillic"),
        ("The rent is due on the first day of a month. 월세", None),
        ("Käse, crème brûlée, smörgås", None),
        ("12 + 34 = 46 !", None),
        ("", None),
    ],
)
def test_what_a_text_is_written_in(text: str, found: str | None) -> None:
    assert written_in([text, ""]) == found


def test_no_passages_are_written_in_nothing() -> None:
    assert written_in([]) is None


def test_the_sample_reaches_to_the_end() -> None:
    assert written_in([KOREAN] * 900 + ["rent"] * 100) == "Korean"
    assert written_in(["The rent is due."] * 900 + [KOREAN] * 100) is None


@pytest.mark.parametrize(
    ("tokenizer", "text", "remedy"),
    [
        (Snowball(), KOREAN, "tokenizer: korean"),
        (Snowball(language="german"), KOREAN, "tokenizer: korean"),
        (Korean(), KOREAN, None),
        (Words(), KOREAN, None),  # somebody chose it
        (Snowball(), CHINESE, "tokenizer: bigrams"),
        (Words(), JAPANESE, "tokenizer: bigrams"),
        (Korean(), CHINESE, "tokenizer: bigrams"),
        (Ngrams(), KOREAN, None),
        (Ngrams(), JAPANESE, None),
        (Whitespace(), CHINESE, None),
        (Snowball(), RUSSIAN, None),
    ],
)
def test_tokenizers_name_what_does_better(
    tokenizer: TokenizerSpec, text: str, remedy: str | None
) -> None:
    written = written_in([text])
    assert written is not None
    doubt = tokenizer.doubt(written)
    if remedy is None or doubt is None:
        assert doubt is remedy
    else:
        assert remedy in str(doubt)


def test_english_encoders_name_what_does_better() -> None:
    from ragscore.encoders import MiniLM, SentenceTransformers

    doubt = MiniLM().doubt("Korean")
    assert doubt is not None
    assert "the encoder minilm was trained on English" in str(doubt)
    assert "intfloat/multilingual-e5-small" in str(doubt)
    assert SentenceTransformers(model="sentence-transformers/all-mpnet-base-v2").doubt("Korean")
    assert SentenceTransformers(model="intfloat/multilingual-e5-small").doubt("Korean") is None


def test_a_run_notes_it_once_for_all_retrievers_it_concerns() -> None:
    passages = {"a": KOREAN, "b": "보증금은 두 달 치 월세를 넘지 않는다."}
    dataset = Dataset.from_rows(passages, {"q": "월세 보증금"}, {"q": ["b"]}, name="rules")
    retrievers = {"one": BM25(), "two": BM25(k1=0.4), "words": BM25(tokenizer="words")}
    notes = evaluate(dataset, retrievers, ["RR@1"], depth=2).notes
    (note,) = (note for note in map(str, notes) if "Korean" in note)
    assert note.startswith("rules, one, two: passages are Korean, but the tokenizer 'english'")
