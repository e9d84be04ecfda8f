"""Tables of a comparison: means and differences on a measure, pairs, what the margin says, what two
find together.

The report and the commands print these same tables. In all of them, and in those of slices,
``measure`` is a measure as it parses, ``options`` say how all was compared, and ``id`` names the
table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ragscore.comparison.document import DatasetComparison
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.record import ALPHA, Difference, Family, MeasureComparison
from ragscore.elements import Cell, Column, Element, Paragraph, Table
from ragscore.elements.cells import (
    count_cell,
    difference_cell,
    mean_cell,
    name_cell,
    nothing,
    number_cell,
    p_cell,
    record_cell,
    record_column,
    retriever_column,
    signed_cell,
    text_cell,
    yes_cell,
)
from ragscore.elements.numbers import (
    BAND,
    BELOW_MARGIN,
    DECIDED,
    DISAGREES,
    count_text,
    plain_number,
)
from ragscore.elements.tables import column, table
from ragscore.estimate import Estimate
from ragscore.measures import parse_measure
from ragscore.messages import Message, Text, _, counted, joined
from ragscore.scoring.score_tables import measure_column as scored_column
from ragscore.stats.corrections import Correction
from ragscore.stats.equivalence import Equivalence
from ragscore.stats.few_differ import only_differ

OfDifference = tuple[Column, Callable[[Difference], Cell]]
"""A column of a table whose rows are differences."""
CORRECTIONS: Mapping[Correction, Text] = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "BH",
    "none": _("none"),
}


def decided_mark(difference: Difference) -> str:
    """The mark behind a difference; none where nothing is decided, or outside the family."""
    if not difference.decided:
        return ""
    return BELOW_MARGIN if difference.below_margin else DECIDED


def compared_cell(difference: Difference, *, retriever: str | None = None) -> Cell:
    """A difference with its sign, its interval, and a mark where it is decided.

    Args:
        difference: of two retrievers on one measure.
        retriever: whose row it stands in.
    """
    hint = difference.interval.note
    if difference.disagrees:
        hint = _("The interval excludes 0, but the test does not decide the difference.")
        if difference.p_adjusted < ALPHA:
            hint = _("The interval includes 0, so nothing is decided.")
        elif difference.test.p < ALPHA:
            hint = _("The interval excludes 0, but the difference is not decided after correction.")
    return difference_cell(
        difference.value,
        difference.interval,
        mark=decided_mark(difference),
        retriever=retriever,
        hint=hint,
    )


def difference_words(difference: Difference) -> Text:
    """A difference with its mark and its interval, and what must be known of it, for what is drawn
    elsewhere."""
    cell = compared_cell(difference)
    words = joined([joined([cell.text, cell.mark], ""), cell.interval])
    return joined([words, cell.hint], ". ") if cell.hint else words


def drawn(difference: Difference) -> Estimate:
    """A difference as a bar shows it."""
    return Estimate(difference.value, difference.interval.low, difference.interval.high)


def mark_key(family: Family, margin: float | None) -> Iterator[tuple[str, Text]]:
    """What the marks mean, and the one family that all of them come from."""
    several = _("decided among {family}", family=family_name(family))
    yield DECIDED, several if family.m > 1 else _("decided")
    if margin:
        below = _("decided, but below the margin of {margin}", margin=plain_number(margin))
        yield BELOW_MARGIN, below
    yield "", _("not decided")
    if margin:
        yield BAND, _("too small to matter: within {margin}", margin=plain_number(margin))


def compared_record(difference: Difference) -> Cell:
    """Queries on which a retriever is better, worse, the same."""
    return record_cell(difference.wins, difference.losses, difference.ties)


def withheld_text(difference: Difference) -> Text:
    """Why nothing is claimed of a difference; empty if something is.

    >>> from types import SimpleNamespace as Some
    >>> one = Some(withheld="few differ", differing=2, n=100, clusters=None)
    >>> str(withheld_text(one))
    'only 2 of 100 queries differ'
    """
    if not difference.withheld:
        return ""
    if difference.withheld == "no margin":
        return _("no margin on this measure")
    clusters = difference.clusters
    several = "queries" if clusters is None else "clusters"
    if difference.withheld == "few differ":
        units = difference.n if clusters is None else clusters
        return only_differ(difference.differing, units, several)
    if difference.withheld == "one unit":
        if clusters is None:
            return _("fewer than two queries")
        return _("fewer than two clusters")
    if clusters is None:
        return _("every query differs by the same amount")
    return _("every cluster differs by the same amount")


def family_name(family: Family) -> Text:
    """Which comparisons are corrected together: ``all 3 pairs``."""
    count, baseline = count_text(family.m), family.baseline
    if baseline is None:
        return _("all {count} pairs", count=count) if family.m > 1 else _("the only pair")
    if family.m > 1:
        return _("the {count} comparisons with {baseline}", count=count, baseline=baseline)
    return _("the comparison with {baseline}", baseline=baseline)


def correction_name(options: CompareOptions) -> Text:
    """The method that corrects p-values, as tables and sentences name it."""
    return CORRECTIONS[options.correction]


def measure_column(measure: str, *, interval: bool = True) -> Column:
    """Means of a measure; ``interval``: whether the cells have intervals."""
    parsed = parse_measure(measure)
    lower = parsed.lowest_is_best
    label = _("{label} (lower is better)", label=parsed.label) if lower else parsed.label
    return scored_column(parsed, label, interval=interval)


def difference_label(measure: str) -> str:
    """What differences of a measure are differences of: its label, of a geometric mean ``ln`` of
    it.

    >>> difference_label("AP@10"), difference_label("GMAP")
    ('mAP@10', 'ln gmAP')
    """
    parsed = parse_measure(measure)
    return f"ln {parsed.label}" if parsed.aggregate == "geometric mean" else parsed.label


def p_label(options: CompareOptions) -> Text:
    """The header of corrected p-values."""
    if options.correction == "none":
        return _("p, not corrected")
    return _("p ({correction})", correction=correction_name(options))


def p_columns(
    options: CompareOptions, *, hint: Text = "", marked: bool = False
) -> tuple[OfDifference, OfDifference, OfDifference]:
    """What every table of differences has: p, the corrected p, and W/L/T.

    Args:
        hint: what is said of the corrected p.
        marked: whether it has the mark of a test and an interval that contradict each other.
    """

    def corrected(difference: Difference) -> Cell:
        cell = p_cell(difference.p_adjusted, floor=difference.test.at_floor)
        return replace(cell, mark=DISAGREES if marked and difference.disagrees else "")

    def single(difference: Difference) -> Cell:
        return p_cell(difference.test.p, floor=difference.test.at_floor)

    return (
        column("p", "p", single, better="low"),
        column("p corrected", p_label(options), corrected, hint=hint, better="low"),
        (record_column(), compared_record),
    )


def mark_notes(
    comparison: DatasetComparison, differences: Sequence[Difference], options: CompareOptions
) -> Iterator[Text]:
    """What the marks of differences mean, and which comparisons they are corrected over."""
    family = family_name(comparison.family)
    if not any(pair.decided for pair in differences):
        yield from nothing_decided(comparison, differences, options)
    elif comparison.family.m <= 1:
        yield one_comparison_note()
    elif options.correction == "none":
        yield _(
            "{mark} decided among {family}: p, not corrected, below .05, and the interval excludes "
            "0.",
            mark=DECIDED,
            family=family,
        )
    else:
        yield _(
            "{mark} decided: p corrected over {family} below .05, and the interval excludes 0.",
            mark=DECIDED,
            family=family,
        )
    yield from margin_mark(differences)
    outside = (pair for pair in differences if math.isnan(pair.p_adjusted))
    if not all(comparison.same(pair.retriever, pair.baseline) for pair in outside):
        yield _(
            "Rows without a corrected p have no mark: they are not among {family}, which the "
            "experiment compares.",
            family=family,
        )


def nothing_decided(
    comparison: DatasetComparison, differences: Sequence[Difference], options: CompareOptions
) -> Iterator[Text]:
    """That no row has a mark, and the family; nothing where all are the same."""
    family = comparison.family
    found = [pair for pair in differences if not comparison.same(pair.retriever, pair.baseline)]
    if all(pair.equal for pair in found):
        for margin in {pair.margin for pair in found if pair.margin}:
            yield _(
                "Every interval lies within the margin of {margin}.", margin=plain_number(margin)
            )
    elif family.m <= 1:
        yield _("No difference in this table is decided.")
    elif options.correction == "none":
        yield _("No difference in this table is decided; p is not corrected.")
    else:
        name = family_name(family)
        yield _("No difference in this table is decided; p corrected over {family}.", family=name)


def margin_mark(differences: Iterable[Difference]) -> Iterator[Text]:
    """What the mark of differences below the margin means, where one has it."""
    margin = next((pair.margin for pair in differences if pair.below_margin), None)
    if margin is not None:
        yield _(
            "{mark} decided, and smaller than the margin of {margin}.",
            mark=BELOW_MARGIN,
            margin=plain_number(margin),
        )


def one_comparison_note() -> Message:
    """What the mark of a decided difference means if there is only one comparison."""
    return _("{mark} decided: p below .05, and the interval excludes 0.", mark=DECIDED)


def measure_table(
    measure: MeasureComparison, comparison: DatasetComparison, options: CompareOptions
) -> Table:
    """Means of all retrievers and their differences to the baseline on one measure."""
    baseline, in_context = comparison.baseline, comparison.in_context
    kind = _("primary") if measure.primary else _("secondary")
    if measure.primary and in_context is not None and measure is not in_context:
        kind = _("at equal k")
    read = comparison.primary if measure is in_context else measure.measure
    label: Text = difference_label(read)
    id = f"differences-{read}"
    if measure is in_context:
        label, id = measure.label, "differences-in-context"
    facts = {"label": difference_label(read), "baseline": baseline}
    hint = _("p-value of the difference to {baseline}, corrected over {family}")
    if options.correction == "none":
        hint = _("p-value of the difference to {baseline}, not corrected for {family}")
    hint = hint.given(baseline=baseline, family=family_name(comparison.family))
    against = {
        pair.retriever: pair
        for pair in measure.differences
        if not comparison.same(pair.retriever, baseline)
    }

    def mean(name: str) -> Cell:
        mean, best = measure.means[name], measure.best == name
        return mean_cell(mean.value, mean, strong=best, retriever=name)

    def difference(name: str) -> Cell:
        if name in against:
            return compared_cell(against[name], retriever=name)
        if comparison.same(name, baseline):
            return nothing(_("same as {baseline}", baseline=baseline))
        return nothing(_("baseline")) if name == baseline else nothing()

    def detectable(pair: Difference) -> Cell:
        found = pair.detectable
        return nothing(_("not estimable")) if found is None else number_cell(found)

    def of(column: OfDifference) -> tuple[Column, Callable[[str], Cell]]:
        head, cell = column
        return head, lambda name: cell(against[name]) if name in against else nothing("")

    return table(
        id,
        _("{label} ({kind}; intervals 95 %, not adjusted)", label=label, kind=kind),
        (
            (retriever_column(), name_cell),
            (replace(measure_column(read), label=_("Mean")), mean),
            column(
                "difference",
                _("Minus {baseline}", baseline=baseline),
                difference,
                hint=_(
                    "Mean difference to {baseline} on {label}, query by query; + is better", **facts
                ),
                interval=True,
                better="high",
            ),
            *map(of, p_columns(options, hint=hint, marked=True)),
            of(
                column(
                    "d_z",
                    "d_z",
                    lambda pair: signed_cell(pair.effect, 2),
                    hint=_("Mean difference over the standard deviation of the differences"),
                    better="high",
                )
            ),
            of(
                column(
                    "detectable",
                    _("Detectable"),
                    detectable,
                    hint=_(
                        "The smallest true difference that this many queries detect with 80 % power"
                    ),
                )
            ),
        ),
        comparison.retrievers,
        _under(measure, comparison, options),
    )


def _under(
    measure: MeasureComparison, comparison: DatasetComparison, options: CompareOptions
) -> Iterator[Text]:
    """The notes under the table of a measure."""
    if measure.primary or any(map(decided_mark, measure.differences)):
        yield from mark_notes(comparison, measure.differences, options)
    if measure.lower_is_better:
        yield _("Lower is better; the differences are signed so that + is better.")
    means = [(name, mean.note) for name, mean in measure.means.items()]
    yield from _noted(_("mean of {names}: {note}"), means)
    differences = [
        pair for pair in measure.differences if not comparison.same(pair.retriever, pair.baseline)
    ]
    noted = [(pair.retriever, pair.interval.note) for pair in differences]
    yield from _noted(_("difference of {names}: {note}"), noted)
    for pair in differences:
        if pair.disagrees:
            yield _disagreement(pair)
    yield from measure.notes


def _noted(line: Message, notes: Iterable[tuple[Text, Text]]) -> Iterator[Text]:
    """A line for each note, with the names that it is about."""
    named: dict[Text, list[Text]] = {}
    for name, note in notes:
        if note:
            named.setdefault(note, []).append(name)
    for note, names in named.items():
        yield line.given(names=joined(names, ", "), note=note)


def _disagreement(difference: Difference) -> Text:
    """Why p-value and interval say different things."""
    interval = difference.interval
    facts = {"mark": DISAGREES, "retriever": difference.retriever}
    if difference.p_adjusted >= difference.test.p and interval.low * interval.high > 0:
        comparisons = counted("1 comparison", "{count} comparisons", difference.m)
        return _(
            "{mark} {retriever}: the interval excludes 0; not decided after "
            "correction for {comparisons}",
            comparisons=comparisons,
            **facts,
        )
    return _("{mark} {retriever}: the interval includes 0, so nothing is decided", **facts)


def leader_table(comparison: DatasetComparison, options: CompareOptions) -> Iterator[Table]:
    """The best against every other, if all pairs are compared and no other table shows it."""
    leader = comparison.leader
    shown = comparison.family.baseline is not None
    if shown or len(leader) < 2 or leader[0].retriever == comparison.baseline:
        return
    note = _("Corrected over all {m} pairs, since the data chose the best.")
    if options.correction == "none":
        note = _("Not corrected over all {m} pairs, though the data chose the best.")
    yield table(
        "leader",
        _(
            "{leader}, which has the best mean on {label}, against every other retriever",
            leader=leader[0].retriever,
            label=difference_label(comparison.primary),
        ),
        (
            column("against", _("Against"), lambda pair: name_cell(pair.baseline), "text"),
            column(
                "difference",
                _("Difference"),
                lambda pair: replace(compared_cell(pair), mark=""),
                interval=True,
                better="high",
            ),
            *p_columns(options),
        ),
        leader,
        (note.given(m=count_text(leader[0].m)),),
    )


def pairs_table(
    measure: str,
    pairs: Sequence[Difference],
    comparison: DatasetComparison,
    options: CompareOptions,
    *,
    id: str = "pairs",
) -> Iterator[Table]:
    """Each pair of retrievers on one measure; none where there is no pair.

    Args:
        pairs: the differences, corrected over all pairs.
        comparison: for the family that marks come from.
        measure, options, id: as above.
    """
    if not pairs:
        return
    marked = comparison.family.m == len(pairs)

    def difference(pair: Difference) -> Cell:
        cell = compared_cell(pair)
        return cell if marked else replace(cell, mark="")

    columns: list[OfDifference] = [
        column(
            "pair",
            _("Pair"),
            lambda pair: text_cell(f"{pair.retriever} - {pair.baseline}"),
            "text",
        ),
        column("difference", _("First minus second"), difference, interval=True, better="high"),
        *p_columns(options),
        column("queries", _("Queries"), lambda pair: count_cell(pair.n)),
    ]
    title = _("All pairs on {label}", label=difference_label(measure))
    yield table(id, title, columns, pairs, _pair_notes(pairs, comparison, options))


def _pair_notes(
    pairs: Sequence[Difference], comparison: DatasetComparison, options: CompareOptions
) -> Iterator[Text]:
    family = comparison.family
    if family.m < len(pairs):
        yield _(
            "Corrected over these {pairs} pairs. No marks here: the experiment "
            "compares with {baseline}, and marks are those of {family}.",
            pairs=len(pairs),
            baseline=family.baseline,
            family=family_name(family),
        )
        return
    if len(pairs) == 1:
        yield one_comparison_note()
    elif options.correction == "none":
        yield _(
            "Not corrected for the number of pairs ({pairs}). {mark} decided: p below .05, and the "
            "interval excludes 0.",
            pairs=len(pairs),
            mark=DECIDED,
        )
    else:
        yield _(
            "Corrected over these {pairs} pairs. {mark} decided: corrected p below .05, and the "
            "interval excludes 0.",
            pairs=len(pairs),
            mark=DECIDED,
        )
    yield from margin_mark(pairs)


def margin_element(
    measure: MeasureComparison, baseline: str, *, id: str = "margin"
) -> Iterator[Element]:
    """Equivalence and being not worse on one measure, compared with a baseline; why not, where it
    has no margin."""
    label = difference_label(measure.measure)
    if not measure.differences:
        return
    if measure.margin is None:
        yield Paragraph(
            _(
                "{label} does not lie between 0 and 1, so no margin is assumed, and "
                'equality, "not worse" and the queries needed are left out. Give a '
                "margin in its own units to see these.",
                label=label,
            ),
            "note",
        )
        return
    margin, unknown = plain_number(measure.margin), _("not estimable")

    def difference(pair: Difference) -> Cell:
        if pair.equivalence is None:
            return replace(signed_cell(pair.value), interval=unknown)
        return difference_cell(pair.value, pair.equivalence.interval90)

    def of(read: Callable[[Equivalence], Cell], missing: Cell) -> Callable[[Difference], Cell]:
        return lambda pair: read(pair.equivalence) if pair.equivalence else missing

    def needed(pair: Difference) -> Cell:
        return nothing(unknown) if pair.needed is None else count_cell(pair.needed)

    def reason(pair: Difference) -> Cell:
        return text_cell(withheld_text(pair))

    equal = of(lambda found: yes_cell(found.equivalent), yes_cell(False))
    bound = of(lambda found: signed_cell(found.bound95), nothing(unknown))
    not_worse = of(lambda found: yes_cell(found.non_inferior), yes_cell(False))
    p_equal = of(lambda found: p_cell(found.p_tost), nothing())
    p_not_worse = of(lambda found: p_cell(found.p_non_inferior), nothing())
    withheld = any(pair.withheld for pair in measure.differences)
    many = _("Queries for {margin}, 80 % power", margin=margin)
    columns: list[OfDifference | None] = [
        (retriever_column(), lambda pair: name_cell(pair.retriever)),
        column("difference 90", _("Difference, 90 % interval"), difference, interval=True),
        column("equal", _("Inside ±{margin}", margin=margin), equal, "text"),
        column("p TOST", _("p (TOST)"), p_equal, better="low"),
        column("bound 95", _("95 % bound"), bound, better="high"),
        column("not worse", _("Not worse"), not_worse, "text"),
        column("p not worse", _("p (not worse)"), p_not_worse, better="low"),
        column("queries needed", many, needed, better="low"),
        column("withheld", _("Reason"), reason, "text") if withheld else None,
    ]
    note = _(
        "Two one-sided tests at .05, not corrected. Equality (TOST) is decided by the 90 % "
        "interval, not being worse by {margin} or more by the lower one-sided bound. Queries "
        "for 80 % power: with this many queries like these, 4 of 5 such experiments detect a "
        "true difference of {margin}; smaller differences are mostly missed.",
        margin=margin,
    )
    title = _(
        "Margin {margin} on {label}, against {baseline}",
        margin=margin,
        label=label,
        baseline=baseline,
    )
    yield table(id, title, columns, measure.differences, (note,))
