"""GateResult: what a gate says, in full precision, the same in memory and in gate.json."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isnan, nan
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, ValidationError

from ragscore.elements import Element
from ragscore.elements.show import Shown, heading, show
from ragscore.errors import GATE_FAILED, GATE_UNDECIDED, DataError
from ragscore.gate.options import GateOptions
from ragscore.json_data import parse_json
from ragscore.messages import KeptText
from ragscore.records import MaybeNaN, Record
from ragscore.results.folder_writing import json_bytes
from ragscore.results.layout import GATE, GATE_TEXT
from ragscore.results.manifest_file import DAMAGED
from ragscore.results.result_facts import ResultFacts
from ragscore.stats.intervals import Interval
from ragscore.stats.units import SAME
from ragscore.validation.findings import show_path

GateVerdict = Literal["PASS", "FAIL", "UNDECIDED"]
ORDER: tuple[GateVerdict, ...] = ("FAIL", "UNDECIDED", "PASS")
"""The worst first: the verdict of several conditions is the first that any of them has."""

Kind = Literal["min", "max", "drop"]
NoData = Literal[
    "retriever failed",
    "no such retriever",
    "not in the baseline",
    "no query in the slice",
    "no such slice",
    "no common query",
    "undefined",
    "not measured",
]
"""Why a condition was not evaluated: there is no data for it; it fails."""
NO_DATA: frozenset[str] = frozenset(get_args(NoData))
Reason = Literal[
    NoData,
    "",
    "unchanged",
    "few differ",
    "no spread",
    "strict",
    "not estimable",
    "times of calls",
    "left out",
]
"""Why a condition has its verdict where the numbers alone don't say it."""


@dataclass(frozen=True)
class GateCondition(Record):
    """One condition of a gate: what was compared with what, and what that says."""

    dataset: str
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""
    slice: str
    """The tag or metadata value whose queries these are, ``kind: numeric``; empty for all."""
    kind: Kind
    """Which condition it is."""
    measure: str
    """The measure as it parses, or a quantity: p50_ms, p95_ms, p99_ms, failed."""
    label: str
    """The measure as tables print it."""
    quantity: Literal["value", "lower bound", "upper bound", "drop"]
    """What is compared: the observed value; with ``confident``, the end of its interval that
    decides; or how far it fell below the baseline (negative where it rose)."""
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
    now: MaybeNaN = nan
    """The measure's mean in this result, over the compared queries."""
    before: MaybeNaN = nan
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
    had changed; of a value, how many would decide it if it stayed the same; null if that is not
    known, or the condition is decided."""
    detectable: float | None = None
    """About the least true drop that this many queries would show to be larger than the allowance,
    with 80 % power; null likewise."""
    accepted: float | None = None
    """The least allowance that these queries would show to be kept; null where the condition is
    decided, or the drop is one of several, which are corrected together."""

    def allows(self, value: float) -> bool:
        """Whether a value would keep the condition; one that only rounding sets apart does."""
        apart = value - self.threshold if self.kind == "min" else self.threshold - value
        return apart >= -SAME

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval, the one that is least likely to keep the condition first; NaN
        if there are none."""
        low, high = (self.interval.low, self.interval.high) if self.interval else (nan, nan)
        return (low, high) if self.kind == "min" else (high, low)

    @property
    def within_noise(self) -> bool:
        """Whether the interval of a value holds the threshold: other queries could have put it on
        the other side."""
        worst, best = self.ends
        if self.kind == "drop" or isnan(worst):
            return False
        return self.allows(best) and not self.allows(worst)

    @property
    def relation(self) -> str:
        """``<=``, ``>``, ``>=`` or ``<``: how the value stands to the threshold."""
        kept, broken = (">=", "<") if self.kind == "min" else ("<=", ">")
        return kept if self.allows(self.value) else broken


@dataclass(frozen=True, repr=False)
class GateResult(Record, Shown):
    """What a gate says of a result: PASS, FAIL or UNDECIDED, condition by condition."""

    verdict: GateVerdict
    """FAIL where a condition fails, else UNDECIDED where one is undecided, else PASS."""
    conditions: tuple[GateCondition, ...]
    """In the order of datasets, retrievers, measures; all queries before their slices."""
    options: GateOptions
    """What was asked."""
    result: str
    """Name of the experiment, or of what was evaluated."""
    baseline: str = ""
    """The baseline as it was named; empty if none was compared."""
    measured: str = ""
    """The day of the baseline's result, such as 2026-11-24; empty if that is not known."""
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

    @property
    def worst_first(self) -> list[GateCondition]:
        """The conditions, those that fail first, then those that are undecided."""
        return sorted(self.conditions, key=lambda condition: ORDER.index(condition.verdict))

    def on_dataset(self, name: str) -> GateResult | None:
        """The same of one dataset; None if no condition is about it."""
        own = tuple(condition for condition in self.conditions if condition.dataset == name)
        return replace(self, conditions=own, verdict=worst(own)) if own else None

    def without_texts(self) -> GateResult:
        """The same without the errors of retrievers, which may quote a query or a passage."""
        return replace(
            self,
            conditions=tuple(
                replace(each, detail="(--no-texts)") if each.reason == "retriever failed" else each
                for each in self.conditions
            ),
        )

    def elements(self) -> list[Element]:
        """What is printed: the verdict with what fails, then every condition."""
        from ragscore.gate.text import gate_elements

        return [gate_elements(self)]

    def __repr__(self) -> str:
        return f"GateResult({self.verdict}: {len(self.conditions)} conditions)"


def worst(conditions: Iterable[GateCondition]) -> GateVerdict:
    """The verdict of conditions together: FAIL before UNDECIDED before PASS."""
    given = {condition.verdict for condition in conditions}
    return next(verdict for verdict in ORDER if verdict in given)


def read_gate(result: ResultFacts) -> GateResult | None:
    """What the gate of a result's experiment said when it ran; None if it had none, or could not be
    judged.

    Args:
        result: in memory or of a folder, which anybody may have written: it is read as data.

    Raises:
        DataError: what was recorded of it is damaged.

    >>> from ragscore import evaluate, read_gate
    >>> faq = {"passages": {"p": "Rent is due."}, "queries": {"q": "When?"},
    ...        "ground_truth": {"q": ["p"]}}
    >>> print(read_gate(evaluate(faq, {"mine": lambda query, k: ["p"]}, ["RR"])))
    None
    """
    content = result.parts.extra_file(GATE)
    return None if content is None else parse_gate(content, str((result.folder or Path()) / GATE))


def gate_files(gated: GateResult) -> dict[str, bytes]:
    """The files by which a result's folder records what its gate says, by name."""
    text = f"# {heading(gated.result)}\n\n{show(gated, 'markdown')}\n"
    return {GATE: json_bytes(gated.to_dict()), GATE_TEXT: text.encode()}


def parse_gate(content: bytes, where: str) -> GateResult:
    """What gate.json records.

    Args:
        content: of the file.
        where: the file, for messages.

    Raises:
        DataError: it is not what a gate records.
    """
    try:
        found = GateResult.from_dict(parse_json(content))
    except ValidationError as error:
        first = error.errors()[0]
        what = f"it is not what a gate records: {show_path(first['loc'])}: {first['msg']}"
        raise DataError(what, where=where, instead=DAMAGED) from error
    except ValueError as error:
        raise DataError(f"it cannot be read: {error}", where=where, instead=DAMAGED) from error
    if not found.conditions:
        raise DataError("it has no condition", where=where, instead=DAMAGED)
    return found


def gate_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of gate.json."""
    return GateResult.json_schema("ragscore gate")
