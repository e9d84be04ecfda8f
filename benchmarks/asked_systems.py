"""How many queries a second ``kind: http`` and ``kind: command`` get out of a system that takes so
long for each, beside a plain loop of urllib in threads and beside what no client can exceed:
concurrency / latency. Needs Node.js.

``python benchmarks/asked_systems.py``
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from ragscore import Command, Http
from ragscore.dataset import Corpus, Ids, Queries

ANSWER = """
const answer = (k) =>
  Array.from({ length: k }, (_, rank) => ({ id: String(rank), score: 1 / (rank + 1) }));
"""
SERVER = (
    ANSWER
    + """
require("node:http").createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => { body += piece; });
  request.on("end", () => setTimeout(
    () => response.end(JSON.stringify({ hits: answer(JSON.parse(body).k) })), LATENCY));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
"""
)
PROGRAM = (
    ANSWER
    + """
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, k } = JSON.parse(line);
  const found = answer(k);
  setTimeout(() => console.log(JSON.stringify({
    id, ids: found.map((each) => each.id), scores: found.map((each) => each.score) })), LATENCY);
});
"""
)
CORPUS = Corpus(Ids(map(str, range(100))), ["text"] * 100)


def loop(url: str, queries: Queries, concurrency: int) -> None:
    """What one writes without a library: a connection for each request."""

    def ask(text: str) -> int:
        body = json.dumps({"query": text, "k": 10}).encode()
        with urllib.request.urlopen(urllib.request.Request(url, body)) as response:
            return len(json.load(response)["hits"])

    with ThreadPoolExecutor(concurrency) as threads:
        assert sum(threads.map(ask, queries.texts)) == 10 * len(queries)


def main() -> None:
    """Print queries a second, and shares of the most that are possible."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--latency", type=int, default=20, help="milliseconds")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    queries = Queries.from_texts({f"q{at}": f"question {at}" for at in range(given.queries)})
    latency = f"const LATENCY = {given.latency};\n"
    with subprocess.Popen(
        ["node", "-e", latency + SERVER], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/"
        http = Http(
            url=url,
            body={"query": "{query}", "k": "{k}"},
            response={"ids": "hits[*].id", "scores": "hits[*].score"},
            concurrency=given.concurrency,
        )
        command = Command(command=("node", "-e", latency + PROGRAM), concurrency=given.concurrency)
        ways: dict[str, Callable[[], object]] = {
            "a loop of urllib": lambda: loop(url, queries, given.concurrency),
            "kind: http": lambda: http.build(CORPUS).search(queries, 10),
            "kind: command": lambda: command.build(CORPUS).search(queries, 10),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(given.rounds):
            for name, way in ways.items():
                start = time.perf_counter()
                way()
                seconds[name].append(time.perf_counter() - start)
        server.kill()
    most = given.concurrency / given.latency * 1_000
    print(f"at most {most:,.0f} queries a second")
    for name, times in seconds.items():
        speed = given.queries / statistics.median(times)
        print(f"{name:<17}{speed:>6,.0f} queries a second: {speed / most:.2f}")


if __name__ == "__main__":
    main()
