"""Korean: the morphemes that carry content, found by kiwi."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import ClassVar, Literal

from ragscore.errors import MissingPackageError, Problem
from ragscore.text.base import Analyzer, TokenizerSpec

CONTENT = frozenset({"NNG", "NNP", "NP", "NR", "VV", "VA", "XR", "SL", "SH", "SN"})
"""Sejong tags that are kept: nouns (not dependent ones), pronouns, numerals, verbs, adjectives,
roots, foreign words, Chinese characters, numbers."""


class Korean(TokenizerSpec):
    """Korean morphemes that carry content (nouns, verbs, adjectives, numbers), by kiwipiepy.

    Particles, endings, auxiliaries, dependent nouns, adverbs and punctuation are dropped; Latin
    letters are lower-cased.
    """

    summary_ko: ClassVar[str] = (
        "내용을 담은 한국어 형태소(명사, 동사, 형용사, 숫자), kiwipiepy 사용"
    )
    kind: Literal["korean"] = "korean"

    def open(self) -> Analyzer:
        """Load kiwi's model, which takes about a second.

        Raises:
            MissingPackageError: kiwipiepy is not installed.
        """
        if find_spec("kiwipiepy") is None:
            raise _missing()
        from kiwipiepy import Kiwi

        tokenize = Kiwi().tokenize

        def split(texts: Iterable[str]) -> Iterable[list[str]]:
            # Kiwi marks how an irregular verb bends (VV-I, VA-R): the same words for a search.
            for morphemes in tokenize(texts):
                yield [
                    morpheme.form.lower()
                    for morpheme in morphemes
                    if morpheme.tag.partition("-")[0] in CONTENT
                ]

        return Analyzer(split)

    def packages(self) -> tuple[str, ...]:
        """The model decides where morphemes begin and end."""
        return ("kiwipiepy", "kiwipiepy_model")

    def check(self) -> list[Problem]:
        """The package is there."""
        return [] if find_spec("kiwipiepy") is not None else list(_missing().problems)


def _missing() -> MissingPackageError:
    return MissingPackageError("kiwipiepy", "the tokenizer 'korean'", "korean")
