"""What is tried: ways of reading a run, and a measure with every few changes of its options."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ragscore.dataset import Qrels
from ragscore.errors import MeasureError
from ragscore.measures import Measure
from ragscore.measures.base import build, option_text
from ragscore.messages import Message, _, joined
from ragscore.run import Run
from ragscore.scoring import PROFILES
from ragscore.scoring.conventions import choices, meaning, used_by
from ragscore.scoring.profiles import in_32_bits

MAX_CHANGES = 3
"""Options that are changed at once, beside those that a profile changes together."""
NUMBERS = {"beta": (0.5, 2.0), "p": (0.5, 0.8, 0.95)}
"""Values that are tried of options that take any number."""
DEPTHS = (5, 10, 20, 50, 100, 200, 500)
"""Depths that are tried where a measure has no cutoff."""
LEVELS = 5
"""Grades that are tried as the lowest relevant one."""
MEANINGS = {
    "cutoff": _("only this many of the returned passages count"),
    "score_bits": _(
        "scores are compared as 32-bit floats, so close scores tie (trec9, ir_measures, beir)"
    ),
    "drop_self": _("a passage with the query's own id is removed (beir)"),
    "unjudged": _("unjudged passages are removed, and those below move up"),
    "missing": _(
        "judged queries that are missing from the run are left out (trec9, beir, recommenders)"
    ),
}
"""What is changed besides a measure's options."""


@dataclass(frozen=True)
class Reading:
    """What is judged: the ranking and the queries, before anything is measured."""

    score_bits: Literal[32, 64] = 64
    drop_self: bool = False
    unjudged: Literal["keep", "remove"] = "keep"
    missing: Literal["zero", "drop"] = "zero"

    def changes(self) -> tuple[str, ...]:
        """What differs from the default, as ``name=value``."""
        plain = Reading()
        names = ("score_bits", "drop_self", "unjudged", "missing")
        return tuple(
            f"{name}={option_text(getattr(self, name))}"
            for name in names
            if getattr(self, name) != getattr(plain, name)
        )

    def of(self, run: Run) -> Run:
        """The run as it is read."""
        if self.drop_self:
            run = run.without_self()
        return in_32_bits(run) if self.score_bits == 32 else run


def candidates(
    asked: Measure, run: Run, qrels: Qrels
) -> tuple[dict[Reading, tuple[Measure, ...]], Mapping[tuple[Measure, Reading], tuple[str, ...]]]:
    """What to try: by reading, the measures; and the names of the profiles among them.

    Only what makes a difference here is tried, and together at most :data:`MAX_CHANGES` changes,
    beside what a profile changes at once.
    """
    readings = list(_readings(run, qrels))
    profiles: dict[tuple[Measure, Reading], tuple[str, ...]] = {}
    for name, profile in PROFILES.items():
        wanted = Reading(profile.score_bits, profile.drop_self, "keep", profile.missing)
        reading = min(readings, key=lambda near: len({*near.changes()} ^ {*wanted.changes()}))
        (measure,) = profile.measures([asked])
        key = (measure, reading)
        profiles[key] = (*profiles.get(key, ()), name)
    variants = list(_variants(asked, run, qrels))
    by_reading = {}
    for reading in readings:
        few = MAX_CHANGES - len(reading.changes())
        measures = [measure for measure, at in profiles if at == reading]
        measures += [other for other in variants if len(changes_of(other, asked)) <= few]
        by_reading[reading] = tuple(dict.fromkeys(measures))
    return by_reading, profiles


def _readings(run: Run, qrels: Qrels) -> Iterator[Reading]:
    """Every way of reading that makes a difference here, the default first."""
    judged = [qrels.queries[int(row)] for row in np.flatnonzero(qrels.judgments > 0)]
    ways: dict[str, tuple[Any, ...]] = {}
    if not np.array_equal(in_32_bits(run).tie_start, run.tie_start):
        ways["score_bits"] = (64, 32)
    if run.without_self() is not run:
        ways["drop_self"] = (False, True)
    ways["unjudged"] = ("keep", "remove")
    if any(query not in run.queries for query in judged):
        ways["missing"] = ("zero", "drop")
    for chosen in itertools.product(*ways.values()):
        yield replace(Reading(), **dict(zip(ways, chosen, strict=True)))


def _variants(asked: Measure, run: Run, qrels: Qrels) -> Iterator[Measure]:
    """The measure with every combination of few changes of its options, itself first."""
    family = type(asked)
    values = {
        name: [other for other in _values(asked, name, run, qrels) if other != current]
        for name in family.model_fields
        if (current := getattr(asked, name)) is not None or name in ("relevant_from", "cutoff")
    }
    given = {name: getattr(asked, name) for name in asked.model_fields_set}
    yield asked
    for count in range(1, MAX_CHANGES + 1):
        for names in itertools.combinations(values, count):
            for chosen in itertools.product(*(values[name] for name in names)):
                changed = dict(zip(names, chosen, strict=True))
                with suppress(MeasureError):  # options that do not go together
                    yield build(family, {**given, **changed}, str(asked))


def _values(asked: Measure, name: str, run: Run, qrels: Qrels) -> Iterable[object]:
    """What to try for an option."""
    if name == "cutoff":
        return _depths(asked, run)
    if name == "relevant_from":
        levels = np.unique(qrels.grades[qrels.grades > 0])[:LEVELS]
        return [float(level) for level in levels]
    if name == "tie":
        tied = run.scores is not None and (run.tie_start < np.arange(run.depth)).any()
        return choices(type(asked), name) if tied else ()
    if name == "empty":
        starts, grades = qrels.ideal
        best = [grades[at] if end > at else 0.0 for at, end in itertools.pairwise(starts.tolist())]
        judged = qrels.judgments > 0
        lowest = getattr(asked, "relevant_from", None) or 1.0
        some = bool((np.array(best)[judged] < max(lowest, 1.0)).any()) if judged.any() else False
        return ("1", "skip") if some else ()
    return NUMBERS.get(name) or choices(type(asked), name)


def _depths(asked: Measure, run: Run) -> list[int]:
    """A measure over everything returned may have been taken from a shorter list."""
    if asked.cutoff is not None or not asked.has_curve:
        return []
    return [depth for depth in DEPTHS if depth < run.depth]


def changes_of(measure: Measure, asked: Measure) -> tuple[str, ...]:
    """What differs from the measure that was asked, as ``name=value``."""
    return tuple(
        f"{name}={option_text(getattr(measure, name))}"
        for name in type(asked).model_fields
        if getattr(measure, name) != getattr(asked, name)
    )


def meaning_of(change: str, measure: Measure) -> Message:
    """What one change means, and who makes it."""
    name = change.partition("=")[0]
    if name not in type(measure).model_fields or name == "cutoff":
        return MEANINGS[name]
    users = used_by(type(measure), name, getattr(measure, name))
    decided = meaning(type(measure), name)
    if not users:
        return decided
    return _("{meaning} Used by: {users}", meaning=decided, users=joined(users, ", "))
