"""Before and after: two real results held against each other, dataset and config too."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragscore import Scores, compare
from ragscore.blocks import Block, Details, Paragraph, Table
from ragscore.errors import DataError
from ragscore.report.change_model import Changes
from ragscore.report.changes import changes_on
from ragscore.report.data import ReportData, report_data
from ragscore.report.index.serve import render
from ragscore.report.model import Beside, Figure, Swap
from ragscore.report.options import ReportOptions
from ragscore.report.sections.changes import changes as section
from ragscore.results import open_result
from ragscore.results.settings import changed_settings
from tests.factories.results import DATASETS, bm25, ran, written

TENANCY = DATASETS / "harbour-tenancy"
OLD = {"bm25": bm25(fields=["title"]), "flat": bm25(k1=0.4), "gone": bm25(k1=3.0)}
NEW = {"bm25": bm25(tokenizer="english"), "flat": bm25(k1=0.4), "fresh": bm25(b=0.0)}
MEASURES = ["nDCG@10", "R@10", "Success@10"]

Pair = Callable[..., ReportData]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A result folder of some retrievers on a dataset, each made once."""
    known: dict[str, Path] = {}

    def make(
        retrievers: dict[str, Any], dataset: Path = TENANCY, measures: Any = MEASURES, **parts: Any
    ) -> Path:
        key = json.dumps([retrievers, str(dataset), measures, parts])
        if key not in known:
            place = tmp_path_factory.mktemp("made")
            parts = {"measures": measures, "depth": 20, **parts}
            known[key] = ran(place, "tenancy", [dataset], retrievers=retrievers, **parts)
        return known[key]

    return make


def against(old: Path, new: Path, **options: Any) -> ReportData:
    return report_data(open_result(new), ReportOptions(**options), before=open_result(old))


def found(data: ReportData) -> Changes:
    assert data.before is not None
    (panel,) = data.panels
    one = changes_on(data.before, data, panel)
    assert one is not None
    return one


def flat(blocks: tuple[Block, ...]) -> list[Block]:
    """All blocks, the default variant of each swap alone."""
    listed: list[Block] = []
    for block in blocks:
        if isinstance(block, Swap):
            listed += flat(block.shown)
        elif isinstance(block, Beside):
            listed += [one for part in block.parts for one in flat(part)]
        elif isinstance(block, Details):
            listed += flat(block.blocks)
        else:
            listed.append(block)
    return listed


def shown(data: ReportData) -> list[Block]:
    made = section(data, data.panels[0])
    assert made is not None
    return flat(made.blocks)


def said(data: ReportData) -> list[str]:
    return [block.text for block in shown(data) if isinstance(block, Paragraph)]


def tables(data: ReportData) -> dict[str, Table]:
    return {block.id: block for block in shown(data) if isinstance(block, Table)}


def edited(folder: Path, name: str, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """A copy of the dataset with one of its files changed."""
    copy = folder / TENANCY.name
    shutil.copytree(TENANCY, copy)
    path = copy / name
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(rows)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="\n")
    return copy


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
    assert [pair.after for pair in one.pairs] == ["bm25", "flat"]
    assert (one.only_before, one.only_after) == (("gone",), ("fresh",))
    assert [pair.settings_changed for pair in one.pairs] == [True, False]
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
    d, low = change.value, change.interval.low
    assert any(
        text.startswith(f"bm25 is better than before on nDCG@10: {d:+.3f} (95% CI {low:+.3f} to ")
        and f"{change.wins} better, {change.losses} worse, {change.ties} same" in text
        for text in texts
    )
    n = change.n
    assert f"flat is the same as before on nDCG@10: none of {n} queries differs." in texts
    assert "Only in the earlier result: gone." in texts
    assert "Only in this result: fresh." in texts
    assert "Queries, judgments and passages are the same in both (one digest)." in texts


def test_backwards_it_is_worse(made: Callable[..., Path]) -> None:
    there, back = against(made(OLD), made(NEW)), against(made(NEW), made(OLD))
    one, two = (found(data).measures["nDCG@10"].changes[0] for data in (there, back))  # type: ignore[index]
    assert one.difference.value == pytest.approx(-two.difference.value)
    assert (one.before, one.after) == (two.after, two.before)
    assert any(text.startswith("bm25 is worse than before on nDCG@10: -") for text in said(back))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k1": 1.5001}, "is the same as before on nDCG@10: none"),
        ({"k1": 1.4}, "cannot be decided: only"),
        ({"k1": 1.0}, "is not shown to have changed on nDCG@10"),
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
    (pair,) = found(data).pairs
    assert (pair.before, pair.after) == ("old-name", "new-name")
    assert any("old-name (before) is held against new-name (now)" in text for text in said(data))
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


def test_a_chart_shows_every_pair(made: Callable[..., Path]) -> None:
    data = against(made(OLD), made(NEW))
    (figure,) = [block for block in shown(data) if isinstance(block, Figure)]
    numbers = {data.number(name) for name in ("bm25", "flat")}
    assert all(f'data-r="{number}"' in figure.drawing.markup for number in numbers)


def test_every_primary_measure_has_its_variant(made: Callable[..., Path]) -> None:
    data = against(made(OLD), made(NEW))
    made_section = section(data, data.panels[0])
    assert made_section is not None
    (swap,) = [block for block in made_section.blocks if isinstance(block, Swap)]
    assert [choice.measure for choice in swap.variants] == list(data.panels[0].primaries)


def test_a_measure_that_the_earlier_result_lacks_is_measured_from_its_run(
    made: Callable[..., Path],
) -> None:
    data = against(made({"bm25": bm25()}, measures=["R@10"]), made({"bm25": bm25(k1=0.5)}))
    one = found(data)
    assert one.measures is not None
    assert list(one.measures) == MEASURES
    wanted = open_result(made({"bm25": bm25()})).scores["bm25"].mean("nDCG@10")
    assert one.measures["nDCG@10"].changes[0].before == pytest.approx(wanted)


def test_a_measure_below_the_earlier_depth_is_lacking(made: Callable[..., Path]) -> None:
    shallow = made({"bm25": bm25()}, measures=["R@5"], depth=5)
    data = against(shallow, made({"bm25": bm25()}, measures=["R@10", "R@5"]))
    assert found(data).lacking == ("R@10",)
    texts = said(data)
    assert "Not compared, since the earlier result does not have it: R@10." in texts
    assert "The earlier result does not have R@10." in texts


def test_other_judgments_are_said_and_both_measured_by_the_later(
    made: Callable[..., Path], tmp_path: Path
) -> None:
    """The same retriever under other judgments did not change, and the data did."""

    def downgrade(rows: list[dict[str, Any]]) -> None:
        for row in rows[:20]:
            row["passages"] = dict.fromkeys(row["passages"], 1)

    other = edited(tmp_path, "ground_truth.jsonl", downgrade)
    data = against(made({"bm25": bm25()}), made({"bm25": bm25()}, dataset=other))
    one = found(data)
    assert not one.data.same
    assert one.data.known
    assert one.data.rejudged
    assert one.judged_again
    assert not one.data.passages
    assert one.measures is not None
    assert one.measures["nDCG@10"].changes[0].difference.differing == 0
    (warning,) = [text for text in said(data) if "The dataset is not the same in both" in text]
    assert f"the judgments of {len(one.data.rejudged)} common queries differ" in warning
    assert "measured again, by the judgments and conventions of the later result" in warning


def test_the_earlier_run_is_measured_as_it_was_recorded(tmp_path: Path) -> None:
    """What the earlier conventions dropped counts again by the later ones."""
    texts = {f"d{number}": f"word{number} shared" for number in range(12)}
    passages: list[dict[str, Any]] = [
        {"id": one, "title": "", "text": text} for one, text in texts.items()
    ]
    queries = [{"id": one, "text": text} for one, text in texts.items()]
    written(tmp_path / "data", passages, queries, [{"query_id": d, "passages": [d]} for d in texts])
    folders = [
        ran(
            tmp_path / profile,
            "own",
            [tmp_path / "data"],
            retrievers={"bm25": bm25()},
            measures=["Success@1"],
            depth=5,
            profile=profile,
        )
        for profile in ("beir", "trec")
    ]
    assert [open_result(one).scores["bm25"].mean("Success@1") for one in folders] == [0, 1]
    one = found(against(*folders))
    assert one.judged_again
    assert one.measures is not None
    (change,) = one.measures["Success@1"].changes
    assert (change.before, change.after) == (1, 1)


def test_other_judgments_that_cannot_be_read_make_numbers_incomparable(
    made: Callable[..., Path], tmp_path: Path
) -> None:
    def downgrade(rows: list[dict[str, Any]]) -> None:
        rows[0]["passages"] = dict.fromkeys(rows[0]["passages"], 1)

    other = edited(tmp_path, "ground_truth.jsonl", downgrade)
    later = made({"bm25": bm25()}, dataset=other)
    shutil.rmtree(other)
    data = against(made({"bm25": bm25()}), later)
    assert not found(data).data.known
    assert not found(data).judged_again
    assert any("The numbers are not comparable" in text for text in said(data))


def test_other_questions_under_the_same_ids_are_left_out(
    made: Callable[..., Path], tmp_path: Path
) -> None:
    def reword(rows: list[dict[str, Any]]) -> None:
        for row in rows[:3]:
            row["text"] += " Or not?"

    other = edited(tmp_path, "queries.jsonl", reword)
    data = against(made({"bm25": bm25()}), made({"bm25": bm25()}, dataset=other))
    one = found(data)
    full = len(open_result(made({"bm25": bm25()})).scores["bm25"].query_ids)
    assert one.n == full - len(one.data.reworded)
    assert 0 < len(one.data.reworded) <= 3
    assert any("queries have another text and are left out" in text for text in said(data))


def test_config_and_versions_that_changed(made: Callable[..., Path]) -> None:
    data = against(made(OLD), made(NEW))
    rows = {
        row[0].text: tuple(cell.text for cell in row[1:])
        for row in tables(data)["changes-config"].rows
    }
    assert rows["retrievers.gone"][0] == "removed"
    assert rows["retrievers.fresh"][0] == "added"
    assert any(path.startswith("retrievers.bm25.tokenizer") for path in rows)
    assert not any(path.startswith("retrievers.flat") for path in rows)
    assert "Versions of all packages and the machine are the same." in said(data)


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ("a: 1", "a: 1", []),
        ("{a: 1, b: 2}", "{b: 2, a: 1}", []),
        ("a: 1", "a: 1.0", [("a", "changed", "1", "1.0")]),
        ("a: [x]", "a: [x, y]", [("a", "changed", '["x"]', '["x", "y"]')]),
        ("a: [{p: x}]", "a: [{p: y}]", [("a[0].p", "changed", '"x"', '"y"')]),
        ("a: [{p: x}]", "a: [{p: x}, {p: y}]", [("a[1]", "added", "", '{"p": "y"}')]),
        ("a: {b: {c: 1}}", "a: {}", [("a.b", "removed", '{"c": 1}', "")]),
        ("a: {b: 1}", "a: null", [("a", "changed", '{"b": 1}', "null")]),
        ("이름: 값", "이름: 새", [("이름", "changed", '"값"', '"새"')]),
    ],
)
def test_settings_path_by_path(before: str, after: str, wanted: list[tuple[str, ...]]) -> None:
    rows = [(one.path, one.kind, one.before, one.after) for one in changed_settings(before, after)]
    assert rows == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{a: [", "cannot be read"),
        ("a: &x [1]\nb: *x", "aliases"),
        ("[" * 5000 + "]" * 5000, "deep"),
    ],
)
def test_a_config_that_cannot_be_compared_is_said(text: str, why: str) -> None:
    with pytest.raises(DataError, match=why):
        changed_settings("a: 1", text)


def test_korean(made: Callable[..., Path]) -> None:
    data = against(made(OLD), made(NEW), language="ko")
    texts = said(data)
    assert any(
        text.startswith("nDCG@10 기준으로 bm25 쪽이 이전보다 좋아졌습니다: +") for text in texts
    )
    assert not any("{" in text for text in texts)


def test_without_an_earlier_result_there_is_no_section(made: Callable[..., Path]) -> None:
    data = report_data(open_result(made({"bm25": bm25()})))
    assert section(data, data.panels[0]) is None


def test_another_dataset_is_not_compared(made: Callable[..., Path], tmp_path: Path) -> None:
    """Of several datasets one is new."""
    both = {"bm25": bm25()}
    korean = DATASETS / "insurer-handbook-ko"
    later = ran(tmp_path, "two", [TENANCY, korean], retrievers=both, measures=MEASURES, depth=20)
    data = against(made(both), later)
    assert data.before is not None
    held = [changes_on(data.before, data, panel) for panel in data.panels]
    assert [one.dataset if one is not None else None for one in held] == [TENANCY.name, None]
    one = section(data, data.panels[1])
    assert one is not None
    first = one.blocks[0]
    assert isinstance(first, Paragraph)
    assert "was not measured on insurer-handbook-ko" in first.text
