"""Retrievers that returned the same passages for every query: one retriever under several names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.model import Identical
from ragscore.measures import Measure
from ragscore.messages import Message, _
from ragscore.run import Run
from ragscore.scoring import RetrieverScores


def identical_runs(
    runs: Mapping[str, Run],
    entries: Sequence[RetrieverScores],
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    titled: bool | None = None,
) -> tuple[Identical, ...]:
    """Groups of retrievers whose passages and scores of every query are the same.

    Passages are compared to the deepest cutoff of a measure, in their order; to the depth of the
    runs where a measure has no cutoff. That all measures of all queries agree is no proof: two
    retrievers may return different passages that nobody judged.

    Args:
        runs: by retriever, as the conventions of the scores read them.
        entries: scores of these retrievers on one dataset.
        settings: by retriever, its spec as in the manifest, for the reason.
        titled: whether any passage of the corpus has a title; None if that is not known.
    """
    groups: dict[object, list[RetrieverScores]] = {}
    # The deepest of all: a run may have places that nothing fills, where it named a passage twice.
    depth = max((_depth(entry.measures, runs[entry.retriever]) for entry in entries), default=0)
    for entry in entries:
        key = (tuple(entry.query_ids), _ranking(runs[entry.retriever], entry.query_ids, depth))
        groups.setdefault(key, []).append(entry)
    found = []
    for group in groups.values():
        for alike in _of_equal_scores(group):
            if len(alike) > 1:
                names = tuple(entry.retriever for entry in alike)
                found.append(Identical(names, _reason(names, settings or {}, titled)))
    return tuple(found)


def _depth(measures: Sequence[Measure], run: Run) -> int:
    cutoffs = [measure.cutoff for measure in measures]
    whole = [run.rows.shape[1] if not isinstance(cutoff, int) else cutoff for cutoff in cutoffs]
    return max(whole, default=run.rows.shape[1])


def _ranking(run: Run, queries: Sequence[str], depth: int) -> tuple[bytes, tuple[str, ...]]:
    """The passages of each query in order, by text, so that no vocabulary matters."""
    place = run.queries.rows(list(queries))
    rows: NDArray[np.int32] = np.full((len(queries), depth), -1, dtype=np.int32)
    cut = run.rows[:, :depth]
    known = place >= 0
    rows[known, : cut.shape[1]] = cut[place[known]]
    used, numbers = np.unique(rows, return_inverse=True)
    ids = tuple("" if row < 0 else run.passages[row] for row in used.tolist())
    order = np.argsort(np.array(ids, dtype=object), kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[numbers.reshape(rows.shape)].tobytes(), tuple(ids[at] for at in order)


def _of_equal_scores(entries: Sequence[RetrieverScores]) -> list[list[RetrieverScores]]:
    groups: list[list[RetrieverScores]] = []
    for entry in entries:
        for group in groups:
            if np.array_equal(group[0].values, entry.values, equal_nan=True):
                group.append(entry)
                break
        else:
            groups.append([entry])
    return groups


def _reason(
    names: Sequence[str], settings: Mapping[str, Mapping[str, Any]], titled: bool | None
) -> Message | None:
    specs = [settings.get(name) for name in names]
    if titled is not False or None in specs:
        return None
    plain = [_without_fields(spec) for spec in specs]
    fields_differ = any(spec != specs[0] for spec in specs)
    if fields_differ and all(spec == plain[0] for spec in plain):
        return _("no passage has a title")
    return None


def _without_fields(spec: Any) -> Any:
    if isinstance(spec, Mapping):
        return {key: _without_fields(field) for key, field in spec.items() if key != "fields"}
    return spec
