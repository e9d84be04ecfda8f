"""What a search cost, and on what it depends besides its spec and its data."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragscore.encoders import Truncation
from ragscore.version import installed_version

SEARCH_PACKAGES = (
    "ragscore-eval",
    "bm25s",
    "PyStemmer",
    "faiss-cpu",
    "sentence-transformers",
    "transformers",
    "torch",
    "kiwipiepy",
    "numpy",
)
"""Packages whose version can change a ranking."""


def package_versions() -> dict[str, str | None]:
    """Installed versions of the packages that can change a ranking, None where one is missing."""
    return {package: installed_version(package) for package in SEARCH_PACKAGES}


@dataclass(frozen=True)
class QueryTimes:
    """One-query-at-a-time search times over a sample, in milliseconds.

    Attributes:
        queries: how many were timed.
        from_cache: nothing was timed now; the figures are those of an earlier run.
    """

    queries: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    from_cache: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Stages:
    """What one retriever cost on one dataset, and what it did not read of it.

    Attributes:
        index_seconds: building the index, or reopening it.
        index_from_cache: nothing had to be built.
        index_bytes: size of the index; None where it is unknown.
        load_seconds: loading what queries need (a model), where building had not loaded it.
        search_seconds, queries_per_second: answering all queries in blocks.
        run_from_cache: nothing was searched now; the figures are of the search that was.
        latency: None where it was not measured.
        truncations: what encoders did not read, those of its inputs included; empty where none
            is known.
    """

    index_seconds: float
    index_from_cache: bool
    index_bytes: int | None
    load_seconds: float
    search_seconds: float
    queries_per_second: float
    run_from_cache: bool = False
    latency: QueryTimes | None = None
    truncations: tuple[Truncation, ...] = ()
