"""Time BM25 through ragscore against the bare bm25s calls on the same data.

Both sides run in one process and take turns, so that both meet the same machine; a side's time
is its median over the rounds. Each round tokenises, indexes and searches, and ragscore's also
records the run as Parquet and TREC files; nothing is cached.

    RAGSCORE_CONFORMANCE_DATA=... python benchmarks/overhead_bm25.py [--rounds 7]

The ratio must stay at or under 1.10. Without the environment variable only the generated corpus
is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

import bm25s
import numpy as np
import Stemmer

from ragscore.dataset import Corpus, Ids, Queries
from ragscore.formats import write_parquet_run, write_trec_run
from ragscore.retrievers.bm25 import BM25

LIMIT = 1.10
DEPTH = 100


def bare(corpus: Corpus, queries: Queries) -> None:
    """What a user of bm25s writes; the backends are those that ragscore names."""
    stemmer = Stemmer.Stemmer("english")
    passages = bm25s.tokenize(corpus.texts, stopwords="en", stemmer=stemmer, show_progress=False)
    index = bm25s.BM25(backend="numpy", csc_backend="numpy")
    index.index(passages, show_progress=False)
    wanted = bm25s.tokenize(queries.texts, stopwords="en", stemmer=stemmer, show_progress=False)
    index.retrieve(
        wanted, k=min(DEPTH, len(corpus)), show_progress=False, backend_selection="numpy"
    )


def through_ragscore(corpus: Corpus, queries: Queries) -> None:
    """The same search, with the run recorded as an experiment records it."""
    run = BM25().build(corpus).search(queries, DEPTH)
    with tempfile.TemporaryDirectory() as folder:
        frame = run.to_polars()
        write_parquet_run(run, Path(folder) / "bm25.parquet", frame=frame)
        write_trec_run(run, Path(folder) / "bm25.trec", frame=frame)


def collection(folder: Path, at_least: int = 1_000) -> tuple[Corpus, Queries]:
    """A collection in BEIR layout; its queries are repeated until there are ``at_least``."""

    def rows(name: str) -> list[dict[str, str]]:
        text = (folder / name).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line]

    passages, questions = rows("corpus.jsonl"), rows("queries.jsonl")
    times = -(-at_least // len(questions))
    texts = {
        f"{question['_id']}-{turn}": question["text"]
        for turn in range(times)
        for question in questions
    }
    corpus = Corpus(Ids(row["_id"] for row in passages), [row["text"] for row in passages])
    return corpus, Queries.from_texts(texts)


def generated(passages: int = 50_000, queries: int = 1_000) -> tuple[Corpus, Queries]:
    """Passages of 40 to 120 words and queries of 4 to 12, word frequencies after Zipf."""
    random = np.random.default_rng(20_240_501)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(random.choice(letters, size)) for size in random.integers(3, 11, 60_000)]

    def texts(count: int, low: int, high: int) -> list[str]:
        lengths = random.integers(low, high, count)
        drawn = (random.zipf(1.15, int(lengths.sum()) * 2) - 1) % len(words)
        ends = np.cumsum(lengths)
        return [
            " ".join(words[at] for at in drawn[end - length : end])
            for end, length in zip(ends, lengths, strict=True)
        ]

    corpus = Corpus(Ids(f"p{row}" for row in range(passages)), texts(passages, 40, 121))
    asked = {f"q{row}": text for row, text in enumerate(texts(queries, 4, 13))}
    return corpus, Queries.from_texts(asked)


def seconds(call: object, corpus: Corpus, queries: Queries) -> float:
    """Seconds of one round."""
    start = time.perf_counter()
    call(corpus, queries)  # type: ignore[operator]
    return time.perf_counter() - start


def main() -> int:
    """Print one line for each corpus; return 1 where a ratio is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    stories = {"generated": generated()}
    folder = os.environ.get("RAGSCORE_CONFORMANCE_DATA")
    for name in ("xquad-en", "mini-msmarco") if folder else ():
        stories[name] = collection(Path(folder or "") / "collections" / name)
    worst = 0.0
    for name, (corpus, queries) in stories.items():
        # Small corpora take milliseconds: more rounds steady them.
        turns = rounds if len(corpus) > 10_000 else rounds * 3
        taken: dict[str, list[float]] = {"bare": [], "ragscore": []}
        for turn in range(turns + 1):
            for label, call in (("bare", bare), ("ragscore", through_ragscore)):
                spent = seconds(call, corpus, queries)
                if turn:  # the first round only warms up
                    taken[label].append(spent)
        usual = {label: statistics.median(spent) for label, spent in taken.items()}
        ratio = usual["ragscore"] / usual["bare"]
        worst = max(worst, ratio)
        print(
            f"{name:<14} {len(corpus):>6,} passages {len(queries):>5,} queries   "
            f"bare {usual['bare']:.3f} s   ragscore {usual['ragscore']:.3f} s   "
            f"ratio {ratio:.2f}"
        )
    print(f"worst ratio {worst:.2f} (limit {LIMIT})")
    return int(worst > LIMIT)


if __name__ == "__main__":
    raise SystemExit(main())
