"""A measure explained: definition, options, who uses which, and an example with its steps.

Every number is computed by the engine when it is asked for; nothing is typed in.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from inspect import cleandoc
from textwrap import wrap

from ragscore.dataset import Qrels
from ragscore.errors import MeasureError
from ragscore.judge import JUDGED, Blocks, Judged
from ragscore.measures import Measure, parse_measure, parse_measures
from ragscore.measures.trec_names import name_of
from ragscore.run import Run
from ragscore.scoring.conventions import choices, meaning, options_of, shown, used_by
from ragscore.scoring.profiles import PROFILES
from ragscore.scoring.tables import aligned

RETURNED = {"e": 9.0, "u": 8.0, "d": 7.0, "b": 7.0, "a": 5.0}
"""The example: what a query got. Nobody judged u; d and b tie."""
GRADES = {"e": 3.0, "d": 1.0, "b": 0.0, "a": 2.0, "c": 2.0, "m": 0.0}
"""Its judgments; c and m did not come back."""
CORPUS = 12
DEEPEST = 1000
INSIDE = "    "


def asked_measure(text: str) -> Measure:
    """The measure that a text names; where it needs a cutoff and has none, all of the example.

    >>> str(asked_measure("ndcg")), str(asked_measure("precision")), str(asked_measure("iprec"))
    ('nDCG', 'P@5', 'iprec@0.5')

    Raises:
        MeasureError: there is no such measure or option.
    """
    try:
        listed = parse_measures([text])
    except MeasureError as error:
        if "@" in text or "needs a" not in str(error):
            raise
        return parse_measure(f"{text}@{len(RETURNED)}")
    return listed[len(listed) // 2]


def explained(measure: Measure) -> list[str]:
    """Everything about a measure, as lines.

    Raises:
        MeasureError: its cutoff is far beyond the example.
    """
    if isinstance(measure.cutoff, int) and measure.cutoff > DEEPEST:
        raise MeasureError(
            f"the example has {len(RETURNED)} passages",
            where=str(measure),
            instead=f"Ask for a cutoff up to {DEEPEST}",
        )
    return [
        f"{measure}: {measure.summary}",
        *_names(measure),
        "",
        *_definition(type(measure)),
        "",
        *_options(measure),
        "",
        *_profiles(measure),
        "",
        *example(measure),
    ]


def _names(measure: Measure) -> Iterator[str]:
    aliases = [name for name in measure.aliases if name.lower() != measure.name.lower()]
    if aliases:
        yield f"also understood: {', '.join(aliases)}"
    if measure.label != str(measure):
        yield f"its mean is printed as {measure.label}"
    theirs = name_of(measure)
    yield f"trec_eval: {theirs}" if theirs else "trec_eval: has no such measure with these options"


def _definition(family: type[Measure]) -> list[str]:
    """The docstring up to its example, and the source that its module names."""
    text = re.split(r"\n\s*>>>", cleandoc(family.__doc__ or ""))[0]
    module = cleandoc(sys.modules[family.__module__].__doc__ or "")
    source = re.search(r"Source:\s.*", module, flags=re.DOTALL)
    lines = ["Definition", *(f"  {line}".rstrip() for line in text.strip().splitlines())]
    if source and "Source:" not in text:
        lines += ["", *(f"  {line}" for line in source[0].split("\n\n")[0].splitlines())]
    return [line.replace("``", "") for line in lines]


def _options(measure: Measure) -> list[str]:
    family = type(measure)
    names = options_of(family)
    if not names:
        return ["Options: none"]
    lines = ["Options, the default first"]
    for name in names:
        default = family.model_fields[name].default
        words = [word for word in choices(family, name) if word != default]
        lines.append("  " + " | ".join([f"{name}={shown(default)}", *words]))
        lines += wrap(meaning(family, name), 96, initial_indent=INSIDE, subsequent_indent=INSIDE)
        values: list[object] = [*words]
        for profile in PROFILES.values():
            chosen = profile.options.get(family.name, {}).get(name, default)
            if chosen != default and chosen not in values:
                values.append(chosen)
        for value in values:
            users = used_by(family, name, value)
            if users:
                lines.append(f"{INSIDE}{name}={shown(value)}: {', '.join(users)}")
    return lines


def _profiles(measure: Measure) -> list[str]:
    """The example's value under every profile, those that agree on one line."""
    run, qrels = Run.from_dict({"q": RETURNED}), {"q": GRADES}
    as_printed: dict[tuple[str, str], list[str]] = {}
    for name, profile in PROFILES.items():
        (theirs,) = profile.measures([measure])
        ordered = profile.run(run)
        value = _value(theirs, _judged(ordered, qrels, theirs))
        as_printed.setdefault((str(theirs), _number(value)), []).append(name)
    width = max(len(text) for text, _ in as_printed)
    return ["Under each profile, with the value in the example below"] + [
        f"  {text:<{width}}  {value:<6}  {', '.join(names)}"
        for (text, value), names in as_printed.items()
    ]


def example(measure: Measure) -> list[str]:
    """The worked example: what stands at each rank, and the sums on the way to the value."""
    run = Run.from_dict({"q": RETURNED})
    judged = _judged(run, {"q": GRADES}, measure)
    relevant_from = measure.threshold or 1.0
    grades = ", ".join(f"{passage} {grade:g}" for passage, grade in GRADES.items())
    lines = [
        f"Example: one query, {len(RETURNED)} passages returned; judged: {grades}",
        f"  R = {judged.n_relevant(relevant_from)[0]:g} relevant (grade >= {relevant_from:g}); "
        f"{CORPUS} passages in the corpus",
    ]
    depth = len(RETURNED)
    ids = [run.passages[int(row)] for row in run.rows[0]]
    columns: dict[str, list[str]] = {
        "rank": [str(rank + 1) for rank in range(depth)],
        "passage": ids,
        "score": [f"{RETURNED[passage]:g}" for passage in ids],
        "grade": [
            f"{judged.grades[0, at]:g}" if judged.state[0, at] == JUDGED else "unjudged"
            for at in range(depth)
        ],
    }
    steps = measure.workings(judged)
    if measure.has_curve:
        steps[measure.name] = measure.settled_curve(judged)[0]
    columns |= {name: [_number(value) for value in steps[name][:depth]] for name in steps}
    lines += _table(list(columns), [list(row) for row in zip(*columns.values(), strict=True)])
    return [*lines, *_last_step(measure, judged)]


def _last_step(measure: Measure, judged: Judged) -> list[str]:
    lines = []
    quotient = measure.quotient(judged)
    if quotient is not None:
        words, *numbers = quotient
        lines.append(f"  {measure} = {words} = {' / '.join(map(_number, numbers))}")
    return [*lines, f"  {measure} = {_number(_value(measure, judged))}"]


def _judged(run: Run, qrels: dict[str, dict[str, float]], measure: Measure) -> Judged:
    judgments = Qrels.from_dict(qrels)
    vocabulary = run.passages.extended(judgments.passages)
    depth = measure.cutoff if isinstance(measure.cutoff, int) else len(RETURNED)
    (block,) = Blocks(
        run.onto(vocabulary),
        judgments.onto(vocabulary),
        depth=max(depth, len(RETURNED)),
        n_passages=CORPUS,
    )
    return block().dense()


def _value(measure: Measure, judged: Judged) -> float:
    return float(measure.value(judged)[0])


def _number(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:g}" if float(value).is_integer() else f"{value:.4f}"


def _table(header: list[str], rows: list[list[str]]) -> list[str]:
    return [f"  {line}".rstrip() for line in aligned(header, rows)]
