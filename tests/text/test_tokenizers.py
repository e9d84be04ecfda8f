"""Tokenizers: the same terms as the tools they stand for, short forms, clear refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

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
    Snowball,
    SnowballLanguage,
    Tokenizer,
    Whitespace,
    Words,
)
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


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("english", Snowball()),
        ("german", Snowball(language="german")),
        ("snowball", Snowball()),
        ("words", Words()),
        ("none", Whitespace()),
        ("korean", Korean()),
        ({"kind": "snowball", "language": "finnish", "stop_words": False},
         Snowball(language="finnish", stop_words=False)),
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
        ("finnish", "stop_words: false"),
        ({"kind": "snowball", "language": "klingon"}, "english"),
        ({"kind": "words", "stem": True}, "unknown key"),
    ],
)
def test_refusals_say_what_instead(given: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said.replace("?", r"\?")):
        Holder(tokenizer=given)


def test_the_schema_offers_short_forms_to_editors() -> None:
    schema = str(TypeAdapter(Tokenizer).json_schema())
    assert "'snowball', 'words', 'none', 'korean'" in schema


def test_every_language_is_there_with_the_stop_words_it_claims() -> None:
    assert set(get_args(SnowballLanguage)) <= set(Stemmer.algorithms())
    for language, constant in STOP_WORD_LISTS.items():
        assert language in get_args(SnowballLanguage)
        assert len(getattr(bm25s.stopwords, constant)) > 20


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_every_tokenizer_is_described_and_named_by_its_kind(kind: str) -> None:
    tokenizer = TOKENIZERS[kind]
    assert tokenizer.__doc__
    assert TypeAdapter(Tokenizer).validate_python(kind) == tokenizer()
    assert tokenizer().check() == []
