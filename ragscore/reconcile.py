"""Which conventions give a number that was reported elsewhere?

Tools that say the same name compute different things: another gain, ideal or denominator, queries
left out, ties in another order. :func:`reconcile` scores a run under all of these, and says which
of them print the reported number.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from ragscore.dataset import Qrels
from ragscore.elements import Cell, Element, Facts, Lines, Table
from ragscore.elements.cells import number_cell, text_cell
from ragscore.elements.numbers import count_text, number_text
from ragscore.elements.show import Shown
from ragscore.elements.tables import column, table
from ragscore.errors import ConfigError, MeasureError
from ragscore.judge import Blocks, numbered_alike
from ragscore.measures import Measure, load_named, parse_measures
from ragscore.measures.base import build, option_text
from ragscore.messages import Message, Text, _, joined
from ragscore.run import Run
from ragscore.scoring import PROFILES, at_depth, deepest, score_blocks
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
MAX_SHOWN = 12
"""Conventions that are listed; the others are counted."""
MANY_MATCHES = 0.5
"""Where at least this many matches are expected by chance, a match says little."""
DIGITS = 6
"""Decimals: a reported number may have more than three."""
_PRINTED = re.compile(
    r"\s*([+-]?(?=\.?[0-9])[0-9]*\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?)\s*(%?)\s*"
).fullmatch
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
        return _changes(self, Reading(), (option.name for option in fields(self)))

    def of(self, run: Run) -> Run:
        """The run as it is read."""
        if self.drop_self:
            run = run.without_self()
        return in_32_bits(run) if self.score_bits == 32 else run


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
        text: as it was printed.
        value: on the scale of the measure.
        half: half a unit of its last digit: what rounding may have taken or added.
    """

    text: str
    value: float
    half: float

    @classmethod
    def parsed(cls, text: str) -> Reported:
        """A printed number.

        Raises:
            ConfigError: the text is not a number.
        """
        found = _PRINTED(text)
        if found is None or not math.isfinite(value := float(found[1])):
            raise ConfigError(f"'{text}' is not a number", instead="Write it as printed: 0.4312")
        scale = 0.01 if found[4] else 1.0
        last_digit = int(found[3] or 0) - len(found[2])
        return cls(text, value * scale, 0.5 * 10.0**last_digit * scale)

    def off(self, value: float) -> float:
        """How far a value lies outside of what would be printed so; 0 inside."""
        return max(0.0, abs(value - self.value) - self.half * (1 + 1e-9) - 1e-12)


@dataclass(frozen=True)
class Reconciled(Shown):
    """What was found; ``str`` is what ``ragscore reconcile`` prints.

    Attributes:
        reported: the number looked for.
        asked: what the measure as it was asked gives.
        matches: conventions that print the number, the fewest changes first.
        misses: the nearest others, nearest first, one of each value.
        tried: conventions that were tried.
        chance: how many different numbers of those tried would be expected to match a number
            that has nothing to do with any of them.
        between_ties: what was reported lies between ``tie=min`` and ``tie=max``.
        duplicates: passages that the run lists twice for a query.
    """

    reported: Reported
    asked: Convention
    matches: tuple[Convention, ...]
    misses: tuple[Convention, ...]
    tried: int
    chance: float
    between_ties: bool
    duplicates: int

    def elements(self) -> Iterator[Element]:
        """The conventions that give the number, those that come near, and what they mean."""
        found = _(
            "{measure} is {value} here; reported: {reported}",
            measure=self.asked.measure,
            value=number_text(self.asked.value, DIGITS),
            reported=self.reported.text,
        )
        yield Lines((found,))
        count, tried = count_text(len(self.matches)), count_text(self.tried)
        if shown := self.matches[:MAX_SHOWN]:
            title = _(
                "{count} of {tried} conventions give the reported number:", count=count, tried=tried
            )
            yield _table(title, shown, more=len(self.matches) - MAX_SHOWN)
            if self.misses:
                yield _table(_("The nearest others:"), self.misses)
        else:
            shown = self.misses
            title = _("None of {tried} conventions gives the reported number. The nearest:")
            yield _table(title.given(tried=tried), shown)
        meanings = {
            change: _meaning(change, convention)
            for convention in shown
            for change in convention.changes
        }
        if meanings:
            yield Lines((), _("What they mean:"))
            yield Facts(tuple(meanings.items()))
        if notes := tuple(self._notes()):
            yield Lines(notes)

    def _notes(self) -> Iterator[Message]:
        if self.between_ties:
            yield _(
                "The reported number lies between tie=min and tie=max, so some order of the "
                "tied passages could give it."
            )
        if self.matches and self.chance > MANY_MATCHES:
            yield _(
                "With so few digits, about {chance} of the conventions would match any number "
                "by chance: ask for more digits before you trust a match.",
                chance=number_text(self.chance, 1),
            )
        if self.duplicates:
            yield _(
                "{count} passages are listed twice for a query, and only the first counts here. "
                "A tool that counts both gives a different number, which this search does not "
                "cover.",
                count=count_text(self.duplicates),
            )


def _table(title: Text, conventions: Sequence[Convention], *, more: int = 0) -> Table:
    def convention(found: Convention) -> Cell:
        return text_cell(f"{found.measure} {', '.join(found.reading.changes())}".strip())

    def value(found: Convention) -> Cell:
        return number_cell(found.value, DIGITS)

    def profiles(found: Convention) -> Cell:
        return text_cell(", ".join(found.profiles))

    others = _("and {count} more with at least as many changes", count=count_text(more))
    columns = (
        column("convention", _("Convention"), convention, "text"),
        column("value", _("Value"), value),
        column("profiles", _("Profiles"), profiles, "text"),
    )
    return table("conventions", title, columns, conventions, (others,) if more > 0 else ())


def _meaning(change: str, convention: Convention) -> Message:
    """What one change means, and who makes it."""
    name, family = change.partition("=")[0], type(convention.measure)
    if name not in family.model_fields or name == "cutoff":
        return MEANINGS[name]
    users = used_by(family, name, getattr(convention.measure, name))
    if not users:
        return meaning(family, name)
    return _("{meaning} Used by: {users}", meaning=meaning(family, name), users=joined(users, ", "))


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
    reported, duplicates = Reported.parsed(value), run.duplicates
    listed = parse_measures(load_named(measure))
    if len(listed) > 1:
        raise ConfigError(f"'{measure}' is several measures", instead=f"Name one: {listed[1]}")
    asked = listed[0].at_depth(max(run.depth, 1))
    run, qrels = numbered_alike(run, qrels)
    conventions: dict[tuple[Measure, Reading], Convention] = {}
    for reading, measures in _candidates(asked, run, qrels).items():
        blocks = Blocks(
            reading.of(run),
            qrels,
            depth=deepest(measures, run.depth),
            leave_out=unanswerable,
            missing=reading.missing,
            n_passages=n_passages,
        )
        entry = score_blocks(blocks, at_depth(measures, run.depth), unjudged=reading.unjudged)
        for tried, mean in zip(entry.measures, entry.means, strict=True):
            changes = (*_options_changed(tried, asked), *reading.changes())
            conventions[tried, reading] = Convention(
                tried, reading, float(mean), changes, measures[tried]
            )
    known = [found for found in conventions.values() if math.isfinite(found.value)]
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
    spread = max(by_value, default=0.0) - min(by_value, default=0.0)
    ties = [found.value for found in known if found.changes in (("tie=min",), ("tie=max",))]
    return Reconciled(
        reported=reported,
        asked=conventions[asked, Reading()],
        matches=tuple(needed),
        misses=tuple(others[:misses]),
        tried=len(conventions),
        chance=len(by_value) * 2 * reported.half / spread if spread > 0 else 0.0,
        between_ties=bool(ties)
        and min(ties) - reported.half <= reported.value <= max(ties) + reported.half,
        duplicates=duplicates,
    )


def _candidates(
    asked: Measure, run: Run, qrels: Qrels
) -> dict[Reading, dict[Measure, tuple[str, ...]]]:
    """What to try: by reading the measures, each with the profiles that compute just this.

    Only what makes a difference here is tried, and together at most :data:`MAX_CHANGES` changes,
    beside what a profile changes at once.
    """
    by_reading = {reading: dict[Measure, tuple[str, ...]]() for reading in _readings(run, qrels)}
    for name, profile in PROFILES.items():
        wanted = Reading(profile.score_bits, profile.drop_self, "keep", profile.missing)
        reading = min(by_reading, key=lambda near: len({*near.changes()} ^ {*wanted.changes()}))
        (measure,) = profile.measures([asked])
        by_reading[reading][measure] = (*by_reading[reading].get(measure, ()), name)
    for variant in _variants(asked, run, qrels):
        for reading, measures in by_reading.items():
            if len(_options_changed(variant, asked)) + len(reading.changes()) <= MAX_CHANGES:
                measures.setdefault(variant, ())
    return by_reading


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
    if name == "cutoff":  # one over everything returned may have been taken from a shorter list
        whole = asked.cutoff is None and asked.has_curve
        return [depth for depth in DEPTHS if depth < run.depth] if whole else ()
    if name == "relevant_from":
        levels = np.unique(qrels.grades[qrels.grades > 0])[:LEVELS]
        return [float(level) for level in levels]
    if name == "tie":
        tied = run.scores is not None and (run.tie_start < np.arange(run.depth)).any()
        return choices(type(asked), name) if tied else ()
    if name == "empty":
        starts, grades = qrels.ideal
        best = [grades[at] if end > at else 0.0 for at, end in itertools.pairwise(starts.tolist())]
        lowest = max(getattr(asked, "relevant_from", None) or 1.0, 1.0)
        return ("1", "skip") if (np.array(best)[qrels.judgments > 0] < lowest).any() else ()
    return NUMBERS.get(name) or choices(type(asked), name)


def _options_changed(measure: Measure, asked: Measure) -> tuple[str, ...]:
    """What differs from the measure that was asked, as ``name=value``."""
    return _changes(measure, asked, type(asked).model_fields)


def _changes(changed: object, plain: object, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        f"{name}={option_text(value)}"
        for name in names
        if (value := getattr(changed, name)) != getattr(plain, name)
    )
