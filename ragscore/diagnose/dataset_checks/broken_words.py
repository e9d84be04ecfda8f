"""Words in pieces: hyphenated or cut at the end of a line, or written letter by letter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _
from ragscore.names import shortened

_HYPHENATED = re.compile(r"([^\W\d_]{2,})-(?:[ \t]*\r?\n[ \t]*| )([^\W\d_]{2,})")
_AT_LINE_END = re.compile(r"([^\W\d_]+)[ \t]*\r?\n[ \t]*([^\W\d_]+)")
_SPACED = re.compile(r"(?<!\w)[^\W\d_](?: [^\W\d_]){3,}(?!\w)")
KNOWN_LETTERS, SURE_LETTERS = 4, 8
"""Spaced letters are a word if this many of them are one elsewhere; this many always are."""


def _look(data: CheckedData) -> CheckOutcome | None:
    found: dict[int, str] = {}
    parts = Counter(part for text in data.texts for pair in _pairs(text) for part in pair)

    def only_part(word: str) -> bool:
        return data.count_of(word) <= parts[word]

    for row, text in enumerate(data.texts):
        for first, second in _pairs(text):
            whole = data.count_of(first + second) > 0
            if whole and (only_part(first) or only_part(second)):
                found.setdefault(row, f"{first} | {second}")
        for run in _SPACED.findall(text):
            letters = run.lower().split()
            starts = ("".join(letters[:end]) for end in range(KNOWN_LETTERS, len(letters) + 1))
            sure = len(letters) >= SURE_LETTERS or any(map(data.count_of, starts))
            if sure and letters != sorted(letters):  # a b c d is a list
                found.setdefault(row, run)
    listed = islice(found.items(), MAX_EXAMPLES)
    examples = tuple(f"{data.passage(row)}: {shortened(piece)!r}" for row, piece in listed)
    return CheckOutcome(len(found), len(data.texts), examples) if found else None


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """The two words at each hyphen with a space behind it and at each end of a line."""
    lowered = text.lower()
    if "- " in lowered or "-\n" in lowered or "-\r" in lowered:
        yield from _HYPHENATED.findall(lowered)
    if "\n" in lowered:
        yield from _AT_LINE_END.findall(lowered)


CHECK = Check(
    "warning",
    what=_("Passages with broken words: cut at the end of a line, or spaced letter by letter"),
    why=_(
        "The pieces are different words: neither BM25 nor a model finds the whole word, which "
        "occurs elsewhere in these texts (or has many letters)."
    ),
    fix=_("Join lines and hyphenated words when you convert PDF files to text."),
    look=_look,
)
