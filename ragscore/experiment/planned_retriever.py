"""One row of a plan: what is to be done for one retriever, and how that adds up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ragscore.encoders import EncoderSpec
from ragscore.encoders.planned_requests import PlannedRequests
from ragscore.messages import Text
from ragscore.records import MaybeNaN, Record
from ragscore.retrievers.base import RetrieverSpec
from ragscore.usage import Usage

BYTES_OF_VALUE = 24
"""Of what a configuration scores on a query: the value, and the query's id."""
BYTES_OF_ENTRY = 500
"""Of an entry of the cache besides, such as its digests."""
BYTES_OF_RANK = 12
"""Of a passage in a kept run: its row and its score."""
BYTES_OF_EXPORT = 42
"""Of a passage in the files of a run, TREC and Parquet, which the cache keeps too."""

Basis = Literal["recorded", "sample", "unknown"]


@dataclass(frozen=True)
class PlannedRetriever(Record):
    """What is to be done for one retriever, or for all configurations of a swept one."""

    dataset: Text
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""
    swept: bool
    """Whether these are the configurations of a sweep, or the retriever as it is written."""
    runs: int
    """How many runs or configurations there are."""
    kept: int
    """How many of them are in the cache."""
    answered: int
    """How many queries were answered in a run that ended early: a system outside is not asked these
    again."""
    reused: tuple[str, ...]
    """Of what they are built on, what is in the cache: ``tokens``, ``vectors``, ``index``."""
    made: tuple[str, ...]
    """What has to be made; ``chunks`` where documents have to be cut before more can be said."""
    texts: int
    """Texts that have to be encoded."""
    requests: int
    """Requests that a service is sent which encodes texts; 0 if none is asked."""
    tokens: int
    """About how many tokens their texts have."""
    price: float | None
    """About what these cost; null if no price is given."""
    currency: str
    """Of the price."""
    seconds: MaybeNaN
    """An estimate of what is to be done; null if nothing says how long it takes."""
    encoding_seconds: MaybeNaN
    """Of these, encoding texts; null if nobody measured what that takes."""
    search_seconds: MaybeNaN
    """Of these, searching, and timing and scoring what was found; null if that is not known."""
    bytes: MaybeNaN
    """What the cache will grow by; null if that is not known."""
    basis: Basis
    """What the estimate rests on: searches that the cache recorded, a few passages that were
    searched for it, or nothing."""


class LeftToDo:
    """What is left to do for the runs of one row.

    Args:
        swept: whether these are configurations of a sweep.
    """

    def __init__(self, swept: bool) -> None:
        self.swept = swept
        self.reused: dict[str, None] = {}
        self.made: dict[str, None] = {}
        self.texts, self.bytes = 0, 0.0
        self.encoding, self.indexing, self.searching = 0.0, 0.0, 0.0
        """Seconds."""
        self.answered = 0
        self.requests, self.usage = 0, Usage(0)
        self.basis: Basis = "recorded"

    def ask(self, asked: PlannedRequests | None) -> None:
        """Count what a service is asked for."""
        if asked is None:
            return
        before = self.usage if self.requests else Usage(0, 0.0, asked.usage.currency)
        self.requests += asked.requests
        if asked.usage.currency == before.currency:
            self.usage = asked.usage.plus(before)
        else:  # configurations of a sweep that ask several services
            self.usage = Usage((before.tokens or 0) + (asked.usage.tokens or 0))

    def ask_queries(self, spec: RetrieverSpec, texts: Sequence[str], planned: set[str]) -> None:
        """Count the requests for queries: those of one encoder are encoded once.

        Args:
            spec: of the retriever.
            texts: of the queries.
            planned: keys of what rows above make; that of these queries is added.
        """
        encoder = getattr(spec, "encoder", None)
        if not isinstance(encoder, EncoderSpec) or not encoder.remote:
            return
        key = encoder.vector_key("query")
        if key not in planned:
            planned.add(key)
            self.ask(encoder.planned(texts, "query"))

    def known(self, seconds: float, *, sampled: bool = False) -> float:
        """These seconds; NaN if nobody knows how many."""
        if math.isnan(seconds):
            self.basis = "unknown"
        elif sampled and self.basis == "recorded":
            self.basis = "sample"
        return seconds

    def row(self, dataset: str, name: str, runs: int, kept: int) -> PlannedRetriever:
        """All of it as a row of the plan."""
        return PlannedRetriever(
            dataset=dataset,
            retriever=name,
            swept=self.swept,
            runs=runs,
            kept=kept,
            answered=self.answered,
            reused=tuple(self.reused),
            made=tuple(self.made),
            texts=self.texts,
            requests=self.requests,
            tokens=self.usage.tokens or 0,
            price=self.usage.price,
            currency=self.usage.currency,
            seconds=self.encoding + self.indexing + self.searching,
            encoding_seconds=self.encoding,
            search_seconds=self.searching,
            bytes=self.bytes,
            basis=self.basis if kept < runs else "recorded",
        )
