"""How large a context is: characters, words or tokens of the passages up to each rank.

The texts of the passages are counted, without titles and without what a prompt puts between them.
Nothing here imports or opens what an option names: tokens come from a counter that the caller
hands over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct
from ragscore.dataset import Corpus, Unit
from ragscore.dataset.text_columns import taken
from ragscore.errors import ConfigError, DataError
from ragscore.run import Run
from ragscore.tuning.options import Budget

BUDGETS = (1_000, 2_000, 4_000)
"""Sizes of a context at which retrievers are compared that return pieces of other lengths."""

TokenCounter = Callable[[Corpus, NDArray[np.int64]], NDArray[np.int64]]
"""Tokens of the passages in some rows of a corpus: int64[rows]. Made by
:func:`~ragscore.tuning.tokenizers.token_counter` of a tokenizer that the user names, or read from
a result, which recorded them."""


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

    def fitting(self, limit: int) -> NDArray[np.int64]:
        """How many passages fit, the first that does not ends the context: int64[Q]."""
        fits: NDArray[np.int64] = (self.sizes[:, 1:] <= limit).sum(axis=1)
        return np.minimum(fits, self.returned)  # empty places behind the last take nothing

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


def contexts_of(
    run: Run, corpus: Corpus, budget: Budget, count_tokens: TokenCounter | None = None
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
    return Contexts(budget.unit, sizes, run.returned, budget.limit)


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
