"""Needs in the worst queries and in the explorer: what is covered lacks no alternative."""

from __future__ import annotations

import pytest

from ragscore import BM25, Dataset, Result, evaluate, make_report
from ragscore.chunking import CharacterChunker, DocumentChunker
from ragscore.elements import Paragraph, Table, as_text
from ragscore.report.explorer.payload import explorer_columns, shown
from ragscore.report.explorer.rankings import rankings
from tests.factories.built_report import inside, section


def made(*returned: str) -> Result:
    """A question of two needs: a or b, and c or d."""
    data = Dataset.from_rows(
        dict.fromkeys("abcdx", "text"),
        {"q": "?"},
        [{"query_id": "q", "needs": [["a", "b"], ["c", "d"]]}],
    )
    return evaluate(data, {"one": lambda query, k: list(returned)}, ["R@4", "RR"], depth=5)


def missing(result: Result) -> list[str]:
    found = section(make_report(result, sections=["queries"]), "queries")
    return [
        element.text
        for element in inside(found)
        if isinstance(element, Paragraph) and "Also relevant" in element.text
    ]


def test_alternatives_of_a_covered_need_are_not_missing() -> None:
    assert missing(made("a", "c")) == []
    (line,) = missing(made("x", "a"))
    assert line.endswith(
        ": c (need 2; no retriever returned it); d (need 2; no retriever returned it)"
    )


def test_each_passage_says_what_it_covers() -> None:
    found = section(make_report(made("a", "x", "b"), sections=["queries"]), "queries")
    (table,) = [element for element in inside(found) if isinstance(element, Table)]
    grades = [row[1].text for row in table.rows]
    assert grades == ["relevant (1), need 1", "unjudged", "relevant (1), need 1"]


def test_the_explorer_knows_the_needs() -> None:
    report = make_report(made("a", "x", "b"))
    (panel,) = list(report.result)
    found = rankings(panel)
    told = explorer_columns(report, panel, found, shown(found, 5))
    assert told["needs"] == [[1], [1], [2], [2]]


@pytest.fixture(scope="module")
def chunked() -> Result:
    documents = {"guide": "Cats are welcome here. Dogs are not welcome at all, nor are birds."}
    data = Dataset.from_rows(
        None,
        {"q": "Are dogs welcome?"},
        [{"query_id": "q", "evidence": [{"document": "guide", "quote": "Dogs are not welcome"}]}],
        documents=documents,
    )
    retrievers = {
        "pieces": BM25(chunk=CharacterChunker(size=12)),
        "whole": BM25(chunk=DocumentChunker()),
    }
    return evaluate(data, retrievers, ["R@2"], depth=5)


def test_a_chunk_of_another_chunker_is_not_missing(chunked: Result) -> None:
    report = make_report(chunked)
    (panel,) = list(report.result)
    found = rankings(panel)
    told = explorer_columns(report, panel, found, shown(found, 5))
    whole = [panel.data.corpus.ids[row] for row in found.passages].index("guide:0-66")
    assert [ranks[whole] for ranks in told["ranks"]] == [-1, 1]
    text = as_text(section(make_report(chunked, sections=["queries"]), "queries").elements)
    assert "Also relevant" not in text


def test_the_failures_are_those_of_needs() -> None:
    flat = Dataset.from_rows({"a": "text", "x": "text"}, {"q": "?"}, {"q": ["a"]})
    result = evaluate(flat, {"one": lambda query, k: ["x", "a"]}, ["R@1"], depth=2)
    text = as_text(section(make_report(result, sections=["failures"]), "failures").elements)
    assert "none of its relevant passages" in text
    text = as_text(section(make_report(made("a", "b"), sections=["failures"]), "failures").elements)
    assert "leaves a need uncovered" in text
    found = section(make_report(made("a", "b"), sections=["failures"]), "failures")
    assert "Where queries find what they need" in repr(found)


def test_a_retriever_has_no_place_among_the_chunks_of_others(chunked: Result) -> None:
    found = section(make_report(chunked, sections=["queries"]), "queries")
    (table,) = [element for element in inside(found) if isinstance(element, Table)]
    places = {row[3].text: (row[0].text, row[1].text) for row in table.rows}
    assert places.pop("guide:0-66") == ("", "1")
    assert {whole for _, whole in places.values()} == {""}
    assert "" not in {pieces for pieces, _ in places.values()}
    notes = [element.text for element in inside(found) if isinstance(element, Paragraph)]
    assert any("does not search that chunk" in note for note in notes)
