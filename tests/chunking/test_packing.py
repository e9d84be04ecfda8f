"""Which pieces are put together: against a slow plain loop, and what LangChain makes of a text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.chunking import (
    CharacterChunker,
    ParagraphChunker,
    RecursiveChunker,
    SentenceChunker,
    TokenChunker,
    WordChunker,
)
from ragscore.chunking.base import ChunkerSpec
from ragscore.encoders.named_tokenizers import open_tokenizer
from tests.factories.thorough import examples

TEXT = (
    "Rent is due on the first day of each month.\nA late fee of 5% is added.\n\n"
    "Pets: one cat or one small dog.\n\nSupercalifragilisticexpialidocious words are cut anywhere."
)


def chunks(chunker: ChunkerSpec, text: str = TEXT) -> list[str]:
    return [text[start:end] for start, end in chunker.spans(text).tolist()]


# What langchain-text-splitters 1.1.3 returns: RecursiveCharacterTextSplitter(chunk_size=...,
# chunk_overlap=...).split_text(TEXT).
END = ["Supercalifragilisticexpialidocious", "words are cut anywhere."]
FEE, PETS = "A late fee of 5% is added.", "Pets: one cat or one small dog."
LANGCHAIN = {
    (40, 0): ["Rent is due on the first day of each", "month.", FEE, PETS, *END],
    (40, 15): ["Rent is due on the first day of each", "day of each month.", FEE, PETS, *END],
    (20, 5): [
        *("Rent is due on the", "the first day of", "of each month.", "A late fee of 5% is"),
        *("is added.", "Pets: one cat or", "or one small dog.", "Supercalifragilisti"),
        *("listicexpialidocious", "words are cut", "cut anywhere."),
    ],
}


@pytest.mark.parametrize(("size", "overlap"), LANGCHAIN)
def test_recursive_chunks_are_those_of_langchain(size: int, overlap: int) -> None:
    assert chunks(RecursiveChunker(size=size, overlap=overlap)) == LANGCHAIN[size, overlap]


def slowly_packed(paragraphs: list[str], size: int, overlap: int) -> list[str]:
    """Paragraphs put together one by one."""
    found: list[str] = []
    current: list[str] = []
    for paragraph in paragraphs:
        if current and len("\n\n".join([*current, paragraph])) > size:
            found.append("\n\n".join(current))
            while current and (
                len("\n\n".join(current)) > overlap
                or len("\n\n".join([*current, paragraph])) > size
            ):
                del current[0]
        current.append(paragraph)
    return [*found, "\n\n".join(current)] if current else found


@settings(max_examples=examples(1000), deadline=None)
@given(st.lists(st.integers(1, 9), max_size=30), st.integers(9, 40), st.integers(0, 8))
def test_packing_against_a_plain_loop(lengths: list[int], size: int, overlap: int) -> None:
    paragraphs = [chr(97 + length) * length for length in lengths]
    found = chunks(ParagraphChunker(size=size, overlap=overlap), "\n\n".join(paragraphs))
    assert found == slowly_packed(paragraphs, size, overlap)


def test_a_long_paragraph_is_cut_at_sentences_then_at_words_then_anywhere() -> None:
    assert chunks(ParagraphChunker(size=32)) == [
        "Rent is due on the first day of",
        "each month.",
        "A late fee of 5% is added.",
        "Pets: one cat or one small dog.",
        "Supercalifragilisticexpialidocio",
        "us",
        "words are cut anywhere.",
    ]


def test_sizes_in_words_and_in_pieces() -> None:
    assert chunks(WordChunker(size=6, overlap=2), "a b c d e f g h i j") == [
        "a b c d e f",
        "e f g h i j",
    ]
    text = "One. Two two. Three three three. Four."
    words = SentenceChunker(size=4, unit="words")
    assert chunks(words, text) == ["One. Two two.", "Three three three. Four."]
    pairs = SentenceChunker(size=2, overlap=1, unit="sentences")
    assert chunks(pairs, text) == [
        "One. Two two.",
        "Two two. Three three three.",
        "Three three three. Four.",
    ]
    assert chunks(ParagraphChunker(size=2, unit="paragraphs"))[1].startswith("Supercali")


def test_tokens_are_counted_as_the_model_counts_them() -> None:
    tokenizer = open_tokenizer("minilm")
    for chunker in (
        TokenChunker(size=12),
        SentenceChunker(size=12, overlap=4, unit="tokens"),
        RecursiveChunker(size=12, unit="tokens"),
    ):
        found = chunks(chunker)
        assert max(tokenizer.counts(found)) <= 12
        assert sum(map(len, found)) >= len("".join(TEXT.split()))
    long = "東京都に住む人は家賃を毎月払います" * 4
    tokens = len(tokenizer.spans(long))
    assert len(chunks(TokenChunker(size=10), long)) == -(-tokens // 10)


def test_a_long_text_has_the_tokens_of_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is given parts of it."""
    tokenizer = open_tokenizer("minilm")
    whole = tokenizer.spans(TEXT * 20).tolist()
    monkeypatch.setattr("ragscore.encoders.named_tokenizers.BLOCK", 50)
    assert tokenizer.spans(TEXT * 20).tolist() == whole


def test_nothing_is_cut_inside_what_a_reader_sees_as_one() -> None:
    text = "가\u1100\u1161\u11a8e\u0301👩\u200d👩\u200d👧\r\n🇰🇷🇫🇷a"
    assert chunks(CharacterChunker(size=2), text) == [
        "가",
        "\u1100\u1161\u11a8",
        "e\u0301",
        "👩\u200d👩\u200d👧",
        "🇰🇷",
        "🇫🇷",
        "a",
    ]
