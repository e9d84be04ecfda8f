"""Tokenizers: the same terms as the tools they stand for, short forms, clear refusals."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any, get_args
from unicodedata import normalize

import bm25s
import pytest
import Stemmer
from pydantic import TypeAdapter

from ragscore.errors import ConfigError
from ragscore.formats import load_dataset
from ragscore.spec import Spec
from ragscore.text import (
    TOKENIZERS,
    Korean,
    Ngrams,
    Snowball,
    SnowballLanguage,
    Tokenizer,
    Whitespace,
    Words,
    korean,
)
from ragscore.text.korean import CONTENT, PARTS, KoreanPart
from ragscore.text.snowball import STOP_WORD_LISTS

TEXTS = [
    "The tenants of Flat 2B haven't paid; the rents are due!",
    "",
    "the of and",
    "Straße über Ämter: die Mieten der Häuser, naïve café's",
    "MIETE miete Mieten tenants' tenant",
]


class Holder(Spec):
    tokenizer: Tokenizer = Snowball()


def bm25s_tokens(texts: list[str], stopwords: Any, stemmer: Any) -> list[list[str]]:
    tokens = bm25s.tokenize(
        texts, stopwords=stopwords, stemmer=stemmer, return_ids=False, show_progress=False
    )
    assert isinstance(tokens, list)
    return tokens


@pytest.mark.parametrize(
    ("spec", "stopwords", "stemmer"),
    [
        (Snowball(), "en", "english"),
        (Snowball(stem=False), "en", None),
        (Snowball(stop_words=False), None, "english"),
        (Snowball(language="german"), "de", "german"),
        (Snowball(language="porter"), "en", "porter"),
        (Words(), None, None),
    ],
)
def test_tokens_are_those_of_bm25s(
    spec: Snowball | Words, stopwords: str | None, stemmer: str | None
) -> None:
    wanted = bm25s_tokens(TEXTS, stopwords, Stemmer.Stemmer(stemmer) if stemmer else None)
    analyzer = spec.open()
    assert [analyzer.tokens(text) for text in TEXTS] == wanted
    terms = analyzer.terms(TEXTS)
    names = list(terms.vocabulary)
    assert [[names[number] for number in ids] for ids in terms.ids] == wanted


def test_tokens_are_those_of_bm25s_on_a_real_corpus(conformance: Path) -> None:
    corpus = load_dataset(conformance / "collections" / "mini-msmarco").corpus
    assert corpus is not None
    texts = list(corpus.texts)
    ids, vocabulary = Snowball().open().terms(texts)
    names = list(vocabulary)
    wanted = bm25s_tokens(texts, "en", Stemmer.Stemmer("english"))
    assert [[names[number] for number in numbers] for numbers in ids] == wanted


def test_lookup_leaves_unknown_terms_out_and_keeps_repeats() -> None:
    analyzer = Snowball().open()
    vocabulary = analyzer.terms(["rent is due", "deposits"]).vocabulary
    assert vocabulary == {"rent": 0, "due": 1, "deposit": 2}
    found = analyzer.lookup(["Rents, rent and deposit", "the of", "unicorn", ""], vocabulary)
    assert found == [[0, 0, 2], [], [], []]


def test_white_space_keeps_case_and_marks() -> None:
    assert Whitespace().open().tokens(" lang:EN  §12(a)\ta\nlang:EN") == [
        "lang:EN", "§12(a)", "a", "lang:EN",
    ]  # fmt: skip


def test_korean_keeps_what_carries_content() -> None:
    pytest.importorskip("kiwipiepy")
    text = "금융소비자보호법에 따라 2021년부터 ETF 상품을 판매하지 않았다."
    tokens = Korean().open().tokens(text)
    assert tokens == ["금융", "소비자", "보호", "법", "따르", "2021", "etf", "상품", "판매"]


KOREAN = "두 세입자는 아주 빨리 예쁜 ETF 文法 3권을 그녀에게 팔지 않았다."


@pytest.mark.parametrize(
    "parts",
    [
        CONTENT,
        ("noun",),
        ("verb", "adverb"),
        ("NNG", "particle"),
        ("dependent-noun", "determiner", "auxiliary", "ending"),
    ],
)
def test_korean_keeps_the_parts_of_speech_that_kiwi_finds(parts: tuple[KoreanPart, ...]) -> None:
    pytest.importorskip("kiwipiepy")
    kiwi = korean.kiwi()  # loading another takes seconds
    tags = {tag for part in parts for tag in PARTS.get(part, (part,))}
    wanted = [
        morpheme.form.lower()
        for morpheme in kiwi.tokenize(KOREAN)
        if morpheme.tag.split("-")[0] in tags
    ]
    assert wanted
    assert Korean(parts=parts).open().tokens(KOREAN) == wanted


def test_korean_has_a_name_for_every_tag_of_words() -> None:
    utils = pytest.importorskip("kiwipiepy.utils")
    named = {tag for tags in PARTS.values() for tag in tags}
    assert named | set(PARTS) == set(get_args(KoreanPart))
    assert not named - utils._valid_tags
    left = {tag for tag in utils._valid_tags - named if not tag.startswith(("S", "U", "Z"))}
    assert left == set()
    assert {tag for part in CONTENT for tag in PARTS[part]} == {
        "NNG", "NNP", "NP", "NR", "VV", "VA", "XR", "SL", "SH", "SN",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("english", Snowball()),
        ("german", Snowball(language="german")),
        ("snowball", Snowball()),
        ("words", Words()),
        ("none", Whitespace()),
        ("korean", Korean()),
        ("bigrams", Ngrams(n=2)),
        ("ngrams", Ngrams(n=2)),
        ("finnish", Snowball(language="finnish", stop_words=False)),
        ({"kind": "snowball", "language": "german"}, Snowball(language="german", stop_words=True)),
        ({"kind": "korean", "parts": ["noun"]}, Korean(parts=("noun",))),
        (Words(), Words()),
    ],
)  # fmt: skip
def test_short_forms(given: Any, meant: Any) -> None:
    assert Holder(tokenizer=given).tokenizer == meant
    assert Holder(tokenizer=given).digest() == Holder(tokenizer=meant).digest()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("englsh", "Did you mean 'english'?"),
        ("bigram", "Did you mean 'bigrams'?"),
        ({"kind": "snowball", "language": "finnish", "stop_words": True},
         "no list of stop words for finnish. Leave stop_words out, or write false"),
        ({"kind": "snowball", "language": "klingon"}, "english"),
        ({"kind": "ngrams", "n": 0}, "It must be at least 1"),
        ({"kind": "korean", "parts": ["verbs"]}, "Did you mean 'verb'? Allowed: noun, dependent-"),
        ({"kind": "korean", "parts": ["nng"]}, "Did you mean 'NNG'?"),
        ({"kind": "korean", "parts": []}, "At least one is needed"),
        ({"kind": "korean", "parts": ["noun", "noun"]}, "'noun' is there twice"),
        ({"kind": "words", "stem": True}, "unknown key"),
    ],
)  # fmt: skip
def test_refusals_say_what_instead(given: Any, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Holder(tokenizer=given)
    [problem] = caught.value.problems
    assert said in str(problem)


def test_the_schema_offers_short_forms_to_editors() -> None:
    schema = str(TypeAdapter(Tokenizer).json_schema())
    assert "'bigrams'" in schema
    assert "'snowball', 'words', 'none', 'ngrams', 'korean'" in schema


def test_every_language_is_there_with_the_stop_words_it_claims() -> None:
    assert set(get_args(SnowballLanguage)) <= set(Stemmer.algorithms())
    for language, constant in STOP_WORD_LISTS.items():
        assert language in get_args(SnowballLanguage)
        assert len(getattr(bm25s.stopwords, constant)) > 20


@pytest.mark.parametrize("language", get_args(SnowballLanguage))
def test_every_language_works_by_its_name_alone(language: str) -> None:
    tokenizer = Holder(tokenizer=language).tokenizer
    assert isinstance(tokenizer, Snowball)
    assert tokenizer.stop_words is (language in STOP_WORD_LISTS)
    word = HELLO.get(language, "contracts")
    assert tokenizer.open().tokens(f"{word} {word}") == Stemmer.Stemmer(language).stemWords(
        [word] * 2
    )
    assert tokenizer.changed(language="finnish").stop_words is False


HELLO = {"hindi": "किताबें", "nepali": "किताबहरू", "tamil": "புத்தகங்கள்", "arabic": "الكتاب"}


def test_vowel_signs_belong_to_their_words_and_forms_are_composed() -> None:
    assert Words().open().tokens("यह किताबें अच्छी हैं") == ["यह", "किताबें", "अच्छी", "हैं"]
    assert Words().open().tokens(normalize("NFD", "Café 보증금")) == ["café", "보증금"]


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_every_tokenizer_is_described_and_named_by_its_kind(kind: str) -> None:
    tokenizer = TOKENIZERS[kind]
    assert tokenizer.__doc__
    assert TypeAdapter(Tokenizer).validate_python(kind) == tokenizer()
    assert tokenizer().check() == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_no_tokenizer_leaves_garbage_that_only_a_collection_finds(kind: str) -> None:
    """A corpus in blocks is tokenised block by block: what one left behind would add up."""
    analyzer = TOKENIZERS[kind]().open()
    texts = ["The rent of 2024 is due in May.", "임대차 보증금을 돌려받다.", ""] * 3
    analyzer.terms(texts)  # what is loaded once
    gc.collect()
    gc.disable()
    try:
        analyzer.terms(texts)
        analyzer.lookup(texts, {"rent": 0, "due": 1})
        assert gc.collect() == 0
    finally:
        gc.enable()
