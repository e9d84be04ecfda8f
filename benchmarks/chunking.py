"""Seconds that each chunker takes for 10 million characters, of English and of Korean.

``python -m benchmarks.chunking`` prints a table; ``--characters 1000000`` takes a shorter text.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from ragscore.chunking import (
    CharacterChunker,
    ChunkerSpec,
    HtmlChunker,
    MarkdownChunker,
    ParagraphChunker,
    RecursiveChunker,
    SentenceChunker,
    TokenChunker,
    WordChunker,
)

DATASETS = Path(__file__).resolve().parent.parent / "datasets"
TEXTS = {"English": "harbour-tenancy", "Korean": "insurer-handbook-ko"}
CHUNKERS: tuple[ChunkerSpec, ...] = (
    CharacterChunker(),
    WordChunker(),
    TokenChunker(),
    SentenceChunker(),
    SentenceChunker(size=100, overlap=20, unit="words"),
    ParagraphChunker(),
    RecursiveChunker(),
    RecursiveChunker(size=200, overlap=50),
    MarkdownChunker(size=800),
    HtmlChunker(size=800),
)


def text_of(dataset: str, characters: int) -> str:
    """The passages of a dataset as one text, as often as it takes."""
    lines = (DATASETS / dataset / "passages.jsonl").read_text(encoding="utf-8").splitlines()
    text = "\n\n".join(json.loads(line)["text"] for line in lines) + "\n\n"
    return (text * (characters // len(text) + 1))[:characters]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=10_000_000)
    texts = {name: text_of(of, parser.parse_args().characters) for name, of in TEXTS.items()}
    print(f"| chunker | {' | '.join(texts)} |")
    print("|---|" + "---|" * len(texts))
    for chunker in CHUNKERS:
        cells = []
        for text in texts.values():
            began = time.perf_counter()
            chunker.spans(text)
            cells.append(f"{time.perf_counter() - began:.1f}")
        print(f"| `{chunker!r}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
