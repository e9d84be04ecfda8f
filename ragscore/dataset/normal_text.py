"""Texts in a normal form, each character of which knows where it stands in the original.

People and programs copy a text with other white space, other quotation marks, other dashes, and in
another of Unicode's forms (Korean from a Mac comes as single jamo). In the normal form these are
the same; what was found there is given back as characters of the text as it was read.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.code_points import codes_of, white_space

_SAME = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d",
    "...": "\u2026",
    "ff": "\ufb00",
    "fi": "\ufb01",
    "fl": "\ufb02",
    "ffi": "\ufb03",
    "ffl": "\ufb04",
    "": "\u00ad\u200b\u2060\ufeff",
}
NORMAL = {ord(other): normal for normal, others in _SAME.items() for other in others}
"""What stands for a character in the normal form: quotation marks, dashes, ligatures; nothing for
soft hyphens and for spaces without width."""
_NOT_ONE = {code: len(normal) for code, normal in NORMAL.items() if len(normal) != 1}
_BEYOND_ASCII = re.compile(r"[\s\S]?[^\x00-\x7f]+")
_JAMO_INSIDE = range(0x1160, 0x1200)
"""Vowels and final consonants of Hangul, which belong to the jamo before them."""


@dataclass(frozen=True, eq=False)
class NormalText:
    r"""A text in its normal form: NFC, one space for all white space, plain quotation marks.

    >>> text = NormalText.of("He said: \u201cRent  is\r\ndue.\u201d")
    >>> text.text, text.original(10, 21)
    ('He said: "Rent is due."', (10, 23))

    Attributes:
        text: the normal form.
        start, end: int64[n], the characters [start, end) of the original that each character of
            the normal form stands for.
    """

    text: str
    start: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def of(cls, original: str) -> NormalText:
        """The normal form of a text."""
        composed, start, end = _composed(original)
        if not composed.isascii():
            lengths = np.ones(len(composed), dtype=np.int64)
            codes = codes_of(composed)
            for code, length in _NOT_ONE.items():
                lengths[codes == code] = length
            rows = np.repeat(np.arange(len(composed)), lengths)
            composed, start, end = composed.translate(NORMAL), start[rows], end[rows]
        elif "`" in composed:
            composed = composed.translate(NORMAL)
        codes = codes_of(composed)
        space = white_space(codes)
        first = space.copy()
        first[1:] &= ~space[:-1]
        kept = np.flatnonzero(~space | first)
        # One space stands for all white space up to the next other character.
        behind = np.append(kept[1:], len(composed))
        last = np.where(first[kept], behind - 1, kept)
        codes = codes[kept]
        codes[space[kept]] = ord(" ")
        return cls(_text_of(codes), start[kept], end[last])

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The characters [start, end) of the original behind those of the normal form."""
        return int(self.start[start]), int(self.end[end - 1])

    @cached_property
    def codes(self) -> NDArray[np.uint32]:
        """The code points of the normal form: uint32[n]."""
        return codes_of(self.text)


def _text_of(codes: NDArray[np.uint32]) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _composed(original: str) -> tuple[str, NDArray[np.int64], NDArray[np.int64]]:
    """A text in NFC, and where each of its characters stands in the original."""
    if unicodedata.is_normalized("NFC", original):
        rows = np.arange(len(original), dtype=np.int64)
        return original, rows, rows + 1
    pieces: list[str] = []
    starts: list[NDArray[np.int64]] = []
    ends: list[NDArray[np.int64]] = []
    before = 0
    for run in _BEYOND_ASCII.finditer(original):
        for start, end in _clusters(original, run.start(), run.end()):
            rows = np.arange(before, start)
            composed = unicodedata.normalize("NFC", original[start:end])
            pieces += [original[before:start], composed]
            starts += [rows, np.full(len(composed), start)]
            ends += [rows + 1, np.full(len(composed), end)]
            before = end
    rows = np.arange(before, len(original))
    pieces.append(original[before:])
    text = "".join(pieces)
    return text, np.concatenate([*starts, rows]), np.concatenate([*ends, rows + 1])


def _clusters(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The pieces of text[start:end] that NFC puts together or changes, each on its own."""
    found: list[tuple[int, int]] = []
    begin = start
    for at in range(start + 1, end + 1):
        if at < end and _joins(text[begin:at], text[at]):
            continue
        piece = text[begin:at]
        if not unicodedata.is_normalized("NFC", piece):
            found.append((begin, at))
        begin = at
    return found


def _joins(before: str, character: str) -> bool:
    """Whether NFC may put a character together with those before it."""
    if unicodedata.combining(character) or ord(character) in _JAMO_INSIDE:
        return True
    alone = unicodedata.normalize("NFC", before) + unicodedata.normalize("NFC", character)
    return unicodedata.normalize("NFC", before + character) != alone
