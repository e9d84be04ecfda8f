"""changes(): which rankings changed between two results or run files over the same queries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragscore.change.match import counterpart, data_change, data_notes, matched_names
from ragscore.change.ranked_pair import KnownQueries, retriever_changes
from ragscore.change.record import (
    DataChange,
    DatasetRankingChanges,
    RankingChanges,
    RetrieverChanges,
)
from ragscore.dataset import Ids
from ragscore.dataset.judged_units import AnyUnit
from ragscore.dataset.labels import labels
from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError, DataError
from ragscore.formats import DatasetSpec
from ragscore.messages import Message, _, counted, few_names
from ragscore.results.result import Result
from ragscore.results.runs_of_dataset import (
    RunsOfDataset,
    is_file,
    place_name,
    recorded_runs,
    runs_of,
)
from ragscore.results.slicing import slice_keys
from ragscore.run import Run
from ragscore.run.rank_overlap import check_overlap
from ragscore.scoring import LoadedQrels

PERSISTENCE = 0.9
"""Of the rank-biased overlap: the first ten ranks carry 86 % of its weight."""


@dataclass(frozen=True)
class _Asked:
    """What :func:`changes` was asked for."""

    k: int
    p: float
    pairs: Mapping[str, str] | Collection[str] = ()
    slices: Sequence[str] = ()
    allow_intersect: bool = False
    missing_is_empty: bool = False


def changes(
    before: Result | Run | str | Path,
    after: Result | Run | str | Path,
    *,
    k: int = 10,
    p: float = PERSISTENCE,
    pairs: Mapping[str, str] | Collection[str] = (),
    qrels: str | Path | DatasetSpec | None = None,
    unit: AnyUnit | None = None,
    slices: Sequence[str] = (),
    allow_intersect: bool = False,
    missing_is_empty: bool = False,
) -> RankingChanges:
    """What changed between two results or run files, without a judgment of which is right.

    Args:
        before, after: a result or its folder, a run or its file.
        k: the cutoff of the top k.
        p: persistence of the rank-biased overlap.
        pairs: earlier name to later name of renamed retrievers, or texts ``OLD=NEW``; others are
            matched by name.
        qrels: for run files: judgments, or the folder of their dataset, or how that is read.
        unit: what the judgments of this folder name in place of passages: ``metadata.document``.
        slices: tags or metadata to split the queries by; by default those that split them well.
        allow_intersect: where the queries differ, take the common ones.
        missing_is_empty: a query that only one run names counts as unanswered in the other.

    Raises:
        ConfigError: an option is out of its range, or a name is not there.
        DataError: something cannot be read, the queries differ, or nothing is in both.

    >>> old = Run.from_dict({"q1": ["a", "b"], "q2": ["c"]}, name="bm25")
    >>> new = Run.from_dict({"q1": ["a", "b"], "q2": ["d"]}, name="bm25")
    >>> (found,) = changes(old, new, k=2).datasets[0].retrievers
    >>> found.changed, found.share.n, found.queries[0].new[0].passage
    (1, 2, 'd')
    """
    check_overlap(k, p)
    if allow_intersect and missing_is_empty:
        raise ConfigError(
            "queries are left out or unanswered, not both",
            where="missing_is_empty",
            instead="Leave one of the two out",
        )
    judged = None if qrels is None else LoadedQrels(qrels, unit=unit)
    if judged is None and unit is not None:
        raise ConfigError(
            "no judgments are given that could name units",
            where="unit",
            instead="Give the dataset's folder, too: qrels",
        )
    earlier, later = (runs_of(place, judged) for place in (before, after))
    if judged is not None and not any(
        isinstance(place, Run) or is_file(place) for place in (before, after)
    ):
        raise ConfigError("results have their own judgments", where="qrels", instead="Leave it out")
    options = _Asked(k, p, pairs, slices, allow_intersect, missing_is_empty)
    datasets = [(part.dataset, part.digest) for part in earlier]
    found = []
    for part in later:
        at = counterpart(part.dataset, part.digest, datasets, only=len(later) == 1)
        if at is not None:
            dataset, data = _on_dataset(earlier[at], part, options)
            about = data_notes((dataset.before, dataset.dataset), data)
            notes = (*_notes_on_names(dataset), *about, *dataset.notes)
            found.append(replace(dataset, notes=notes))
    if not found:
        listed = [", ".join(part.dataset for part in side) for side in (earlier, later)]
        raise DataError(
            f"no dataset is in both: earlier {listed[0]}, later {listed[1]}",
            instead="Name two results over the same queries",
        )
    return RankingChanges(
        k=k, p=p, before=place_name(before), after=place_name(after), datasets=tuple(found)
    )


def changes_on_dataset(
    before: Result, after: Result, names: tuple[str, str], *, k: int, p: float = PERSISTENCE
) -> RankingChanges:
    """What :func:`changes` finds on one dataset of two results, on the queries of both, without
    notes on who is in both and on what differs in the dataset.

    Args:
        before, after: two results.
        names: of the dataset, in the earlier and the later one.
        k: the cutoff of the top k.
        p: persistence of the rank-biased overlap.

    Raises:
        ConfigError: no retriever is in both.
        DataError: a run cannot be read, or no query is in both.
    """
    earlier, later = recorded_runs(before, names[0]), recorded_runs(after, names[1])
    dataset, _data = _on_dataset(earlier, later, _Asked(k, p, allow_intersect=True))
    sides = place_name(before), place_name(after)
    return RankingChanges(k=k, p=p, before=sides[0], after=sides[1], datasets=(dataset,))


def _on_dataset(
    before: RunsOfDataset, after: RunsOfDataset, options: _Asked
) -> tuple[DatasetRankingChanges, DataChange]:
    """What changed on one dataset, and what differs in it."""
    names = matched_names(before.names, after.names, options.pairs)
    if not names.pairs:
        listed = [", ".join(side.names) or "none" for side in (before, after)]
        raise ConfigError(
            f"no retriever is in both: earlier {listed[0]}; later {listed[1]}",
            where="pair",
            instead="Match the renamed ones: --pair OLD=NEW",
        )
    runs = [(before.run(old).renamed(old), after.run(new).renamed(new)) for old, new in names.pairs]
    queries, left_out, notes = _queries(after.dataset, runs, options)
    samples = [None if side.data is None else side.data.sample for side in (before, after)]
    data = data_change(
        (before.digest, after.digest), (before.data, after.data), (samples[0], samples[1]), queries
    )
    if data.reworded:
        queries = [query for query in queries if query not in data.reworded]
    if not queries:
        raise DataError(
            "no query is in both", where=after.dataset, instead="Name results of the same queries"
        )
    compared = Ids(queries)
    known, more = _known(before, after, compared, options.slices)
    parts = [
        retriever_changes(
            old.for_queries(compared), new.for_queries(compared), known, k=options.k, p=options.p
        )
        for old, new in runs
    ]
    return DatasetRankingChanges(
        dataset=after.dataset or before.dataset,
        before=before.dataset,
        n=len(queries),
        left_out=left_out + len(data.reworded),
        retrievers=tuple(parts),
        only_before=names.only_before,
        only_after=names.only_after,
        notes=(
            *notes,
            *more,
            *(note for part in parts for note in _notes_on_runs(part, options.k)),
        ),
    ), data


def _notes_on_names(found: DatasetRankingChanges) -> Iterator[Message]:
    if found.only_before:
        yield _(
            "only the earlier result has {names}; --pair OLD=NEW matches a renamed retriever",
            names=few_names(found.only_before),
        )
    if found.only_after:
        yield _(
            "only the later result has {names}; --pair OLD=NEW matches a renamed retriever",
            names=few_names(found.only_after),
        )


def _notes_on_runs(part: RetrieverChanges, k: int) -> Iterator[Message]:
    name, depths = part.after, part.depths
    if min(part.returned) and not part.shared:
        yield _(
            "{name}: no passage id is in both runs, so they may come from different "
            "corpora or chunkings, and everything looks changed",
            name=name,
        )
    if max(depths) < k:
        yield _(
            "{name}: neither run is {k} deep, so the top {k} is the top {depth}",
            name=name,
            k=k,
            depth=max(depths),
        )
    if depths[0] != depths[1]:
        yield _(
            "{name}: the earlier run recorded {before} passages per query, the later one "
            "{after}; RBO assumes that the shorter ranking continues as it ends",
            name=name,
            before=depths[0],
            after=depths[1],
        )
    if any(part.failed):
        yield _(
            "{name}: failed queries: {before} earlier, {after} later; what they would have "
            "returned is unknown, so they count as empty",
            name=name,
            before=count_text(part.failed[0]),
            after=count_text(part.failed[1]),
        )


def _queries(
    dataset: str, runs: Sequence[tuple[Run, Run]], options: _Asked
) -> tuple[list[str], int, list[Message]]:
    """The queries compared, how many are left out, and what must be known of that."""
    olds = Ids(dict.fromkeys(query for old, _ in runs for query in old.queries))
    news = Ids(dict.fromkeys(query for _, new in runs for query in new.queries))
    common = [query for query in news if query in olds]
    before, after = len(olds) - len(common), len(news) - len(common)
    if not (before or after):
        return common, 0, []
    if options.missing_is_empty:
        note = _(
            "queries that only one run names count as unanswered in the other: "
            "{before} only earlier, {after} only later",
            before=count_text(before),
            after=count_text(after),
        )
        return list(news.extended(olds)), 0, [note]
    if options.allow_intersect:
        note = counted(
            "1 query is in both and was compared; {before} only in the earlier and "
            "{after} only in the later one were left out",
            "{count} queries are in both and were compared; {before} only in the "
            "earlier and {after} only in the later one were left out",
            len(common),
            before=count_text(before),
            after=count_text(after),
        )
        return common, before + after, [note]
    raise DataError(
        f"the queries differ: {len(common)} in both, {before} only earlier, {after} only later",
        where=dataset or runs[0][1].name,
        instead="Compare the common ones: --allow-intersect; or where a run file leaves "
        "out what got no answer, count them as unanswered: --missing-is-empty",
    )


def _known(
    before: RunsOfDataset, after: RunsOfDataset, queries: Ids, slices: Sequence[str]
) -> tuple[KnownQueries, tuple[Message, ...]]:
    """Texts, judgments and slices: the later side's, else the earlier one's."""
    side = after if after.data is not None or before.data is None else before
    qrels = after.qrels if after.qrels is not None else before.qrels
    if side.data is None:
        if slices:
            raise ConfigError(
                "slices need the dataset, which is not known",
                where="slices",
                instead="For run files, give the dataset's folder as --qrels",
            )
        if side.error is None:
            return KnownQueries(qrels=qrels), ()
        note = _(
            "the dataset cannot be read, so texts, slices and judgments are left out: {error}",
            error=side.error,
        )
        return KnownQueries(qrels=qrels), (note,)
    asked = side.data.queries
    for key in slices:  # as compare has it: a key that is not there is an error
        labels(asked, key)
    found = slice_keys(asked, tuple(slices), list(queries))
    by_key = {key: labels(found.value.queries, key) for key in found.value.keys}
    return KnownQueries(asked, qrels, by_key), found.notes
