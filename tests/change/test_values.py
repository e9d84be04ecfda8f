"""Before and after: the differences of two real results are those that compare() finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ragscore
from ragscore import Scores, compare
from ragscore.change.value_text import change_headline
from ragscore.elements import Headline, Table
from ragscore.elements.numbers import minute
from ragscore.messages import translated
from ragscore.report.index.serve import render
from ragscore.report.model import Swap
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.report.sections.changes import changes as section
from ragscore.results import open_result
from tests.factories.changed_results import (
    MEASURES,
    NEW,
    OLD,
    against,
    flat,
    found,
    said,
    tables,
)
from tests.factories.results import bm25


@pytest.mark.slow
@pytest.mark.parametrize("before", [OLD, {"bm25": bm25(fields=["title"])}])
def test_a_later_result_of_one_retriever_has_a_page(
    made: Callable[..., Path], before: dict[str, Any]
) -> None:
    """The page of ``report BEFORE AFTER`` and of the link "what changed"."""
    page = render(made({"bm25": bm25()}), made(before)).decode("utf-8")
    assert page.count('id="changes"') == 1
    for number, measure in enumerate(MEASURES):
        assert f'<option value="{number}"' in page
        assert measure in page
        assert f'data-m="{number}"' in page


def test_numbers_are_those_of_compare(made: Callable[..., Path]) -> None:
    """Each pair is what ``compare`` says of the two as if they were two retrievers."""
    data = against(made(OLD), made(NEW))
    one = found(data)
    assert one.names.pairs == (("bm25", "bm25"), ("flat", "flat"))
    assert (one.names.only_before, one.names.only_after) == (("gone",), ("fresh",))
    assert [change.settings_changed for change in one.measures["nDCG@10"].changes] == [True, False]
    assert one.measures is not None
    assert list(one.measures) == MEASURES
    old, new = open_result(made(OLD)).scores, open_result(made(NEW)).scores
    from dataclasses import replace

    entries = (replace(old["bm25"], retriever="old"), replace(new["bm25"], retriever="new"))
    for measure in MEASURES:
        (wanted,) = compare(Scores(entries), baseline="old").datasets[0][measure].differences
        change = one.measures[measure].changes[0]
        got = change.difference
        assert (got.value, got.interval, got.test) == (wanted.value, wanted.interval, wanted.test)
        assert (got.wins, got.losses, got.ties) == (wanted.wins, wanted.losses, wanted.ties)
        assert change.before == pytest.approx(old["bm25"].mean(measure))
        assert change.after == pytest.approx(new["bm25"].mean(measure))
        # Holm over the two pairs: flat did not change, so its p of 1 is the larger one.
        assert got.m == 2
        assert got.p_adjusted == pytest.approx(min(2 * got.test.p, 1))


def test_sentences_say_what_was_found(made: Callable[..., Path]) -> None:
    data = against(made(OLD), made(NEW))
    texts = said(data)
    change = found(data).measures["nDCG@10"].changes[0].difference  # type: ignore[index]
    assert change.decided
    by = f"{change.value:+.3f}"
    assert f"On nDCG@10, better: bm25 ({by}); unchanged: flat." in texts
    alone = said(against(made({"bm25": OLD["bm25"]}), made({"bm25": NEW["bm25"]})))
    low, high = change.bounds
    sentence = f"bm25 is better than before on nDCG@10: {by} [{low:+.3f}, {high:+.3f}]."
    assert any(text.startswith(sentence) for text in alone), alone
    assert "Only in the earlier result: gone." in texts
    assert "Only in this result: fresh." in texts
    assert "Queries, judgments and passages are the same in both (same digest)." in texts


def test_the_first_line_says_what_changed_since(made: Callable[..., Path]) -> None:
    data = against(made(OLD), made(NEW))
    change = found(data).measures["nDCG@10"].changes[0].difference
    (panel,) = data.panels
    verdict = next(section for section in panel.sections if section.id == "verdict")
    first = flat(verdict.elements)[0]
    assert isinstance(first, Headline)
    assert first.word == f"Since {minute(data.before.manifest.created)}"  # type: ignore[union-attr]
    assert first.text == f"On nDCG@10, better: bm25 ({change.value:+.3f})."
    assert first.lines == (("Unchanged:", "flat."), ("New:", "fresh."), ("Gone:", "gone."))
    assert first.level == "good"


def test_the_first_line_says_that_nothing_can_be_compared(made: Callable[..., Path]) -> None:
    two = {"a": bm25(), "b": bm25(k1=0.1)}
    data = against(made(two), made({"c": bm25(), "d": bm25(k1=0.1)}))
    first = change_headline(found(data))
    assert str(first.text).startswith("No retriever is in both results")
    assert first.level == "poor"


def test_backwards_it_is_worse(made: Callable[..., Path]) -> None:
    there, back = against(made(OLD), made(NEW)), against(made(NEW), made(OLD))
    one, two = (found(data).measures["nDCG@10"].changes[0] for data in (there, back))  # type: ignore[index]
    assert one.difference.value == pytest.approx(-two.difference.value)
    assert (one.before, one.after) == (two.after, two.before)
    assert any(text.startswith("On nDCG@10, worse: bm25 (-") for text in said(back))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k1": 1.5001}, "is the same as before on nDCG@10: none"),
        ({"k1": 1.4}, "Whether bm25 changed on nDCG@10 is not decided: only "),
        ({"k1": 1.0}, "Whether bm25 changed on nDCG@10 is not decided: "),
    ],
)
def test_what_is_not_decided_is_not_claimed(
    made: Callable[..., Path], settings: dict[str, float], words: str
) -> None:
    data = against(made({"bm25": bm25()}), made({"bm25": bm25(**settings)}))
    texts = said(data)
    assert any(words in text for text in texts), texts
    assert not any("better than before" in text or "worse than before" in text for text in texts)
    bold = [cell for row in tables(data)["changes"].rows for cell in row if cell.strong]
    assert bold == []


def test_one_retriever_each_with_other_names_are_compared(made: Callable[..., Path]) -> None:
    data = against(made({"old-name": bm25()}), made({"new-name": bm25(tokenizer="english")}))
    assert found(data).names.pairs == (("old-name", "new-name"),)
    assert any("old-name (before) is compared with new-name (now)" in text for text in said(data))
    assert tables(data)["changes"].rows[0][0].text == "old-name → new-name"


def test_no_retriever_in_common(made: Callable[..., Path]) -> None:
    two = {"a": bm25(), "b": bm25(k1=0.1)}
    data = against(made(two), made({"c": bm25(), "d": bm25(k1=0.1)}))
    assert said(data)[0].startswith("No retriever is in both results")
    assert "changes" not in tables(data)


def test_queries_that_moved_most(made: Callable[..., Path]) -> None:
    data = against(made(OLD), made(NEW))
    old = open_result(made(OLD)).scores["bm25"].per_query("nDCG@10")
    new = open_result(made(NEW)).scores["bm25"].per_query("nDCG@10")
    by = {query: new[query] - value for query, value in old.items()}
    for id, sign in (("changes-risen", 1), ("changes-fallen", -1)):
        rows = tables(data)[id].rows
        wanted = sorted(sign * value for value in by.values() if sign * value > 1e-12)[::-1]
        assert [row[-1].value for row in rows] == pytest.approx(
            [sign * value for value in wanted[:10]]
        )
        for query, text, retriever, before, now, _ in rows:
            assert query.query == query.value
            assert retriever.value == query.retriever == "bm25"
            assert (before.value, now.value) == (old[query.text], new[query.text])
            assert text.quote


def test_the_table_draws_every_difference(made: Callable[..., Path]) -> None:
    data = against(made(OLD), made(NEW))
    table = tables(data)["changes"]
    (column,) = [at for at, column in enumerate(table.columns) if column.axis is not None]
    changes = found(data).measures["nDCG@10"].changes
    for row, change in zip(table.rows, changes, strict=True):
        assert row[column].value == row[column].bar.value == change.difference.value  # type: ignore[union-attr]
        assert bool(row[column].mark) == change.difference.decided
    assert [row[0].detail for row in table.rows] == ["settings changed", ""]


def test_every_primary_measure_has_its_variant(made: Callable[..., Path]) -> None:
    data = against(made(OLD), made(NEW))
    made_section = section(data, data.result.dataset_results[0])
    assert made_section is not None
    (swap,) = [element for element in made_section.elements if isinstance(element, Swap)]
    assert [choice.measure for choice in swap.variants] == list(
        data.result.dataset_results[0].primaries
    )


def test_korean(made: Callable[..., Path]) -> None:
    data = against(made(OLD), made(NEW), language="ko")
    texts = said(data)
    assert any(text.startswith("nDCG@10 기준으로 개선: bm25 (+") for text in texts)
    assert not any("{" in text for text in texts)


def test_without_an_earlier_result_there_is_no_section(made: Callable[..., Path]) -> None:
    data = Report(open_result(made({"bm25": bm25()})), ReportOptions())
    assert section(data, data.result.dataset_results[0]) is None


def test_changed_rankings_are_those_of_the_command(made: Callable[..., Path]) -> None:
    """One computation: the table of the page is the one that ``ragscore changes`` prints."""
    data = against(made(OLD), made(NEW))
    command = {
        element.id: element
        for element in translated(ragscore.changes(made(OLD), made(NEW)).elements(limit=10), "en")
        if isinstance(element, Table)
    }
    page = tables(data)
    assert page["rank-changes"] == command["rank-changes"]
    assert page["changed-queries-0"] == command["changed-queries-0"]
    assert page["score-shifts"] == command["score-shifts"]
    assert any(text.startswith("bm25: the top 10 changed for ") for text in said(data))


def test_changed_rankings_do_not_need_what_is_measured(made: Callable[..., Path]) -> None:
    """No measure is in both: the rankings are compared all the same, at ten passages."""
    data = against(made(OLD, measures=["P@5"]), made(NEW, measures=["RR"]))
    (row, _) = tables(data)["rank-changes"].rows
    assert row[0].text == "bm25"
    lost = made(OLD, measures=["P@7"])
    run = lost / "runs" / "bm25.parquet"
    run.write_bytes(bytes(run.stat().st_size))
    texts = said(against(lost, made(NEW)))
    assert any(text.startswith("The rankings could not be compared: ") for text in texts)
