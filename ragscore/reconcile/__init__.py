"""Which conventions give a number that was reported elsewhere?

Tools that say the same name compute different things: another gain, ideal or denominator, queries
left out, ties in another order. :func:`reconcile` scores a run under all of these, and says which
of them print the reported number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ragscore.dataset import Qrels
from ragscore.errors import ConfigError
from ragscore.judge import Blocks, numbered_alike
from ragscore.measures import Measure, load_named, parse_measures
from ragscore.reconcile.candidates import MAX_CHANGES, Reading, candidates, changes_of, meaning_of
from ragscore.run import Run
from ragscore.scoring import at_depth, deepest, score_blocks

__all__ = [
    "MAX_CHANGES",
    "Reading",
    "Reconciled",
    "Reported",
    "Convention",
    "meaning_of",
    "reconcile",
]


@dataclass(frozen=True)
class Convention:
    """One convention, and the number it gives.

    Attributes:
        measure: with its options.
        reading: what was judged.
        value: the mean.
        changes: what differs from what was asked, as ``name=value``.
        profiles: names of the profiles that compute just this.
    """

    measure: Measure
    reading: Reading
    value: float
    changes: tuple[str, ...]
    profiles: tuple[str, ...]


@dataclass(frozen=True)
class Reported:
    """A number as it was printed: ``0.4312``, ``43.12%``.

    Attributes:
        value: on the scale of the measure.
        half: half a unit of its last digit: what rounding may have taken or added.
    """

    value: float
    half: float

    @classmethod
    def parsed(cls, text: str) -> Reported:
        """A printed number.

        Raises:
            ConfigError: the text is not a number.
        """
        found = re.fullmatch(r"\s*([+-]?[0-9]*\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?)\s*(%?)\s*", text)
        try:
            value = float(found[1]) if found else math.nan
        except ValueError:
            value = math.nan
        if found is None or not math.isfinite(value):
            raise ConfigError(f"'{text}' is not a number", instead="Write it as printed: 0.4312")
        scale = 0.01 if found[4] else 1.0
        last_digit = int(found[3] or 0) - len(found[2])
        return cls(value * scale, 0.5 * 10.0**last_digit * scale)

    def off(self, value: float) -> float:
        """How far a value lies outside of what would be printed so; 0 inside."""
        return max(0.0, abs(value - self.value) - self.half * (1 + 1e-9) - 1e-12)


@dataclass(frozen=True)
class Reconciled:
    """What was found.

    Attributes:
        reported: the number looked for.
        asked: what the measure as it was asked gives.
        matches: conventions that print the number, the fewest changes first.
        misses: the nearest others, nearest first, one of each value.
        tried: conventions that were tried.
        chance: how many different numbers of those tried would be expected to match a number
            that has nothing to do with any of them.
        between_ties: what was reported lies between ``tie=min`` and ``tie=max``.
    """

    reported: Reported
    asked: Convention
    matches: tuple[Convention, ...]
    misses: tuple[Convention, ...]
    tried: int
    chance: float
    between_ties: bool


def reconcile(
    run: Run,
    qrels: Qrels,
    measure: str | Measure,
    value: str,
    *,
    unanswerable: Collection[str] = (),
    n_passages: int | None = None,
    misses: int = 5,
) -> Reconciled:
    """Search the conventions for those that give a reported number.

    Tried are every profile, and every combination of up to :data:`MAX_CHANGES` changes among:
    the options of the measure, the grades that occur as ``relevant_from``, depths where there is
    no cutoff, missing queries, 32-bit scores, the query's own passage, condensed lists. The run
    is judged once for each way of reading it that makes a difference.

    Args:
        run, qrels: what was scored.
        measure: the measure that was reported.
        value: the number as printed; it is matched at its own precision.
        unanswerable: ids of queries without an answer.
        n_passages: number of passages in the corpus (AUC).
        misses: how many near misses to keep.

    >>> run, qrels = Run.from_dict({"q": ["a", "x", "b"]}), Qrels.from_dict({"q": ["a", "b", "c"]})
    >>> found = reconcile(run, qrels, "AP@3", "0.8333")
    >>> [(str(convention.measure), convention.profiles) for convention in found.matches]
    [('AP(denominator=found)@3', ('torchmetrics', 'autorag'))]

    Raises:
        MeasureError: the measure cannot be parsed, or is several at once.
        ConfigError: the value is not a number.
    """
    reported = Reported.parsed(value)
    listed = parse_measures(load_named(measure))
    if len(listed) > 1:
        raise ConfigError(f"'{measure}' is several measures", instead=f"Name one: {listed[1]}")
    asked = listed[0].at_depth(max(run.depth, 1))
    run, qrels = numbered_alike(run, qrels)
    conventions: dict[tuple[Measure, Reading], Convention] = {}
    by_reading, profiles = candidates(asked, run, qrels)
    for reading, measures in by_reading.items():
        elements = Blocks(
            reading.of(run),
            qrels,
            depth=deepest(measures, run.depth),
            leave_out=unanswerable,
            missing=reading.missing,
            n_passages=n_passages,
        )
        named = at_depth(measures, run.depth)
        entry = score_blocks(elements, named, unjudged=reading.unjudged)
        for tried, mean in zip(entry.measures, entry.means, strict=True):
            changes = (*changes_of(tried, asked), *reading.changes())
            names = profiles.get((tried, reading), ())
            conventions[tried, reading] = Convention(tried, reading, float(mean), changes, names)
    return _sorted(reported, conventions[asked, Reading()], list(conventions.values()), misses)


def _sorted(
    reported: Reported, asked: Convention, conventions: list[Convention], misses: int
) -> Reconciled:
    known = [convention for convention in conventions if math.isfinite(convention.value)]
    # The simplest stands for all that give the same number: what it has not changed is no reason.
    known.sort(key=lambda convention: (len(convention.changes), not convention.profiles))
    matches = [convention for convention in known if reported.off(convention.value) == 0]
    needed = [
        convention
        for convention in matches
        if convention.profiles
        # Another one gives the number with a part of these changes alone.
        or not any(set(other.changes) < set(convention.changes) for other in matches)
    ]
    by_value: dict[float, Convention] = {}
    for convention in known:
        by_value.setdefault(round(convention.value, 12), convention)
    others = [convention for convention in by_value.values() if reported.off(convention.value) > 0]
    others.sort(key=lambda convention: reported.off(convention.value))
    values = np.array(sorted(by_value))
    spread = float(values[-1] - values[0]) if len(values) > 1 else 0.0
    ties = [
        convention.value
        for convention in known
        if convention.changes in (("tie=min",), ("tie=max",))
    ]
    return Reconciled(
        reported,
        asked,
        tuple(needed),
        tuple(others[:misses]),
        len(conventions),
        len(values) * 2 * reported.half / spread if spread > 0 else 0.0,
        bool(ties) and min(ties) - reported.half <= reported.value <= max(ties) + reported.half,
    )
