"""A tuning in words: the sentence that says which k to use, tables of settings, and what the rule
gains on other queries.

The command, a notebook and the report show the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ragscore.elements import Cell, Column, Element, Lines, Paragraph, Section, Table
from ragscore.elements.cells import (
    mean_cell,
    name_cell,
    nothing,
    number_cell,
    retriever_column,
    share_cell,
    signed_cell,
    text_cell,
)
from ragscore.elements.numbers import count_text, number_text, plain_number, share_text
from ragscore.elements.tables import column, table
from ragscore.estimate import Estimate
from ragscore.measures import Measure, P, R
from ragscore.messages import Message, Text, _, counted, joined
from ragscore.records import FloatArray
from ragscore.scoring.score_tables import measure_column
from ragscore.stats.bands import Band
from ragscore.tuning.options import UNITS, By
from ragscore.tuning.record import Setting, Tuning

MAX_CHOICES = 5
"""Settings that are named with how often they were chosen."""
MAX_SIZES = 10
"""Rows of the table of context sizes."""
RECOMMENDED = "*"
"""Marks the recommended setting."""
NO_CUT: dict[By, Message] = {
    "k": _("No k"),
    "score": _("No score cut"),
    "gap": _("No gap cut"),
    "ratio": _("No ratio cut"),
}


# The sentence.


def sentence(tuning: Tuning) -> Message:
    """What to do, in one sentence; and what is possible, where a precision is asked for.

    ``Use k = 5 (smallest k with recall at least 0.9): recall 0.912 (CI 0.871 to 0.942); going to
    10 adds 0.031 recall for 412 tokens per query.`` Where nothing is recommended it says why: ``No
    k reaches recall 0.9; the best, k = 20, has 0.812.``
    """
    if tuning.state == "no rule":
        best = tuning.reaching[-1].setting
        return _(
            "Nothing is recommended without a rule; the highest recall, {r}, takes {cut}.",
            r=number_text(_recall(tuning, best)),
            cut=best.label,
        )
    if tuning.recommended is not None:
        says, at = _recommended(tuning, tuning.recommended), tuning.recommended
    elif tuning.nearest is not None:
        says, at = _not_reached(tuning, tuning.nearest), tuning.nearest
    else:
        return _nothing(tuning)
    possible = tuning.possible
    if possible is None:
        return says
    judged = _(
        "A query has {relevant} relevant passages on average, so precision at "
        "{cut} can be {highest} at most; {unjudged} of the top {k} is unjudged "
        "and counts as not relevant.",
        relevant=number_text(possible.relevant, 1),
        highest=number_text(possible.highest[at.place]),
        cut=at.label,
        unjudged=share_text(float(possible.unjudged[at.place])),
        k=tuning.thresholds.shown(at.place),
    )
    return joined([says, judged])


def _recommended(tuning: Tuning, at: Setting) -> Message:
    """What the rule asked for comes first; then what the queries get, and what more would cost."""
    parts = (_found(tuning, at), _answers(tuning, at), _handed_over(tuning, at), _more(tuning, at))
    return _(
        "Use {cut} ({rule}): {parts}.",
        cut=at.label,
        rule=rule(tuning) or "",
        parts=joined([part for part in parts if part is not None], "; "),
    )


def rule(tuning: Tuning) -> Message | None:
    """The rule in words; None if nobody gave one."""
    options = tuning.options
    if options.rule is None:
        return None
    by_k, name = tuning.thresholds.by == "k", _named(tuning.judged_by)
    which = _("smallest k") if by_k else _("strictest cut")
    if options.rule == "best_f":
        looked_for = _("highest {name}", name=name)
    elif options.rule == "knee":
        looked_for = _("knee of {name}", name=name)
    elif options.target is None:
        looked_for = _("{which} with the highest {name}", which=which, name=name)
    else:
        if options.rule == "precision":
            which = _("largest k") if by_k else _("loosest cut")
        target = plain_number(options.target)
        looked_for = _(
            "{which} with {name} at least {target}", which=which, name=name, target=target
        )
    confident = _(" at the lower end of its 95 % interval") if options.confident else ""
    covered = _(" and at least {share} of the queries answered")
    return joined([looked_for, confident, _conditions(tuning, covered)], "")


def _conditions(tuning: Tuning, covered: Message) -> Text:
    """What else the rule must keep to: a share of the queries answered, which ``covered`` says,
    and a budget."""
    options, conditions = tuning.options, list[Text]()
    if options.coverage is not None:
        conditions.append(covered.given(share=f"{plain_number(100 * options.coverage)} %"))
    if options.limit is not None:
        conditions.append(_(" within {limit} {unit}", **_budget(tuning)))
    return joined(conditions, "")


def _budget(tuning: Tuning) -> dict[str, Text]:
    """The limit of the contexts and its unit, of a tuning that has one."""
    return {"limit": count_text(tuning.options.limit or 0), "unit": _unit(tuning)}


def _unit(tuning: Tuning) -> Message:
    return UNITS[tuning.unit or "words"]


def _recall(tuning: Tuning, at: Setting) -> float:
    return at.measures[str(tuning.recall)].value


def _found(tuning: Tuning, at: Setting) -> Text:
    """What the rule asked for, with its interval; then what else there is."""
    asked, by_k = tuning.judged_by, tuning.thresholds.by == "k"
    others = () if by_k and asked == tuning.recall else (tuning.precision, tuning.recall)
    parts = []
    for measure in dict.fromkeys((asked, *others)):
        found = at.measures[str(measure)]
        value: list[Text] = [_named(measure), f" {number_text(found.value)}"]
        if measure == asked:
            value += [" ", _interval(found)]
        if measure == tuning.precision and not by_k:
            value.append(_(" among the answered"))
        parts.append(joined(value, ""))
    return joined(parts, ", ")


def _answers(tuning: Tuning, at: Setting) -> Text | None:
    """How many queries a score cut answers, and with how many passages; None if k is cut."""
    if tuning.thresholds.by == "k":
        return None
    kept, wrongly = tuning.passages, None
    if kept.unanswerable_answered is not None:
        share = float(kept.unanswerable_answered.mean[at.place])
        wrongly = _(
            " and, wrongly, {count} of {n} unanswerable ones",
            count=str(round(share * kept.unanswerable)),
            n=str(kept.unanswerable),
        )
    return _(
        "{count} of {n} queries are answered ({share}){wrongly}, with {mean} "
        "passages per query ({lowest} to {highest})",
        count=count_text(round(at.answered * tuning.queries)),
        n=count_text(tuning.queries),
        share=share_text(at.answered),
        wrongly=wrongly or "",
        mean=number_text(at.passages, 1),
        lowest=number_text(kept.lowest[at.place], 0),
        highest=number_text(kept.highest[at.place], 0),
    )


def _handed_over(tuning: Tuning, at: Setting) -> Text | None:
    """What the queries really get within the budget; None without one."""
    if tuning.overflow is None:
        return None
    got = _("{passages} passages ({size} {unit})")
    if tuning.thresholds.by != "k":  # the passages have been named
        got = _("{size} {unit}")
    too_large = float(tuning.overflow.queries[at.place])
    says = _("a query gets {got} on average, and no context exceeds the limit")
    if too_large:
        says = _("a query gets {got} on average, and the limit cuts {share} of the contexts")
    sizes = {"passages": number_text(at.passages, 1), "size": number_text(at.context, 0)}
    return says.given(got=got.given(**sizes, unit=_unit(tuning)), share=share_text(too_large))


def _more(tuning: Tuning, at: Setting) -> Text | None:
    """What going further adds, and what it takes up; None if there is nothing further."""
    further = tuning.further()
    # Within a budget, nothing further has more where contexts are full.
    full = at.context is not None and (further is None or further.context == at.context)
    if full or tuning.options.rule == "budget":
        return _larger_budget(tuning, at)
    if further is None:
        return None
    takes, unit = number_text(further.passages - at.passages, 1), _("passages")
    if at.context is not None and further.context is not None:
        takes, unit = number_text(further.context - at.context, 0), _unit(tuning)
    by_k = tuning.thresholds.by == "k"
    return _(
        "going to {goal} adds {dr} recall for {dt} {unit} per query",
        goal=tuning.thresholds.shown(further.place) if by_k else further.label,
        dr=number_text(_recall(tuning, further) - _recall(tuning, at)),
        dt=takes,
        unit=unit,
    )


def _larger_budget(tuning: Tuning, at: Setting) -> Text | None:
    """What about twice the budget adds; None without a budget, or where nothing is larger."""
    sizes, limit = tuning.by_context, tuning.options.limit
    if sizes is None or limit is None or sizes.limits[-1] < 1.5 * limit:
        return None
    place = int(np.searchsorted(sizes.limits, 1.5 * limit))
    return _(
        "a budget of {limit} {unit} adds {dr} recall",
        limit=count_text(int(sizes.limits[place])),
        unit=_unit(tuning),
        dr=number_text(sizes.recall.mean[place] - _recall(tuning, at)),
    )


def _not_reached(tuning: Tuning, at: Setting) -> Message:
    options, no_cut = tuning.options, NO_CUT[tuning.thresholds.by]
    if options.coverage is not None and at.answered < options.coverage:
        return _(
            "{no_cut} answers {asked} of the queries; the loosest, {cut}, answers {share}.",
            no_cut=no_cut,
            asked=f"{plain_number(100 * options.coverage)} %",
            cut=at.label,
            share=share_text(at.answered),
        )
    if options.target is None:
        return _("Recall has no knee: it never rises above the straight line between its ends.")
    found = at.measures[str(tuning.judged_by)]
    says = _("{no_cut} reaches {name} {target}{conditions}; the best, {cut}, has {r}.")
    if options.confident:
        says = _(
            "{no_cut} reaches {name} {target} with the lower end of its 95 % "
            "interval{conditions}; the best, {cut}, has {r} {ci}."
        )
    return says.given(
        no_cut=no_cut,
        name=_named(tuning.judged_by),
        target=plain_number(options.target),
        conditions=_conditions(tuning, _(" and answers {share} of the queries")),
        cut=at.label,
        r=number_text(found.value),
        ci=_interval(found),
    )


def _nothing(tuning: Tuning) -> Message:
    """Why no k can be recommended: nothing fits, or nothing relevant is there."""
    if tuning.overflow is None:
        return _(
            "Nothing is recommended: of the {depth} passages recorded for each "
            "query, none is relevant.",
            depth=count_text(tuning.depth),
        )
    says = _(
        "Nothing is recommended: nothing that fits {limit} {unit} is relevant; the smallest "
        "first passage has {shortest}."
    )
    if tuning.state == "nothing fits":
        says = _(
            "Nothing fits {limit} {unit}: every query's first passage alone is larger; the "
            "smallest has {shortest}."
        )
    return says.given(shortest=count_text(tuning.overflow.shortest), **_budget(tuning))


def _named(measure: Measure) -> Text:
    """A measure as a sentence names it."""
    if isinstance(measure, P | R):
        return _("precision") if isinstance(measure, P) else _("recall")
    return measure.label


def _interval(found: Estimate) -> Text:
    """``(CI 0.871 to 0.942)``."""
    if not found.estimable:
        return _("(CI not estimable)")
    return _("(CI {lo} to {hi})", lo=number_text(found.low), hi=number_text(found.high))


# Columns of tables of settings.


class SettingRow(NamedTuple):
    """A row of a table of settings: one of a tuning's, and the recall that it reaches."""

    tuning: Tuning
    setting: Setting
    target: float | None = None


SettingColumn = tuple[Column, Callable[[SettingRow], Cell]]


def named_column() -> SettingColumn:
    """The retrievers, where rows are of several."""
    return retriever_column(), lambda row: name_cell(row.tuning.retriever)


def cut_columns(tuning: Tuning, *, marked: bool = False) -> list[SettingColumn]:
    """What is cut; of a score cut also the share of queries that get a passage.

    Args:
        tuning: one of those in the table, all cut by the same.
        marked: whether the recommended setting has its mark.
    """
    by = tuning.thresholds.by

    def cut_cell(row: SettingRow) -> Cell:
        place = row.setting.place
        mark = RECOMMENDED if marked and place == row.tuning.setting else ""
        return Cell(row.setting.value, row.tuning.thresholds.shown(place), mark=mark)

    if by == "k":
        return [column("k", "k", cut_cell)]
    hint = _("Queries that get at least one passage")
    return [
        column(by, tuning.thresholds.relation, cut_cell),
        column("answered", _("Answered"), lambda row: share_cell(row.setting.answered), hint=hint),
    ]


def measure_label(tuning: Tuning, measure: Measure) -> Text:
    """A measure as people read it; by score precision is that of the answered."""
    if tuning.thresholds.by != "k" and type(measure) is type(tuning.precision):
        return _("{label} of the answered", label=measure.label)
    return measure.label


def measure_columns(tuning: Tuning, measures: Iterable[Measure]) -> list[SettingColumn]:
    """Means of measures with their intervals; nothing where a run has no such curve."""

    def of(measure: Measure) -> SettingColumn:
        shown = measure_column(measure, measure_label(tuning, measure))
        return shown, lambda row: estimate_cell(row.setting.measures.get(str(measure)))

    return [of(measure) for measure in measures]


def estimate_cell(found: Estimate | None) -> Cell:
    """A mean with its interval."""
    return nothing() if found is None else mean_cell(found.value, found)


def context_column(tuning: Tuning) -> SettingColumn:
    """The mean size of what one query gets."""
    return column(
        "context",
        _("Context, {unit}", unit=_unit(tuning)),
        lambda row: number_cell(row.setting.context, 0),
        hint=_("Mean size of the passages that one query gets at this k or cut"),
        better="low",
    )


# Elements.


def tuning_elements(tunings: Sequence[Tuning], *, brief: bool = False) -> Iterator[Element]:
    """A section for each retriever, with its sentence, tables and notes.

    Args:
        tunings: what was read off their runs.
        brief: leave out the tables that only a reader of ``ragscore tune`` asked for.
    """
    for tuning in tunings:
        yield _section(tuning, brief=brief)
    if any(tuning.state == "no rule" for tuning in tunings):
        yield Paragraph(
            _(
                "For a recommendation, say what k is for: --rule recall --target 0.8, --rule "
                "precision --target 0.5, --rule best_f, --rule knee, or --budget 1000."
            )
        )


def _section(tuning: Tuning, *, brief: bool) -> Section:
    title = _(
        "{retriever} on {dataset}: {queries}, {passages} recorded for each",
        retriever=tuning.retriever,
        dataset=tuning.dataset,
        queries=counted("1 query", "{count} queries", tuning.queries),
        passages=counted("1 passage", "{count} passages", tuning.depth),
    )
    elements: list[Element] = [Paragraph(sentence(tuning))]
    if tuning.state in ("no rule", "not reached"):
        elements.append(reaching_table([tuning], named=False))
    if not brief:
        if tuning.state != "nothing fits":
            elements.append(_settings_table(tuning))
        if tuning.by_context is not None:
            elements.append(_context_table(tuning))
    elements += map(Paragraph, [*_held_out(tuning), *_passages_per_query(tuning)])
    if tuning.notes:
        elements.append(Lines(tuple(_("note: {note}", note=note) for note in tuning.notes)))
    made = Section(f"tuning-{tuning.dataset}-{tuning.retriever}", title, tuple(elements))
    if tuning.sample is None:
        return made
    caveat = tuning.sample.caveat()
    return replace(
        made, elements=(Paragraph(caveat, "warning"), *made.with_caveat(caveat).elements)
    )


def reaching_table(
    tunings: Sequence[Tuning],
    *,
    id: str = "reaching",
    named: bool = True,
    notes: Sequence[Text] = (),
) -> Table:
    """Which setting reaches which recall, and what it costs.

    Args:
        tunings: all cut by the same.
        id: of the table.
        named: whether the retrievers have a column.
        notes: under the table.
    """
    first = tunings[0]
    title = _("Which cut reaches which recall")
    if first.thresholds.by == "k":
        title = _("Which k reaches which recall")
    hint = _("The recall to reach, with the smallest k or the strictest cut that reaches it")

    def target_cell(row: SettingRow) -> Cell:
        if row.target is None:
            return text_cell(_("highest"))
        return Cell(row.target, plain_number(row.target))

    columns = [
        named_column() if named else None,
        column("recall", _("Recall target"), target_cell, hint=hint),
        *cut_columns(first),
        *measure_columns(first, (first.precision, first.recall)),
        context_column(first) if first.unit is not None else None,
    ]
    rows = [SettingRow(of, each.setting, each.recall) for of in tunings for each in of.reaching]
    return table(id, title, columns, rows, notes)


def _settings_table(tuning: Tuning) -> Table:
    """What each setting gives; under it, what its marks and columns mean."""
    by_k, kept, overflow = tuning.thresholds.by == "k", tuning.passages, tuning.overflow
    wrongly, marginal = kept.unanswerable_answered, tuning.marginal

    def passages_cell(row: SettingRow) -> Cell:
        place, mean = row.setting.place, row.setting.passages
        fewest, most = (number_text(float(side[place]), 0) for side in (kept.lowest, kept.highest))
        return Cell(mean, number_text(mean, 1), interval=f"({fewest}-{most})")

    def of(
        name: str, label: Text, values: FloatArray, cell: Callable[[float], Cell]
    ) -> SettingColumn:
        return column(name, label, lambda row: cell(float(values[row.setting.place])))

    columns, meaning = cut_columns(tuning, marked=True), list[Text]()
    if tuning.setting is not None:
        meaning.append(_("{mark} recommended", mark=RECOMMENDED))
    if by_k:
        title = _("What each k gives")
        meaning.append(_("[ ] 95 % interval of the mean, for each k alone"))
    else:
        title = _("What each cut gives")
        columns.insert(1, column("passages", _("Passages"), passages_cell))
        meaning += [
            _("[ ] 95 % interval of the mean, for each cut alone"),
            _("passages: mean (fewest-most)"),
            _("answered: queries that get a passage"),
        ]
        says = _("{label}: mean over the answered queries")
        if wrongly is not None:
            columns.append(of("wrongly", _("Wrongly answered"), wrongly.mean, share_cell))
            caution = _("wrongly answered: unanswerable queries (of {n}) that get a passage")
            meaning.append(caution.given(n=count_text(kept.unanswerable)))
            says = _("{label}: mean over the answered queries; unanswerable ones count as 0")
        meaning.append(says.given(label=measure_label(tuning, tuning.precision)))
    columns += measure_columns(tuning, tuning.curves)
    if marginal is not None:
        columns.append(of("added R", _("Gain in R"), marginal.recall.mean, signed_cell))
        columns.append(of("added P", _("Gain in P"), marginal.precision.mean, signed_cell))
    if tuning.context is not None:
        columns.append(context_column(tuning))
        meaning.append(_("context: mean size"))
    if overflow is not None:
        whole = partial(number_cell, digits=0)
        columns.append(of("uncut", _("Uncut"), overflow.context, whole))
        columns.append(of("too large", _("Too large"), overflow.queries, share_cell))
        says = _(
            "contexts end before the first passage that does not fit into {limit} {unit}, and P "
            "counts what fits; uncut: mean size without this limit; too large: queries whose "
            "uncut context exceeds it"
        )
        meaning.append(says.given(**_budget(tuning)))
    rows = [SettingRow(tuning, tuning.at(place)) for place in tuning.shown()]
    return table("settings", title, columns, rows, [joined(meaning, "; ")])


def _context_table(tuning: Tuning) -> Table:
    """P and R of what fits contexts of several sizes, up to that which holds all passages."""
    context = tuning.by_context
    assert context is not None
    limits, passages = context.limits.tolist(), context.passages
    full = int((passages < passages[-1]).sum())
    wanted = range(min(full + 1, len(limits)))
    step = math.ceil(len(wanted) / MAX_SIZES)
    shown = {at for at in wanted if (len(wanted) - 1 - at) % step == 0}
    shown |= {at for at, size in enumerate(limits) if size == tuning.options.limit}

    def band_column(measure: Measure, band: Band) -> tuple[Column, Callable[[int], Cell]]:
        return measure_column(measure, str(measure)), lambda at: estimate_cell(band.at(at))

    return table(
        "contexts",
        _("What fits into a context"),
        [
            column(
                "limit",
                _("Limit, {unit}", unit=_unit(tuning)),
                lambda at: Cell(limits[at], count_text(limits[at])),
            ),
            column("passages", _("Passages"), lambda at: number_cell(float(passages[at]), 1)),
            band_column(tuning.precision, context.precision),
            band_column(tuning.recall, context.recall),
        ],
        sorted(shown),
    )


def _held_out(tuning: Tuning) -> Iterator[Text]:
    """What the rule is worth on queries that it did not choose on."""
    if not tuning.held_out:
        return
    (measure, found), *others = tuning.held_out.items()
    often = sorted(found.chosen.items(), key=lambda chosen: -chosen[1])
    chosen = [_("{cut} in {count}", cut=cut, count=count) for cut, count in often[:MAX_CHOICES]]
    if rest := sum(count for _cut, count in often[MAX_CHOICES:]):
        chosen.append(_("others in {count}", count=rest))
    interval, also = _("interval not estimable"), None
    if not math.isnan(found.low):
        ends = {"low": number_text(found.low), "high": number_text(found.high)}
        interval = _("approximately {low} to {high}", **ends)
    if others:
        means = ", ".join(f"{other} {number_text(done.mean)}" for other, done in others)
        also = _(" Other held-out means: {others}.", others=means)
    yield _(
        "Held-out {measure}: {value} ({interval}), the mean on queries that were not used to "
        "choose ({folds} folds, {repeats} repeats); on the queries that were used, "
        "{in_sample}.{others} Chosen in {total} folds: {chosen}.",
        measure=measure_label(tuning, measure),
        value=number_text(found.mean),
        interval=interval,
        folds=found.folds,
        repeats=found.repeats,
        in_sample=number_text(found.in_sample),
        others=also or "",
        total=found.folds * found.repeats,
        chosen=joined(chosen, ", "),
    )


def _passages_per_query(tuning: Tuning) -> Iterator[Text]:
    """How many passages the queries get at the recommended score cut, whose fewest and most the
    sentence and the table have said."""
    kept, at = tuning.passages, tuning.recommended
    if tuning.thresholds.by == "k" or at is None:
        return
    quartiles = (kept.lower_quartile, kept.median, kept.upper_quartile)
    lower, median, upper = (number_text(float(side[at.place]), 0) for side in quartiles)
    yield _(
        "Passages per query at {cut}: quartiles {lower}, {median} and {upper}.",
        cut=at.label,
        lower=lower,
        median=median,
        upper=upper,
    )
