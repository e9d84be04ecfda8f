"""Time an experiment on a corpus in blocks: two processes of this machine against a Ray cluster.

The cluster is one of this machine with two workers, which begins and ends with the run: its start,
the look at its nodes and the import of ragscore in each worker count. All sides run the same
experiment with an empty cache and take turns at being first; a side's time is its median over the
rounds. Beside the time stands the processor time of all processes of a side, which says more on a
busy machine. The runs have to be equal to the last bit.

    python benchmarks/ray_overhead.py [--passages 1000000] [--block 16384] [--rounds 2]

Ray with two workers must stay within 1.15 times two processes, on a job of a few minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from ragscore import Cache, load_experiment, run_experiment

LIMIT = 1.15
EXECUTORS = {
    "two processes": "{kind: local, processes: 2}",
    "Ray, two workers": "{kind: ray, address: local, workers: 2}",
}
EXPERIMENT = """\
dataset: {{path: words, block: {block}}}
memory: 4GB
retrievers:
{retrievers}
measures: [nDCG@10, R@100]
latency: false
report: false
"""
BM25 = "  stems: {kind: bm25}\n  words: {kind: bm25, tokenizer: words}\n"
DENSE = "  dense: {kind: faiss, encoder: minilm}\n"
WORDS = 50_000


def write_dataset(folder: Path, passages: int, queries: int) -> None:
    """Passages of 60 words that are as frequent as words are, in eight files; queries of six."""
    random = np.random.default_rng(7)
    names = np.array([hashlib.sha256(b"%d" % word).hexdigest()[:7] for word in range(WORDS)])
    (folder / "passages").mkdir(parents=True)
    for part, count in enumerate(np.diff(np.linspace(0, passages, 9).astype(int)).tolist()):
        texts = names[random.zipf(1.2, (count, 60)) % WORDS]
        rows = [
            json.dumps({"id": f"p{part}-{row}", "text": " ".join(words)})
            for row, words in enumerate(texts.tolist())
        ]
        (folder / "passages" / f"part-{part}.jsonl").write_text("\n".join(rows))
    asked = names[random.zipf(1.2, (queries, 6)) % WORDS].tolist()
    rows = [
        json.dumps({"id": f"q{row}", "text": " ".join(words)}) for row, words in enumerate(asked)
    ]
    (folder / "queries.jsonl").write_text("\n".join(rows))
    judged = [
        json.dumps({"query_id": f"q{row}", "passages": {"p0-0": 1}}) for row in range(queries)
    ]
    (folder / "ground_truth.jsonl").write_text("\n".join(judged))


class ProcessorTime(threading.Thread):
    """Watches this process and all that begin below it, until it is asked for their seconds."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.before = os.times().user + os.times().system
        self.of: dict[int, float] = {}
        self.ended = threading.Event()

    def run(self) -> None:
        tick = os.sysconf("SC_CLK_TCK")
        while not self.ended.wait(0.1):
            parents, seconds = dict[int, int](), dict[int, float]()
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    fields = (folder / "stat").read_text().rpartition(")")[2].split()
                except OSError:  # it has ended
                    continue
                pid = int(folder.name)
                parents[pid], seconds[pid] = int(fields[1]), sum(map(int, fields[11:13])) / tick
            below = {os.getpid()}
            while more := {pid for pid, parent in parents.items() if parent in below} - below:
                below |= more
            self.of |= {pid: seconds[pid] for pid in below}

    def seconds(self) -> float:
        """Of all processes, since it was made."""
        self.ended.set()
        self.join()
        return sum(self.of.values()) - self.before


def run(config: Path, executor: str) -> tuple[float, float, str]:
    """Seconds of a run with an empty cache, those of processors, and a digest of what it found."""
    with tempfile.TemporaryDirectory() as folder:
        watch = ProcessorTime()
        watch.start()
        began = time.perf_counter()
        result = run_experiment(
            load_experiment(config, [f"executor={executor}"]),
            output=Path(folder, "out"),
            cache=Cache(Path(folder, "cache")),
        )
        seconds, busy = time.perf_counter() - began, watch.seconds()
        assert not result.failures, result.failures
        found = hashlib.sha256()
        for key in sorted(result.runs):
            found.update(result.runs[key].rows.tobytes())
            found.update(result.runs[key].scores.tobytes())
        return seconds, busy, found.hexdigest()


def main() -> None:
    """Print the seconds of each side and their ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--block", type=int, default=16_384)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--dense", action="store_true", help="encode with MiniLM in place of BM25")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_dataset(Path(folder, "words"), given.passages, given.queries)
        config = Path(folder, "experiment.yaml")
        retrievers = DENSE if given.dense else BM25
        config.write_text(EXPERIMENT.format(block=given.block, retrievers=retrievers))
        seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in EXECUTORS}
        digests = set()
        for number in range(given.rounds):
            for name in [*EXECUTORS][:: -1 if number % 2 else 1]:
                took, busy, digest = run(config, EXECUTORS[name])
                seconds[name].append((took, busy))
                digests.add(digest)
                print(f"{name}: {took:.1f} s, {busy:.1f} s of processors", flush=True)
    processes, ray = (
        [statistics.median(column) for column in zip(*taken, strict=True)]
        for taken in seconds.values()
    )
    for name, (took, busy) in zip(EXECUTORS, (processes, ray), strict=True):
        print(f"{name:18} {took:7.1f} s {busy:7.1f} s of processors")
    ratios = [theirs / own for theirs, own in zip(ray, processes, strict=True)]
    print(f"Ray / two processes: {ratios[0]:.2f} (at most {LIMIT}), of processors {ratios[1]:.2f}")
    print("equal to the last bit: ", end="")
    print("yes" if len(digests) == 1 else "NO")


if __name__ == "__main__":
    main()
