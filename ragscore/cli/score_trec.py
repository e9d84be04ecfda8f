"""``ragscore score --format trec``: what trec_eval prints, line for line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragscore.formats.runs.run_formats import run_format
from ragscore.formats.runs.run_parts import RunParts
from ragscore.formats.runs.trec import tag_of
from ragscore.measures import Measure
from ragscore.measures.trec_names import TrecLine
from ragscore.scoring import RetrieverScores

NAME_WIDTH = 22
ALL = "all"


def as_trec(
    entry: RetrieverScores, lines: Sequence[TrecLine], *, run: Path, per_query: bool
) -> str:
    """The lines of one run: the queries first, in the order of their ids, then all together.

    Args:
        entry: the scores.
        lines: what to print, in order.
        run: the file, whose last line names the run for ``runid`` where it is a TREC run.
        per_query: False leaves the queries out, as trec_eval does without ``-q``.
    """
    printed = list(_queries(entry, lines)) if per_query else []
    by_id = np.argsort(np.array(entry.query_ids, dtype=object), kind="stable")
    for line in lines:
        if line.measure is not None:
            mean = _mean(entry, entry.resolved.get(line.measure, line.measure), by_id)
            value = "nan" if math.isnan(mean) else line.printed(mean)
        else:
            value = _tag(entry, run) if line.name == "runid" else str(entry.counts.queries)
        printed.append(_line(line.name, ALL, value))
    return "\n".join(printed)


def _tag(entry: RetrieverScores, run: Path) -> str:
    last = RunParts.of(run).files[-1]
    return (tag_of(last) if run_format(last) == "trec" else None) or entry.retriever


def _mean(entry: RetrieverScores, measure: Measure, by_id: NDArray[np.intp]) -> float:
    """A mean as trec_eval adds it up, query after query: where the fifth decimal is a 5 and the
    last, the rounding on the way decides what is printed as the fourth."""
    plain = measure.aggregate == "mean" and not measure.may_be_undefined
    if not plain or measure in entry.weights or measure not in entry.measures or not len(by_id):
        return entry.mean(measure)
    values = entry.values[entry.measures.index(measure), by_id]
    return float(np.cumsum(values)[-1] / len(by_id))  # np.sum would add in another order


def _queries(entry: RetrieverScores, lines: Sequence[TrecLine]) -> Iterator[str]:
    columns = [
        (line, entry.per_query(line.measure))
        for line in lines
        if line.measure is not None and not line.summary_only
    ]
    for query in sorted(entry.query_ids):
        for line, values in columns:
            if not math.isnan(values[query]):
                yield _line(line.name, query, line.printed(values[query]))


def _line(name: str, query: str, value: str) -> str:
    return f"{name:<{NAME_WIDTH}}\t{query}\t{value}"
