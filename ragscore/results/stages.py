"""What a search cost, and on what it depends besides its spec and its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field, NonNegativeInt

from ragscore.dataset.filter_counts import FilterCounts
from ragscore.encoders.encoding_cost import EncodingCost
from ragscore.encoders.truncation import Truncation
from ragscore.retrievers.call_times import CallTimes
from ragscore.run import QueryFailure
from ragscore.usage import Usage
from ragscore.version import SEARCH_PACKAGES, installed_version


def package_versions() -> dict[str, str | None]:
    """Installed versions of the packages that can change a ranking, None if one is missing."""
    return {package: installed_version(package) for package in SEARCH_PACKAGES}


Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]
MAX_FAILED = 1 << 20
"""Failed queries of one retriever that are read from a result."""
RecordedFailures = Annotated[tuple[QueryFailure, ...], Field(max_length=MAX_FAILED)]
MAX_LEVELS = 16
"""Numbers of clients that are timed for one retriever."""


@dataclass(frozen=True)
class ConcurrentTimes:
    """Search times where this many clients ask at once, each of them one query at a time.

    Attributes:
        clients: threads of one process.
        p50_ms, p95_ms, p99_ms: of the single queries, in milliseconds.
        queries_per_second: of all clients together.
    """

    clients: NonNegativeInt
    p50_ms: Number
    p95_ms: Number
    p99_ms: Number
    queries_per_second: Number


@dataclass(frozen=True)
class QueryTimes:
    """One-query-at-a-time search times over a sample, in milliseconds.

    Attributes:
        queries: how many were timed.
        p50_ms, p95_ms, p99_ms: where nothing else is asked meanwhile.
        from_cache: nothing was timed now; the figures are those of an earlier run.
        levels: by number of clients, fewest first, one client among them; empty in results of
            earlier versions.
        warm_up: queries that each client asked before, untimed; None if older results do not
            say.
        cores: that the process could use then.
    """

    queries: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    from_cache: bool = field(default=False, compare=False)
    levels: Annotated[tuple[ConcurrentTimes, ...], Field(max_length=MAX_LEVELS)] = ()
    warm_up: NonNegativeInt | None = None
    cores: NonNegativeInt | None = None


@dataclass(frozen=True)
class ExactSearch:
    """What exact search finds in the place of an approximate index: the same vectors, the same
    queries.

    Attributes:
        overlap: by cutoff k, which share of the best k of exact search are among the best k that
            were returned: the mean over the queries.
        means: by measure, its mean with exact search; those that are undefined are left out.
    """

    overlap: Mapping[int, float]
    means: Mapping[str, float]


@dataclass(frozen=True)
class WholeCorpus:
    """What a retriever of the pool reaches on the whole corpus, of which a sample was searched.

    Attributes:
        means: by measure; those that are undefined are left out.
    """

    means: Mapping[str, float]


@dataclass(frozen=True)
class Stages:
    """What one retriever cost on one dataset, and what it did not read of it.

    Attributes:
        index_seconds: building the index, encoding included, or reopening it.
        index_from_cache: nothing had to be built.
        index_bytes: size of the index; None if it is unknown.
        load_seconds: loading what queries need (a model), where building had not loaded it.
        search_seconds, queries_per_second: answering all queries in blocks.
        run_from_cache: nothing was searched now; the figures are of the search that was.
        latency: None if it was not measured.
        calls: how long a system outside took for its answers; None if none was asked.
        truncations: what encoders did not read, those of its inputs included; empty if none
            is known.
        build_seconds: what building the index alone took, now or when it was built; None if
            that is unknown.
        encoding: of the passages, now or when they were encoded; None if nothing was.
        usage: tokens and money, where the retriever counts them; its inputs count their own.
        exact: what exact search finds in its place; None if the index is exact, or exact search
            was left out.
        whole: what it reaches on the whole corpus, where a sample was searched whose pool it is in;
            None if that is not known.
        filtered: what its filter did to the queries; None if it has none.
        failed: the queries that it did not answer, or that an input did not answer.
        leaves_out: measures of these are undefined and left out of its means; otherwise they score
            as queries that nothing came back for.
    """

    index_seconds: float
    index_from_cache: bool
    index_bytes: int | None
    load_seconds: float
    search_seconds: float
    queries_per_second: float
    run_from_cache: bool = False
    latency: QueryTimes | None = None
    calls: CallTimes | None = None
    truncations: tuple[Truncation, ...] = ()
    build_seconds: Number | None = None
    encoding: EncodingCost | None = None
    usage: Usage | None = None
    exact: ExactSearch | None = None
    whole: WholeCorpus | None = None
    filtered: FilterCounts | None = None
    failed: RecordedFailures = ()
    leaves_out: bool = False
