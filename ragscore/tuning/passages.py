"""How many passages each query gets at each setting, and what a budget cuts off."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.tuning.context import Contexts, contexts_of
from ragscore.tuning.options import Budget
from ragscore.tuning.parts import Overflow, PassagesKept
from ragscore.tuning.thresholds import Thresholds
from ragscore.tuning.tuning_input import TuningInput


@dataclass(frozen=True, eq=False)
class Passages:
    """What the queries get.

    Attributes:
        inputs: the run and what is known of its queries.
        contexts: how large the passages are; None if their texts are not known.
        wanted: int64[Q, S], how many passages each averaged query would get without a budget; a
            k counts also where fewer came back.
        taken: int64[Q, S], the same within the budget.
        refused: int64[U, S], what the unanswerable queries get, U of them; 0 if none is known.
    """

    inputs: TuningInput
    contexts: Contexts | None
    wanted: NDArray[np.int64]
    taken: NDArray[np.int64]
    refused: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        inputs: TuningInput,
        thresholds: Thresholds,
        contexts: Contexts | None,
        budget: Budget | None,
    ) -> Passages:
        """What the cuts, and the budget if it has a limit, leave of the run."""
        wanted = taken = thresholds.taken(inputs.run)
        limit = contexts.limit if contexts is not None else None
        if contexts is not None and limit is not None:
            taken = np.minimum(wanted, contexts.fitting(limit)[:, None])
        unanswerable = inputs.refused
        refused = np.zeros((0, len(thresholds)), dtype=np.int64)
        if unanswerable is not None:
            refused = np.minimum(thresholds.taken(unanswerable), unanswerable.returned[:, None])
            if limit is not None and budget is not None and inputs.corpus is not None:
                sized = contexts_of(unanswerable, inputs.corpus, budget, inputs.count_tokens)
                fitting = sized.fitting(limit)
                refused = np.minimum(refused, fitting[:, None])
        return cls(inputs, contexts, wanted, taken, refused)

    @cached_property
    def returned(self) -> NDArray[np.int64]:
        """How many passages each averaged query really gets: int64[Q, S]."""
        return np.minimum(self.taken, self.inputs.run.returned[:, None])

    @cached_property
    def answered(self) -> NDArray[np.bool_]:
        """Which queries get a passage at each setting: bool[Q + U, S]."""
        return np.concatenate([self.returned, self.refused]) > 0

    def kept(self) -> PassagesKept:
        """Counts over the queries, and the shares of them that get a passage."""
        returned = self.returned
        lowest, lower, median, upper, highest = np.quantile(
            returned, [0.0, 0.25, 0.5, 0.75, 1.0], axis=0, method="nearest"
        ).astype(np.float64)
        wrongly = None
        if len(self.refused) and self.inputs.unanswerable:
            got = (self.refused > 0).astype(np.float64)
            wrongly = self.inputs.of_unanswerable(got).band()
        return PassagesKept(
            mean=returned.mean(axis=0),
            lowest=lowest,
            lower_quartile=lower,
            median=median,
            upper_quartile=upper,
            highest=highest,
            answered=self.inputs.of_averaged((returned > 0).astype(np.float64)).band(),
            unanswerable=len(self.refused),
            unanswerable_answered=wrongly,
        )

    def overflow(self) -> Overflow | None:
        """What the budget cuts off; None if it has no limit."""
        contexts = self.contexts
        if contexts is None or contexts.limit is None:
            return None
        uncut = np.minimum(self.wanted, self.inputs.run.returned[:, None])
        sizes = np.take_along_axis(contexts.sizes, uncut, axis=1)
        firsts = contexts.sizes[self.inputs.run.returned > 0, 1]
        return Overflow(
            context=sizes.mean(axis=0),
            queries=(sizes > contexts.limit).mean(axis=0),
            shortest=int(firsts.min()),
        )
