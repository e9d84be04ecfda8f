"""Headers and footers of pages: the same words in many passages, or in many lines of one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.diagnose.text_words import TextWords, mixed, new_vocabulary
from ragscore.messages import _
from ragscore.names import shortened

PHRASE, LETTERED = 5, 4
"""Words of a phrase, numbers being alike, and how many of them have two letters or more."""
MIN_WORDS = 20
"""Words of a passage of which a phrase is a small part."""
MIN_COUNT, MIN_SHARE = 5, 0.05
"""How many passages have the phrase, or lines of one passage the words."""
MIN_LINES = 30
"""Lines from which on the lines of a passage are compared."""
MAX_READ = 50_000
"""Of more passages this many are drawn, always the same: headers are everywhere."""


def _look(data: CheckedData) -> CheckOutcome | None:
    corpus = data.dataset.corpus
    if corpus is None or not len(corpus):
        return None
    drawn = np.random.default_rng(0).choice(len(corpus), min(len(corpus), MAX_READ), replace=False)
    rows = np.sort(drawn)
    texts = [corpus.texts[row] for row in rows.tolist()]
    phrases, affected = _phrases(texts, data.first_copy[rows] == rows)
    for row, text in enumerate(texts):
        for line, count in _lines(text):
            affected[row] = True
            phrases[line] = max(phrases[line], count)
    examples = (f'"{shortened(phrase)}" ({n})' for phrase, n in phrases.most_common(MAX_EXAMPLES))
    count = int(affected.sum())
    return CheckOutcome(count, len(affected), tuple(examples)) if count else None


def _phrases(
    texts: Sequence[str], first: NDArray[np.bool_]
) -> tuple[Counter[str], NDArray[np.bool_]]:
    """Phrases of many texts, none of which shares a word with another, with the number of these;
    and which texts have one.

    Args:
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
    text = words.text_of[starts].astype(np.uint64)
    order = np.lexsort((text, hashes))
    hashes, text, starts = hashes[order], text[order], starts[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (hashes[1:] != hashes[:-1]) | (text[1:] != text[:-1])
    hashes, text, starts = hashes[new], text[new], starts[new]
    _hashes, begins, counts = np.unique(hashes, return_index=True, return_counts=True)
    often = np.flatnonzero(counts >= max(MIN_COUNT, MIN_SHARE * first.sum()))
    found, seen = Counter[str](), set[str]()
    for phrase in often[np.lexsort((starts[begins[often]], -counts[often]))].tolist():
        begin, count = int(begins[phrase]), int(counts[phrase])
        affected[text[begin : begin + count].astype(np.int64)] = True
        own = named[words.words[starts[begin] : starts[begin] + PHRASE]].tolist()
        if seen.isdisjoint(own):
            found[" ".join(own)] = count
            seen.update(own)
    return found, affected


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """The lines that stand in one long text again and again, numbers being alike."""
    if text.count("\n") < MIN_LINES:
        return
    counts = Counter(re.sub(r"\d+", "0", line).strip() for line in text.splitlines())
    for line, count in counts.most_common():
        if count < MIN_COUNT:
            return
        if len(re.findall(r"[^\W\d_]{2,}", line)) >= LETTERED:
            yield line, count


CHECK = Check(
    "note",
    what=_("Passages with a phrase that many passages, or many of their lines, repeat"),
    why=_(
        "Headers and footers of pages make different passages look alike, and interrupt "
        "sentences that continue on the next page."
    ),
    fix=_("Remove them when you convert pages to text. In brackets: how often they occur."),
    look=_look,
)
