"""The tables of strings of all packages: both languages alike, none missing."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from string import Formatter

import pytest

import ragscore
from ragscore.cache import STRINGS as CACHE_STRINGS
from ragscore.progress import STAGES
from ragscore.strings import COMMON, Listed, Sentence, StringTable

HANGUL = re.compile("[가-힣]")
NAMES = (
    "k|n|p|p50|p95|p99|R|ID|RBO|Jaccard|TOST|Tukey|HSD|Student|t|CSV|LaTeX|Holm|BH|Bonferroni|W|L|T"
)
SAME = re.compile(rf"(\W|\d|_|\b({NAMES})\b)*")
"""What is the same in every language: signs, numbers, names."""


def tables() -> Iterator[tuple[str, StringTable]]:
    """The tables that the package's modules named ``strings`` hold, and two that are shorter than a
    module."""
    yield "ragscore.cache", CACHE_STRINGS
    yield "ragscore.progress", STAGES
    for module in pkgutil.walk_packages(ragscore.__path__, "ragscore."):
        if module.name.endswith(".strings") and module.name != "ragscore.strings":
            yield module.name, import_module(module.name).STRINGS


TABLES = dict(tables())


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("module", TABLES)
def test_both_languages_have_the_same_placeholders(module: str) -> None:
    for key, texts in TABLES[module].items():
        assert set(texts) == {"en", "ko"}, key
        assert placeholders(texts["en"]) == placeholders(texts["ko"]), key
        assert all(text.strip() for text in texts.values()), key
        assert not HANGUL.search(texts["en"]), key
        bare = re.sub(r"\{\w+\}", "", texts["ko"])
        assert HANGUL.search(texts["ko"]) or SAME.fullmatch(bare), f"{key} is not translated"


def test_no_key_has_two_texts() -> None:
    one = {"key": {"en": "one", "ko": "하나"}}
    assert len(StringTable(one, one)) == len(COMMON) + 1
    with pytest.raises(ValueError, match="key"):
        StringTable(one, {"key": {"en": "two", "ko": "둘"}})


def test_an_unknown_key_or_a_missing_fact_is_an_error() -> None:
    strings = StringTable({"of": {"en": "{part} of {whole}", "ko": "{whole} 중 {part}"}}).strings
    with pytest.raises(KeyError):
        strings("en")("no such key")
    with pytest.raises(KeyError):
        strings("ko")("of", part="1")


def test_a_sentence_is_said_in_the_language_of_the_reader() -> None:
    table = StringTable(
        {
            "use": {"en": "Use {names}.", "ko": "{names} 사용."},
            "name": {"en": "the {it}", "ko": "그 {it}"},
        }
    )
    names = Listed(tuple(Sentence("name", {"it": it}) for it in ("a", "b", "c", "d", "e")), "or")
    sentence = Sentence("use", {"names": names})
    assert table.strings("en").sentences([sentence]) == "Use the a, the b, the c or 2 others."
    assert sentence.text_in(table.strings("ko")) == "그 a, 그 b, 그 c, 그 밖의 2개 사용."
