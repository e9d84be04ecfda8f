"""score(run, qrels, measures) -> Scores: judge once, read every measure off its curve.

Runs and judgments may be files: scoring stands above the formats. Per-query values are kept at
the named cutoffs; at all cutoffs only sums are kept, so that memory grows with the queries times
the named measures, never times the depth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Dataset, Qrels
from ragscore.dataset.text_qrels import TextQrels
from ragscore.errors import ConfigError, DataError
from ragscore.formats.runs.run_formats import names_of
from ragscore.formats.runs.run_loading import join_run, load_run
from ragscore.judge import (
    Blocks,
    JoinedRun,
    JoinTo,
    judged_queries,
    named_units,
    numbered_alike,
)
from ragscore.measures import DEFAULT_MEASURES, Measure, load_named, parse_measures
from ragscore.progress import SILENT, Progress
from ragscore.run import Run
from ragscore.scoring.bounds import UnjudgedBounds
from ragscore.scoring.counts import CountRow, Counts
from ragscore.scoring.inputs import AnyQrels, AnyRun, NumberedBlocks, run_of
from ragscore.scoring.judged_blocks import JudgedBlocks, at_depth, deepest, score_blocks
from ragscore.scoring.loaded_qrels import LoadedQrels
from ragscore.scoring.means import CurveMeans
from ragscore.scoring.measured_blocks import from_found
from ragscore.scoring.mismatch import MAX_IDS, IdMismatch, looks_wrong, mismatch_between
from ragscore.scoring.profiles import PROFILES, Profile, ProfileName, profile_named
from ragscore.scoring.retriever_scores import RetrieverScores, ScoreRow
from ragscore.scoring.scores import Scores

if TYPE_CHECKING:
    from ragscore.cache import Cache
    from ragscore.executors import ExecutorSpec

__all__ = [
    "UnjudgedBounds",
    "CountRow",
    "Counts",
    "CurveMeans",
    "IdMismatch",
    "JudgedBlocks",
    "LoadedQrels",
    "PROFILES",
    "Profile",
    "ProfileName",
    "RetrieverScores",
    "ScoreRow",
    "Scores",
    "at_depth",
    "deepest",
    "profile_named",
    "score",
    "score_blocks",
]


def score(
    run: AnyRun | str | Path | Sequence[AnyRun | str | Path],
    qrels: AnyQrels | Dataset | LoadedQrels | str | Path,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    dataset: str | None = None,
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
    strict: bool = False,
    executor: ExecutorSpec | None = None,
    cache: Cache | None = None,
    progress: Progress = SILENT,
) -> Scores:
    r"""Judge a run and measure it.

    Args:
        run: the path of a run file, in any format that ``ragscore list run-formats`` names; a Run;
            ``{query id: {passage id: score} or [ids best first]}``; another library's run that
            has ``to_dict()``; or a list of any of these. Or an integer array [queries, depth] of
            passage numbers, best first, as FAISS returns them (-1: nothing). A file is joined
            with the judgments while it is read, where its format and the profile allow that, and
            takes little memory; the values are the same.
        qrels: the path of a file of judgments or of a dataset's folder; a Dataset; Qrels;
            ``{query id: {passage id: grade} or [ids]}``; for an array, see
            :func:`~ragscore.scoring.inputs.numbered_qrels`.
        measures: texts or measures; ``R@depth`` is taken at the run's depth.
        dataset: name for the result; by default the dataset's, or the file's.
        retriever: name of the run; by default its own, or the file's.
        unanswerable: ids of queries that have no answer, besides those of a dataset: left out of
            all means, and counted.
        depth: score only this many passages of each query; by default all.
        missing: a judged query that the run lacks scores 0 (``zero``), or is left out
            (``drop``); by default as the profile says (``trec``: zero).
        unjudged: ``remove`` takes passages that nobody judged out of the ranking, so that those
            below move up (condensed lists).
        profile: compute what this tool computes: a name in
            :data:`~ragscore.scoring.profiles.PROFILES`. Options given in a measure override it.
        n_passages: number of passages in the corpus, for the measures that need it (AUC); by
            default the dataset's.
        bounds: also compute the lowest and highest value that each measure could have if the
            unjudged passages were judged; see :mod:`ragscore.scoring.bounds`.
        scores: for an array of passage numbers, their scores [queries, depth], higher is better;
            passages are then ordered by score, not as in the array.
        recorded: the depth that ``@depth`` means; by default the run's depth.
        strict: a file that names a passage twice for a query is an error.
        executor: who reads the parts of runs that are folders: ``Local(processes=4)``, or a
            :class:`~ragscore.executors.Ray` cluster; by default this process does. The values are
            the same.
        cache: where workers put what they find, within their reach; parts that it holds already
            are not read again. By default nothing is kept.
        progress: receives workers that do not do what they are given.

    >>> scores = score({"q": ["b", "a"]}, {"q": {"a": 1}}, ["RR", "P@2"])
    >>> scores.to_dict()
    {'dataset': {'run': {'RR': 0.5, 'P@2': 0.5}}}
    >>> found = np.array([[7, 3], [5, -1]])
    >>> score(found, {0: {3: 1}, 1: {5: 2}}, ["RR"]).entries[0].per_query("RR")
    {'0': 0.5, '1': 1.0}

    Files are scored without being loaded:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run, qrels = Path(folder, "bm25.trec"), Path(folder, "qrels.txt")
    ...     _ = run.write_text("q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 1.5 x\n")
    ...     _ = qrels.write_text("q1 0 d2 1\n")
    ...     score(run, qrels, ["RR", "P@2"]).to_dict()
    {'qrels': {'bm25': {'RR': 0.5, 'P@2': 0.5}}}

    Raises:
        MeasureError: a measure cannot be parsed, or needs what is not given.
        DataError: a file is not there or its lines are wrong; a score or grade is not a finite
            number, or an id is not text.
        ConfigError: an option has a value that it cannot have.
    """
    _check("missing", missing, (None, "zero", "drop"))
    _check("unjudged", unjudged, ("keep", "remove"))
    if depth is not None and depth < 1:
        raise ConfigError(f"depth={depth}", instead="Give a depth of 1 or more")
    chosen = profile_named(profile, load=profile not in PROFILES)
    judged = qrels if isinstance(qrels, LoadedQrels) else LoadedQrels(qrels)
    scoring = _Scoring(
        qrels=judged,
        measures=chosen.measures(parse_measures(load_named(measures, recorded=True))),
        profile=chosen,
        dataset=judged.name if dataset is None else dataset,
        unanswerable=judged.unanswerable.union(unanswerable),
        depth=depth,
        missing=missing or chosen.missing,
        unjudged=unjudged,
        n_passages=judged.n_passages if n_passages is None else n_passages,
        bounds=bounds,
        recorded=recorded,
        strict=strict,
        executor=executor,
        cache=cache,
        progress=progress,
    )
    if isinstance(run, np.ndarray):
        return Scores((scoring.of_array(run, scores, retriever or "run"),))
    if scores is not None:
        raise DataError(
            "scores are given separately, but the run is not an array of passage numbers"
        )
    if isinstance(run, str | Path) or not isinstance(run, Sequence):
        name = _names([run])[0] if retriever is None else retriever
        return Scores((scoring.of_run(run, name),))
    if retriever is not None:
        raise ConfigError("one name for several runs", instead="Leave retriever out")
    return Scores(
        tuple(scoring.of_run(each, name) for each, name in zip(run, _names(run), strict=True))
    )


def _names(runs: Sequence[Any]) -> list[str]:
    """A name for each run: a file's by :func:`~ragscore.formats.runs.run_formats.names_of`."""
    of_files = iter(names_of([run for run in runs if isinstance(run, str | Path)]))
    names = [
        next(of_files) if isinstance(run, str | Path) else getattr(run, "name", "run")
        for run in runs
    ]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"two runs are named '{twice}'", instead="Rename one: run.renamed(...)")
    return names


@dataclass(frozen=True)
class _Scoring:
    """The options of :func:`score`, resolved."""

    qrels: LoadedQrels
    measures: tuple[Measure, ...]
    profile: Profile
    dataset: str
    unanswerable: frozenset[str]
    depth: int | None
    missing: Literal["zero", "drop"]
    unjudged: Literal["keep", "remove"]
    n_passages: int | None
    bounds: bool
    recorded: int | None
    strict: bool
    executor: ExecutorSpec | None
    cache: Cache | None
    progress: Progress

    def of_array(
        self, rows: NDArray[np.integer[Any]], scores: NDArray[Any] | None, name: str
    ) -> RetrieverScores:
        """The scores of an array of passage numbers."""
        given = self.qrels.given
        if isinstance(given, str | Path):
            raise DataError(
                "the run is an array of passage numbers and the judgments are a file",
                where=str(given),
                instead="Give judgments as {query number: {passage number: grade}}",
            )
        blocks = NumberedBlocks(
            rows,
            self.profile.scores(scores),
            given,
            name=name,
            cut=self.depth,
            n_passages=self.n_passages,
            leave_out=self.unanswerable,
            missing=self.missing,
        )
        resolved = at_depth(
            self.measures, blocks.recorded if self.recorded is None else self.recorded
        )
        blocks.depth = deepest(resolved.values(), blocks.recorded)
        return self._of_blocks(blocks, resolved, name)

    def of_run(self, given: AnyRun | str | Path, name: str) -> RetrieverScores:
        """The scores of a run or a run file."""
        if not isinstance(given, str | Path):
            return self._of_loaded(run_of(given), name)
        if not (self.profile.as_it_is and self.qrels.flat):
            return self._of_loaded(load_run(given, name=name, strict=self.strict), name)
        by_workers = None
        if self.executor is not None:
            from ragscore.scoring.part_jobs import parts_by

            by_workers = partial(parts_by, self.executor, self.cache, self.progress)
        run = join_run(given, self._join_to(), name=name, strict=self.strict, join_parts=by_workers)
        return self._of_joined(run) if isinstance(run, JoinedRun) else self._of_loaded(run, name)

    def _join_to(self) -> JoinTo:
        """What a run is joined with while it is read: ties are only counted where no measure asks
        where they stand."""
        qrels = self.qrels.as_text
        if self.bounds or self.unjudged == "remove" or not all(map(from_found, self.measures)):
            return JoinTo(qrels)
        return JoinTo(qrels, judged_queries(qrels, qrels.query_rows(self.unanswerable)))

    def _of_joined(self, run: JoinedRun) -> RetrieverScores:
        qrels = self.qrels.as_text
        entry = self._of_both(
            run, qrels, run.name, lambda: (run.query_ids(qrels, MAX_IDS), run.passage_ids())
        )
        return replace(entry, gaps=run.gaps)

    def _of_loaded(self, given: Run, name: str) -> RetrieverScores:
        given = self.profile.run(given)
        run, qrels = numbered_alike(given, self.qrels.numbered)

        def ids() -> tuple[Collection[str], Collection[str]]:
            named = given.passages if qrels.units is None else named_units(run, qrels)
            return given.queries, named

        return self._of_both(run, qrels, name, ids)

    def _of_both(
        self,
        run: Run | JoinedRun,
        qrels: Qrels | TextQrels,
        name: str,
        ids_of_run: Callable[[], tuple[Collection[str], Collection[str]]],
    ) -> RetrieverScores:
        """The scores, with what is wrong about the ids of queries and passages where they may come
        from that."""
        depth = run.depth if self.depth is None else min(run.depth, self.depth)
        resolved = at_depth(self.measures, depth if self.recorded is None else self.recorded)
        blocks = Blocks(
            run,
            qrels,
            depth=deepest(resolved.values(), depth),
            recorded=depth,
            leave_out=self.unanswerable,
            missing=self.missing,
            n_passages=self.n_passages,
        )
        entry = self._of_blocks(blocks, resolved, name)
        if not looks_wrong(entry.counts, entry.values):
            return entry
        judged = self.qrels.query_ids(), self.qrels.passage_ids()
        return replace(entry, mismatch=mismatch_between(*ids_of_run(), *judged))

    def _of_blocks(
        self, blocks: JudgedBlocks, resolved: Mapping[Measure, Measure], name: str
    ) -> RetrieverScores:
        entry = score_blocks(
            blocks,
            resolved,
            dataset=self.dataset,
            retriever=name,
            unjudged=self.unjudged,
            bounds=self.bounds,
        )
        data = self.qrels.dataset
        if data is None or data.sample is None:
            return entry
        return replace(entry, counts=replace(entry.counts, sample=data.sample))


def _check(option: str, value: str | None, allowed: Sequence[str | None]) -> None:
    if value not in allowed:
        listed = ", ".join(f"'{name}'" for name in allowed if name)
        raise ConfigError(f"{option}={value!r}", instead=f"Allowed: {listed}")
