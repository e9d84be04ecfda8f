"""Manifest: what a result says of itself."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ragscore.dataset import Dataset, SampledCorpus
from ragscore.dataset.filter_counts import FilterCounts
from ragscore.encoders.encoding_cost import EncodingCost
from ragscore.encoders.truncation import Truncation
from ragscore.formats import TrecExport
from ragscore.measures import MEASURES, Measure, Traits, record_measure
from ragscore.messages import KeptText
from ragscore.results.stages import (
    ExactSearch,
    Number,
    QueryTimes,
    RecordedFailures,
    Stages,
    WholeCorpus,
)
from ragscore.retrievers.call_times import CallTimes
from ragscore.scoring import PROFILES, Profile
from ragscore.usage import Usage

Key = tuple[str, str]
"""(dataset, retriever)."""


def now() -> str:
    """The time as a manifest has it: ISO 8601, in UTC."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


class ManifestPart(BaseModel):
    """Base: what later versions add to a manifest is passed over; what older ones lack has a
    default. What is written names every field that was given."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, defer_build=True)


class FileEntry(ManifestPart):
    """A file of the result, as it was written."""

    bytes: int
    sha256: str


class DatasetEntry(ManifestPart):
    """A dataset that was searched. ``spec``: how it was read; None if older results do not say
    or its rows were given in Python. ``metadata_digest``: of tags and metadata, None if older
    results do not say. ``counts``: what was counted while loading; ``in_folder``: its files stand
    in the folder of the result, at ``path``. ``blocks``: how many the corpus was read in, None
    if it was in memory as a whole. ``sample``: what it is a sample of, None if it is
    whole."""

    name: str
    path: str
    spec: dict[str, Any] | None = None
    digest: str
    metadata_digest: str | None = None
    passages: int | None
    queries: int
    judgments: int
    counts: dict[str, int] = {}
    load_seconds: float | None = None
    in_folder: bool = False
    blocks: int | None = None
    sample: SampledCorpus | None = None

    @classmethod
    def of(cls, dataset: Dataset, **recorded: Any) -> DatasetEntry:
        """The entry of a dataset.

        Args:
            dataset: what was searched.
            recorded: the other fields; ``name`` where it is recorded under another one.
        """
        corpus = dataset.corpus
        sizes: dict[str, Any] = {
            "name": dataset.name,
            "digest": dataset.digest,
            "metadata_digest": dataset.metadata_digest,
            "passages": len(corpus) if corpus is not None else None,
            "queries": len(dataset.queries),
            "judgments": len(dataset.qrels),
            "counts": dict(dataset.counts),
            "blocks": len(corpus.blocks) or None if corpus is not None else None,
            "sample": dataset.sample,
        }
        return cls(**{**sizes, **recorded})

    @property
    def digests(self) -> tuple[str, str | None]:
        """Both: datasets of equal ones are the same."""
        return self.digest, self.metadata_digest

    def is_same(self, other: DatasetEntry) -> bool:
        """Whether both have the same content, as far as they say."""
        known = None not in (self.metadata_digest, other.metadata_digest)
        return self.digests == other.digests if known else self.digest == other.digest


class RetrieverEntry(ManifestPart):
    """A retriever on a dataset: a run, with what it cost, or why there is none. ``spec``: its
    settings; ``inputs``: the retrievers that it builds on; ``pool``: how many passages of each it
    reads; ``chunkers``: whose chunks it searches, by their names in chunks.parquet; ``trec``: what
    became of the run's TREC file."""

    dataset: str
    name: str
    spec: dict[str, Any] = {}
    inputs: tuple[str, ...] = ()
    pool: Annotated[int, Field(ge=0)] = 0
    chunkers: tuple[str, ...] = ()
    status: Literal["complete", "failed"]
    error: str = ""
    depth: int = 0
    index_seconds: float | None = None
    index_from_cache: bool = False
    index_bytes: int | None = None
    load_seconds: float | None = None
    search_seconds: float | None = None
    queries_per_second: float | None = None
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
    trec: TrecExport | None = None

    @property
    def key(self) -> Key:
        """(dataset, retriever)."""
        return self.dataset, self.name

    @property
    def stages(self) -> Stages | None:
        """What the search cost; None if there is no run, or nothing is known of its search."""
        costs = {field.name: getattr(self, field.name) for field in fields(Stages)}
        known = self.index_seconds is not None and self.search_seconds is not None
        return Stages(**costs) if self.status == "complete" and known else None


class Added(ManifestPart):
    """What a run used of installed packages, as far as reading its result needs it: no reader
    imports them. ``measures``: by text, what is known of each; ``profiles``: by name, in full."""

    measures: dict[str, Traits] = {}
    profiles: dict[str, Profile] = {}

    @classmethod
    def by(cls, measures: Iterable[Measure], profile: str) -> Added | None:
        """What is not ragscore's own of what a result was scored by; None if all is."""
        added = {
            str(measure): Traits.of(measure)
            for measure in measures
            if type(measure) not in MEASURES.own.values()
        }
        profiles = {} if profile in PROFILES.own else {profile: PROFILES[profile]}
        return cls(measures=added, profiles=profiles) if added or profiles else None

    def known(self) -> None:
        """Let texts and names of these be understood in this process."""
        for text, traits in self.measures.items():
            record_measure(text, traits)
        for name, profile in self.profiles.items():
            PROFILES.record(name, profile)


class RetriedRun(ManifestPart):
    """A retriever of which queries were searched again: how many, and how many of all failed."""

    dataset: str
    retriever: str
    queries: Annotated[int, Field(ge=0)]
    failed: Annotated[int, Field(ge=0)] = 0


class Retried(ManifestPart):
    """The earlier result whose failed queries were asked again: the name of its folder, and the
    digest of its manifest. All other answers are those of then."""

    result: str
    created: str
    digest: str | None = None
    runs: tuple[RetriedRun, ...] = ()


class MemoryUse(ManifestPart):
    """How much memory a run was to use, as it was written, and the most that its process has used;
    None if the system does not say."""

    budget: str
    peak_bytes: Annotated[int, Field(ge=0)] | None = None


class Manifest(ManifestPart):
    """What a result says of itself. ``only``: the names that were chosen of a longer experiment;
    ``config_digest``: None if no experiment file was run; ``retried``: the result whose failed
    queries were asked again, where it goes on from one; ``memory``: where the experiment says how
    much there is."""

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    experiment: str
    only: tuple[str, ...] | None = None
    created: str
    seconds: float | None = None
    command: tuple[str, ...] = ()
    config_digest: str | None = None
    profile: str = "trec"
    added: Added | None = None
    compare: dict[str, Any] | None = None
    report: dict[str, Any] | None = None
    retried: Retried | None = None
    memory: MemoryUse | None = None
    datasets: tuple[DatasetEntry, ...]
    retrievers: tuple[RetrieverEntry, ...]
    notes: tuple[KeptText, ...] = ()
    versions: dict[str, str | None] = {}
    machine: dict[str, Any] = {}
    files: dict[str, FileEntry]

    @property
    def runs(self) -> list[Key]:
        """What has a run, in the order of the experiment."""
        return [entry.key for entry in self.retrievers if entry.status == "complete"]
