"""Searching a corpus in blocks under a limit on memory, against FAISS on vectors that fit.

    python benchmarks/streamed_search.py                       # a million passages
    python benchmarks/streamed_search.py 10000000 --fit 2000000 --folder /tmp/ten-million

Makes Parquet shards of passages with generated texts, and random vectors in a file for each shard.
Then it measures, each in a process of its own: FAISS alone (``IndexFlatIP`` over the first
``--fit`` vectors, in memory, without a limit), and ragscore with an address space of ``--limit``
GB: reading the corpus, exact search, BM25. Ratios compare seconds for each million passages, and
processor seconds too, which say more on a busy machine. Parts may be named several times: with
``--only faiss exact faiss exact faiss``, the means of each are compared.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

SHARD = 500_000
DIMENSIONS = 128
DEPTH = 100
SEARCHES = 5
"""Of FAISS alone, whose median counts: one takes two seconds, and machines vary from one to the
next."""
WORDS = 200_000
"""Different words, whose frequencies fall as those of a language without its stop words."""


def make(folder: Path, passages: int, queries: int, words: Sequence[str] = ()) -> None:
    """The dataset, its vectors, and those of the queries; texts are of these words, the most
    frequent first, or of numbers."""
    import polars

    for name in ("passages", "vectors"):
        (folder / name).mkdir(parents=True)
    words = np.array(words or [f"w{number:x}" for number in range(WORDS)])
    shares = np.cumsum(1 / (np.arange(len(words)) + 50))
    shares /= shares[-1]
    for part, start in enumerate(range(0, passages, SHARD)):
        count = min(SHARD, passages - start)
        draw = np.random.default_rng([1, part])
        ends = np.cumsum(draw.integers(20, 60, count))
        drawn = words[np.searchsorted(shares, draw.random(int(ends[-1])))]
        texts = [" ".join(text) for text in np.split(drawn, ends[:-1])]
        ids = [f"p{row}" for row in range(start, start + count)]
        frame = polars.DataFrame({"id": ids, "text": texts})
        frame.write_parquet(folder / "passages" / f"part-{part}.parquet")
        vectors = draw.standard_normal((count, DIMENSIONS), dtype=np.float32)
        np.save(folder / "vectors" / f"part-{part}.npy", vectors)
    draw = np.random.default_rng(2)
    np.save(folder / "queries.npy", draw.standard_normal((queries, DIMENSIONS), dtype=np.float32))
    terms = words[np.searchsorted(shares, draw.random((queries, 6)))]
    lines = [{"id": f"q{row}", "text": " ".join(text)} for row, text in enumerate(terms)]
    truth = [{"query_id": line["id"], "passages": {f"p{row}": 1}} for row, line in enumerate(lines)]
    for name, rows in (("queries", lines), ("ground_truth", truth)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def bare_faiss(folder: Path, fit: int) -> dict[str, Any]:
    """FAISS over vectors in memory."""
    import faiss

    index, left = faiss.IndexFlatIP(DIMENSIONS), fit
    for part in range(-(-fit // SHARD)):
        vectors = np.load(folder / "vectors" / f"part-{part}.npy")[:left]
        index.add(vectors)
        left -= len(vectors)
    queries = np.load(folder / "queries.npy")
    walls, processors = [], []
    for _ in range(SEARCHES):
        began, spent = time.perf_counter(), time.process_time()
        index.search(queries, DEPTH)
        walls.append(time.perf_counter() - began)
        processors.append(time.process_time() - spent)
    return {
        "seconds": median(walls),
        "processor": median(processors),
        "passages": index.ntotal,
    }


def opened(folder: Path) -> tuple[Any, Any]:
    """The dataset in blocks, and its cache."""
    from ragscore import Cache, load_dataset

    cache = Cache(folder / "cache")
    return load_dataset(folder, in_blocks=True, cache=cache), cache


def read(folder: Path, fit: int) -> dict[str, Any]:
    """Put the corpus into the cache."""
    began, spent = time.perf_counter(), time.process_time()
    dataset, _ = opened(folder)
    return {
        "seconds": time.perf_counter() - began,
        "processor": time.process_time() - spent,
        "passages": len(dataset.corpus),
    }


def searched(folder: Path, spec: Any) -> dict[str, Any]:
    """Build and search a retriever, as an experiment does."""
    dataset, cache = opened(folder)
    began = time.perf_counter()
    index = spec.build(dataset.corpus, cache)
    index.prepare(dataset.queries)
    built, spent = time.perf_counter(), time.process_time()
    index.search(dataset.queries, DEPTH)
    ended = time.perf_counter()
    index.forget()
    return {
        "build": built - began,
        "seconds": ended - built,
        "processor": time.process_time() - spent,
        "passages": len(dataset.corpus),
    }


def exact(folder: Path, fit: int) -> dict[str, Any]:
    """Exact search of the vectors."""
    from ragscore import Faiss

    vectors = {"passages": str(folder / "vectors"), "queries": str(folder / "queries.npy")}
    return searched(folder, Faiss(encoder={"kind": "precomputed", **vectors}, metric="ip"))


def bm25(folder: Path, fit: int) -> dict[str, Any]:
    """BM25 of the texts."""
    from ragscore import BM25

    return searched(folder, BM25(tokenizer="words"))


SECONDS = ("seconds", "processor")
PARTS: dict[str, Callable[[Path, int], dict[str, Any]]] = {
    "faiss": bare_faiss,
    "read": read,
    "exact": exact,
    "bm25": bm25,
}
ONCE = ("faiss", "read", "exact", "bm25", "faiss")
"""FAISS before and after: machines vary from one minute to the next."""


def measured(part: str, folder: Path, fit: int, limit: float) -> dict[str, Any]:
    """What a process of its own says of a part."""
    command = [sys.executable, __file__, "--part", part, "--folder", str(folder)]
    command += ["--fit", str(fit), "--limit", str(0 if part == "faiss" else limit)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"{part} failed:\n{ran.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("passages", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--fit", type=int, default=1_000_000, help="vectors that FAISS searches")
    parser.add_argument("--limit", type=float, default=4, help="GB of address space")
    parser.add_argument("--folder", type=Path, help="kept, and used again; by default a new one")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=ONCE)
    parser.add_argument("--part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        if given.limit:
            most = int(given.limit * 1e9)
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        found = PARTS[given.part](given.folder, given.fit)
        status = Path("/proc/self/status").read_text(encoding="ascii")
        peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
        print(json.dumps({**found, "peak": peak}))
        return
    with tempfile.TemporaryDirectory() as new:
        folder = given.folder or Path(new)
        if not (folder / "queries.npy").is_file():
            make(folder, given.passages, given.queries)
        each: dict[str, list[tuple[float, float]]] = {}
        for part in given.only:
            found = measured(part, folder, min(given.fit, given.passages), given.limit)
            wall, processor = (found[what] / found["passages"] * 1e6 for what in SECONDS)
            each.setdefault(part, []).append((wall, processor))
            before = f" after {found['build']:.1f} s of building" if "build" in found else ""
            print(
                f"{part:6}{found['passages']:>11,} passages {found['seconds']:7.1f} s{before}; of "
                f"a million {wall:.2f} s, {processor:.2f} s of processors; peak "
                f"{found['peak'] / 1e9:.2f} GB",
                flush=True,
            )
        if "faiss" in each and "exact" in each:
            exactly, bare = (np.mean(each[part], axis=0) for part in ("exact", "faiss"))
            wall, processor = exactly / bare
            print(
                f"exact in blocks / FAISS on data that fits: {wall:.2f}, {processor:.2f} of "
                "processors"
            )


if __name__ == "__main__":
    main()
