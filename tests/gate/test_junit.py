"""JUnit XML: well-formed whatever the names hold, and counted as CI systems count."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from ragscore.gate import GateCondition, GateOptions, GateResult
from ragscore.gate.printed import junit_text
from tests.factories.hostile_texts import HOSTILE


def outcome(verdict: str, name: str = "mine", undecided: str | None = None) -> GateResult:
    options = GateOptions.model_validate({"min": {"RR": 0.5}, "undecided": undecided})
    condition = GateCondition(
        dataset=name,
        retriever=name,
        slice=name,
        kind="min",
        measure="RR",
        label="RR",
        quantity="value",
        value=0.4,
        threshold=0.5,
        verdict=verdict,  # type: ignore[arg-type]
        detail=name,
        reason="retriever failed" if verdict == "FAIL" else "",
    )
    return GateResult(verdict, (condition,), options, name)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [*HOSTILE, "\ud800 half", "\ufffe\uffff"])
def test_any_name_makes_xml_that_a_parser_reads(name: str) -> None:
    text = junit_text(outcome("FAIL", name))
    whole = ElementTree.fromstring(text.encode())
    (suite,) = whole
    (case,) = suite.iterfind("testcase")
    assert suite.find("properties/property[@name='verdict']") is not None
    assert case.find("failure") is not None
    assert not any(ord(character) < 32 for character in text if character not in "\n\t")


@pytest.mark.parametrize(
    ("verdict", "undecided", "tag", "kind"),
    [
        ("PASS", None, "system-out", None),
        ("FAIL", "pass", "failure", "FAIL"),
        ("UNDECIDED", None, "failure", "UNDECIDED"),
        ("UNDECIDED", "fail", "failure", "UNDECIDED"),
        ("UNDECIDED", "pass", "skipped", None),
    ],
)
def test_each_verdict_is_what_the_build_makes_of_it(
    verdict: str, undecided: str | None, tag: str, kind: str | None
) -> None:
    whole = ElementTree.fromstring(junit_text(outcome(verdict, undecided=undecided), "ko").encode())
    (found,) = whole[0].iterfind("testcase/*")
    assert (found.tag, found.get("type")) == (tag, kind)
    assert whole.get("failures") == str(int(tag == "failure"))
    assert whole.get("skipped") == str(int(tag == "skipped"))
