"""Scores: the values of measures over queries, and every form in which they can be read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragscore.dataset.python_tables import to_pandas
from ragscore.described import in_short
from ragscore.elements import Element, Table
from ragscore.elements.show import Shown
from ragscore.measures import Measure
from ragscore.measures.base import BoundsKind
from ragscore.messages import Text, _, joined
from ragscore.scoring.retriever_scores import RetrieverScores, ScoreRow
from ragscore.scoring.score_tables import means_table

if TYPE_CHECKING:
    import polars


AVERAGE = "average"
"""The name that replaces a dataset's beside an average over datasets."""


@dataclass(frozen=True, eq=False)
class Scores(Shown):
    """The scores of retrievers on datasets; every table and every decision reads them."""

    entries: tuple[RetrieverScores, ...] = field(default_factory=tuple)

    @classmethod
    def joined(cls, parts: Iterable[Scores]) -> Scores:
        """One Scores from several, entries in order."""
        return cls(tuple(entry for part in parts for entry in part.entries))

    @property
    def datasets(self) -> list[str]:
        """Names of the datasets, in order of appearance."""
        return list(dict.fromkeys(entry.dataset for entry in self.entries))

    @property
    def retrievers(self) -> list[str]:
        """Names of the retrievers, in order of appearance."""
        return list(dict.fromkeys(entry.retriever for entry in self.entries))

    @property
    def measures(self) -> list[Measure]:
        """All measures, in order of appearance."""
        return list(dict.fromkeys(m for entry in self.entries for m in entry.measures))

    def __getitem__(self, key: str | tuple[str, str]) -> RetrieverScores:
        """The entry of a retriever, or of (dataset, retriever) where there are several datasets."""
        for entry in self.entries:
            if key in (entry.retriever, (entry.dataset, entry.retriever)):
                if isinstance(key, str) and len(self.datasets) > 1:
                    raise KeyError(f"there are several datasets: ask for (dataset, {key!r})")
                return entry
        raise KeyError(f"no scores for {key!r}; available: {', '.join(self.retrievers)}")

    def rows(self) -> Iterator[ScoreRow]:
        """Every mean, dataset by dataset, retriever by retriever, measure by measure."""
        for entry in self.entries:
            yield from entry.rows()

    def averages(self) -> Iterator[ScoreRow]:
        """The unweighted average over the datasets, for every retriever and measure that has a
        value on all of them; nothing where there is one dataset. The measure is the one that
        was requested: ``R@depth``, whatever the depth of each. ``queries`` and ``defined`` are
        their sums, for information: no query was pooled."""
        names = self.datasets
        if len(names) < 2:
            return
        grouped: dict[tuple[str, Measure], list[ScoreRow]] = {}
        for entry in self.entries:
            row_of = dict(zip(entry.measures, entry.rows(), strict=True))
            for requested, measure in entry.resolved.items():
                grouped.setdefault((entry.retriever, requested), []).append(row_of[measure])
        for (retriever, measure), rows in grouped.items():
            if len(rows) == len(names):
                yield ScoreRow(
                    AVERAGE,
                    retriever,
                    str(measure),
                    measure.label,
                    math.fsum(row.value for row in rows) / len(rows),
                    sum(row.queries for row in rows),
                    sum(row.defined for row in rows),
                    *_average_bounds(rows),
                )

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{dataset: {retriever: {measure: mean}}}``."""
        result: dict[str, dict[str, dict[str, float]]] = {}
        for row in self.rows():
            means = result.setdefault(row.dataset, {}).setdefault(row.retriever, {})
            means[row.measure] = row.value
        return result

    def to_polars(self) -> polars.DataFrame:
        """Columns dataset, retriever, measure, value, queries, defined: one row per mean."""
        import polars

        rows = list(self.rows())
        names = ("dataset", "retriever", "measure", "value", "queries", "defined")
        return polars.DataFrame({name: [getattr(row, name) for row in rows] for name in names})

    def per_query(self) -> polars.DataFrame:
        """Columns dataset, retriever, query, measure, value (null if undefined): one row per
        query and measure, as in scores.parquet."""
        import polars

        parts = []
        for entry in self.entries:
            count = len(entry.query_ids)
            ids = polars.Series("query", list(entry.query_ids), dtype=polars.String)
            for measure, values in zip(entry.measures, entry.values, strict=True):
                column = polars.Series("value", values, dtype=polars.Float64).fill_nan(None)
                parts.append(
                    polars.DataFrame(
                        {
                            "dataset": polars.repeat(entry.dataset, count, eager=True),
                            "retriever": polars.repeat(entry.retriever, count, eager=True),
                            "query": ids,
                            "measure": polars.repeat(str(measure), count, eager=True),
                            "value": column,
                        }
                    )
                )
        if parts:
            return polars.concat(parts)
        text = dict.fromkeys(("dataset", "retriever", "query", "measure"), polars.String)
        return polars.DataFrame(schema={**text, "value": polars.Float64})

    def to_pandas(self, *, per_query: bool = False) -> Any:
        """The means as a pandas.DataFrame with the columns of :meth:`to_polars`; or the values of
        every query, NaN if undefined, with those of :meth:`per_query`.

        Raises:
            MissingPackageError: pandas is not installed; nothing else is needed.
        """
        return to_pandas(self.per_query() if per_query else self.to_polars())

    def table(self, dataset: str | None = None) -> Table:
        """The means of a dataset: one row per retriever.

        Args:
            dataset: by default the first.
        """
        wanted = dataset if dataset is not None else next(iter(self.datasets), "")
        rows = [row for row in self.rows() if row.dataset == wanted]
        return means_table(rows, title=wanted, caveat=self.caveat(wanted))

    def caveat(self, dataset: str) -> Text:
        """What no number of a dataset may be read without: that a sample was searched; mostly
        empty.

        Args:
            dataset: its name.
        """
        own = (entry for entry in self.entries if entry.dataset == dataset)
        sample = next((entry.counts.sample for entry in own if entry.counts.sample), None)
        return "" if sample is None else sample.caveat()

    def average_table(self) -> Table:
        """The averages over the datasets: one row a retriever."""
        title = _("average of {datasets} datasets, unweighted", datasets=len(self.datasets))
        caveats = {dataset: self.caveat(dataset) for dataset in self.datasets}
        caveat = joined(joined(named, ": ") for named in caveats.items() if named[1])
        return means_table(self.averages(), title=title, id="average", caveat=caveat)

    def elements(self) -> list[Element]:
        """The table of each dataset, and of their average where there are several."""
        tables = [self.table(dataset) for dataset in self.datasets]
        return [*tables, *([self.average_table()] if len(tables) > 1 else [])]

    def __rich__(self) -> Any:
        from rich.text import Text

        return Text(str(self))

    def __repr__(self) -> str:
        retrievers = ", ".join(dict.fromkeys(entry.retriever for entry in self.entries))
        return f"Scores({in_short(', '.join(self.datasets))}: {in_short(retrievers)})"

    def __str__(self) -> str:
        return super().__str__() or "Scores(empty)"


def _average_bounds(rows: Sequence[ScoreRow]) -> tuple[float, float, BoundsKind] | tuple[()]:
    """Lows and highs of means over several datasets; nothing where one of them has none."""
    lows = [row.low for row in rows if row.low is not None]
    highs = [row.high for row in rows if row.high is not None]
    if len(lows) < len(rows):
        return ()
    kind: BoundsKind = "outer" if any(row.bounds == "outer" for row in rows) else "exact"
    return math.fsum(lows) / len(rows), math.fsum(highs) / len(rows), kind
