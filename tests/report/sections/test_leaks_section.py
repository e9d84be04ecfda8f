"""The section of leaks: each forbidden passage that came back, and what forbids it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragscore import Result, evaluate, make_report, open_result
from ragscore.elements import Details, Paragraph
from ragscore.report.report import Report
from tests.factories.built_report import inside, rows_of, section, tables

SECRET = "the secret of x"
QUERIES = 26
OTHERS = {"field": "tenant", "op": "!=", "value": "query.tenant"}


def result(letters: dict[str, str], **options: Any) -> Result:
    """Queries of tenant p, each with a passage of its own, to which x<n> is forbidden by a list and
    all of tenant z by a rule; systems return the passages of the letters."""

    def search(which: str) -> Any:
        return lambda query, k: [f"{letter}{query}" for letter in which]

    numbers = range(QUERIES)
    data = {
        "passages": [
            {
                "id": f"{letter}{at}",
                "text": f"{SECRET}{letter}",
                "metadata": {"tenant": "z" if letter == "z" else "p"},
            }
            for letter in "pxz"
            for at in numbers
        ],
        "queries": [
            {"id": f"q{at}", "text": str(at), "metadata": {"tenant": "p"}, "answerable": at > 0}
            for at in numbers
        ],
        "ground_truth": [
            {"query_id": f"q{at}", "passages": {f"p{at}": int(at > 0)}, "forbidden": [f"x{at}"]}
            for at in numbers
        ],
        **options,
    }
    systems = {name: search(which) for name, which in letters.items()}
    return evaluate(data, systems, ["RR", "P@1"])


@pytest.fixture(scope="module")
def made() -> Result:
    return result({"clean": "p", "leaky": "zpx"}, forbidden=OTHERS)


@pytest.fixture(scope="module")
def report(made: Result) -> Report:
    return make_report(made, sections=["leaks"])


def test_every_leak_is_listed_with_what_forbids_it(report: Report) -> None:
    found = section(report, "leaks")
    (first,), (others,) = tables(found, "leaks"), tables(found, "more-leaks")
    assert (len(first.rows), len(others.rows)) == (20, 2 * QUERIES - 20)
    assert any(isinstance(element, Details) for element in found.elements)
    rows = [tuple(cell.value for cell in row) for row in (*first.rows, *others.rows)]
    wanted = [(f"q{at}", f"z{at}", 1, "tenant != query.tenant", "leaky") for at in range(QUERIES)]
    wanted += [(f"q{at}", f"x{at}", 3, "the query's list", "leaky") for at in range(QUERIES)]
    assert rows == wanted


def test_retrievers_are_counted_by_queries_and_passages(report: Report) -> None:
    (table,) = tables(section(report, "leaks"), "leaking")
    rows = rows_of(table)
    assert {name: cell.value for name, cell in rows["leaky"].items()} == {
        "retriever": "leaky",
        "queries": QUERIES - 1,
        "passages": 2 * QUERIES,
        "first": 1,
        "outside": 1,
    }
    assert [rows["clean"][name].value for name in ("queries", "passages", "outside")] == [0, 0, 0]


def test_none_of_so_many_is_not_never(report: Report) -> None:
    texts = [one.text for one in inside(section(report, "leaks")) if isinstance(one, Paragraph)]
    assert texts == [
        "25 of the 25 averaged queries have a forbidden passage. A leak is a forbidden passage in "
        "the top 10.",
        "clean: no averaged query leaked. With 25 queries, a share of up to 0.1129 cannot be "
        "excluded (exact one-sided 95 % bound).",
    ]


def test_a_saved_result_says_the_same_and_shows_no_text(made: Result, tmp_path: Path) -> None:
    made.save(tmp_path / "saved")
    again = make_report(open_result(tmp_path / "saved"), sections=["leaks"])
    assert section(again, "leaks") == section(make_report(made, sections=["leaks"]), "leaks")
    again.write(tmp_path / "page", formats=["markdown"])
    written = next((tmp_path / "page").rglob("*.md")).read_text(encoding="utf-8")
    assert "| q1 | z1 | 1 | tenant != query.tenant | leaky |" in written
    assert SECRET not in written
    korean = make_report(made, sections=["leaks"], language="ko")
    assert section(korean, "leaks").title == "돌아오면 안 되는 패시지"


def test_without_forbidden_passages_there_is_no_section() -> None:
    flat = result({"mine": "px"}, ground_truth={"q1": ["p1"]})
    assert not any(
        one.id == "leaks" for one in make_report(flat, sections=["leaks"]).panels[0].sections
    )
