"""Baseline: what retrievers reached before, query by query, as a repository keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import digest_texts
from ragscore.described import in_short
from ragscore.errors import ConfigError, DataError, RagscoreError, unknown_name
from ragscore.measures import Measure, parse_measure, parse_measures
from ragscore.run import Run
from ragscore.scoring import RetrieverScores, Scores

Key = tuple[str, str]
"""(dataset, retriever)."""
DataPart = Literal["passages", "queries", "judgments"]
PARTS: tuple[DataPart, ...] = get_args(DataPart)
"""What a dataset consists of."""


class JudgedResult(Protocol):
    """What a baseline is made from: a :class:`~ragscore.Result`."""

    @property
    def scores(self) -> Scores:
        """The value of every query."""
        ...

    @property
    def manifest(self) -> Any:
        """What the result says of itself."""
        ...

    def scored(self, measures: Iterable[str | Measure]) -> Scores:
        """The scores by these measures."""
        ...

    def dataset(self, name: str) -> Any:
        """A dataset; an error where it is gone."""
        ...

    def qrels(self, name: str) -> Any:
        """The judgments of a dataset."""
        ...

    def run(self, dataset: str, retriever: str) -> Run:
        """A recorded run."""
        ...


@dataclass(frozen=True)
class BaselineDataset:
    """What a baseline was measured on.

    Attributes:
        name: of the dataset.
        digest: of its passages, queries and judgments.
        passages, queries, judgments: digests of each alone; empty if they could not be read,
            and for what run files are without.
    """

    name: str
    digest: str
    passages: str = ""
    queries: str = ""
    judgments: str = ""

    def changed_parts(self, other: BaselineDataset) -> tuple[DataPart, ...]:
        """Which of its parts differ; empty if that is not known."""
        own = ((part, getattr(self, part), getattr(other, part)) for part in PARTS)
        return tuple(part for part, here, there in own if here and there and here != there)


@dataclass(frozen=True, eq=False)
class BaselineRetriever:
    """What one retriever reached on one dataset.

    Attributes:
        dataset, retriever: their names.
        measures: the M measures as they parse.
        means: float64[M], each by the measure's own aggregate.
        query_ids: ids of the Q queries, sorted.
        values: float64[M, Q], NaN if a measure is undefined for a query.
        passages: the ids of the first passages of each query; empty if nobody asked for them.
    """

    dataset: str
    retriever: str
    measures: tuple[str, ...]
    means: NDArray[np.float64]
    query_ids: tuple[str, ...]
    values: NDArray[np.float64]
    passages: tuple[tuple[str, ...], ...] = ()

    def __repr__(self) -> str:
        return f"BaselineRetriever({in_short(self.retriever)} on {in_short(self.dataset)})"

    def mean(self, measure: str | Measure) -> float:
        """The value of one measure; KeyError where the baseline lacks it."""
        return float(self.means[self._at(measure)])

    def of(self, measure: str | Measure) -> NDArray[np.float64]:
        """The value of every query, float64[Q] in the order of ``query_ids``; KeyError where the
        baseline lacks the measure."""
        found: NDArray[np.float64] = self.values[self._at(measure)]
        return found

    def per_query(self, measure: str | Measure) -> dict[str, float]:
        """Query id to value; KeyError where the baseline lacks the measure."""
        return dict(zip(self.query_ids, self.of(measure).tolist(), strict=True))

    def has(self, measure: str | Measure) -> bool:
        """Whether the baseline has the measure."""
        return _canonical(measure) in self.measures

    def _at(self, measure: str | Measure) -> int:
        if not self.has(measure):
            named = ", ".join(self.measures)
            raise KeyError(f"{_canonical(measure)} is not in the baseline, which has {named}")
        return self.measures.index(_canonical(measure))


@dataclass(frozen=True, eq=False)
class Baseline:
    """What retrievers reached before: the value of every judged query, and on which data.

    It holds no text of a query or passage, and no passage id unless somebody asked for them.

    Attributes:
        datasets: what was measured on.
        entries: by dataset and retriever, sorted by these names.
        profile: the conventions that the scores follow.
        versions: of the packages that made the scores, by name.
        where: the file it was read from; empty if it was made from a result.
    """

    datasets: tuple[BaselineDataset, ...]
    entries: tuple[BaselineRetriever, ...]
    profile: str = "trec"
    versions: Mapping[str, str] = field(default_factory=dict)
    where: str = ""

    @classmethod
    def from_result(
        cls,
        result: JudgedResult,
        measures: Sequence[str | Measure] = (),
        *,
        retrievers: Sequence[str] = (),
        passages: int = 0,
    ) -> Baseline:
        """What a result reached.

        Args:
            result: of an experiment or of run files.
            measures: what to keep; by default all that it was scored by.
            retrievers: whose values to keep; by default all that have a run.
            passages: how many passage ids to keep for each query.

        Raises:
            ConfigError: no retriever of the result has such a name.
            DataError: what was recorded is damaged, or nothing was scored.
            MeasureError: a measure cannot be parsed, or cannot be computed here.
        """
        scores = result.scored(parse_measures(measures)) if measures else result.scores
        for name in retrievers:
            if name not in scores.retrievers:
                problem = unknown_name("retriever", name, scores.retrievers, "retrievers")
                raise ConfigError(problem)
        kept = [e for e in scores.entries if not retrievers or e.retriever in retrievers]
        if not kept:
            raise DataError(
                "no retriever of the result has scores",
                instead="Save a baseline from a result whose retrievers ran",
            )
        named = {entry.dataset for entry in kept}
        manifest = result.manifest
        return cls(
            tuple(
                described(result, entry.name, entry.digest)
                for entry in sorted(manifest.datasets, key=lambda entry: str(entry.name))
                if entry.name in named
            ),
            tuple(
                sorted(
                    (_entry(scored, result, passages) for scored in kept),
                    key=lambda entry: (entry.dataset, entry.retriever),
                )
            ),
            manifest.profile,
            _packages(manifest.versions),
        )

    @property
    def name(self) -> str:
        """What messages call it: its path."""
        return self.where

    def __repr__(self) -> str:
        names = in_short(", ".join(dict.fromkeys(entry.retriever for entry in self.entries)))
        return f"Baseline({in_short(self.where) or 'of a result'}: {names})"

    def named(self, where: str) -> Baseline:
        """The same with another place in messages."""
        return replace(self, where=where)

    @property
    def keys(self) -> tuple[Key, ...]:
        """The (dataset, retriever) pairs that it has values of."""
        return tuple(self._by_key)

    @property
    def n_values(self) -> int:
        """How many values of queries it has."""
        return sum(entry.values.size for entry in self.entries)

    def dataset(self, name: str) -> BaselineDataset | None:
        """What it knows of a dataset; None if it has no such dataset."""
        return next((known for known in self.datasets if known.name == name), None)

    def values(self, dataset: str, retriever: str, measure: str) -> Mapping[str, float] | None:
        """Query id to value, NaN if undefined; None if it has none of the measure."""
        entry = self.get(dataset, retriever)
        return entry.per_query(measure) if entry is not None and entry.has(measure) else None

    def known_of(self, dataset: str, retriever: str) -> tuple[str, ...]:
        """What there is in place of what it lacks: the measures of this retriever; else the
        retrievers of the dataset; else the datasets."""
        entry = self.get(dataset, retriever)
        if entry is not None:
            return entry.measures
        others = tuple(known.retriever for known in self.entries if known.dataset == dataset)
        return others or tuple(known.name for known in self.datasets)

    def get(self, dataset: str, retriever: str) -> BaselineRetriever | None:
        """What a retriever reached on a dataset; None if the baseline lacks it."""
        return self._by_key.get((dataset, retriever))

    @cached_property
    def _by_key(self) -> dict[Key, BaselineRetriever]:
        return {(entry.dataset, entry.retriever): entry for entry in self.entries}


def _canonical(measure: str | Measure) -> str:
    return str(parse_measure(measure) if isinstance(measure, str) else measure)


def described(result: Any, name: str, digest: str) -> BaselineDataset:
    """What a baseline keeps of a dataset, as far as it can be read.

    Args:
        result: which knows the dataset.
        name, digest: of the dataset, as the result's manifest has them.
    """
    parts = dict.fromkeys(PARTS, "")
    with suppress(RagscoreError):  # where the dataset is gone its own digest stands
        parts["judgments"] = result.qrels(name).judgments_digest
        data = result.dataset(name)
        parts["queries"] = data.queries.digest
        parts["passages"] = data.corpus.digest if data.corpus is not None else ""
        if data.uncut is not None and data.documents is not None:
            # What chunkers make of documents is no part of the data: another one changes nothing.
            parts["passages"] = data.documents.digest
            evidence = "" if data.evidence is None else data.evidence.digest
            covering = [str(data.coverage), *(["together"] if data.together else [])]
            parts["judgments"] = digest_texts([evidence, *covering])
    return BaselineDataset(name, digest, **parts)


def _packages(versions: Mapping[str, str | None]) -> dict[str, str]:
    return {name: version for name, version in sorted(versions.items()) if version is not None}


def _entry(scored: RetrieverScores, result: JudgedResult, passages: int) -> BaselineRetriever:
    order = sorted(range(len(scored.query_ids)), key=scored.query_ids.__getitem__)
    ids = tuple(scored.query_ids[at] for at in order)
    return BaselineRetriever(
        scored.dataset,
        scored.retriever,
        tuple(map(str, scored.measures)),
        scored.means,
        ids,
        np.ascontiguousarray(scored.values[:, order]),
        _first_passages(result, scored, ids, passages) if passages else (),
    )


def _first_passages(
    result: JudgedResult, scored: RetrieverScores, queries: Sequence[str], most: int
) -> tuple[tuple[str, ...], ...]:
    returned = result.run(scored.dataset, scored.retriever).cut(most).to_dict()
    return tuple(tuple(returned.get(query, ())) for query in queries)
