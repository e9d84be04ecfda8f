"""score(run, qrels, measures) -> Scores: judge once, read every measure off its curve.

Per-query values are kept at the named cutoffs; at all cutoffs only sums are kept, so that
memory grows with the queries times the named measures, never times the depth.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Qrels
from ragscore.judge import JUDGED, PAD, Judged, judge_blocks
from ragscore.measures import DEFAULT_MEASURES, Measure, parse_measures
from ragscore.run import Returned, Run

if TYPE_CHECKING:
    import polars

AnyRun = Run | Mapping[str, Returned]
AnyQrels = Qrels | Mapping[str, Mapping[str, float] | Sequence[str]]


@dataclass(frozen=True, eq=False)
class CurveMeans:
    """One measure at all cutoffs, over the queries.

    Attributes:
        mean: float64[depth], the mean over the defined queries, NaN where none is.
        squares: float64[depth], the sum of the squared values.
        defined: int64[depth], the number of queries that have a value.
    """

    mean: NDArray[np.float64]
    squares: NDArray[np.float64]
    defined: NDArray[np.int64]


@dataclass(frozen=True)
class Counts:
    """What stands behind a mean: how many queries, and what was the matter with some.

    Attributes:
        queries: queries that were averaged: they have a judgment and are answerable.
        missing: of these, the run does not know the query; it scores 0.
        empty: of these, nothing came back; it scores 0.
        without_relevant: of these, no judged passage is relevant (grade >= 1); it scores 0.
        unanswerable: judged queries left out of all means.
        answered_unanswerable: of these, something came back all the same.
        without_judgments: queries of the run that nobody judged; ignored.
        returned: passages that came back for the averaged queries.
        duplicates: passages that came back a second time and were dropped.
        largest_grade: the largest grade of the averaged queries, 0 where there is none.
        tied: by cutoff, the averaged queries with a tie across it; at the depth, those whose
            last two passages tie, since what came after can't be seen.
        unjudged: by cutoff, the share of what came back in the top k that nobody judged.
    """

    queries: int
    missing: int
    empty: int
    without_relevant: int
    unanswerable: int
    answered_unanswerable: int
    without_judgments: int
    returned: int
    duplicates: int
    largest_grade: float
    tied: Mapping[int, int]
    unjudged: Mapping[int, float]


@dataclass(frozen=True, eq=False)
class RetrieverScores:
    """The scores of one retriever on one dataset.

    Attributes:
        dataset, retriever: their names.
        query_ids: ids of the Q queries that were averaged.
        measures: the M measures, cutoffs as numbers.
        values: float64[M, Q], NaN where a measure is undefined for a query.
        curves: by family (``nDCG``), its values at all cutoffs.
        counts: what stands behind the means.
    """

    dataset: str
    retriever: str
    query_ids: Sequence[str]
    measures: tuple[Measure, ...]
    values: NDArray[np.float64]
    curves: Mapping[str, CurveMeans]
    counts: Counts

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """The value of each measure over the queries, by its own aggregate: float64[M]."""
        return np.array(
            [_aggregate(measure, row) for measure, row in zip(self.measures, self.values, strict=True)]
        )

    def mean(self, measure: str | Measure) -> float:
        """The mean of one measure; KeyError where it was not scored."""
        return float(self.means[self._at(measure)])

    def per_query(self, measure: str | Measure) -> dict[str, float]:
        """Query id to value of one measure; KeyError where it was not scored."""
        return dict(zip(self.query_ids, self.values[self._at(measure)].tolist(), strict=True))

    def _at(self, measure: str | Measure) -> int:
        (wanted,) = parse_measures([measure])
        if wanted not in self.measures:
            listed = ", ".join(map(str, self.measures))
            raise KeyError(f"{wanted} was not scored; there is: {listed}")
        return self.measures.index(wanted)


@dataclass(frozen=True)
class ScoreRow:
    """One mean: a line of summary.json and of every table.

    Attributes:
        measure: as it parses (``AP@10``), as in scores.parquet.
        label: as it is printed for a mean (``mAP@10``).
        value: the mean; NaN where it is defined for no query.
        queries: queries averaged.
        defined: of these, how many have a value.
    """

    dataset: str
    retriever: str
    measure: str
    label: str
    value: float
    queries: int
    defined: int


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of retrievers on datasets; what every table and every decision reads."""

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
        raise KeyError(f"no scores for {key!r}; there is: {', '.join(self.retrievers)}")

    def rows(self) -> Iterator[ScoreRow]:
        """Every mean, dataset by dataset, retriever by retriever, measure by measure."""
        for entry in self.entries:
            for at, measure in enumerate(entry.measures):
                defined = int((~np.isnan(entry.values[at])).sum())
                yield ScoreRow(
                    entry.dataset,
                    entry.retriever,
                    str(measure),
                    measure.label,
                    float(entry.means[at]),
                    entry.counts.queries,
                    defined,
                )

    def averages(self) -> Iterator[ScoreRow]:
        """The unweighted average over the datasets, for every retriever and measure that has a
        value on all of them; nothing where there is one dataset. ``queries`` and ``defined``
        are their sums, for information: no query was pooled."""
        names = self.datasets
        if len(names) < 2:
            return
        grouped: dict[tuple[str, str], list[ScoreRow]] = {}
        for row in self.rows():
            grouped.setdefault((row.retriever, row.measure), []).append(row)
        for (retriever, measure), rows in grouped.items():
            if len(rows) == len(names):
                yield ScoreRow(
                    "average",
                    retriever,
                    measure,
                    rows[0].label,
                    math.fsum(row.value for row in rows) / len(rows),
                    sum(row.queries for row in rows),
                    sum(row.defined for row in rows),
                )

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{dataset: {retriever: {measure: mean}}}``."""
        result: dict[str, dict[str, dict[str, float]]] = {}
        for row in self.rows():
            result.setdefault(row.dataset, {}).setdefault(row.retriever, {})[row.measure] = row.value
        return result

    def to_polars(self) -> polars.DataFrame:
        """Columns dataset, retriever, measure, value, queries, defined: one row a mean."""
        import polars

        rows = list(self.rows())
        names = ("dataset", "retriever", "measure", "value", "queries", "defined")
        return polars.DataFrame({name: [getattr(row, name) for row in rows] for name in names})

    def per_query(self) -> polars.DataFrame:
        """Columns dataset, retriever, query, measure, value (null where undefined): one row a
        query and measure; what scores.parquet holds."""
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

    def table(self, dataset: str | None = None) -> tuple[list[str], list[list[str]]]:
        """Header and rows of the means as text, rounded to four decimals: one row a retriever.

        Args:
            dataset: one dataset's means; ``average`` for the average; None for the first.
        """
        wanted = dataset if dataset is not None else next(iter(self.datasets), "")
        source = self.averages() if wanted == "average" else self.rows()
        cells: dict[str, dict[str, str]] = {}
        for row in source:
            if row.dataset == wanted:
                shown = "-" if math.isnan(row.value) else f"{row.value:.4f}"
                cells.setdefault(row.retriever, {})[row.label] = shown
        labels = list(dict.fromkeys(label for means in cells.values() for label in means))
        return ["retriever", *labels], [
            [retriever, *(means.get(label, "-") for label in labels)]
            for retriever, means in cells.items()
        ]

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.table import Table

        tables = []
        several = len(self.datasets) > 1
        for dataset in [*self.datasets, *(["average"] if several else [])]:
            header, rows = self.table(dataset)
            table = Table(title=dataset, title_justify="left")
            for at, name in enumerate(header):
                table.add_column(name, justify="right" if at else "left", no_wrap=True)
            for row in rows:
                table.add_row(*row)
            tables.append(table)
        return Group(*tables)

    def __repr__(self) -> str:
        lines = []
        for dataset in self.datasets:
            header, rows = self.table(dataset)
            widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
            lines += [dataset] + [
                "  ".join(
                    cell.ljust(width) if not at else cell.rjust(width)
                    for at, (cell, width) in enumerate(zip(line, widths, strict=True))
                )
                for line in (header, *rows)
            ]
        return "\n".join(lines) if lines else "Scores(empty)"

    def _repr_html_(self) -> str:
        from html import escape

        parts = []
        for dataset in self.datasets:
            header, rows = self.table(dataset)
            head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
            body = "".join(
                "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
                for row in rows
            )
            parts.append(
                f"<table><caption>{escape(dataset)}</caption>"
                f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            )
        return "".join(parts)


def score(
    run: AnyRun,
    qrels: AnyQrels,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    dataset: str = "dataset",
    retriever: str | None = None,
    unanswerable: Collection[str] = (),
) -> Scores:
    """Judge a run and measure it.

    Args:
        run: a Run, or ``{query id: {passage id: score} or [ids best first]}``.
        qrels: Qrels, or ``{query id: {passage id: grade} or [ids]}``.
        measures: texts or measures; ``R@depth`` is taken at the run's depth.
        dataset, retriever: names for the result; the retriever's is the run's by default.
        unanswerable: ids of queries that have no answer: left out of all means, and counted.

    >>> scores = score({"q": ["b", "a"]}, {"q": {"a": 1}}, ["RR", "P@2"])
    >>> scores.to_dict()
    {'dataset': {'run': {'RR': 0.5, 'P@2': 0.5}}}

    Raises:
        MeasureError: a measure cannot be parsed.
        DataError: a score or grade is not a finite number.
    """
    if not isinstance(run, Run):
        run = Run.from_dict(run)
    if not isinstance(qrels, Qrels):
        qrels = Qrels.from_dict(qrels)
    if not qrels.passages.starts_with(run.passages):
        vocabulary = run.passages.extended(qrels.passages)
        run, qrels = run.onto(vocabulary), qrels.onto(vocabulary)
    wanted = tuple(
        dict.fromkeys(measure.at_depth(max(run.depth, 1)) for measure in parse_measures(measures))
    )
    cutoffs = [measure.cutoff for measure in wanted if isinstance(measure.cutoff, int)]
    depth = max([run.depth, *cutoffs])
    blocks = [
        _measure_block(judged, wanted, run.depth)
        for judged in judge_blocks(run, qrels, depth=depth, leave_out=unanswerable)
    ]
    query_rows = np.concatenate([block.query_rows for block in blocks])
    entry = RetrieverScores(
        dataset=dataset,
        retriever=retriever if retriever is not None else run.name,
        query_ids=[qrels.queries[int(row)] for row in query_rows],
        measures=wanted,
        values=np.concatenate([block.values for block in blocks], axis=1),
        curves={name: _curve_means([b.curves[name] for b in blocks]) for name in blocks[0].curves},
        counts=_counts(run, qrels, blocks, unanswerable, {*cutoffs, run.depth}),
    )
    return Scores((entry,))


@dataclass(frozen=True, eq=False)
class _CurveSums:
    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    defined: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Block:
    query_rows: NDArray[np.int64]
    values: NDArray[np.float64]
    curves: dict[str, _CurveSums]
    empty: int
    without_relevant: int
    largest_grade: float
    tied: NDArray[np.int64]
    returned: NDArray[np.int64]
    judged: NDArray[np.int64]


def _measure_block(judged: Judged, measures: tuple[Measure, ...], recorded: int) -> _Block:
    values = np.empty((len(measures), len(judged)))
    curves: dict[str, _CurveSums] = {}
    families: dict[Measure, list[int]] = {}
    for at, measure in enumerate(measures):
        families.setdefault(measure.family(), []).append(at)
    for family, places in families.items():
        curve = family.curve(judged)
        for at in places:
            cutoff = measures[at].cutoff
            if isinstance(cutoff, int):
                values[at] = curve[:, cutoff - 1]
            else:
                values[at] = family.uncut(judged, curve)
        known = ~np.isnan(curve)
        filled = np.where(known, curve, 0.0)
        curves[str(family)] = _CurveSums(
            filled.sum(axis=0), np.square(filled).sum(axis=0), known.sum(axis=0)
        )
    # A tie lies across cutoff k where the passage at rank k + 1 began its group at rank k or
    # before. What came after the recorded depth can't be seen: there it is enough that the
    # last passage ties with the one before.
    across = np.zeros(judged.depth + 1, dtype=np.int64)
    tied = (judged.tie_start < np.arange(judged.depth)) & (judged.state != PAD)
    across[:-1] = tied.sum(axis=0)
    if recorded:
        across[recorded] = tied[:, recorded - 1].sum()
    return _Block(
        query_rows=judged.query_rows,
        values=values,
        curves=curves,
        empty=int((judged.returned == 0).sum()),
        without_relevant=int((judged.n_relevant() == 0).sum()),
        largest_grade=float(judged.ideal_grades.max(initial=0.0)),
        tied=across,
        returned=(judged.state != PAD).sum(axis=0),
        judged=(judged.state == JUDGED).sum(axis=0),
    )


def _curve_means(blocks: list[_CurveSums]) -> CurveMeans:
    sums = np.sum([block.sums for block in blocks], axis=0)
    defined = np.sum([block.defined for block in blocks], axis=0)
    mean = np.full(sums.shape, np.nan)
    np.divide(sums, defined, out=mean, where=defined > 0)
    return CurveMeans(mean, np.sum([block.squares for block in blocks], axis=0), defined)


def _counts(
    run: Run,
    qrels: Qrels,
    blocks: list[_Block],
    unanswerable: Collection[str],
    cutoffs: set[int],
) -> Counts:
    tied = np.sum([block.tied for block in blocks], axis=0)
    returned = np.cumsum(np.sum([block.returned for block in blocks], axis=0))
    judged = np.cumsum(np.sum([block.judged for block in blocks], axis=0))
    averaged = [qrels.queries[int(row)] for block in blocks for row in block.query_rows]
    missing = sum(query_id not in run.queries for query_id in averaged)
    left_out = [query_id for query_id in unanswerable if query_id in qrels.queries]
    answered = run.returned_for(left_out)
    known = set(averaged).union(unanswerable)
    return Counts(
        queries=len(averaged),
        missing=missing,
        empty=sum(block.empty for block in blocks) - missing,
        without_relevant=sum(block.without_relevant for block in blocks),
        unanswerable=len(left_out),
        answered_unanswerable=int((answered > 0).sum()),
        without_judgments=sum(query_id not in known for query_id in run.queries),
        returned=int(returned[-1]) if len(returned) else 0,
        duplicates=run.duplicates,
        largest_grade=max(block.largest_grade for block in blocks),
        tied={cutoff: int(tied[min(cutoff, len(tied) - 1)]) for cutoff in sorted(cutoffs)},
        unjudged={
            cutoff: 1.0 - float(judged[cutoff - 1] / returned[cutoff - 1])
            for cutoff in sorted(cutoffs)
            if 0 < cutoff <= len(returned) and returned[cutoff - 1]
        },
    )


def _aggregate(measure: Measure, values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)] if measure.aggregate == "mean of defined" else values
    if not len(known):
        return math.nan
    total = math.fsum(known.tolist())
    return total if measure.aggregate == "sum" else total / len(known)
