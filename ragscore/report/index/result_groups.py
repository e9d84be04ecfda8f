"""Results by experiment and dataset: a group is one panel of the index page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragscore.report.index.finder import FoundDataset, FoundResult, Mean

MAX_RETRIEVERS = 8
"""The most retrievers that have a line and a column: there are ten colours."""
MAX_MEASURES = 12


@dataclass(frozen=True)
class ResultRow:
    """One result on one dataset.

    Attributes:
        found: the result.
        number: of the dataset in it, from 0.
        dataset: what it says of that.
        before: the result before it of the same group; None for the oldest.
        other_data: the dataset is not what it was in the result before.
    """

    found: FoundResult
    number: int
    dataset: FoundDataset
    before: FoundResult | None
    other_data: bool

    def mean(self, retriever: str, measure: str) -> Mean | None:
        """The mean of a retriever; None if it has none."""
        return self.dataset.means.get(retriever, {}).get(measure)


@dataclass(frozen=True)
class Group:
    """All results of one experiment on one dataset.

    Attributes:
        experiment, dataset: their names.
        rows: the newest first; never empty.
        retrievers: shown, those of the newest result first; their places are their numbers.
        hidden: how many more there are.
        measures: (as it parses, label), the primary of the newest result first.
    """

    experiment: str
    dataset: str
    rows: tuple[ResultRow, ...]
    retrievers: tuple[str, ...]
    hidden: int
    measures: tuple[tuple[str, str], ...]


def groups(found: Sequence[FoundResult]) -> tuple[Group, ...]:
    """Results that can be read, by experiment and dataset; the group of the newest first.

    Args:
        found: the newest first.
    """
    together: dict[tuple[str, str], list[tuple[FoundResult, int, FoundDataset]]] = {}
    for result in found:
        for number, dataset in enumerate(result.datasets):
            held = together.setdefault((result.name, dataset.name), [])
            held.append((result, number, dataset))
    # Datasets of one experiment stand together, where its newest result puts them.
    experiments = list(dict.fromkeys(experiment for experiment, _ in together))
    ordered = sorted(together, key=lambda key: experiments.index(key[0]))
    return tuple(_group(*key, together[key]) for key in ordered)


def _group(
    experiment: str, dataset: str, held: Sequence[tuple[FoundResult, int, FoundDataset]]
) -> Group:
    rows = tuple(_rows(held))
    named = dict.fromkeys(name for row in rows for name in row.dataset.retrievers)
    labels = {
        measure: mean.label
        for row in reversed(rows)
        for means in row.dataset.means.values()
        for measure, mean in means.items()
    }
    order = dict.fromkeys(
        measure for row in rows for means in row.dataset.means.values() for measure in means
    )
    return Group(
        experiment=experiment,
        dataset=dataset,
        rows=rows,
        retrievers=tuple(named)[:MAX_RETRIEVERS],
        hidden=max(len(named) - MAX_RETRIEVERS, 0),
        measures=tuple((measure, labels[measure]) for measure in list(order)[:MAX_MEASURES]),
    )


def _rows(held: Sequence[tuple[FoundResult, int, FoundDataset]]) -> Iterator[ResultRow]:
    for at, (found, number, dataset) in enumerate(held):
        older = held[at + 1] if at + 1 < len(held) else None
        other = older is not None and older[2].digest != dataset.digest
        yield ResultRow(found, number, dataset, older[0] if older else None, other)
