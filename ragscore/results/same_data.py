"""Whether two results were measured on the same data, and what differs where they were not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragscore.dataset import Dataset, Qrels, SampledCorpus
from ragscore.dataset.ground_truth_rows import passages_of_needs
from ragscore.results.dataset_result import DatasetResult


@dataclass(frozen=True)
class DataChange:
    """What changed in a dataset between two results.

    Attributes:
        same: the digests are equal: queries, judgments and passages are the same.
        known: both datasets could be read, so that the rest is known.
        passages: the corpus is another.
        reworded: ids of averaged queries of both whose text differs: they are other questions.
        rejudged: ids of the other averaged queries of both whose judgments differ.
        sampled: of each, what its corpus is a sample of; None if it is whole.
    """

    same: bool
    known: bool = True
    passages: bool = False
    reworded: frozenset[str] = frozenset()
    rejudged: frozenset[str] = frozenset()
    sampled: tuple[SampledCorpus | None, SampledCorpus | None] = (None, None)


def data_change(before: DatasetResult, after: DatasetResult) -> DataChange:
    """What differs between the datasets of two panels."""
    if before.entry.digest == after.entry.digest:
        return DataChange(same=True)
    sampled = before.entry.sample, after.entry.sample
    if before.data is None or after.data is None:
        return DataChange(same=False, known=False, sampled=sampled)
    averaged = set(before.scores.entries[0].query_ids)
    common = [query for query in after.scores.entries[0].query_ids if query in averaged]
    reworded = reworded_queries(before.data, after.data, common)
    kept = [query for query in common if query not in reworded]
    corpora = [data.corpus.digest if data.corpus else "" for data in (before.data, after.data)]
    return DataChange(
        same=False,
        passages=corpora[0] != corpora[1],
        reworded=reworded,
        rejudged=_rejudged(before.data, after.data, kept),
        sampled=sampled,
    )


def reworded_queries(before: Dataset, after: Dataset, queries: Sequence[str]) -> frozenset[str]:
    """Ids of the queries whose text differs between two datasets: they are other questions."""
    texts = [
        dict(zip(data.queries.ids, data.queries.texts, strict=True)) for data in (before, after)
    ]
    return frozenset(query for query in queries if texts[0].get(query) != texts[1].get(query))


def _rejudged(before: Dataset, after: Dataset, queries: Sequence[str]) -> frozenset[str]:
    if before.qrels.digest == after.qrels.digest:
        return frozenset()
    if before.qrels.rules != after.qrels.rules:  # of what is forbidden to all
        return frozenset(queries)
    first, second = _judged(before.qrels), _judged(after.qrels)
    return frozenset(
        query
        for query in queries
        if any(one.get(query) != two.get(query) for one, two in zip(first, second, strict=True))
    )


def _judged(qrels: Qrels) -> tuple[Mapping[str, Any], ...]:
    """What the judgments say of each query: grades, needs, and what must not come back."""
    forbidden = {query: set(listed) for query, listed in qrels.listed_forbidden.items()}
    return qrels.to_dict(), passages_of_needs(qrels), forbidden
