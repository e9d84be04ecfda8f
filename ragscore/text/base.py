"""What every tokenizer shares: texts in, numbered terms out.

A tokenizer is two steps: *split* a text into words, and *reduce* a word to the term that is
indexed (a stem), or to nothing (a stop word). The second runs once for each distinct word, not
once for each occurrence, which is what makes stemming cheap.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple
from unicodedata import normalize

from ragscore.kinds import KindSpec
from ragscore.messages import Text, _
from ragscore.text.script import UNSPACED, language_name
from ragscore.text.word_characters import marks

Split = Callable[[Iterable[str]], Iterable[Sequence[str]]]
Reduce = Callable[[Sequence[str]], Sequence[str | None]]


class Terms(NamedTuple):
    """Numbered terms of a list of texts.

    Attributes:
        ids: for each text the numbers of its terms, in order, repeats kept.
        vocabulary: term to number, 0 up, in the order in which terms are first seen.
    """

    ids: list[list[int]]
    vocabulary: dict[str, int]


@dataclass(frozen=True, eq=False)
class Analyzer:
    """A tokenizer at work, made by :meth:`TokenizerSpec.open`.

    Attributes:
        split: the words of each text, in order.
        reduce: the term of each word, None for a word that is dropped; None keeps all words.
    """

    split: Split
    reduce: Reduce | None = None

    def terms(self, texts: Iterable[str]) -> Terms:
        """Number the terms of the texts that are to be indexed."""
        numbered, words = self._number(texts)
        vocabulary: dict[str, int] = {}
        number_of = [
            -1 if term is None else vocabulary.setdefault(term, len(vocabulary))
            for term in self._reduced(words)
        ]
        return Terms(_renumber(numbered, number_of), vocabulary)

    def lookup(self, texts: Iterable[str], vocabulary: Mapping[str, int]) -> list[list[int]]:
        """The numbers that the texts' terms have in a vocabulary; unknown terms are left out."""
        numbered, words = self._number(texts)
        number_of = [
            -1 if term is None else vocabulary.get(term, -1) for term in self._reduced(words)
        ]
        return _renumber(numbered, number_of)

    def tokens(self, text: str) -> list[str]:
        """The terms of one text, in order: what a tokenizer does, to look at."""
        ids, vocabulary = self.terms([text])
        terms = list(vocabulary)
        return [terms[number] for number in ids[0]]

    def _number(self, texts: Iterable[str]) -> tuple[list[list[int]], list[str]]:
        number_of: defaultdict[str, int] = defaultdict()
        number_of.default_factory = number_of.__len__
        number = number_of.__getitem__
        numbered = [list(map(number, words)) for words in self.split(texts)]
        number_of.default_factory = None  # it held itself, until garbage was collected
        return numbered, list(number_of)

    def _reduced(self, words: Sequence[str]) -> Sequence[str | None]:
        return words if self.reduce is None else self.reduce(words)


def _renumber(numbered: list[list[int]], number_of: list[int]) -> list[list[int]]:
    """Replace each number by ``number_of`` it, dropping those that become -1."""
    new = number_of.__getitem__
    if -1 not in number_of:
        return [list(map(new, numbers)) for numbers in numbered]
    return [[number for number in map(new, numbers) if number >= 0] for numbers in numbered]


class TokenizerSpec(KindSpec):
    """Base of every tokenizer's description; a subclass adds ``kind`` and its options."""

    @abstractmethod
    def open(self) -> Analyzer:
        """Load what is needed and return the tokenizer, ready to work.

        Raises:
            MissingPackageError: an optional package is needed.
        """

    def doubt(self, written: str) -> Text | None:
        if written in UNSPACED:
            kind = self.model_dump()["kind"]
            return _(
                "passages are {written}, which has no spaces between words, but the tokenizer "
                "'{tokenizer}' treats everything between two spaces as one term; use "
                "tokenizer: bigrams, or an encoder that reads {written}",
                tokenizer=kind,
                written=language_name(written),
            )
        return None


def lower_words(texts: Iterable[str]) -> Iterable[list[str]]:
    """Runs of two or more word characters, lower-cased: bm25s's and scikit-learn's pattern, but
    that marks (the vowel signs of Hindi) belong to their word. Texts are brought to NFC."""
    words = _two_word_characters().findall
    return (words(normalize("NFC", text.lower())) for text in texts)


@cache
def _two_word_characters() -> re.Pattern[str]:
    return re.compile(rf"\w[\w{marks()}]+")
