"""Korean: the morphemes that carry content, found by kiwi."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator

from ragscore.errors import MissingPackageError, Problem
from ragscore.text.base import Analyzer, TokenizerSpec

KoreanPart = Literal[
    "noun", "dependent-noun", "pronoun", "number", "verb", "adjective", "auxiliary", "copula",
    "determiner", "adverb", "interjection", "particle", "ending", "prefix", "suffix", "root",
    "foreign", "hanja", "web",
    "NNG", "NNP", "NNB", "NP", "NR", "SN", "VV", "VA", "VX", "VCP", "VCN", "MM", "MAG", "MAJ",
    "IC", "JKS", "JKC", "JKG", "JKO", "JKB", "JKV", "JKQ", "JX", "JC", "EP", "EF", "EC", "ETN",
    "ETM", "XPN", "XSN", "XSV", "XSA", "XSM", "XR", "SL", "SH", "W_URL", "W_EMAIL", "W_HASHTAG",
    "W_MENTION", "W_SERIAL", "W_EMOJI",
]  # fmt: skip

PARTS: dict[KoreanPart, tuple[KoreanPart, ...]] = {
    "noun": ("NNG", "NNP"),
    "dependent-noun": ("NNB",),
    "pronoun": ("NP",),
    "number": ("NR", "SN"),
    "verb": ("VV",),
    "adjective": ("VA",),
    "auxiliary": ("VX",),
    "copula": ("VCP", "VCN"),
    "determiner": ("MM",),
    "adverb": ("MAG", "MAJ"),
    "interjection": ("IC",),
    "particle": ("JKS", "JKC", "JKG", "JKO", "JKB", "JKV", "JKQ", "JX", "JC"),
    "ending": ("EP", "EF", "EC", "ETN", "ETM"),
    "prefix": ("XPN",),
    "suffix": ("XSN", "XSV", "XSA", "XSM"),
    "root": ("XR",),
    "foreign": ("SL",),
    "hanja": ("SH",),
    "web": ("W_URL", "W_EMAIL", "W_HASHTAG", "W_MENTION", "W_SERIAL", "W_EMOJI"),
}
"""The Sejong tags that kiwi gives to morphemes, by what the parts of speech are called."""

CONTENT: tuple[KoreanPart, ...] = (
    "noun", "pronoun", "number", "verb", "adjective", "root", "foreign", "hanja",
)  # fmt: skip
"""What carries content."""


class Korean(TokenizerSpec):
    """Korean morphemes of chosen parts of speech (by default those with content), by kiwipiepy.

    Particles, endings, auxiliaries, dependent nouns, adverbs and punctuation are dropped unless
    ``parts`` names them; Latin letters are lower-cased.
    """

    packages: ClassVar[tuple[str, ...]] = ("kiwipiepy", "kiwipiepy_model")
    """The model decides where morphemes begin and end."""
    kind: Literal["korean"] = "korean"
    parts: Annotated[tuple[KoreanPart, ...], Field(min_length=1)] = CONTENT
    """The parts of speech that are kept: `noun`, `verb`, `adverb` and so on, or Sejong tags such
    as `NNG`."""

    @field_validator("parts")
    @classmethod
    def _each_once(cls, parts: tuple[KoreanPart, ...]) -> tuple[KoreanPart, ...]:
        if len(set(parts)) < len(parts):
            twice = next(part for part in parts if parts.count(part) > 1)
            raise ValueError(f"'{twice}' is there twice. Write each part of speech once")
        return parts

    def open(self) -> Analyzer:
        """Load kiwi's model, once for all.

        Raises:
            MissingPackageError: kiwipiepy is not installed.
        """
        if find_spec("kiwipiepy") is None:
            raise _missing()
        tokenize = kiwi().tokenize
        kept = frozenset(tag for part in self.parts for tag in PARTS.get(part, (part,)))

        def split(texts: Iterable[str]) -> Iterable[list[str]]:
            # Kiwi marks how an irregular verb bends (VV-I, VA-R): the same words for a search.
            for morphemes in tokenize(texts):
                yield [
                    morpheme.form.lower()
                    for morpheme in morphemes
                    if morpheme.tag.partition("-")[0] in kept
                ]

        return Analyzer(split)

    def check(self) -> list[Problem]:
        """The package is there."""
        return [] if find_spec("kiwipiepy") is not None else list(_missing().problems)


@cache
def kiwi() -> Any:
    """One for all choices of parts of speech: loading it takes about a second."""
    from kiwipiepy import Kiwi

    return Kiwi()


def _missing() -> MissingPackageError:
    return MissingPackageError("kiwipiepy", "the tokenizer 'korean'", "korean")
