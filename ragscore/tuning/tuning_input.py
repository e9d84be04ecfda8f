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
from ragscore.stats.intervals import ShareMethod
from ragscore.tuning.context import Contexts, TokenCounter, contexts_of
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
            dataset=name or judgments.name,
            run=run.for_queries(Ids(blocks.query_ids)),
            judged=only().dense(),
            refused=run.for_queries(Ids(sorted(unanswerable))) if unanswerable else None,
            families=chosen.measures(options.families()),
            unanswerable=len(drawn) - len(blocks.query_ids),
            clusters=_clusters(data, drawn, options),
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
        if len(self.run) < 2:
            what = "no judged query" if not len(self.run) else "only 1 judged query"
            instead = "Tuning compares queries with each other: judge two or more"
            if self.left_out:
                what = f"{what} left: {self.left_out:,} failed and are left out"
                instead = "Ask them again: ragscore run --retry-failed DIR"
            raise DataError(f"there is {what}", where=where, instead=instead)
        recall = self.family(R)
        if not self.n_relevant(recall).any():
            raise DataError(
                f"no query has a relevant passage: the largest grade is "
                f"{self.judged.ideal_grades.max(initial=0.0):g}",
                where=where,
                instead="Judge some, or lower relevant_from",
            )
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

    def columns(
        self,
        measure: Measure,
        values: NDArray[np.float64],
        answered: NDArray[np.bool_] | None = None,
    ) -> SettingValues:
        """Values of this measure as what intervals are made of.

        Args:
            measure: whose values these are.
            values: float64[Q, S].
            answered: bool[Q + U, S], who gets a passage: then only these count, and an
                unanswerable one counts with 0. By default all of the Q count alike.
        """
        bounded = measure.bounded
        if answered is not None:
            weights = answered.astype(np.float64)
            return SettingValues.of(
                self._behind(values),
                self.clusters,
                weights=weights,
                unit_interval=bounded,
                share_method=measure.share_method,
            )
        alone = measure.reads_hits and bool((self.n_relevant(measure) == 1).all())
        return self.of_averaged(
            values,
            one_relevant=alone,
            unit_interval=bounded,
            share_method=measure.share_method,
        )

    def of_averaged(
        self,
        values: NDArray[np.float64],
        *,
        one_relevant: bool = False,
        unit_interval: bool = True,
        share_method: ShareMethod = "wilson",
    ) -> SettingValues:
        """Values of the averaged queries, float64[Q, S], which all count alike."""
        weights = self._behind(np.ones_like(values)) if self.unanswerable else None
        return SettingValues.of(
            self._behind(values),
            self.clusters,
            weights=weights,
            one_relevant=one_relevant,
            unit_interval=unit_interval,
            share_method=share_method,
        )

    def of_unanswerable(self, values: NDArray[np.float64]) -> SettingValues:
        """Values of the unanswerable queries, float64[U, S]; no other query counts."""
        behind = np.zeros((len(self), values.shape[1]))
        weights = np.concatenate([behind, np.ones_like(values)])
        return SettingValues.of(np.concatenate([behind, values]), self.clusters, weights=weights)

    def _behind(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values, then a row of 0 for each unanswerable query that is drawn."""
        return np.pad(values, ((0, self.unanswerable), (0, 0)))

    def in_context(self, measure: Measure, fitting: NDArray[np.int64]) -> NDArray[np.float64]:
        """The measure over the passages of each query that fit a context: float64[Q]; undefined
        without any, where it may be.

        Args:
            measure: any with a curve.
            fitting: int64[Q], how many passages fit.
        """
        values = values_at(self.curve(measure), fitting[:, None])[:, 0]
        return np.where(fitting == 0, np.nan, values) if measure.may_be_undefined else values

    def contexts(self, budget: Budget | None) -> Contexts | None:
        """What the passages take up; words where nothing is asked for. None if the texts are
        not known, and nothing needs them.

        Raises:
            ConfigError: a budget, and no texts.
        """
        if self.corpus is None:
            if budget is None:
                return None
            raise ConfigError(
                f"a budget of {budget.unit} needs the texts of the passages, and only judgments "
                "are here",
                instead="Give the dataset's folder as --qrels, or leave the budget out",
            )
        try:
            return contexts_of(self.run, self.corpus, budget or Budget(), self.count_tokens)
        except DataError:
            if budget is not None:
                raise
            return None  # a run of other passages is judged all the same


def _clusters(
    data: Dataset | None, query_ids: Sequence[str], options: TuneOptions
) -> NDArray[np.int64] | None:
    if options.cluster is None:
        return None
    if data is None:
        raise ConfigError(
            f"clusters by '{options.cluster}' need the queries, and only judgments are here",
            instead="Give the dataset's folder as --qrels",
        )
    clusters = clusters_of(data.queries, options.cluster)
    return cluster_numbers(clusters, query_ids, where="cluster")


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
