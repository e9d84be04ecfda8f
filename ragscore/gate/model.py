"""What a gate says: frozen, in full precision, the same in memory and in gate.json."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from ragscore.errors import GATE_FAILED, GATE_UNDECIDED
from ragscore.gate.options import GateOptions
from ragscore.messages import KeptText
from ragscore.records import MaybeNaN, Record
from ragscore.stats.intervals import Interval

GateVerdict = Literal["PASS", "FAIL", "UNDECIDED"]
ORDER: tuple[GateVerdict, ...] = ("FAIL", "UNDECIDED", "PASS")
"""The worst first: the verdict of several conditions is the first that any of them has."""

Compared = Literal["min", "max", "drop"]
Reason = Literal[
    "",
    "unchanged",
    "few differ",
    "no spread",
    "strict",
    "retriever failed",
    "no such retriever",
    "not in the baseline",
    "no query in the slice",
    "no such slice",
    "no common query",
    "undefined",
    "not measured",
    "not estimable",
    "times of calls",
    "left out",
]
"""Why a condition has its verdict where the numbers alone don't say it."""
NOTHING_TO_SEE: frozenset[Reason] = frozenset(
    {
        "retriever failed",
        "no such retriever",
        "not in the baseline",
        "no query in the slice",
        "no such slice",
        "no common query",
        "undefined",
        "not measured",
    }
)
"""The condition had nothing to look at, and fails."""
NAMES_OTHERS: frozenset[Reason] = frozenset(
    {"no such retriever", "not in the baseline", "no such slice"}
)
"""The detail names what there is in place of what was asked for."""


@dataclass(frozen=True)
class ConditionOutcome(Record):
    """One condition of a gate: what was compared with what, and what that says."""

    dataset: str
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""
    slice: str
    """The tag or metadata value whose queries these are, ``kind: numeric``; empty for all."""
    kind: Compared
    """Which condition it is."""
    measure: str
    """The measure as it parses, or a quantity: p50_ms, p95_ms, p99_ms, failed."""
    label: str
    """The measure as tables print it."""
    quantity: Literal["value", "lower bound", "upper bound", "drop"]
    """What is compared: the value, an end of its 95 % interval, or how far it fell below the
    baseline (negative where it rose)."""
    value: MaybeNaN
    """The number that is compared; null if there is none."""
    threshold: float
    """What it is compared with: the least, the most, or the allowance."""
    verdict: GateVerdict
    """Whether the condition holds."""
    reason: Reason = ""
    """Why, where the numbers alone don't say it; mostly empty."""
    detail: str = ""
    """The error of a retriever that failed, and such; mostly empty."""
    interval: Interval | None = None
    """Of the value 95 %; of a drop and of Leak 90 %, whose ends are the one-sided 95 % bounds that
    they are judged by; not adjusted. Null for what has none."""
    now: MaybeNaN = float("nan")
    """The measure's mean in this result, over the compared queries."""
    before: MaybeNaN = float("nan")
    """The same in the baseline; null if none is compared."""
    n: int = 0
    """Queries compared."""
    worse: int = 0
    """Of these, those that fell below the baseline."""
    better: int = 0
    """Of these, those that rose above it."""
    p_fail: float | None = None
    """Of "the drop is within the allowance", one-sided; null if nothing was tested."""
    p_pass: float | None = None
    """Of "the drop is larger than the allowance", one-sided."""
    p_fail_adjusted: float | None = None
    """The first, corrected by Holm over all drops of the gate: FAIL below .05."""
    p_pass_adjusted: float | None = None
    """The second, likewise: PASS below .05."""
    needed: int | None = None
    """About how many queries would exclude a drop of the allowance, with 80 % power, if nothing
    had changed; of Leak, how many with the same share would exclude more than the most; null if
    that is not known, or the condition is decided."""
    detectable: float | None = None
    """About the least true drop that this many queries would show to be larger than the allowance,
    with 80 % power; null likewise."""

    @property
    def relation(self) -> str:
        """``<=``, ``>``, ``>=`` or ``<``: how the value stands to the threshold."""
        if self.kind == "min":
            return ">=" if self.value >= self.threshold else "<"
        return "<=" if self.value <= self.threshold else ">"


@dataclass(frozen=True)
class GateFacts(Record):
    """What a gate says of a result, condition by condition."""

    verdict: GateVerdict
    """FAIL where a condition fails, else UNDECIDED where one is undecided, else PASS."""
    conditions: tuple[ConditionOutcome, ...]
    """In the order of datasets, retrievers, measures; all queries before their slices."""
    options: GateOptions
    """What was asked."""
    result: str
    """Name of the experiment, or of what was evaluated."""
    baseline: str = ""
    """The baseline as it was named; empty if none was compared."""
    notes: tuple[KeptText, ...] = ()
    """What a reader must know: what the comparison left out."""
    schema_version: Annotated[Literal[1], Field(alias="schema")] = 1
    """Version of this format."""

    @property
    def counts_as(self) -> GateVerdict:
        """The verdict as the option ``undecided`` maps it."""
        if self.verdict == "UNDECIDED" and self.options.undecided is not None:
            return "PASS" if self.options.undecided == "pass" else "FAIL"
        return self.verdict

    @property
    def passed(self) -> bool:
        """Whether the build goes on."""
        return self.counts_as == "PASS"

    @property
    def exit_code(self) -> int:
        """What the command line returns: 0 for pass, 5 for fail, 6 for undecided."""
        return {"PASS": 0, "FAIL": GATE_FAILED, "UNDECIDED": GATE_UNDECIDED}[self.counts_as]


def worst(verdicts: Iterable[GateVerdict]) -> GateVerdict:
    """FAIL before UNDECIDED before PASS."""
    given = set(verdicts)
    return next(verdict for verdict in ORDER if verdict in given)
