"""A dataset whose queries a real server answers, but for three of a hundred."""

from __future__ import annotations

from typing import Any

from ragscore import BM25, Dataset, Fusion, Http
from ragscore.retrievers.base import RetrieverSpec

PASSAGES = 200
NUMBERS = range(150, 250)
FAILING = ("q154", "q166", "q178")
"""Of these queries those that ``/failing`` of server.mjs never answers with a ranking."""


def first_answer(text: str) -> int:
    """The first passage that server.mjs returns for a query; the next are 7 further each."""
    number = 7
    for letter in text:
        number = (number * 31 + ord(letter)) % 100_003
    return number % PASSAGES


def served_dataset() -> Dataset:
    """One relevant passage for each query: the first of the server's for even queries, the fourth
    for odd ones, so that RR is 1 or 0.25 where the server answers. Every query has its tag."""
    relevant = {
        at: (first_answer(f"question {at}") + (0 if at % 2 == 0 else 21)) % PASSAGES
        for at in NUMBERS
    }
    return Dataset.from_rows(
        passages={str(row): f"text about question {row + 100}" for row in range(PASSAGES)},
        queries=[
            {"id": f"q{at}", "text": f"question {at}", "tags": ["even" if at % 2 == 0 else "odd"]}
            for at in NUMBERS
        ],
        ground_truth={f"q{at}": {str(passage): 1} for at, passage in relevant.items()},
        name="served",
    )


def system(url: str, **options: Any) -> Http:
    """The server as a retriever, asked once a query."""
    options = {"retries": 0, "concurrency": 16, **options}
    return Http(
        url=url,
        body={"query": "{query}", "k": "{k}"},
        response={"ids": "results[*].metadata.number", "scores": "results[*].score"},
        **options,
    )


def failing_retrievers(server: str) -> dict[str, RetrieverSpec]:
    """The server calm and failing, by both rules, and what is built on it."""
    failing = f"{server}/failing"
    return {
        "calm": system(f"{server}/calm"),
        "empty": system(failing, max_errors=0.05),
        "left-out": system(failing, max_errors=0.05, failed="left out"),
        "bm25": BM25(),
        "hybrid": Fusion(retrievers=("left-out", "bm25")),
    }
