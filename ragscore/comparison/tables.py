"""Tables of a comparison: means and differences on a measure, pairs, what the margin says.

The report, a notebook and the commands print these same tables. In all of them, and in those of
slices, ``options`` say how all was compared, and ``id`` names the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ragscore.comparison.comparing import DatasetComparison, MeasureComparison
from ragscore.comparison.differences import ALPHA, Difference, Family
from ragscore.comparison.options import CompareOptions
from ragscore.elements import Cell, Column, Element, Paragraph, Table
from ragscore.elements.cells import (
    count_cell,
    difference_cell,
    latency_column,
    latency_range_cell,
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
    EQUAL,
    count_text,
    plain_number,
)
from ragscore.elements.tables import column, table
from ragscore.estimate import Estimate
from ragscore.measures import parse_measure
from ragscore.messages import Message, Text, _, joined
from ragscore.scoring.score_tables import measure_column as scored_column
from ragscore.stats.corrections import Correction
from ragscore.stats.equivalence import Equivalence
from ragscore.stats.few_differ import only_differ

CORRECTIONS: Mapping[Correction, Text] = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "BH",
    "none": _("none"),
}
"""The method that corrects p-values, as tables and sentences name it."""
DifferenceColumn = tuple[Column, Callable[[Difference], Cell]]
"""A column of a table whose rows are differences."""
RetrieverColumns = dict[str, tuple[Column, Callable[[str], Cell]]]
"""By name: the columns of a table whose rows are retrievers."""


def measure_table(
    measure: MeasureComparison, comparison: DatasetComparison, options: CompareOptions
) -> Table:
    """Means of all retrievers and their differences to the baseline on one measure."""
    columns = _measure_columns(measure, comparison, options)
    return _of_measure(measure, comparison, options, columns, comparison.retrievers)


def ranking_table(
    measure: MeasureComparison,
    comparison: DatasetComparison,
    options: CompareOptions,
    latency: Mapping[str, float],
) -> Table:
    """The same, the best first: the mean without its interval, the difference, the time of a query
    and on how many queries each is better. The other columns are there for who asks."""
    columns = _measure_columns(measure, comparison, options)
    mean, mean_of = columns["mean"]
    columns["mean"] = mean, lambda name: replace(mean_of(name), interval="")
    if latency:
        time = replace(latency_column(), unit="")
        columns["time"] = time, lambda name: latency_range_cell(latency.get(name))
    shown = [key for key in ("retriever", "mean", "difference", "time", "record") if key in columns]
    others = {
        key: (replace(head, extra=True), cell)
        for key, (head, cell) in columns.items()
        if key not in shown
    }
    sign = 1 if measure.lower_is_better else -1
    values = {name: mean.value for name, mean in measure.means.items()}
    best_first = sorted(values, key=lambda name: (math.isnan(values[name]), sign * values[name]))
    chosen = {key: columns[key] for key in shown} | others
    return _of_measure(measure, comparison, options, chosen, best_first)


def _of_measure(
    measure: MeasureComparison,
    comparison: DatasetComparison,
    options: CompareOptions,
    columns: RetrieverColumns,
    retrievers: Sequence[str],
) -> Table:
    """A table of retrievers on a measure."""
    kind, id, label = _("secondary"), f"differences-{measure.measure}", measure.difference_label
    if measure is comparison.in_context:
        kind, id, label = _("primary"), "differences-in-context", measure.label
    elif measure.primary:
        kind = _("primary") if comparison.in_context is None else _("at equal k")
    return table(
        id,
        _("{label} ({kind}; intervals 95 %, not adjusted)", label=label, kind=kind),
        [*columns.values()],
        retrievers,
        _under(measure, comparison, options),
    )


def _measure_columns(
    measure: MeasureComparison, comparison: DatasetComparison, options: CompareOptions
) -> RetrieverColumns:
    """By what they show, the columns of retrievers on a measure."""
    baseline = comparison.baseline
    name = comparison.primary if measure is comparison.in_context else measure.measure
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

    def of(column: DifferenceColumn) -> tuple[Column, Callable[[str], Cell]]:
        head, cell = column
        return head, lambda name: cell(against[name]) if name in against else nothing("")

    p, p_corrected, record = p_columns(options, comparison.family, marked=True)
    return {
        "retriever": (retriever_column(), name_cell),
        "mean": (replace(measure_column(name), label=_("Mean")), mean),
        "difference": column(
            "difference",
            _("Minus {baseline}", baseline=baseline),
            difference,
            hint=_(
                "Mean difference to {baseline} on {label}, query by query; + is better",
                label=measure.difference_label,
                baseline=baseline,
            ),
            interval=True,
            better="high",
        ),
        "p": of(p),
        "p corrected": of(p_corrected),
        "record": of(record),
        "d_z": of(
            column(
                "d_z",
                "d_z",
                lambda pair: signed_cell(pair.effect, 2),
                hint=_("Mean difference over the standard deviation of the differences"),
                better="high",
            )
        ),
        "visible": of(
            column(
                "detectable",
                _("Visible from"),
                _visible,
                hint=_(
                    "The smallest true difference that this many queries detect with 80 % power"
                ),
            )
        ),
    }


def _visible(pair: Difference) -> Cell:
    found = pair.detectable
    return nothing(_("not estimable")) if found is None else number_cell(found)


def _under(
    measure: MeasureComparison, comparison: DatasetComparison, options: CompareOptions
) -> Iterator[Text]:
    """The notes under the table of a measure."""
    differences = [
        pair for pair in measure.differences if not comparison.same(pair.retriever, pair.baseline)
    ]
    if measure.primary or any(map(decided_mark, differences)):
        yield from mark_notes(comparison.family, differences, options)
        if any(math.isnan(pair.p_adjusted) for pair in differences):
            yield _(
                "Rows outside {family} have no mark: the experiment does not compare them.",
                family=family_name(comparison.family),
            )
    if measure.lower_is_better:
        yield _("Lower is better; the differences are signed so that + is better.")
    means = [(name, mean.note) for name, mean in measure.means.items()]
    yield from _noted(_("mean of {names}: {note}"), means)
    noted = [(pair.retriever, pair.interval.note) for pair in differences]
    yield from _noted(_("difference of {names}: {note}"), noted)
    for pair in differences:
        if pair.disagrees:
            facts = {"mark": DISAGREES, "retriever": pair.retriever}
            yield _("{mark} {retriever}: {why}", why=contradiction(pair), **facts)
    yield from measure.notes


def _noted(line: Message, notes: Iterable[tuple[Text, Text]]) -> Iterator[Text]:
    """A line for each note, with the names that it is about."""
    named: dict[Text, list[Text]] = {}
    for name, note in notes:
        if note:
            named.setdefault(note, []).append(name)
    for note, names in named.items():
        yield line.given(names=joined(names, ", "), note=note)


def leader_table(comparison: DatasetComparison, options: CompareOptions) -> Iterator[Table]:
    """The best against every other, if all pairs are compared and no other table shows it."""
    leader, family = comparison.leader, comparison.family
    shown = family.baseline is not None
    if shown or len(leader) < 2 or leader[0].retriever == comparison.baseline:
        return
    note = _("Corrected over all {m} pairs, since the data chose the best.")
    if options.correction == "none":
        note = _("Not corrected over all {m} pairs, though the data chose the best.")
    title = _(
        "{leader}, which has the best mean on {label}, against every other retriever",
        leader=leader[0].retriever,
        label=comparison.measures[0].difference_label,
    )
    columns: list[DifferenceColumn] = [
        column("against", _("Against"), lambda pair: name_cell(pair.baseline), "text"),
        _difference(_("Difference"), marked=False),
        *p_columns(options, family),
    ]
    yield table("leader", title, columns, leader, (note.given(m=count_text(leader[0].m)),))


def pairs_table(
    measure: str,
    pairs: Sequence[Difference],
    comparison: DatasetComparison,
    options: CompareOptions,
    *,
    id: str,
) -> Iterator[Table]:
    """Each pair of retrievers on one measure; none where there is no pair.

    Args:
        measure: as it parses.
        pairs: the differences, corrected over all pairs.
        comparison: for the family that marks come from.
        options, id: as above.
    """
    if not pairs:
        return
    over_all = Family(None, len(pairs))
    marked = comparison.family.m == over_all.m
    notes: Iterable[Text] = mark_notes(over_all, pairs, options)
    if not marked:
        notes = [
            _(
                "Corrected over these {pairs} pairs. No marks here: the experiment "
                "compares with {baseline}, and marks are those of {family}.",
                pairs=len(pairs),
                baseline=comparison.family.baseline,
                family=family_name(comparison.family),
            )
        ]
    columns: list[DifferenceColumn] = [
        column("pair", _("Pair"), lambda p: text_cell(f"{p.retriever} - {p.baseline}"), "text"),
        _difference(_("First minus second"), marked=marked),
        *p_columns(options, over_all),
        column("queries", _("Queries"), lambda pair: count_cell(pair.n)),
    ]
    title = _("All pairs on {label}", label=comparison[measure].difference_label)
    yield table(id, title, columns, pairs, notes)


def _difference(label: Text, *, marked: bool) -> DifferenceColumn:
    """The differences of pairs; where another family is corrected, without its marks."""

    def cell(pair: Difference) -> Cell:
        made = compared_cell(pair)
        return made if marked else replace(made, mark="")

    return column("difference", label, cell, interval=True, better="high")


def p_columns(
    options: CompareOptions, family: Family, *, marked: bool = False
) -> tuple[DifferenceColumn, DifferenceColumn, DifferenceColumn]:
    """What every table of differences has: p, the corrected p, and the record. Where nothing is
    corrected, the second says nothing new.

    Args:
        options: how p is corrected.
        family: over what.
        marked: whether p has the mark of a test and an interval that contradict each other.
    """
    corrected = family.m > 1 and options.correction != "none"

    def cell(pair: Difference, p: float, shown: bool) -> Cell:
        made = p_cell(p, floor=pair.test.at_floor)
        return replace(made, mark=DISAGREES) if shown and marked and pair.disagrees else made

    method, over = CORRECTIONS[options.correction], family_name(family)
    head = Column(
        "p corrected",
        p_label(options),
        hint=_("Corrected over {family}: {correction}", family=over, correction=method)
        if corrected
        else "",
        better="low",
        extra=not corrected,
    )
    return (
        column("p", "p", lambda pair: cell(pair, pair.test.p, not corrected), better="low"),
        (head, lambda pair: cell(pair, pair.p_adjusted, corrected)),
        (record_column(), compared_record),
    )


def p_label(options: CompareOptions) -> Text:
    """The header of corrected p-values; how to read a table names the correction."""
    return _("p, not corrected") if options.correction == "none" else _("p, corrected")


def measure_column(measure: str, *, interval: bool = True) -> Column:
    """Means of a measure; ``interval``: whether the cells have intervals."""
    parsed = parse_measure(measure)
    lower = parsed.lowest_is_best
    label = _("{label} (lower is better)", label=parsed.label) if lower else parsed.label
    return scored_column(parsed, label, interval=interval)


def decided_mark(difference: Difference) -> str:
    """The mark behind a difference; none where nothing is decided, or outside the family."""
    if not difference.decided:
        return EQUAL if difference.equal and not math.isnan(difference.p_adjusted) else ""
    return BELOW_MARGIN if difference.below_margin else DECIDED


def compared_cell(difference: Difference, *, retriever: str | None = None) -> Cell:
    """A difference with its sign, its interval, and a mark where it is decided.

    Args:
        difference: of two retrievers on one measure.
        retriever: whose row it stands in.
    """
    return difference_cell(
        difference.value,
        difference.interval,
        mark=decided_mark(difference),
        retriever=retriever,
        hint=contradiction(difference) or difference.interval.note,
    )


def contradiction(difference: Difference) -> Text:
    """Why a difference is not decided though its interval or its test seems to say so; empty for
    most."""
    if not difference.disagrees:
        return ""
    if difference.p_adjusted < ALPHA:
        return _("The interval includes 0, so nothing is decided.")
    if difference.test.p < ALPHA:
        return _("The interval excludes 0, but the difference is not decided after correction.")
    return _("The interval excludes 0, but the test does not decide the difference.")


def difference_words(difference: Difference) -> Text:
    """A difference with its mark and its interval, and what must be known of it, for what is drawn
    elsewhere."""
    cell = compared_cell(difference)
    words = joined([joined([cell.text, cell.mark], ""), cell.interval])
    return joined([words, cell.hint], ". ") if cell.hint else words


def drawn(difference: Difference) -> Estimate:
    """A difference as a bar shows it."""
    return Estimate(difference.value, difference.interval.low, difference.interval.high)


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
    clusters, differing = difference.clusters, difference.differing
    match difference.withheld:
        case "":
            return ""
        case "no margin":
            return _("no margin on this measure")
        case "few differ":
            if clusters is None:
                return only_differ(differing, difference.n, "queries")
            return only_differ(differing, clusters, "clusters")
        case "one unit":
            if clusters is None:
                return _("fewer than two queries")
            return _("fewer than two clusters")
        case "no spread":
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


def mark_key(
    family: Family, margin: float | None, differences: Collection[Difference]
) -> Iterator[tuple[str, Text]]:
    """What the marks mean, and the one family that all of them come from; nothing where no
    difference has one."""
    if not differences:
        return
    several = _("decided among {family}", family=family_name(family))
    yield DECIDED, several if family.m > 1 else _("decided")
    if margin:
        below = _("decided, but below the margin of {margin}", margin=plain_number(margin))
        yield BELOW_MARGIN, below
    if any(decided_mark(pair) == EQUAL for pair in differences):
        yield EQUAL, _("equal: within the margin")
    yield "", _("not decided")
    if margin:
        yield BAND, _("too small to matter: within {margin}", margin=plain_number(margin))


def mark_notes(
    family: Family, differences: Sequence[Difference], options: CompareOptions
) -> Iterator[Text]:
    """What the marks of differences mean, and which comparisons they are corrected over; that none
    has one, where nothing is decided."""
    marks = {decided_mark(pair): pair.margin for pair in differences}
    if not {DECIDED, BELOW_MARGIN, EQUAL} & {*marks}:
        if differences:
            yield _nothing_decided(family, options)
        return
    decided = _("{mark} decided: p corrected over {family} below .05, and the interval excludes 0.")
    if family.m <= 1:
        decided = _("{mark} decided: p below .05, and the interval excludes 0.")
    elif options.correction == "none":
        decided = _(
            "{mark} decided among {family}: p, not corrected, below .05, and the interval excludes "
            "0."
        )
    if {DECIDED, BELOW_MARGIN} & {*marks}:
        yield decided.given(mark=DECIDED, family=family_name(family))
    for mark, meaning in (
        (BELOW_MARGIN, _("{mark} decided, and smaller than the margin of {margin}.")),
        (EQUAL, _("{mark} equal: the whole interval is within the margin of {margin}.")),
    ):
        if mark in marks:
            yield meaning.given(mark=mark, margin=plain_number(marks[mark] or 0))


def _nothing_decided(family: Family, options: CompareOptions) -> Text:
    """That no row has a mark, and the family."""
    if family.m <= 1:
        return _("No difference in this table is decided.")
    if options.correction == "none":
        return _("No difference in this table is decided; p is not corrected.")
    name = family_name(family)
    return _("No difference in this table is decided; p corrected over {family}.", family=name)


def margin_element(
    measure: MeasureComparison, baseline: str, *, id: str = "margin"
) -> Iterator[Element]:
    """Equivalence and being not worse on one measure, compared with a baseline; why not, where it
    has no margin."""
    label = measure.difference_label
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
    columns: list[DifferenceColumn | None] = [
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
