"""What may be wrong with texts: characters that were lost or misread, words in pieces, and headers
and footers of pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import changes
from ragscore.diagnose.duplicates import TextWords, mixed, new_vocabulary

_LATER = (
    "[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc"
    "\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]"
)
_MISREAD = re.compile(
    f"[\u00c2-\u00df]{_LATER}|[\u00e0-\u00ef]{_LATER}{{2}}|[\u00f0-\u00f4]{_LATER}{{3}}"
).findall
"""Bytes of UTF-8 that were read as Latin-1 or Windows-1252."""
_PAIRS = re.compile("[\u00a1-\u00fe]{4,}").findall
"""Bytes of cp949 that were read as Latin-1 or Windows-1252, two for a syllable."""
SYLLABLES = 4
"""Syllables of Hangul that such letters have to mean in one text: fewer do by chance."""
LOST = "\ufffd", "\u5360\uc3d9\uc619", "\u951f\u65a4\u62f7"
"""What stands for lost characters: U+FFFD, and its UTF-8 read as cp949 and as GBK."""
_WRITTEN = re.compile(
    "[\u00a0-\u024f\u0370-\u03ff\u0400-\u04ff\u2010-\u2044\u20ac\u2122\u3000-\u30ff"
    "\u3131-\u318e\u4e00-\u9fff\uac00-\ud7a3\ufffd\U0001f300-\U0001faff]"
)
"""Letters and signs of texts that are often misread: not whatever three bytes may mean."""
_HYPHENATED = re.compile(r"([^\W\d_]{2,})-(?:[ \t]*\r?\n[ \t]*| )([^\W\d_]{2,})")
_AT_LINE_END = re.compile(r"([^\W\d_]+)[ \t]*\r?\n[ \t]*([^\W\d_]+)")
_SPACED = re.compile(r"(?<!\w)[^\W\d_](?: [^\W\d_]){3,}(?!\w)")
KNOWN_LETTERS, SURE_LETTERS = 4, 8
"""Spaced letters are a word if this many of them are one elsewhere; this many always are."""
PHRASE, LETTERED = 5, 4
"""Words of a phrase, numbers being alike, and how many of them have two letters or more."""
MIN_WORDS = 20
"""Words of a passage of which a phrase is a small part."""
MIN_COUNT, MIN_SHARE = 5, 0.05
"""How many passages have the phrase, or lines of one passage the words."""
MIN_LINES = 30
"""Lines from which on the lines of a passage are compared."""


def damaged_pieces(texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Rows of damaged texts, and what is damaged there."""
    for row, text in enumerate(texts):
        if not text.isascii() and (piece := damage(text)):
            yield row, piece


def damage(text: str) -> str:
    """The first damaged piece of a text; empty if there is none.

    >>> damage("caf\u00c3\u00a9"), damage("caf\u00e9"), damage("a\ufffdb")
    ('\u00c3\u00a9', '', '\ufffd')
    """
    for lost in LOST:
        if lost in text:
            return lost
    korean = [
        (piece, meant) for piece in _PAIRS(text) if _is_hangul(meant := _read(piece, "cp949"))
    ]
    if sum(len(meant) for _piece, meant in korean) >= SYLLABLES:
        return str(korean[0][0])
    found: list[str] = [piece for piece in _MISREAD(text) if _WRITTEN.fullmatch(_read(piece))]
    sure = [piece for piece in found if len(piece) > 2 or piece[0] in "\u00c2\u00c3"]
    # Two letters may stand together by chance, as in a quotation; not again and again.
    return sure[0] if sure else found[0] if len(found) > 2 else ""


def _is_hangul(text: str) -> bool:
    return text != "" and all("\uac00" <= sign <= "\ud7a3" for sign in text)


def _read(piece: str, encoding: str = "utf-8") -> str:
    """What the bytes that a piece stands for are in an encoding; empty if they are nothing."""
    try:
        return b"".join(
            character.encode("cp1252" if ord(character) > 255 else "latin-1") for character in piece
        ).decode(encoding)
    except UnicodeError:
        return ""


def broken_pieces(texts: Sequence[str], count_of: Callable[[str], int]) -> dict[int, str]:
    """By row of a text, the first word that is hyphenated or cut at the end of a line, or written
    letter by letter.

    Args:
        texts: any.
        count_of: how often a lower-cased word stands in them.
    """
    found: dict[int, str] = {}
    parts = Counter(part for text in texts for pair in _word_pairs(text) for part in pair)

    def only_part(word: str) -> bool:
        return count_of(word) <= parts[word]

    for row, text in enumerate(texts):
        for first, second in _word_pairs(text):
            if count_of(first + second) and (only_part(first) or only_part(second)):
                found.setdefault(row, f"{first} | {second}")
        for run in _SPACED.findall(text):
            letters = run.lower().split()
            starts = ("".join(letters[:end]) for end in range(KNOWN_LETTERS, len(letters) + 1))
            sure = len(letters) >= SURE_LETTERS or any(map(count_of, starts))
            if sure and letters != sorted(letters):  # a b c d is a list
                found.setdefault(row, run)
    return found


def _word_pairs(text: str) -> Iterator[tuple[str, str]]:
    """The two words at each hyphen with a space behind it and at each end of a line."""
    lowered = text.lower()
    if "- " in lowered or "-\n" in lowered or "-\r" in lowered:
        yield from _HYPHENATED.findall(lowered)
    if "\n" in lowered:
        yield from _AT_LINE_END.findall(lowered)


def shared_phrases(
    texts: Sequence[str], first: NDArray[np.bool_]
) -> tuple[Counter[str], NDArray[np.bool_]]:
    """Phrases of many texts, none of which shares a word with another, with the number of these;
    and which texts have one.

    Args:
        texts: of passages.
        first: which texts are no copy of one before.
    """
    vocabulary = new_vocabulary()
    words = TextWords.of(texts, vocabulary)
    affected = np.zeros(len(words), dtype=bool)
    named = np.array(["", *vocabulary])
    numbers = np.char.isdigit(named)
    lettered = (np.char.str_len(named) > 1) & ~numbers
    alike = np.where(numbers[words.words], 0, words.words).astype(np.uint64)
    starts = np.arange(max(0, len(alike) - PHRASE + 1))
    text = words.text_of[starts]
    starts = starts[
        (text == words.text_of[starts + PHRASE - 1])
        & (words.lengths[text] >= MIN_WORDS)
        & first[text]
        & (sum(lettered[words.words[starts + at]] for at in range(PHRASE)) >= LETTERED)
    ]
    hashes = np.zeros(len(starts), dtype=np.uint64)
    for at in range(PHRASE):
        hashes = mixed(hashes ^ alike[starts + at])
    order = np.lexsort((words.text_of[starts], hashes))
    order = order[changes(hashes[order], words.text_of[starts[order]])]  # once in each text
    starts, text = starts[order], words.text_of[starts[order]]
    _hashes, begins, counts = np.unique(hashes[order], return_index=True, return_counts=True)
    often = np.flatnonzero(counts >= max(MIN_COUNT, MIN_SHARE * first.sum()))
    found, seen = Counter[str](), set[str]()
    for phrase in often[np.lexsort((starts[begins[often]], -counts[often]))].tolist():
        begin, count = int(begins[phrase]), int(counts[phrase])
        affected[text[begin : begin + count]] = True
        own = named[words.words[starts[begin] : starts[begin] + PHRASE]].tolist()
        if seen.isdisjoint(own):
            found[" ".join(own)] = count
            seen.update(own)
    return found, affected


def repeated_lines(text: str) -> Iterator[tuple[str, int]]:
    """The lines that stand in one long text again and again, numbers being alike."""
    if text.count("\n") < MIN_LINES:
        return
    counts = Counter(re.sub(r"\d+", "0", line).strip() for line in text.splitlines())
    for line, count in counts.most_common():
        if count < MIN_COUNT:
            return
        if len(re.findall(r"[^\W\d_]{2,}", line)) >= LETTERED:
            yield line, count
