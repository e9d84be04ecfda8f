"""changes(): what changed between two results or run files over the same queries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ragscore.dataset import Ids
from ragscore.dataset.judged_units import AnyUnit
from ragscore.dataset.labels import labels
from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError, DataError
from ragscore.formats import DatasetSpec
from ragscore.messages import Message, _, counted, few_names
from ragscore.rank_changes.assembling import QueryFacts, retriever_changes
from ragscore.rank_changes.changes_document import RankChanges
from ragscore.rank_changes.matching import counterpart, matched_names
from ragscore.rank_changes.model import DatasetRankChanges, RetrieverChanges
from ragscore.results.result import Result
from ragscore.results.runs_of_dataset import (
    RunsOfDataset,
    is_file,
    place_name,
    recorded_runs,
    runs_of,
)
from ragscore.results.same_data import reworded_queries
from ragscore.results.slicing import slice_keys
from ragscore.run import Run
from ragscore.run.rank_overlap import check_overlap
from ragscore.scoring import LoadedQrels

PERSISTENCE = 0.9
"""Of the rank-biased overlap: the first ten ranks carry 86 % of its weight."""


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
) -> RankChanges:
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
    >>> found.changed.count, found.changed.of, found.queries[0].new[0].passage
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
    sides = [runs_of(place, judged) for place in (before, after)]
    if judged is not None and not any(
        isinstance(place, Run) or is_file(place) for place in (before, after)
    ):
        raise ConfigError("results have their own judgments", where="qrels", instead="Leave it out")
    known = [(part.dataset, part.digest) for part in sides[0]]
    matched = [
        (sides[0][at], part)
        for part in sides[1]
        if (at := counterpart(part.dataset, part.digest, known, only=len(sides[1]) == 1))
        is not None
    ]
    if not matched:
        listed = [", ".join(part.dataset for part in side) for side in sides]
        raise DataError(
            f"no dataset is in both: earlier {listed[0]}, later {listed[1]}",
            instead="Name two results over the same queries",
        )
    found = []
    for both in matched:
        part = _on_dataset(
            *both,
            k=k,
            p=p,
            pairs=pairs,
            slices=tuple(slices),
            allow_intersect=allow_intersect,
            missing_is_empty=missing_is_empty,
        )
        notes = (*_notes_on_names(part), *_notes_on_data(*both), *part.notes)
        found.append(replace(part, notes=notes))
    return RankChanges(k, p, place_name(before), place_name(after), tuple(found))


def changes_on_dataset(
    before: Result, after: Result, names: tuple[str, str], *, k: int, p: float = PERSISTENCE
) -> DatasetRankChanges:
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
    sides = [recorded_runs(*part) for part in zip((before, after), names, strict=True)]
    return _on_dataset(*sides, k=k, p=p, allow_intersect=True)


def _on_dataset(
    before: RunsOfDataset,
    after: RunsOfDataset,
    *,
    k: int,
    p: float,
    pairs: Mapping[str, str] | Collection[str] = (),
    slices: tuple[str, ...] = (),
    allow_intersect: bool = False,
    missing_is_empty: bool = False,
) -> DatasetRankChanges:
    names = matched_names(before.names, after.names, pairs)
    if not names.pairs:
        listed = [", ".join(side.names) or "none" for side in (before, after)]
        raise ConfigError(
            f"no retriever is in both: earlier {listed[0]}; later {listed[1]}",
            where="pair",
            instead="Match the renamed ones: --pair OLD=NEW",
        )
    runs = [(before.run(old), after.run(new)) for old, new in names.pairs]
    runs = [
        (old.renamed(pair[0]), new.renamed(pair[1]))
        for (old, new), pair in zip(runs, names.pairs, strict=True)
    ]
    queries, left_out, notes = _queries(
        before, after, runs, allow_intersect=allow_intersect, missing_is_empty=missing_is_empty
    )
    facts, more = _facts(before, after, queries, slices)
    notes += more
    found = []
    for old, new in runs:
        part = retriever_changes(
            old.for_queries(queries), new.for_queries(queries), facts, k=k, p=p
        )
        found.append(part)
        notes += _notes_on_runs(part, k)
    return DatasetRankChanges(
        after.dataset or before.dataset,
        before.dataset,
        len(queries),
        left_out,
        tuple(found),
        names.only_before,
        names.only_after,
        tuple(notes),
    )


def _notes_on_names(names: DatasetRankChanges) -> Iterator[Message]:
    if names.only_before:
        yield _(
            "only the earlier result has {names}; --pair OLD=NEW matches a renamed retriever",
            names=few_names(names.only_before),
        )
    if names.only_after:
        yield _(
            "only the later result has {names}; --pair OLD=NEW matches a renamed retriever",
            names=few_names(names.only_after),
        )


def _notes_on_data(before: RunsOfDataset, after: RunsOfDataset) -> Iterator[Message]:
    if before.dataset != after.dataset and before.dataset and after.dataset:
        yield _(
            "the earlier dataset is called {before}, the later one {after}; they are treated as "
            "the same",
            before=before.dataset,
            after=after.dataset,
        )
    samples = [side.data.sample if side.data is not None else None for side in (before, after)]
    if any(samples):
        sizes = [_("the whole corpus") if sample is None else sample.size() for sample in samples]
        yield _(
            "the earlier result searched {before}, the later one {after}",
            before=sizes[0],
            after=sizes[1],
        )
    if not before.digest or not after.digest or before.digest == after.digest:
        return
    if before.data is None or after.data is None:
        digests = {"before": before.digest[:12], "after": after.digest[:12]}
        yield _(
            "the datasets differ (digests {before} and {after}) and can't both be read: queries "
            "with the same id may be different questions, and the passages may differ",
            **digests,
        )
        return
    corpora = [side.data.corpus for side in (before, after) if side.data is not None]
    digests_of = ["" if corpus is None else corpus.digest[:12] for corpus in corpora]
    if digests_of[0] != digests_of[1]:
        shown = {"before": digests_of[0], "after": digests_of[1]}
        yield _(
            "the passages of the dataset differ between the two results (digests {before} and "
            "{after}): part of the change comes from the corpus",
            **shown,
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
        counts = dict(zip(("before", "after"), map(count_text, part.failed), strict=True))
        yield _(
            "{name}: failed queries: {before} earlier, {after} later; what they would have "
            "returned is unknown, so they count as empty",
            name=name,
            **counts,
        )


def _queries(
    before: RunsOfDataset,
    after: RunsOfDataset,
    runs: Sequence[tuple[Run, Run]],
    *,
    allow_intersect: bool,
    missing_is_empty: bool,
) -> tuple[Ids, int, list[Message]]:
    """The queries compared, how many are left out, and what must be known of that."""
    notes: list[Message] = []
    olds = Ids(dict.fromkeys(query for old, _ in runs for query in old.queries))
    news = Ids(dict.fromkeys(query for _, new in runs for query in new.queries))
    common = [query for query in news if query in olds]
    apart = len(olds) - len(common), len(news) - len(common)
    queries, left_out = common, 0
    if any(apart):
        counts = dict(zip(("before", "after"), map(count_text, apart), strict=True))
        if missing_is_empty:
            queries = list(news.extended(olds))
            notes.append(
                _(
                    "queries that only one run names count as unanswered in the other: "
                    "{before} only earlier, {after} only later",
                    **counts,
                )
            )
        elif allow_intersect:
            left_out = sum(apart)
            notes.append(
                counted(
                    "1 query is in both and was compared; {before} only in the earlier and "
                    "{after} only in the later one were left out",
                    "{count} queries are in both and were compared; {before} only in the "
                    "earlier and {after} only in the later one were left out",
                    len(common),
                    **counts,
                )
            )
        else:
            raise DataError(
                f"the queries differ: {len(common)} in both, {apart[0]} only earlier, {apart[1]} "
                "only later",
                where=after.dataset or runs[0][1].name,
                instead="Compare the common ones: --allow-intersect; or where a run file leaves "
                "out what got no answer, count them as unanswered: --missing-is-empty",
            )
    if before.data is not None and after.data is not None and before.digest != after.digest:
        other = reworded_queries(before.data, after.data, queries)
        if other:
            queries = [query for query in queries if query not in other]
            left_out += len(other)
            notes.append(
                counted(
                    "1 query has a different text now and was left out: it is a different question",
                    "{count} queries have different texts now and were left out: they are "
                    "different questions",
                    len(other),
                )
            )
    if not queries:
        raise DataError(
            "no query is in both", where=after.dataset, instead="Name results of the same queries"
        )
    return Ids(queries), left_out, notes


def _facts(
    before: RunsOfDataset, after: RunsOfDataset, queries: Ids, slices: tuple[str, ...]
) -> tuple[QueryFacts, list[Message]]:
    """Texts, judgments and slices: the later side's, else the earlier one's."""
    side = after if after.data is not None or before.data is None else before
    notes: list[Message] = []
    qrels = after.qrels if after.qrels is not None else before.qrels
    if side.data is None:
        if side.error is not None:
            notes.append(
                _(
                    "the dataset cannot be read, so texts, slices and judgments are left "
                    "out: {error}",
                    error=side.error,
                )
            )
        if slices:
            raise ConfigError(
                "slices need the dataset, which is not known",
                where="slices",
                instead="For run files, give the dataset's folder as --qrels",
            )
        return QueryFacts(qrels=qrels), notes
    asked = side.data.queries
    for key in slices:  # as compare has it: a key that is not there is an error
        labels(asked, key)
    found = slice_keys(asked, slices, list(queries))
    notes += found.notes
    by_key = {key: labels(found.value.queries, key) for key in found.value.keys}
    texts, row_of = asked.texts, asked.ids.row

    def text(query: str) -> str | None:
        row = row_of(query)
        return texts[row] if row >= 0 else None

    return replace(QueryFacts(texts=text, qrels=qrels), slices=by_key), notes
