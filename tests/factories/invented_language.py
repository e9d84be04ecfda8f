"""A dataset of any size, in an invented language whose words are as frequent as a real one's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]


def written(folder: Path, passages: list[Row], queries: list[Row], truth: list[Row]) -> None:
    """Rows as a dataset in jsonl."""
    folder.mkdir(parents=True)
    for name, rows in (("passages", passages), ("queries", queries), ("ground_truth", truth)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8", newline="\n")


KINDS = ("exact", "paraphrase", "number", "multi-part")
CONSONANTS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl")
SYLLABLES = [consonant + vowel for consonant in CONSONANTS for vowel in "aeiou"]
OWN_WORDS, RELEVANT, JUDGED, PASSAGES = 14, 3, 6, 10


def vocabulary(size: int, rng: np.random.Generator) -> np.ndarray:
    """Invented words, the frequent ones short, each but once."""
    words: dict[str, None] = {}
    while len(words) < size:
        length = 1 + min(4, len(words) // 40 // (1 + len(words) // 2000) // 8 + 1)
        picked = rng.integers(len(SYLLABLES), size=rng.integers(max(1, length - 1), length + 1))
        words["".join(SYLLABLES[n] for n in picked) + ("n" if len(words) % 3 else "")] = None
    return np.array(list(words))


def invented(folder: Path, queries: int, words: int, seed: int = 7) -> None:
    """A dataset in an invented language whose words are as frequent as a real one's.

    Each query has ten passages of its own, which share some of its words: three are relevant, one
    of these all but a copy of an unjudged one, three more are judged not relevant.
    """
    rng = np.random.default_rng(seed)
    names = vocabulary(20_000, rng)
    chance = np.cumsum(1 / np.arange(1, len(names) + 1) ** 1.05)
    chance /= chance[-1]
    spoken = names.tolist()

    def sentences(own: np.ndarray, shares: np.ndarray, lengths: np.ndarray) -> list[str]:
        """Texts of so many words, so large a share of them the query's own."""
        picked = np.searchsorted(chance, rng.random(lengths.sum()))
        from_own = rng.random(len(picked)) < np.repeat(shares, lengths)
        picked[from_own] = rng.choice(own, size=int(from_own.sum()))
        said = iter([spoken[word] for word in picked.tolist()])
        return [
            " ".join(next(said) + "." * (n % 14 == 13) for n in range(length)).capitalize()
            for length in lengths.tolist()
        ]

    passage_rows: list[Row] = []
    query_rows: list[Row] = []
    truth: list[Row] = []
    for n in range(queries):
        own = rng.choice(np.arange(300, len(names)), size=OWN_WORDS, replace=False)
        ids = [f"P{n:05d}-{part}" for part in range(PASSAGES)]
        # The share of the query's words differs, and so does how hard its passages are to find.
        lengths = rng.integers(words // 2, words * 3 // 2, size=PASSAGES)
        texts = sentences(own, rng.uniform(0.0, 0.1, size=PASSAGES), lengths)
        texts[PASSAGES - 1] = texts[0] + " " + spoken[n % len(spoken)]
        titles = sentences(own, np.full(PASSAGES, 0.3), np.full(PASSAGES, 5))
        passage_rows += [
            {"id": one, "text": text, "title": title}
            for one, text, title in zip(ids, texts, titles, strict=True)
        ]
        asked = names[rng.choice(own, size=int(rng.integers(2, 6)), replace=False)].tolist()
        around = names[rng.choice(400, size=4)].tolist()
        query_rows.append(
            {
                "id": f"q{n + 1}",
                "text": " ".join([*around[:2], *asked, *around[2:]]).capitalize() + "?",
                "tags": [f"kind:{KINDS[n % len(KINDS)]}"],
            }
        )
        grades = {one: 1 + n % 3 if part == 0 else 1 for part, one in enumerate(ids[:RELEVANT])}
        grades |= dict.fromkeys(ids[RELEVANT:JUDGED], 0)
        truth.append({"query_id": f"q{n + 1}", "passages": grades})
    written(folder, passage_rows, query_rows, truth)
