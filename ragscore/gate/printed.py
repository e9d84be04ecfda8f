"""What the commands print beside a gate's verdict and conditions: the queries that fell most below
the baseline, JUnit XML for CI, what another baseline would lower.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from xml.etree import ElementTree

from ragscore.dataset import Ids
from ragscore.elements import Cell, Details, Element, Paragraph, Table
from ragscore.elements.cells import name_cell, nothing, number_cell, signed_cell, text_cell
from ragscore.elements.numbers import count_text
from ragscore.elements.plain import one_line
from ragscore.elements.tables import Columns, column, table
from ragscore.errors import RagscoreError
from ragscore.gate.baseline import Baseline, BaselineRetriever, LoweredValue
from ragscore.gate.judging import PairedValues, paired_values
from ragscore.gate.record import GateCondition, GateResult
from ragscore.gate.text import condition_line, gate_elements, gate_headline, known_count
from ragscore.measures import parse_measure
from ragscore.messages import _, _c, few_names, joined, text_of
from ragscore.names import Language, shortened
from ragscore.results import Result
from ragscore.stats.units import largest_moves

MAX_FALLEN = 5
"""Conditions whose fallen queries are shown, the worst first."""
MAX_QUERIES = 10
"""Queries shown of each."""
LONGEST_TEXT = 300
"""Characters of a query that are shown."""
KINDS = {"min": "min", "max": "max", "drop": "max_drop"}
"""What a condition is called in ``gate:``."""


def printed_gate(
    gated: GateResult, result: Result, baseline: Baseline | None, *, texts: bool = True
) -> list[Element]:
    """What the command and a failing test print: the verdict, every condition, and the ten queries
    that fell most, folded.

    Args:
        gated: what the gate says.
        result: what was judged.
        baseline: what drops were measured from.
        texts: whether texts of queries and ids of passages are shown.
    """
    elements: list[Element] = [gate_elements(gated if texts else gated.without_texts())]
    if baseline is not None:
        elements += _fallen_elements(gated, result, baseline, texts=texts)
    return elements


def short_elements(result: GateResult) -> list[Element]:
    """The verdict alone, for a place that has no room for every condition."""
    note = _(
        "The table of all {n} conditions is too long to show here; it is in gate.json in "
        "the result's folder.",
        n=count_text(len(result.conditions)),
    )
    return [gate_headline(result), Paragraph(note, "note")]


# The queries that fell most below the baseline: where to look first.


def _fallen_elements(
    gated: GateResult, result: Result, baseline: Baseline, *, texts: bool
) -> Iterator[Element]:
    """Of each condition on a drop over all queries the ten that fell most, folded; with the
    relevant passages that each lost where the baseline knows passages."""
    scores = result.scored(gated.options.measures)
    drops = [each for each in gated.worst_first if each.kind == "drop" and not each.slice]
    for at, condition in enumerate([drop for drop in drops if drop.worse][:MAX_FALLEN]):
        kept = baseline.get(condition.dataset, condition.retriever)
        if kept is None:
            continue
        entry, measure = scores[condition.dataset, condition.retriever], condition.measure
        asked = parse_measure(measure)
        paired = paired_values(entry, entry.resolved.get(asked, asked), kept)
        rows = largest_moves(paired.difference, -1, MAX_QUERIES).tolist()
        queries = [paired.query_ids[row] for row in rows]
        facts = {"retriever": condition.retriever, "measure": condition.label}
        summary = _(
            "The queries that fell most: {retriever}, {measure} ({count})", count=len(rows), **facts
        )
        known = _texts(result, condition.dataset, queries) if texts else {}
        lost = _lost(result, kept, queries) if texts else {}
        yield Details(summary, (_fallen_table(f"fallen-{at}", paired, rows, known, lost),))


def _fallen_table(
    id: str,
    paired: PairedValues,
    rows: Iterable[int],
    known: Mapping[str, str],
    lost: Mapping[str, Cell],
) -> Table:
    ids, before, now = paired.query_ids, paired.before.tolist(), paired.now.tolist()
    hint = _("Passages that the baseline lists: their rank then and now")
    columns: Columns[int] = (
        column("query", _("Query"), lambda row: text_cell(ids[row], quote=True), "text"),
        column(
            "text", _("Text"), lambda row: text_cell(known.get(ids[row], ""), quote=True), "text"
        )
        if known
        else None,
        column("before", _c("gate", "Baseline"), lambda row: number_cell(before[row])),
        column("now", _("Now"), lambda row: number_cell(now[row])),
        column("change", _("Change"), lambda row: signed_cell(now[row] - before[row])),
        column(
            "lost",
            _("Relevant passages lost"),
            lambda row: lost.get(ids[row], nothing()),
            "text",
            hint=hint,
        )
        if lost
        else None,
    )
    return table(id, "", columns, rows)


def _texts(result: Result, dataset: str, queries: Sequence[str]) -> Mapping[str, str]:
    """Query id to its text; empty if the dataset is gone."""
    with suppress(RagscoreError):
        known = result.dataset(dataset).queries
        return {
            query: shortened(known.texts[known.ids.row(query)], LONGEST_TEXT) for query in queries
        }
    return {}


def _lost(result: Result, entry: BaselineRetriever, queries: Sequence[str]) -> dict[str, Cell]:
    """Query id to the relevant passages of the baseline's first ranks that no longer stand there,
    each with its rank then and now; empty if the baseline knows no passages."""
    if not entry.passages:
        return {}
    try:
        qrels = result.qrels(entry.dataset)
        relevant = qrels.to_dict()
    except RagscoreError:
        return {}
    first = max(map(len, entry.passages.values()))
    now = result.run(entry.dataset, entry.retriever).for_queries(Ids(queries)).to_dict()
    found = {}
    for query in queries:
        ranks = {passage: rank for rank, passage in enumerate(now.get(query, ()), 1)}
        gone = [
            f"{shortened(passage)} ({rank} → {ranks.get(passage, '-')})"
            for rank, passage in enumerate(entry.passages.get(query, ()), 1)
            if relevant.get(query, {}).get(qrels.named(passage), 0) > 0
            and ranks.get(passage, first + 1) > first
        ]
        found[query] = text_cell(few_names(gone)) if gone else nothing()
    return found


# What another baseline would lower.


def lowered_elements(values: Iterable[LoweredValue], *, accepted: bool) -> list[Element]:
    """A table of the values that fall.

    Args:
        values: of :func:`ragscore.gate.baseline.lowered`.
        accepted: whether the new baseline was written all the same.
    """
    columns: Columns[LoweredValue] = (
        column("dataset", _("Dataset"), lambda value: text_cell(value.dataset), "text"),
        column("retriever", _("Retriever"), lambda value: name_cell(value.retriever), "text"),
        column("measure", _("Measure"), lambda value: text_cell(value.measure), "text"),
        column("before", _c("gate", "Baseline"), lambda value: number_cell(value.before)),
        column("now", _("Now"), lambda value: number_cell(value.now)),
        column("change", _("Change"), lambda value: signed_cell(value.now - value.before)),
        column("lost", _("Queries lost"), lambda value: known_count(value.lost or None)),
    )
    title = _("These values fell") if accepted else _("These values would fall")
    notes = () if accepted else (_("Add --accept to write it anyway."),)
    return [table("lowered", title, columns, values, notes)]


# JUnit XML, which every CI reads: one test case for each condition.


def junit_text(result: GateResult, language: Language = "en") -> str:
    """The result as a file that CI systems show.

    A condition that fails is a failure of the type ``FAIL``. One that is undecided is a failure of
    the type ``UNDECIDED``, since the build stops; where ``undecided: pass`` is asked for it is
    skipped. Names and texts are anybody's: what XML cannot hold is replaced by U+FFFD.

    The verdict, and what a reader must know of the whole, are properties of every suite.

    Args:
        result: of ``ragscore gate``.
        language: of the messages.
    """
    whole = ElementTree.Element("testsuites", name="ragscore gate")
    headline = gate_headline(result)
    verdict = joined([headline.word, headline.text])
    told = [("verdict", verdict), *(("note", note) for note in result.notes)]
    for dataset in dict.fromkeys(condition.dataset for condition in result.conditions):
        suite = ElementTree.SubElement(whole, "testsuite", name=one_line(dataset))
        properties = ElementTree.SubElement(suite, "properties")
        for name, text in told:
            value = one_line(text_of(text, language))
            ElementTree.SubElement(properties, "property", name=name, value=value)
        for condition in result.conditions:
            if condition.dataset == dataset:
                suite.append(_case(condition, result, language))
        _count(suite)
    _count(whole)
    ElementTree.indent(whole)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(
        whole, encoding="unicode"
    )


def _case(condition: GateCondition, result: GateResult, language: Language) -> ElementTree.Element:
    sign = ">=" if condition.kind == "min" else "<="
    parts = [KINDS[condition.kind], condition.measure, sign, f"{condition.threshold:g}"]
    named = " ".join(parts) + (f" ({condition.slice})" if condition.slice else "")
    case = ElementTree.Element(
        "testcase",
        classname=one_line(f"{condition.dataset}.{condition.retriever}"),
        name=one_line(named),
        time="0",
    )
    line = one_line(text_of(condition_line(condition, result), language))
    if condition.verdict == "PASS":
        ElementTree.SubElement(case, "system-out").text = line
    elif condition.verdict == "UNDECIDED" and result.options.undecided == "pass":
        ElementTree.SubElement(case, "skipped", message=f"UNDECIDED {line}")
    else:
        message = f"{condition.verdict} {line}"
        failure = ElementTree.SubElement(case, "failure", type=condition.verdict, message=message)
        failure.text = line
    return case


def _count(element: ElementTree.Element) -> None:
    """Set the counts that readers add up."""
    kinds = {"tests": "testcase", "failures": "failure", "skipped": "skipped", "errors": "error"}
    for name, kind in kinds.items():
        element.set(name, str(len(list(element.iter(kind)))))
