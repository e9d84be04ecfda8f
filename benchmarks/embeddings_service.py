"""What asking an embeddings service costs besides the service, and how near the estimate of tokens
comes.

The service takes 50 ms for a request and gives random vectors of 384 dimensions, as a process of
its own: of 8 requests of 32 texts at once, no client gets more than 5,120 texts a second out of it;
without delay, the client is what takes time. Collections are those that RAGSCORE_CONFORMANCE_DATA
names.

``python -m benchmarks.embeddings_service``
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from ragscore import Endpoint, load_dataset
from ragscore.encoders.endpoint.request_sizes import estimated_tokens
from ragscore.encoders.named_tokenizers import open_tokenizer
from tests.factories.systems.embedding_server import embedding_server

DIMENSIONS, TEXTS = 384, 20_000
ENGLISH = ("xquad-en", "cranfield")
HARBOUR = Path(__file__).resolve().parents[1] / "datasets" / "harbour-tenancy"


def serve(delay: float) -> None:
    """A service that prints its URL, until stdin ends."""
    vectors = np.random.default_rng(0).normal(size=(64, DIMENSIONS)).astype(np.float32)
    with embedding_server(lambda texts: vectors[: len(texts)]) as server:
        server.delay = delay
        print(server.url, flush=True)
        sys.stdin.read()


def client(texts: list[str]) -> None:
    """Texts a second, with a service that takes its time and one that does not."""
    for delay in (0.05, 0.0):
        command = [sys.executable, "-m", "benchmarks.embeddings_service", "--serve", str(delay)]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            for form in ("base64", "float"):
                opened = Endpoint(url=url, model="random", encoding_format=form).open()
                opened.load()
                began, used = time.perf_counter(), time.process_time()
                opened.vectors(texts, texts, "passage")
                seconds, used = time.perf_counter() - began, time.process_time() - used
                print(
                    f"{1000 * delay:.0f} ms a request, {form}: {len(texts) / seconds:,.0f} texts a "
                    f"second; {1_000_000 * used / len(texts):.0f} us of processor time a text"
                )
            process.stdin.close()


def estimate(folder: Path) -> None:
    """Estimated tokens beside those of minilm's tokenizer, special ones included."""
    corpus = load_dataset(folder).corpus
    assert corpus is not None
    texts = list(corpus.content())
    tokenizer = open_tokenizer("minilm")
    counted = sum(tokenizer.counts(texts)) + tokenizer.special * len(texts)
    ratio = estimated_tokens(texts).sum() / counted
    print(f"{folder.name}: estimated tokens / counted tokens {ratio:.2f}")


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", type=float)
    options = parser.parse_args()
    if options.serve is not None:
        serve(options.serve)
        return
    client([f"passage {at} " + "word " * (at % 120) for at in range(TEXTS)])
    estimate(HARBOUR)
    if data := os.environ.get("RAGSCORE_CONFORMANCE_DATA"):
        for name in ENGLISH:
            estimate(Path(data) / "collections" / name)


if __name__ == "__main__":
    main()
