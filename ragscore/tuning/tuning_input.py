"""What a tuning reads: one run, judged once, the settings that are tried, and what each query gets
at them: passages, and their size.

The texts of the passages are counted, without titles and without what a prompt puts between them.
Nothing here imports or opens what an option names: tokens come from a counter that the caller
hands over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log10

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct
from ragscore.dataset import Corpus, Dataset, Ids, Qrels, Queries, SampledCorpus, Unit
from ragscore.dataset.labels import cluster_numbers, clusters_of
from ragscore.dataset.text_columns import taken
from ragscore.errors import ConfigError, DataError
from ragscore.judge import Blocks, Judged, numbered_alike, of_units
from ragscore.measures import Measure, R
from ragscore.run import Run
from ragscore.scoring import LoadedQrels, ProfileName, profile_named
from ragscore.stats.bands import SettingValues
from ragscore.tuning.options import Budget, By, TuneOptions

SETTINGS = 100
"""How many score cuts are tried at quantiles of all scores, and as many of the first passages'."""
GRAIN = 1_000
"""Cuts are rounded to a step, of which the range of the scores has this many: the cut that is
printed is the cut that was tried."""
RELATIONS: dict[By, str] = {"k": "=", "score": ">=", "gap": "<=", "ratio": ">="}
BUDGETS = (1_000, 2_000, 4_000)
"""Sizes of a context at which retrievers are compared that return pieces of other lengths."""

TokenCounter = Callable[[Corpus, NDArray[np.int64]], NDArray[np.int64]]
"""Tokens of the passages in some rows of a corpus: int64[rows]. Made by
:func:`~ragscore.tokens.token_counter` of a tokenizer that the user names, or read from
a result, which recorded them."""
UNTAGGED = "untagged"
UNANSWERABLE = "unanswerable"
"""Strata of the queries without a tag, and of those without an answer."""

AnyJudgments = Dataset | Qrels | Mapping[str, Mapping[str, float] | Sequence[str]]


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The settings.

    Attributes:
        by: what is cut.
        values: float64[S], the k, or the score, gap or ratio at the cut; strictest first.
        decimals: of a value as it is printed.
    """

    by: By
    values: NDArray[np.float64]
    decimals: int = 0

    @classmethod
    def of(cls, run: Run, by: By) -> Thresholds:
        """Every k up to the run's depth, or cuts at quantiles of what the run's scores, gaps or
        ratios are; of scores also at quantiles of the first passages' alone, which decide how many
        queries are answered.

        Raises:
            ConfigError: the run has no scores, or (ratio) some that are not above 0.
        """
        if by == "k":
            return cls("k", np.arange(1, run.depth + 1, dtype=np.float64))
        heights = _heights(run, by)
        seen = heights[~np.isnan(heights)]
        if not len(seen):
            raise ConfigError("the run is empty", where=run.name)
        spread = float(seen.max()) - float(seen.min())
        decimals = max(0, ceil(log10(GRAIN / spread))) if spread > 0 else 6
        scale = 10.0**decimals
        at = np.linspace(0.0, 1.0, SETTINGS)
        quantiles = np.quantile(seen, at, method="lower")
        if by == "score":
            firsts = heights[:, 0][~np.isnan(heights[:, 0])]
            quantiles = np.concatenate([quantiles, np.quantile(firsts, at, method="lower")])
        values = np.unique(np.floor(quantiles * scale) / scale)[::-1]
        return cls(by, np.abs(values) if by == "gap" else values, decimals)

    def __len__(self) -> int:
        return len(self.values)

    def label(self, at: int) -> str:
        """``k = 5``, ``score >= 0.41``, ``gap <= 0.2``, ``ratio >= 0.8``."""
        return f"{self.relation} {self.shown(at)}"

    @property
    def relation(self) -> str:
        """The label without its value: ``score >=``."""
        return f"{self.by} {RELATIONS[self.by]}"

    def shown(self, at: int) -> str:
        """The value alone."""
        return f"{self.values[at]:.{self.decimals}f}"

    def taken(self, run: Run) -> NDArray[np.int64]:
        """How many passages each query gets at each setting: int64[Q, S]. A k counts also where
        fewer came back; a score cut only what came back."""
        if self.by == "k":
            return np.broadcast_to(np.arange(1, len(self) + 1), (len(run), len(self)))
        heights = _heights(run, self.by)
        # NaN behind the last passage is above no cut.
        limits = -self.values if self.by == "gap" else self.values
        passing = [(heights >= limit).sum(axis=1) for limit in limits]
        return np.stack(passing, axis=1).astype(np.int64)


def _heights(run: Run, by: By) -> NDArray[np.float64]:
    """What must be at or above a cut: float64[Q, depth], falling, NaN behind the last."""
    scores = run.scores
    if scores is None:
        what = "the run has no scores, only an order"
        raise ConfigError(what, where=run.name, instead="Cut by k")
    if by == "score" or not scores.shape[1]:
        return scores
    first = scores[:, :1]
    if by == "gap":
        return scores - first
    if (first <= 0).any():
        what = "a ratio needs scores above 0, and the first of some queries is not"
        raise ConfigError(what, where=run.name, instead="Cut by gap")
    return scores / first


@dataclass(frozen=True, eq=False)
class Contexts:
    """What the passages of each query take up.

    Attributes:
        unit: what is counted.
        sizes: int64[Q, depth + 1], of the first 0, 1, ..., depth passages together.
        returned: int32[Q], how many passages each query got.
        limit: the budget's limit; None without one.
    """

    unit: Unit
    sizes: NDArray[np.int64]
    returned: NDArray[np.int32]
    limit: int | None = None

    @classmethod
    def of(
        cls, run: Run, corpus: Corpus, budget: Budget, count_tokens: TokenCounter | None = None
    ) -> Contexts:
        """The sizes of every query's contexts; only passages that were returned are counted.

        Args:
            run: of the queries wanted, over any passages.
            corpus: the texts.
            budget: what to count, and the limit.
            count_tokens: counts them, where the unit is tokens.

        Raises:
            ConfigError: tokens are asked for and nothing counts them, or the counter failed.
            DataError: a returned passage is not in the corpus.
        """
        used = distinct(run.rows[run.rows >= 0])
        rows = corpus.ids.rows(run.passages.texts(used)).astype(np.int64)
        if (rows < 0).any():
            unknown = run.passages[int(used[np.flatnonzero(rows < 0)[0]])]
            raise DataError(
                f"passage '{unknown}' is not in the corpus, so its text cannot be counted",
                where=run.name,
                instead="Give the dataset that the run was made from, or leave the budget out",
            )
        lengths = np.zeros(len(run.passages) + 1, dtype=np.int64)  # the last stands for -1
        lengths[used] = _counted(corpus, rows, budget, count_tokens)
        sizes = np.zeros((len(run), run.depth + 1), dtype=np.int64)
        np.cumsum(lengths[run.rows], axis=1, out=sizes[:, 1:])
        return cls(budget.unit, sizes, run.returned, budget.limit)

    def fitting(self, limit: int) -> NDArray[np.int64]:
        """How many passages fit, the first that does not ends the context: int64[Q]."""
        fits: NDArray[np.int64] = (self.sizes[:, 1:] <= limit).sum(axis=1)
        return np.minimum(fits, self.returned)  # empty places behind the last take nothing

    def within(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        """What the limit leaves of how many passages each query wants: int64[Q, S]."""
        if self.limit is None:
            return wanted
        return np.minimum(wanted, self.fitting(self.limit)[:, None])

    def filled(self, limit: int) -> NDArray[np.bool_]:
        """The queries for which not everything that was recorded fits: bool[Q]."""
        filled: NDArray[np.bool_] = self.sizes[:, -1] > limit
        return filled

    def short(self, limit: int) -> NDArray[np.bool_]:
        """The queries for which a deeper run might fill more: bool[Q]."""
        short: NDArray[np.bool_] = self.returned >= self.sizes.shape[1] - 1
        return short & ~self.filled(limit)

    @property
    def limits(self) -> NDArray[np.int64]:
        """Round sizes from the smallest first passage to the largest context, the limit too."""
        smallest, largest = int(self.sizes[:, 1].min()), int(self.sizes[:, -1].max())
        rounds = [step * 10**power for power in range(12) for step in (1, 2, 3, 5)]
        rounds = sorted({*rounds, *BUDGETS})
        inside = [size for size in rounds if max(smallest, 1) <= size < largest]
        above = [size for size in rounds if size >= largest][:1]
        own = [self.limit] if self.limit is not None else []
        return np.array(sorted({*inside, *above, *own}), dtype=np.int64)


def _counted(
    corpus: Corpus, rows: NDArray[np.int64], budget: Budget, count_tokens: TokenCounter | None
) -> NDArray[np.int64]:
    if budget.unit == "words":
        return corpus.words(rows)
    if budget.unit == "characters":
        return np.array(list(map(len, taken(corpus.texts, rows))), dtype=np.int64)
    if count_tokens is None:
        raise ConfigError(
            "tokens are to be counted, but no tokenizer was given",
            where="budget",
            instead="Pass count_tokens=ragscore.token_counter(...), or count words",
        )
    return count_tokens(corpus, rows)


@dataclass(frozen=True, eq=False)
class TuningInput:
    """A run's answers to the averaged queries, and what is known of these.

    Attributes:
        options: what is asked.
        dataset: its name.
        run: of the Q averaged queries, in their order.
        judged: their grades.
        refused: the run's answers to the U unanswerable queries, which are drawn behind the
            averaged ones where a score is cut, since a cut may answer these, too; none if k is cut.
        families: the measures, without cutoffs.
        unanswerable: how many queries are known to have no answer, drawn or not.
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
    refused: Run
    families: tuple[Measure, ...]
    unanswerable: int
    clusters: NDArray[np.int64] | None
    strata: list[str] | None
    corpus: Corpus | None
    missing: int
    failed: int
    left_out: int
    count_tokens: TokenCounter | None
    sample: SampledCorpus | None

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
        refused = [] if options.by == "k" else sorted(unanswerable)
        drawn = [*blocks.query_ids, *refused]
        inputs = cls(
            options=options,
            dataset=name or judgments.name,
            run=run.for_queries(Ids(blocks.query_ids)),
            judged=only().dense(),
            refused=run.for_queries(Ids(refused)),
            families=chosen.measures(options.families()),
            unanswerable=len(unanswerable),
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

    @property
    def averaged(self) -> NDArray[np.bool_]:
        """Which of the Q + U queries are averaged: bool[Q + U]; the others are unanswerable."""
        return np.arange(len(self) + len(self.refused)) < len(self)

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

    def values(self, measure: Measure, taken: NDArray[np.int64] | None) -> NDArray[np.float64]:
        """Each query's value of its first passages, as many as it takes: float64[Q, S].

        Args:
            measure: any with a curve.
            taken: int64[Q, S], how many; 0 for those that get nothing. None: every k.
        """
        curve = measure.settled_curve(self.judged)
        if taken is None:
            return curve
        return np.take_along_axis(np.pad(curve, ((0, 0), (1, 0))), taken, axis=1)

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
        values = np.pad(values, ((0, len(self.averaged) - len(values)), (0, 0)))
        one_relevant = False
        if counting is None:
            if measure is not None and measure.reads_hits:
                one_relevant = bool((self.n_relevant(measure) == 1).all())
            if len(self.refused):
                counting = np.broadcast_to(self.averaged[:, None], values.shape)
        return SettingValues.of(
            values,
            self.clusters,
            weights=None if counting is None else counting.astype(np.float64),
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
        values = self.values(measure, fitting[:, None])[:, 0]
        return np.where(fitting == 0, np.nan, values) if measure.may_be_undefined else values

    def contexts(self, run: Run | None = None) -> Contexts | None:
        """What the passages take up; words where nothing is asked for. None if the texts are
        not known, and nothing needs them.

        Args:
            run: by default that of the averaged queries.

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
            run = self.run if run is None else run
            return Contexts.of(run, self.corpus, budget or Budget(), self.count_tokens)
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
