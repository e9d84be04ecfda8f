"""The worst queries, which other formats show in place of the explorer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from ragscore.dataset import Dataset
from ragscore.elements import Element, Paragraph, Table
from ragscore.elements.plain import beginning_of
from ragscore.report.contents import contents
from ragscore.report.explorer.budget import explorer_payloads
from ragscore.report.explorer.packing import unpacked
from ragscore.report.html.page import page
from ragscore.report.report import Report
from ragscore.report.sections.queries import MOST_MISSING, worst_queries
from ragscore.results import DatasetResult
from tests.factories.built_report import Data
from tests.factories.explored import (
    PLENTY,
    TEXTS,
    opened,
    panel_of,
    report_of,
)


def test_the_worst_queries(panel: DatasetResult) -> None:
    queries = opened(worst_queries(panel))
    assert [one.summary.split(":")[0] for one in queries] == ["q3", "q2", "q1"]
    assert queries[0].summary == "q3: third? (nDCG@3 0.000)"
    (third, lost), (second, *nothing), (first, *none) = (one.elements for one in queries)

    def rows(table: Element) -> list[list[str]]:
        assert isinstance(table, Table)
        assert [column.label for column in table.columns[:2]] == ["one", "two"]
        return [[cell.text for cell in row] for row in table.rows]

    text = {name: f"On {name}: {text}" for name, text in TEXTS.items()}
    assert rows(third) == [["-", "1", "unjudged", "g", text["g"]]]
    assert lost == Paragraph(
        "Also relevant, but not in the top 3 of every retriever: h (no retriever returned it)",
        "note",
    )
    # One row for each passage: the best rank first, then what more retrievers returned.
    assert rows(second) == [
        ["5", "1", "relevant (1)", "d", text["d"]],
        ["1", "-", "unjudged", "c", text["c"]],
        ["2", "-", "unjudged", "b", text["b"]],
        ["-", "2", "unjudged", "f", text["f"]],
        ["3", "-", "unjudged", "a", text["a"]],
    ]
    assert rows(first) == [
        ["3", "1", "relevant (2)", "a", text["a"]],
        ["1", "-", "relevant (1)", "b", text["b"]],
        ["2", "-", "not relevant (0)", "c", text["c"]],
    ]
    assert nothing == none == [], "what stands in the table is not told again"


def test_the_worst_queries_have_the_largest_values_where_small_ones_are_good(
    data_of: Data,
) -> None:
    data = data_of("odd-measures")
    (panel,) = data.result
    values = [panel.scores[name].per_query("MR") for name in panel.retrievers]
    nowhere = [query for query in values[0] if all(np.isnan(of[query]) for of in values)]
    some = {
        query: float(np.nanmean([of[query] for of in values]))
        for query in values[0]
        if sum(np.isnan(of[query]) for of in values) == 1
    }
    note, *_ = elements = worst_queries(panel)
    told = [one.summary for one in opened(elements)]
    # Nothing was found by any: worse than any rank.
    assert nowhere
    for query, summary in zip(nowhere, told, strict=False):
        assert summary.startswith(f"{query}: ")
        assert summary.endswith("(MR -)")
    assert isinstance(note, Paragraph)
    assert "not defined" in str(note.text)
    worst = max(some, key=lambda query: some[query])
    assert any(
        one.startswith(f"{worst}: ") and one.endswith(f"(MR {some[worst]:.3f})") for one in told
    )


def test_large_values_are_told(panel: DatasetResult) -> None:
    entry = panel.scores.entries[0]
    large = replace(entry, values=entry.values + 2.0**70)
    data = report_of(panel)
    changed = panel.holding(
        scores=replace(panel.scores, entries=(large, *panel.scores.entries[1:]))
    )
    told = cast(Any, unpacked(explorer_payloads(data, changed, PLENTY).explorer))
    assert max(told["values"][0][0]) == pytest.approx(2.0**70 * 10_000)


def test_the_worst_queries_are_in_no_file_of_tables_and_not_copied(report: Report) -> None:
    text = page(report)
    assert 'data-table="worst-0-20"' in text
    (copied,) = re.findall(r'id="payload-copies">([^<]*)<', text)
    keys = [str(key) for key in cast("dict[str, Any]", unpacked(copied))]
    names = [table.id for _, _, table in contents(report.panels).tables]
    assert keys
    assert names
    assert not [one for one in (*keys, *names) if "worst" in one]


@pytest.mark.parametrize(("count", "more"), [(1, False), (5, False), (7, True)])
def test_missing_passages_are_one_line(count: int, more: bool) -> None:
    names = [f"m{n}" for n in range(count)]
    dataset = Dataset.from_rows(dict.fromkeys([*names, "x"], "text"), {"q": "?"}, {"q": names})
    (query,) = opened(worst_queries(panel_of({"one": {"q": {"x": 1.0}}}, dataset)))
    _, line = query.elements
    assert isinstance(line, Paragraph)
    assert line.text.count("no retriever returned it") == min(count, MOST_MISSING)
    assert line.text.endswith("and 2 more") == more


@pytest.mark.parametrize(
    ("text", "width", "told"),
    [
        ("short", 5, "short"),
        ("one two three", 8, "one two …"),
        ("한국어 본문", 11, "한국어 본문"),
        ("한국어 본문", 8, "한국어 …"),
        ("a\n\n b", 9, "a b"),
    ],
)
def test_the_beginning_of_a_text_fits_a_line(text: str, width: int, told: str) -> None:
    assert beginning_of(text, width) == told


def test_of_equal_queries_the_first_are_worst(wide: DatasetResult) -> None:
    named = [one.summary.split(":")[0] for one in opened(worst_queries(wide, 5))]
    assert named == ["q0", "q1", "q2", "q3", "q4"]
    ids = [one.elements[0].id for one in opened(worst_queries(wide))]  # type: ignore[union-attr]
    assert len(ids) == len(set(ids)) == 20
