"""The section that draws evidence in its documents, as each chunker cut them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore import BM25, Dataset, Result, evaluate, make_report, open_result
from ragscore.chunking import CharacterChunker, DocumentChunker
from ragscore.elements import Details, Paragraph, as_markdown, as_text
from ragscore.names import Language
from ragscore.report.html.fragment import fragment
from ragscore.report.html.render import Reader
from ragscore.report.model import Excerpt
from tests.factories.built_report import inside, section, tables

GUIDE = (
    "Boats are tied up by dusk.\n\nThe crane works on Tuesdays <b>and</b> Fridays. A lift costs "
    "180, there and back 320. Dogs are welcome, \u202ecats are not. "
)


def result() -> Result:
    """Evidence that ten and more characters cut in two, and a document that holds it whole."""
    truth = [
        {"query_id": "crane", "evidence": [{"document": "guide", "quote": "Tuesdays <b>and</b>"}]},
        {"query_id": "dogs", "evidence": [{"document": "guide", "quote": "Dogs are welcome"}]},
    ]
    data = Dataset.from_rows(
        None,
        {"crane": "Which Tuesdays does the crane work?", "dogs": "Are dogs welcome?"},
        truth,
        documents={"guide": GUIDE, "other": "Nothing about boats."},
    )
    retrievers = {
        "pieces": BM25(chunk=CharacterChunker(size=30, overlap=10)),
        "whole": BM25(chunk=DocumentChunker()),
    }
    return evaluate(data, retrievers, ["Complete@2", "SpanR@2"], depth=4)


@pytest.fixture(scope="module")
def made() -> Result:
    return result()


def excerpts(made: Result) -> list[Excerpt]:
    found = section(make_report(made, sections=["evidence"]), "evidence")
    return [element for element in inside(found) if isinstance(element, Excerpt)]


def test_the_text_is_that_of_the_document(made: Result) -> None:
    for excerpt in excerpts(made):
        text = "".join(part.text for part in excerpt.parts)
        assert text in GUIDE
        cited = "".join(part.text for part in excerpt.parts if part.evidence)
        assert cited in ("Tuesdays <b>and</b>", "Dogs are welcome")


@pytest.mark.parametrize(
    ("language", "rule"),
    [
        ("en", "How chunks were judged: evidence in documents is the ground truth: a chunk covers"),
        ("ko", "판정 규칙: 문서 안의 근거가 정답입니다. 청크 하나가 근거 글자의 100 %"),
    ],
)
def test_the_rule_by_which_evidence_counts_stands_there(
    made: Result, language: Language, rule: str
) -> None:
    report = make_report(made, sections=["evidence"], language=language)
    assert rule in as_text(section(report, "evidence").elements)


def test_chunks_and_ranks_are_those_of_the_run(made: Result) -> None:
    run = made.run("dataset", "pieces")
    first, whole = excerpts(made)[:2]
    assert [first.retriever, whole.retriever] == ["pieces", "whole"]
    chunks = dict.fromkeys(run.to_dict()["crane"])
    places = {id: tuple(map(int, id.partition(":")[2].split("-"))) for id in chunks}
    at = GUIDE.index("".join(part.text for part in first.parts))
    for part in first.parts:
        span = (at, at + len(part.text))
        holding = [
            rank
            for rank, (start, end) in enumerate(places.values(), start=1)
            if rank <= 2 and start <= span[0] and span[1] <= end
        ]
        assert list(part.ranks) == holding
        at = span[1]
    assert {part.ranks for part in whole.parts} == {(1,)}
    assert any(part.chunks == 2 for part in first.parts)


def test_the_queries_on_which_retrievers_differ_most_come_first(made: Result) -> None:
    found = section(make_report(made, sections=["evidence"]), "evidence")
    summaries = [element.summary for element in inside(found) if isinstance(element, Details)]
    values = {name: made.scores[name].per_query("SpanR@2") for name in ("pieces", "whole")}
    spread = {
        query: abs(value - values["pieces"][query]) for query, value in values["whole"].items()
    }
    wanted = sorted(spread, key=spread.__getitem__, reverse=True)
    assert [summary.partition(":")[0] for summary in summaries] == wanted
    (table,) = tables(found, "fetched-1")
    held = {row[0].value: row[3].value for row in table.rows if row[1].value == 1}
    assert held["whole"] == 1.0


def test_plain_text_has_brackets_and_hostile_text_stays_text(made: Result) -> None:
    report = make_report(made, sections=["evidence"])
    text = as_text(section(report, "evidence").elements)
    assert "«Tuesdays <b>and</b>»" in text
    assert "guide, cut for whole: [1 Boats are tied up by dusk." in text
    assert "\u202e" not in text
    markdown = as_markdown(section(report, "evidence").elements)
    assert "<b>" not in markdown
    page = fragment(section(report, "evidence").elements, Reader.of(report))
    assert '<mark class="part' in page
    assert "<b>and" not in page
    assert "Tuesdays &lt;b&gt;and&lt;/b&gt;" in page


def test_a_reopened_result_draws_the_same(made: Result, tmp_path: Path) -> None:
    made.save(tmp_path / "saved")
    again = make_report(open_result(tmp_path / "saved"), sections=["evidence"])
    before = make_report(made, sections=["evidence"])
    assert section(again, "evidence") == section(before, "evidence")


def test_chunks_that_were_changed_are_named(made: Result, tmp_path: Path) -> None:
    made.save(tmp_path / "saved")
    content = bytearray((tmp_path / "saved" / "chunks.parquet").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "saved" / "chunks.parquet").write_bytes(content)
    found = section(make_report(open_result(tmp_path / "saved"), sections=["evidence"]), "evidence")
    (note,) = found.elements
    assert isinstance(note, Paragraph)
    assert "chunks.parquet: its content is not what was recorded" in note.text


def test_korean(made: Result) -> None:
    report = make_report(made, sections=["evidence"], language="ko")
    assert section(report, "evidence").title == "문서 속의 근거"


def test_no_section_without_evidence() -> None:
    flat = {"passages": {"a": "the rent"}, "queries": {"q": "rent"}, "ground_truth": {"q": ["a"]}}
    found = evaluate(flat, {"bm25": BM25()}, ["RR"])
    panels = make_report(found, sections=["evidence"]).panels
    assert not any(one.id == "evidence" for one in panels[0].sections)
