"""A measure explained: definition, options, who uses which, and an example with its steps.

Every number is computed by the engine when it is asked for; nothing is typed in.
"""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from inspect import cleandoc

from ragscore.dataset import Qrels
from ragscore.dataset.forbidden import Forbidden
from ragscore.docstrings import without_markup
from ragscore.elements import Cell, Code, Column, Element, Lines, Table
from ragscore.elements.cells import number_cell, text_cell
from ragscore.elements.numbers import number_text, plain_number
from ragscore.elements.plain import folded
from ragscore.errors import MeasureError
from ragscore.judge import JUDGED, Blocks, Judged, numbered_alike
from ragscore.measures import Measure, load_named, parse_measure, parse_measures
from ragscore.measures.base import option_text
from ragscore.measures.trec_names import name_of
from ragscore.messages import InLanguage, Message, Text, _, joined, text_of
from ragscore.plugins import summary_of
from ragscore.run import Run
from ragscore.scoring.conventions import choices, meaning, options_of, used_by
from ragscore.scoring.profiles import PROFILES

RETURNED = {"e": 9.0, "u": 8.0, "d": 7.0, "b": 7.0, "a": 5.0}
"""The example: what a query got. Nobody judged u; d and b tie."""
GRADES = {"e": 3.0, "d": 1.0, "b": 0.0, "a": 2.0, "c": 2.0, "m": 0.0}
"""Its judgments; c and m did not come back."""
FORBIDDEN = ("b", "m")
"""What must not come back for it."""
CORPUS = 12
DEEPEST = 1000
INSIDE = "  "
WIDTH = 94


def asked_measure(text: str) -> Measure:
    """The measure that a text names; where it needs a cutoff and has none, all of the example.

    >>> str(asked_measure("ndcg")), str(asked_measure("precision")), str(asked_measure("iprec"))
    ('nDCG', 'P@5', 'iprec@0.5')

    Raises:
        MeasureError: there is no such measure or option.
    """
    try:
        listed = parse_measures(load_named(text))
    except MeasureError as error:
        if "@" in text or "needs a" not in str(error):
            raise
        return parse_measure(f"{text}@{len(RETURNED)}")
    return listed[len(listed) // 2]


def explanation(measure: Measure) -> list[Element]:
    """Everything about a measure.

    Args:
        measure: any.

    Raises:
        MeasureError: its cutoff is far beyond the example.
    """
    if isinstance(measure.cutoff, int) and measure.cutoff > DEEPEST:
        raise MeasureError(
            f"the example has {len(RETURNED)} passages",
            where=str(measure),
            instead=f"Ask for a cutoff up to {DEEPEST}",
        )
    summary = summary_of(measure)
    options = options_of(type(measure))
    return [
        Lines(tuple(_names(measure)), joined([f"{measure}:", summary])),
        Lines((), _("Definition")),
        Code("\n".join(_definition(type(measure)))),
        Lines((), _("Options, the default first") if options else _("Options: none")),
        *([_Options(type(measure))] if options else []),
        # The example is one of passages, and has no evidence in documents.
        *([] if measure.needs_spans else [_profiles(measure)]),
        *([] if measure.needs_spans else example(measure)),
    ]


def _names(measure: Measure) -> Iterator[Text]:
    aliases = [name for name in measure.aliases if name.lower() != measure.name.lower()]
    if aliases:
        yield _("also called: {names}", names=", ".join(aliases))
    if measure.label != str(measure):
        yield _("its mean is printed as {label}", label=measure.label)
    theirs = name_of(measure)
    yield (
        f"trec_eval: {theirs}" if theirs else _("trec_eval: has no such measure with these options")
    )


def _definition(family: type[Measure]) -> list[str]:
    """The docstring up to its example, and the source that its module names."""
    text = re.split(r"\n\s*>>>", cleandoc(family.__doc__ or ""))[0]
    module = cleandoc(sys.modules[family.__module__].__doc__ or "")
    source = re.search(r"Source:\s.*", module, flags=re.DOTALL)
    lines = [line.rstrip() for line in text.strip().splitlines()]
    if source and "Source:" not in text:
        lines += ["", *source[0].split("\n\n")[0].splitlines()]
    return without_markup("\n".join(lines)).split("\n")


@dataclass(frozen=True)
class _Options(Element, InLanguage):
    """Each option with its choices, what it decides, and who else chooses otherwise."""

    family: type[Measure]

    def in_language(self, language: str, words: Mapping[str, Message]) -> Code:
        """They, folded."""
        return Code("\n".join(_options(self.family, language)))


def _options(family: type[Measure], language: str) -> list[str]:
    lines = []
    for name in options_of(family):
        default = family.model_fields[name].default
        others = [choice for choice in choices(family, name) if choice != default]
        lines.append(" | ".join([f"{name}={option_text(default)}", *others]))
        text = text_of(meaning(family, name), language)
        lines += [f"{INSIDE}{line}" for line in folded(text, WIDTH)]
        values: list[object] = [*others]
        for profile in PROFILES.values():
            chosen = profile.options.get(family.name, {}).get(name, default)
            if chosen != default and chosen not in values:
                values.append(chosen)
        for value in values:
            users = [text_of(user, language) for user in used_by(family, name, value)]
            if users:
                lines.append(f"{INSIDE}{name}={option_text(value)}: {', '.join(users)}")
    return lines


def _profiles(measure: Measure) -> Table:
    """The example's value under every profile, those that agree in one row."""
    as_printed: dict[tuple[str, str], tuple[float, list[str]]] = {}
    for name, profile in PROFILES.items():
        (theirs,) = profile.measures([measure])
        value = _value(theirs, _judged(profile.run(_returned()), theirs))
        as_printed.setdefault((str(theirs), _text(value)), (value, []))[1].append(name)
    columns = (
        Column("measure", _("Measure"), "text"),
        Column("value", _("Value")),
        Column("profiles", _("Profiles"), "text"),
    )
    rows = tuple(
        (text_cell(text), _cell(value), text_cell(", ".join(names)))
        for (text, _), (value, names) in as_printed.items()
    )
    return Table(
        "profiles", _("Under each profile, with the value in the example below"), columns, rows
    )


def example(measure: Measure) -> list[Element]:
    """The worked example: what stands at each rank, and the sums on the way to the value."""
    run = _returned()
    judged = _judged(run, measure)
    relevant_from = measure.threshold or 1.0
    grades = ", ".join(f"{passage} {plain_number(grade)}" for passage, grade in GRADES.items())
    known = _(
        "R = {relevant} relevant (grade >= {grade}); {passages} passages in the corpus",
        relevant=plain_number(judged.n_relevant(relevant_from)[0]),
        grade=plain_number(relevant_from),
        passages=CORPUS,
    )
    if measure.reads_forbidden:
        known = _("Forbidden: {passages}.", passages=", ".join(FORBIDDEN))
    depth = len(RETURNED)
    ids = [run.passages[int(row)] for row in run.rows[0]]
    unjudged = text_cell(_("unjudged"))
    columns: dict[Column, list[Cell]] = {
        Column("rank", _("rank")): [number_cell(rank + 1, 0) for rank in range(depth)],
        Column("passage", _("passage"), "text"): [text_cell(passage) for passage in ids],
        Column("score", _("score")): [_cell(RETURNED[passage]) for passage in ids],
        Column("grade", _("grade")): [
            _cell(judged.grades[0, at]) if judged.state[0, at] == JUDGED else unjudged
            for at in range(depth)
        ],
    }
    steps = measure.workings(judged)
    if measure.has_curve:
        steps[measure.name] = measure.settled_curve(judged)[0]
    columns |= {
        Column(name, name): [_cell(value) for value in values[:depth]]
        for name, values in steps.items()
    }
    title = _(
        "Example: one query, {passages} passages returned; judged: {grades}",
        passages=depth,
        grades=grades,
    )
    rows = tuple(zip(*columns.values(), strict=True))
    return [
        Lines((known,), title),
        Table("example", "", tuple(columns), rows, tuple(_last_step(measure, judged))),
    ]


def _last_step(measure: Measure, judged: Judged) -> Iterator[str]:
    quotient = measure.quotient(judged)
    if quotient is not None:
        formula, *numbers = quotient
        yield f"{measure} = {formula} = {' / '.join(map(_text, numbers))}"
    yield f"{measure} = {_text(_value(measure, judged))}"


@functools.cache
def _returned() -> Run:
    return Run.from_dict({"q": RETURNED})


def _judged(run: Run, measure: Measure) -> Judged:
    depth = measure.cutoff if isinstance(measure.cutoff, int) else 0
    return _judged_to(run, max(depth, len(RETURNED)))


@functools.cache
def judgments() -> Qrels:
    """What the example's judgments say of its query."""
    qrels = Qrels.from_dict({"q": GRADES})
    named = ["q"] * len(FORBIDDEN), FORBIDDEN
    return replace(qrels, forbidden=Forbidden.of_pairs(*named, qrels.queries, qrels.passages))


@functools.lru_cache(maxsize=8)  # most profiles read the run as it is
def _judged_to(run: Run, depth: int) -> Judged:
    (element,) = Blocks(*numbered_alike(run, judgments()), depth=depth, n_passages=CORPUS)
    return element().dense()


def _value(measure: Measure, judged: Judged) -> float:
    return float(measure.value(judged)[0])


def _text(value: float) -> str:
    """A number with three decimals; a whole one without."""
    return plain_number(value) if float(value).is_integer() else number_text(value)


def _cell(value: float) -> Cell:
    return Cell(None if math.isnan(value) else float(value), _text(value))
