"""TuningInput: one run, judged once, from which every curve is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Corpus, Dataset, Ids, Qrels, Queries, SampledCorpus
from ragscore.dataset.labels import cluster_numbers, clusters_of
from ragscore.errors import ConfigError, DataError
from ragscore.judge import Blocks, Judged, numbered_alike, of_units
from ragscore.measures import Measure, R
from ragscore.run import Run
from ragscore.scoring import LoadedQrels, ProfileName, profile_named
from ragscore.stats.bands import SettingValues
from ragscore.tuning.cuts import Contexts, TokenCounter
from ragscore.tuning.options import Budget, TuneOptions

UNTAGGED = "untagged"
UNANSWERABLE = "unanswerable"
"""Strata of the queries without a tag, and of those without an answer."""

AnyJudgments = Dataset | Qrels | Mapping[str, Mapping[str, float] | Sequence[str]]


def values_at(curve: NDArray[np.float64], taken: NDArray[np.int64]) -> NDArray[np.float64]:
    """Each query's value at its own number of passages, 0 if it gets none: float64[Q, S]."""
    values: NDArray[np.float64] = np.take_along_axis(np.pad(curve, ((0, 0), (1, 0))), taken, axis=1)
    return values


@dataclass(frozen=True, eq=False)
class TuningInput:
    """A run's answers to the averaged queries, and what is known of these.

    Attributes:
        options: what is asked.
        dataset: its name.
        run: of the Q averaged queries, in their order.
        judged: their grades.
        refused: the run's answers to the queries that have no answer; None if it is not known
            which these are, or there is none.
        families: the measures, without cutoffs.
        unanswerable: U, how many unanswerable queries are drawn behind the averaged ones where a
            score is cut, since a cut may answer these, too; 0 if k is cut.
        clusters: int64[Q + U], the number of each query's cluster; None if each query is drawn
            alone.
        strata: a label for each of the Q + U queries that folds hold alike; None if there is
            none.
        corpus: the texts; None if they are not known.
        missing: queries that the run lacks.
        failed: of the Q queries, those that failed; they get nothing.
        left_out: judged queries that failed and are not among the Q.
        count_tokens: counts the tokens of passages; None if nobody named a tokenizer.
        sample: what the corpus is a sample of; None if it is whole.
    """

    options: TuneOptions
    dataset: str
    run: Run
    judged: Judged
    refused: Run | None
    families: tuple[Measure, ...]
    unanswerable: int
    clusters: NDArray[np.int64] | None
    strata: list[str] | None
    corpus: Corpus | None
    missing: int
    failed: int = 0
    left_out: int = 0
    count_tokens: TokenCounter | None = None
    sample: SampledCorpus | None = None

    @classmethod
    def of(
        cls,
        run: Run,
        judged: AnyJudgments,
        options: TuneOptions,
        profile: ProfileName,
        name: str | None,
        count_tokens: TokenCounter | None = None,
    ) -> TuningInput:
        """Judge a run.

        Raises:
            DataError: fewer than two queries are judged, nothing relevant is, or nothing came
                back.
            ConfigError: the options need tags, metadata or texts, and there are none.
        """
        judgments, chosen = LoadedQrels(judged), profile_named(profile)
        data, unanswerable = judgments.dataset, judgments.unanswerable
        run, qrels = numbered_alike(chosen.run(run), judgments.numbered)
        run = of_units(run, qrels)
        blocks = Blocks(run, qrels, leave_out=unanswerable, missing=chosen.missing, places=None)
        (only,) = blocks
        left_out = 0 if blocks.left_out is None else len(blocks.left_out.query_ids)
        drawn = [*blocks.query_ids, *([] if options.by == "k" else sorted(unanswerable))]
        inputs = cls(
            options=options,
            dataset=name or judgments.name,
            run=run.for_queries(Ids(blocks.query_ids)),
            judged=only().dense(),
            refused=run.for_queries(Ids(sorted(unanswerable))) if unanswerable else None,
            families=chosen.measures(options.families()),
            unanswerable=len(drawn) - len(blocks.query_ids),
            clusters=_clusters(data, drawn, options.cluster),
            strata=strata_of(data.queries, drawn) if data is not None else None,
            corpus=data.corpus if data is not None else None,
            missing=blocks.query_counts.missing,
            failed=blocks.query_counts.failed - left_out,
            left_out=left_out,
            count_tokens=count_tokens,
            sample=data.sample if data is not None else None,
        )
        inputs._refuse_nothing()
        return inputs

    def _refuse_nothing(self) -> None:
        where = f"{self.dataset}, {self.run.name}"
        if len(self) < 2:
            what = "no judged query" if not len(self) else "only 1 judged query"
            instead = "Tuning compares queries with each other: judge two or more"
            if self.left_out:
                what = f"{what} left: {self.left_out:,} failed and are left out"
                instead = "Ask them again: ragscore run --retry-failed DIR"
            raise DataError(f"there is {what}", where=where, instead=instead)
        if not self.n_relevant(self.family(R)).any():
            largest = self.judged.ideal_grades.max(initial=0.0)
            what = f"no query has a relevant passage: the largest grade is {largest:g}"
            raise DataError(what, where=where, instead="Judge some, or lower relevant_from")
        if not self.run.returned.any():
            raise DataError("nothing came back for any judged query", where=where)

    def __len__(self) -> int:
        return len(self.run)

    @property
    def depth(self) -> int:
        """Ranks recorded."""
        return self.run.depth

    def family(self, kind: type[Measure], beta: float | None = None) -> Measure:
        """The first measure of a kind, or the F of this beta."""
        return next(
            measure
            for measure in self.families
            if isinstance(measure, kind) and (beta is None or getattr(measure, "beta", 0) == beta)
        )

    def n_relevant(self, measure: Measure) -> NDArray[np.float64]:
        """Relevant passages of each query, as this measure counts them: float64[Q]."""
        return self.judged.n_relevant(measure.threshold or 1.0)

    def curve(self, measure: Measure) -> NDArray[np.float64]:
        """The measure at every k: float64[Q, depth]."""
        return measure.settled_curve(self.judged)

    def setting_values(
        self,
        values: NDArray[np.float64],
        measure: Measure | None = None,
        *,
        counting: NDArray[np.bool_] | None = None,
        bounded: bool = True,
    ) -> SettingValues:
        """What means and intervals are made of.

        Args:
            values: float64[Q, S], or [Q + U, S] with those of the unanswerable queries, which are
                0 by default.
            measure: whose values these are; None if they are no measure's.
            counting: bool[Q + U, S], which queries count; by default the Q averaged.
            bounded: whether values of no measure lie between 0 and 1.
        """
        values = np.pad(values, ((0, len(self) + self.unanswerable - len(values)), (0, 0)))
        one_relevant, weights = False, None
        if counting is not None:
            weights = counting.astype(np.float64)
        else:
            if self.unanswerable:
                weights = np.zeros_like(values)
                weights[: len(self)] = 1.0
            if measure is not None and measure.reads_hits:
                one_relevant = bool((self.n_relevant(measure) == 1).all())
        return SettingValues.of(
            values,
            self.clusters,
            weights=weights,
            one_relevant=one_relevant,
            unit_interval=bounded if measure is None else measure.bounded,
            share_method="wilson" if measure is None else measure.share_method,
        )

    def in_context(self, measure: Measure, fitting: NDArray[np.int64]) -> NDArray[np.float64]:
        """The measure over the passages of each query that fit a context: float64[Q]; undefined
        without any, where it may be.

        Args:
            measure: any with a curve.
            fitting: int64[Q], how many passages fit.
        """
        values = values_at(self.curve(measure), fitting[:, None])[:, 0]
        return np.where(fitting == 0, np.nan, values) if measure.may_be_undefined else values

    def contexts(self) -> Contexts | None:
        """What the passages take up; words where nothing is asked for. None if the texts are
        not known, and nothing needs them.

        Raises:
            ConfigError: a budget, and no texts.
        """
        budget = self.options.budget
        if self.corpus is None:
            if budget is None:
                return None
            raise ConfigError(
                f"a budget of {budget.unit} needs the texts of the passages, and only judgments "
                "are here",
                instead="Give the dataset's folder as --qrels, or leave the budget out",
            )
        try:
            return Contexts.of(self.run, self.corpus, budget or Budget(), self.count_tokens)
        except DataError:
            if budget is not None:
                raise
            return None  # a run of other passages is judged all the same


def _clusters(
    data: Dataset | None, query_ids: Sequence[str], key: str | None
) -> NDArray[np.int64] | None:
    if key is None:
        return None
    if data is None:
        raise ConfigError(
            f"clusters by '{key}' need the queries, and only judgments are here",
            instead="Give the dataset's folder as --qrels",
        )
    return cluster_numbers(clusters_of(data.queries, key), query_ids, where="cluster")


def strata_of(queries: Queries, query_ids: Sequence[str]) -> list[str] | None:
    """The first tag of each query, or that it has no answer; None if there is neither."""
    refused = queries.unanswerable.intersection(query_ids)
    if not queries.tags and not refused:
        return None
    rows = queries.ids.rows(query_ids).tolist()
    return [
        UNANSWERABLE if query in refused else next(iter(queries.tags.get(row, ())), UNTAGGED)
        for query, row in zip(query_ids, rows, strict=True)
    ]
