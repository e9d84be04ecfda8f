"""The rules of a house: five passages and four queries, in memory and as an experiment's files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

Write = Callable[..., str]
"""What writes a file into the test's folder: ``write(content, name)``."""

JARGON = re.compile(
    r"Input should|input_type|type=|pydantic|validation error|For further|[Tt]uple|valid "
)
"""Words of pydantic, which no error of ours says."""
PASSAGES = {
    "rent due": "Rent is due on the first working day of every month.",
    "deposit": "The deposit is returned within 21 days after the keys are handed back.",
    "pets": "Cats are allowed; dogs need the written consent of the office.",
    "noise": "Noise after ten in the evening is a breach of the house rules.",
    "repairs": "The landlord repairs heating within three working days.",
}
QUERIES = {
    "q1": "when is rent due",
    "q2": "may I keep dogs",
    "q3": "how long does a heating repair take",
    "q4": "xyzzy",
}
TRUTH = {
    "q1": {"rent due": 2, "deposit": 0},
    "q2": ["pets"],
    "q3": ["repairs"],
    "q4": ["noise"],
}
KINDS = {"q1": "money", "q2": "house", "q3": "house", "q4": "house"}
"""The kind of each query, where they are tagged."""
GRADED = {
    "q1": {"rent due": 2, "deposit": 0},
    "q2": {"pets": 1, "noise": 1},
    "q3": {"repairs": 1},
    "q4": {"noise": 1},
}
"""The judgments of a tagged dataset."""

TWO = """\
dataset: data
retrievers:
  bm25: {kind: bm25}
  words: {kind: bm25, tokenizer: words}
  both: {kind: fusion, retrievers: [bm25, words]}
measures: [nDCG@3, mAP@3, R@depth, MR]
depth: 4
latency: {queries: 3}
"""
"""Two retrievers and their fusion."""
PAIR = """\
dataset: data
retrievers:
  bm25: {kind: bm25}
  words: {kind: bm25, tokenizer: words}
measures: [nDCG@3, P@3]
depth: 4
latency: false
"""
"""Two retrievers, and nothing timed."""
GOOD = "dataset: statutes\nretrievers:\n  bm25: {kind: bm25}\n"
"""Of the dataset that the fixture ``write`` makes: the least that an experiment needs."""


def write_dataset(
    folder: Path, id_of: dict[str, str] | None = None, *, tagged: bool = False
) -> Path:
    """The house as jsonl.

    Args:
        folder: is made.
        id_of: what each passage is called; by default its name without a blank.
        tagged: whether queries have tags and metadata, and judgments grades.
    """
    names = id_of or {passage: passage.replace(" ", "-") for passage in PASSAGES}
    queries: list[dict[str, Any]] = [{"id": q, "text": text} for q, text in QUERIES.items()]
    truth: dict[str, Any] = {q: [names[p] for p in judged] for q, judged in TRUTH.items()}
    if tagged:
        for query in queries:
            kind = KINDS[query["id"]]
            query |= {"tags": [f"kind:{kind}", kind], "metadata": {"part": kind}}
        truth = {q: {names[p]: grade for p, grade in of.items()} for q, of in GRADED.items()}
    folder.mkdir(parents=True)
    rows = {
        "passages.jsonl": [{"id": names[p], "text": text} for p, text in PASSAGES.items()],
        "queries.jsonl": queries,
        "ground_truth.jsonl": [{"query_id": q, "passages": of} for q, of in truth.items()],
    }
    for name, lines in rows.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return folder


def write_config(folder: Path, body: str, name: str = "house", *, report: bool = False) -> Path:
    """Without a report unless it is asked for: most tests do not look at it."""
    path = folder / "house.yaml"
    less = "" if report else "report: false\n"
    path.write_text(f"name: {name}\n{body}{less}", encoding="utf-8")
    return path
