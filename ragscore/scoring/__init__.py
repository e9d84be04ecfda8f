"""score(run, qrels, measures) -> Scores: judge once, read every measure off its curve.

Per-query values are kept at the named cutoffs; at all cutoffs only sums are kept, so that
memory grows with the queries times the named measures, never times the depth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Qrels
from ragscore.errors import ConfigError, DataError, MeasureError
from ragscore.judge import Blocks, QueryCounts, Ranked
from ragscore.measures import DEFAULT_MEASURES, Measure, load_named, parse_measures
from ragscore.run import Run
from ragscore.scoring.bounds import UnjudgedBounds, block_bounds
from ragscore.scoring.counts import CountRow, Counts, CurveMeans
from ragscore.scoring.inputs import AnyQrels, AnyRun, NumberedBlocks, qrels_of, run_of
from ragscore.scoring.measured_blocks import (
    MeasuredBlock,
    count,
    curve_means,
    measure_block,
    measured,
)
from ragscore.scoring.mismatch import IdMismatch, looks_wrong, mismatch_between
from ragscore.scoring.profiles import PROFILES, Profile, ProfileName, profile_named
from ragscore.scoring.retriever_scores import RetrieverScores, ScoreRow
from ragscore.scoring.scores import Scores

__all__ = [
    "UnjudgedBounds",
    "CountRow",
    "Counts",
    "CurveMeans",
    "IdMismatch",
    "PROFILES",
    "Profile",
    "ProfileName",
    "RetrieverScores",
    "ScoreRow",
    "Scores",
    "JudgedBlocks",
    "at_depth",
    "deepest",
    "profile_named",
    "score",
    "score_blocks",
    "with_mismatch",
]


DEEPEST = 1_000_000
"""A cutoff below everything that was returned may be this deep."""


class JudgedBlocks(Protocol):
    """What judged blocks can come from; :class:`~ragscore.judge.Blocks` is the one in memory."""

    recorded: int
    """Ranks that the run really has."""

    @property
    def query_counts(self) -> QueryCounts:
        """What became of the queries; known once all blocks were judged."""

    @property
    def query_ids(self) -> list[str]:
        """Ids of the queries, in the order of the blocks; known then too."""

    @property
    def grades(self) -> NDArray[np.float64]:
        """The grades of all judgments, for their scale."""

    def __iter__(self) -> Iterator[Callable[[], Ranked]]:
        """The work of each block."""


def score(
    run: AnyRun,
    qrels: AnyQrels,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    dataset: str = "dataset",
    retriever: str | None = None,
    unanswerable: Collection[str] = (),
    depth: int | None = None,
    missing: Literal["zero", "drop"] | None = None,
    unjudged: Literal["keep", "remove"] = "keep",
    profile: ProfileName = "trec",
    n_passages: int | None = None,
    bounds: bool = False,
    scores: NDArray[Any] | None = None,
    recorded: int | None = None,
) -> Scores:
    """Judge a run and measure it.

    Args:
        run: a Run, or ``{query id: {passage id: score} or [ids best first]}``, or an integer
            array [queries, depth] of passage numbers, as FAISS returns them (-1: nothing), taken
            as it is; another library's run that has ``to_dict()``.
        qrels: Qrels, or ``{query id: {passage id: grade} or [ids]}``; for an array, see
            :func:`~ragscore.scoring.inputs.numbered_qrels`.
        measures: texts or measures; ``R@depth`` is taken at the run's depth.
        dataset, retriever: names for the result; the retriever's is the run's by default.
        unanswerable: ids of queries that have no answer: left out of all means, and counted.
        depth: look at this many passages of each query only; by default all.
        missing: a judged query that the run lacks scores ``zero``, or is ``drop``ped; by
            default as the profile says (``trec``: zero).
        unjudged: ``remove`` takes passages that nobody judged out of the ranking, so that those
            below move up (condensed lists).
        profile: compute what this tool computes: a name in
            :data:`~ragscore.scoring.profiles.PROFILES`. Options given in a measure stay.
        n_passages: number of passages in the corpus, for the measures that need it (AUC).
        bounds: also find the lowest and highest value that each measure could have, were the
            unjudged passages judged; see :mod:`ragscore.scoring.bounds`.
        scores: for an array of passage numbers, their scores [queries, depth], higher is better;
            then their order counts and not that of the array.
        recorded: what ``@depth`` stands for; by default the run's depth.

    >>> scores = score({"q": ["b", "a"]}, {"q": {"a": 1}}, ["RR", "P@2"])
    >>> scores.to_dict()
    {'dataset': {'run': {'RR': 0.5, 'P@2': 0.5}}}
    >>> found = np.array([[7, 3], [5, -1]])
    >>> score(found, {0: {3: 1}, 1: {5: 2}}, ["RR"]).entries[0].per_query("RR")
    {'0': 0.5, '1': 1.0}

    Raises:
        MeasureError: a measure cannot be parsed, or needs what is not given.
        DataError: a score or grade is not a finite number, or an id is no text.
        ConfigError: an option has a value that it cannot have.
    """
    _check("missing", missing, (None, "zero", "drop"))
    _check("unjudged", unjudged, ("keep", "remove"))
    if depth is not None and depth < 1:
        raise ConfigError(f"depth={depth}", instead="Look at 1 passage of each query or more")
    chosen = profile_named(profile, load=profile not in PROFILES)
    listed = chosen.measures(parse_measures(load_named(measures, recorded=True)))
    missing = missing or chosen.missing
    name = retriever if retriever is not None else getattr(run, "name", "run")
    if isinstance(run, np.ndarray):
        numbered = NumberedBlocks(
            run,
            chosen.scores(scores),
            qrels,
            name=name,
            cut=depth,
            n_passages=n_passages,
            leave_out=unanswerable,
            missing=missing,
        )
        resolved = at_depth(listed, numbered.recorded if recorded is None else recorded)
        numbered.depth = deepest(resolved.values(), numbered.recorded)
        return score_blocks(
            numbered, resolved, dataset=dataset, retriever=name, unjudged=unjudged, bounds=bounds
        )
    if scores is not None:
        raise DataError("scores are given apart, and the run is no array of passage numbers")
    run, qrels = chosen.run(run_of(run)), qrels_of(qrels)
    own, judged = run, qrels
    if not qrels.passages.starts_with(run.passages):
        vocabulary = run.passages.extended(qrels.passages)
        run, qrels = run.onto(vocabulary), qrels.onto(vocabulary)
    run = run.cut(depth) if depth is not None else run
    resolved = at_depth(listed, run.depth if recorded is None else recorded)
    blocks = Blocks(
        run,
        qrels,
        depth=deepest(resolved.values(), run.depth),
        leave_out=unanswerable,
        missing=missing,
        n_passages=n_passages,
    )
    scores_of_run = score_blocks(
        blocks, resolved, dataset=dataset, retriever=name, unjudged=unjudged, bounds=bounds
    )
    return Scores((with_mismatch(scores_of_run.entries[0], lambda: own, lambda: judged),))


def with_mismatch(
    entry: RetrieverScores, run: Callable[[], Run], qrels: Callable[[], Qrels]
) -> RetrieverScores:
    """The scores with what is wrong about the ids, where few passages of the run were judged.

    Args:
        entry: scores of a run.
        run: gives the run, over its own passage ids.
        qrels: gives the judgments, over their own. Both are only called where the counts look
            wrong, since a file is read again for that.
    """
    if not looks_wrong(entry.counts, entry.values):
        return entry
    found, judged = run(), qrels()
    mismatch = mismatch_between(found.queries, found.passages, judged.queries, judged.passages)
    return replace(entry, mismatch=mismatch)


def _check(option: str, value: str | None, allowed: Sequence[str | None]) -> None:
    if value not in allowed:
        listed = ", ".join(f"'{name}'" for name in allowed if name)
        raise ConfigError(f"{option}={value!r}", instead=f"Allowed: {listed}")


def at_depth(measures: Iterable[Measure], depth: int) -> dict[Measure, Measure]:
    """Each measure, and what it is at this depth: ``R@depth`` has its number."""
    return {measure: measure.at_depth(max(depth, 1)) for measure in measures}


def deepest(measures: Iterable[Measure], depth: int) -> int:
    """The depth that a run of ``depth`` must be widened to for all cutoffs.

    Raises:
        MeasureError: it is far deeper than anything that came back.
    """
    within = (measure.within(depth).cutoff for measure in measures)
    most = max([depth, *(cutoff for cutoff in within if isinstance(cutoff, int))])
    if most > max(depth, DEEPEST):
        raise MeasureError(
            f"a cutoff of {most:,}, and no query got more than {depth:,} passages",
            instead=f"Ask for {DEEPEST:,} at most",
        )
    return most


def score_blocks(
    blocks: JudgedBlocks,
    resolved: Mapping[Measure, Measure],
    *,
    dataset: str = "dataset",
    retriever: str = "run",
    unjudged: Literal["keep", "remove"] = "keep",
    bounds: bool = False,
) -> Scores:
    """Measure judged blocks, wherever they come from: a Run in memory, or a file while it is read.

    Args:
        blocks: iterating gives the work of each block; see :class:`~ragscore.judge.Blocks`.
        resolved: by measure as requested, the one with its cutoff as a number; see
            :func:`at_depth`.
        dataset, retriever: names for the result.
        unjudged, bounds: see :func:`score`.

    Raises:
        MeasureError: bounds are wanted, and the unjudged passages are removed.
    """
    if bounds and unjudged == "remove":
        raise MeasureError(
            "bounds ask what the unjudged passages could change, and unjudged=remove drops them",
            instead="Leave one of the two out",
        )

    measures = tuple(dict.fromkeys(resolved.values()))
    # The grades that a passage may have, had it been judged.
    scale = np.unique(blocks.grades[blocks.grades > 0]) if bounds else np.empty(0)

    def measure(judged: Ranked) -> MeasuredBlock:
        if unjudged == "remove":
            judged = judged.dense().condensed()
        block = measure_block(judged, measures, blocks.recorded)
        if not bounds:
            return block
        return replace(block, bounds=block_bounds(judged.dense(), measures, scale))

    done = list(measured(blocks, measure))
    query_ids = blocks.query_ids
    cutoffs = {m.cutoff for m in measures if isinstance(m.cutoff, int)} | {blocks.recorded}
    entry = RetrieverScores(
        dataset=dataset,
        retriever=retriever,
        query_ids=query_ids,
        measures=measures,
        resolved=resolved,
        values=np.concatenate([block.values for block in done], axis=1),
        weights={m: np.concatenate([b.weights[m] for b in done]) for m in done[0].weights},
        curves={name: curve_means([b.curves[name] for b in done]) for name in done[0].curves},
        counts=count(done, blocks.query_counts, len(query_ids), cutoffs),
        bounds=UnjudgedBounds.of(done, measures, scale) if bounds else None,
    )
    return Scores((entry,))
