"""Before and after, with other judgments, questions or measures."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragscore.change.values import value_changes
from ragscore.elements import Paragraph
from ragscore.report.sections.changes import changes as section
from ragscore.results import open_result
from tests.factories.changed_results import MEASURES, TENANCY, against, edited, found, said
from tests.factories.results import DATASETS, bm25, ran, written


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
    assert "Not in the earlier result, so not compared: R@10." in texts
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
    assert not one.data.other_passages
    assert one.measures is not None
    assert one.measures["nDCG@10"].changes[0].difference.differing == 0
    (warning,) = [text for text in said(data) if "The dataset is not the same in both" in text]
    assert f"the judgments of {len(one.data.rejudged)} common queries differ" in warning
    assert "measured again with the judgments and conventions of the later result" in warning


def test_what_is_forbidden_since_is_another_judgment(
    made: Callable[..., Path], tmp_path: Path
) -> None:
    def forbid(rows: list[dict[str, Any]]) -> None:
        for row in rows[:7]:
            row["forbidden"] = [min(row["passages"], key=row["passages"].get)]

    other = edited(tmp_path, "ground_truth.jsonl", forbid)
    one = found(against(made({"bm25": bm25()}), made({"bm25": bm25()}, dataset=other)))
    assert len(one.data.rejudged) == 7


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
    assert any("queries changed, so they are left out" in text for text in said(data))


def test_another_dataset_is_not_compared(made: Callable[..., Path], tmp_path: Path) -> None:
    """Of several datasets one is new."""
    both = {"bm25": bm25()}
    korean = DATASETS / "insurer-handbook-ko"
    later = ran(tmp_path, "two", [TENANCY, korean], retrievers=both, measures=MEASURES, depth=20)
    data = against(made(both), later)
    assert data.before is not None
    held = [value_changes(data.before, data.result, panel) for panel in data.result]
    assert [one.data.names if one is not None else None for one in held] == [
        (TENANCY.name, TENANCY.name),
        None,
    ]
    one = section(data, data.result.dataset_results[1])
    assert one is not None
    first = one.elements[0]
    assert isinstance(first, Paragraph)
    assert "does not include insurer-handbook-ko" in str(first.text)
