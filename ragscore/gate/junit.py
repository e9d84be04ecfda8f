"""A gate's result as JUnit XML, which every CI reads: one test case for each condition."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from ragscore.elements.plain import one_line
from ragscore.gate.record import GateCondition, GateResult
from ragscore.gate.text import condition_line, gate_headline
from ragscore.messages import joined, text_of
from ragscore.names import Language

KINDS = {"min": "min", "max": "max", "drop": "max_drop"}
"""What a condition is called in ``gate:``."""


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
        _count(suite, [suite])
    _count(whole, list(whole))
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


def _count(element: ElementTree.Element, suites: list[ElementTree.Element]) -> None:
    """Set the counts that readers add up."""

    def cases(kind: str) -> Iterator[ElementTree.Element]:
        for suite in suites:
            yield from suite.iterfind(f"testcase/{kind}" if kind else "testcase")

    for name, kind in (("tests", ""), ("failures", "failure"), ("skipped", "skipped")):
        element.set(name, str(sum(1 for _ in cases(kind))))
    element.set("errors", "0")
