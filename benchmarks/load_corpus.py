"""Seconds and memory to load a large corpus: 1 million passages of 100 words by default.

    python benchmarks/load_corpus.py [PASSAGES] [jsonl|beir|csv|parquet]

The target (issue 2): under 20 s and 3 GB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WORDS = 100


def write(folder: Path, count: int, kind: str) -> None:
    """A synthetic dataset of ``count`` passages, in one of the formats."""
    generator = np.random.default_rng(7)
    vocabulary = ["".join(map(chr, word)) for word in generator.integers(97, 123, (50_000, 6))]
    names = {"jsonl": "passages.jsonl", "beir": "corpus.jsonl"}
    id_key = "_id" if kind == "beir" else "id"
    path = folder / names.get(kind, "passages.csv")
    with path.open("w", encoding="utf-8", newline="\n") as file:
        if kind in ("csv", "parquet"):
            file.write("id,text\n")
        for start in range(0, count, 10_000):
            picked = generator.integers(0, len(vocabulary), (min(10_000, count - start), WORDS))
            for at, words in enumerate(picked.tolist(), start):
                text = " ".join(vocabulary[word] for word in words)
                if kind in ("csv", "parquet"):
                    file.write(f'p{at},"{text}"\n')
                else:
                    file.write(json.dumps({id_key: f"p{at}", "text": text}) + "\n")
    query, judgment = {id_key: "q1", "text": "a question"}, {"query_id": "q1", "passages": ["p0"]}
    if kind == "jsonl":
        (folder / "queries.jsonl").write_text(json.dumps(query) + "\n")
        (folder / "ground_truth.jsonl").write_text(json.dumps(judgment) + "\n")
    elif kind == "beir":
        (folder / "queries.jsonl").write_text(json.dumps(query) + "\n")
        (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tp0\t1\n")
    else:
        (folder / "queries.csv").write_text("id,text\nq1,a question\n")
        (folder / "ground_truth.csv").write_text("query_id,passage_id\nq1,p0\n")
    if kind == "parquet":
        import polars

        for table in list(folder.glob("*.csv")):
            polars.read_csv(table).write_parquet(table.with_suffix(".parquet"))
            table.unlink()


def load(folder: str) -> None:
    """Load the dataset and print the figures of this process."""
    from ragscore.formats import load_dataset

    began = time.perf_counter()
    dataset = load_dataset(folder)
    seconds = time.perf_counter() - began
    print(f"{dataset}: {seconds:.1f} s, {peak_gigabytes():.2f} GB at most")


def peak_gigabytes() -> float:
    """Most memory this process has held; NaN where the platform does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return float("nan")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def main() -> None:
    """Write the dataset, then load it in a process of its own."""
    if sys.argv[1:2] == ["--load"]:
        load(sys.argv[2])
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    kind = sys.argv[2] if len(sys.argv) > 2 else "jsonl"
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), count, kind)
        subprocess.run([sys.executable, __file__, "--load", folder], check=True)


if __name__ == "__main__":
    main()
