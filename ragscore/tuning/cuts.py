"""The settings that are tried, and what each query gets at them: passages, and their size.

The texts of the passages are counted, without titles and without what a prompt puts between them.
Nothing here imports or opens what an option names: tokens come from a counter that the caller
hands over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log10

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct
from ragscore.dataset import Corpus, Unit
from ragscore.dataset.text_columns import taken
from ragscore.errors import ConfigError, DataError
from ragscore.run import Run
from ragscore.tuning.options import Budget, By

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
:func:`~ragscore.tuning.tokenizers.token_counter` of a tokenizer that the user names, or read from
a result, which recorded them."""


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
