"""Finding results: all of them, the newest first, damaged ones named."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragscore.comparison.verdict import Verdict
from ragscore.comparison.verdict_text import verdict_headline
from ragscore.errors import DataError
from ragscore.messages import translated
from ragscore.report.index.finder import Finder, FoundResult
from ragscore.report.index.index_page import index_page
from tests.factories.copied_results import changed, copied
from tests.factories.index_page import Page


def test_every_result_is_found_the_newest_first_and_damaged_ones_last(top: Path) -> None:
    found = Finder(top).results()
    dated = [one.place for one in found if one.name == "tenancy"]
    assert dated == ["tenancy/20261105", "tenancy/20261102", "tenancy/20261101"]
    assert [one.place for one in found if one.name == "solo"] == ["deep/er/solo"]
    assert (found[-1].place, found[-1].problem) == (
        "tenancy/broken",
        "scores.parquet: the file is missing",
    )


def test_means_have_the_intervals_of_the_comparison(top: Path, original: Path) -> None:
    found = Finder(top).results()
    one = next(one for one in found if one.place == "tenancy/20261105")
    (dataset,) = one.datasets
    summary = json.loads((original / "summary.json").read_text(encoding="utf-8"))
    for row in summary["results"]:
        mean = dataset.means[row["retriever"]][row["measure"]]
        assert (mean.value, dataset.labels[row["measure"]]) == (row["value"], row["label"])
        assert mean.low < row["value"] < mean.high
    compared = json.loads((original / "comparison.json").read_text(encoding="utf-8"))
    verdict = compared["datasets"][0]["verdict"]
    assert dataset.verdict == verdict_headline(Verdict.from_dict(verdict))
    card = translated(dataset.verdict, "ko")
    lines = (*card.lines, (card.word, card.text))
    assert all(re.search("[가-힣]", text) for line in lines for text in line)
    alone = next(one for one in found if one.name == "solo").datasets[0]
    assert alone.verdict is None
    assert not any(mean.estimable for mean in alone.means["bm25"].values())


def deep(template: str) -> Any:
    held: Any = "x"
    for _level in range(20):
        held = {"template": template, "facts": {"a": held}}
    return held


VERDICTS: dict[str, dict[str, Any]] = {
    "deep": {"label": deep("{a}{a}")},
    "no list": {"tied": 3},
    "no message": {"label": [["x"]]},
    "no state": {"state": "FINE"},
    "no field": {"lines": []},
    "nothing to use": {"mean": None},
}


@pytest.mark.parametrize("case", VERDICTS)
def test_a_verdict_that_is_none_is_damage(case: str, top: Path) -> None:
    problem = _with_verdict(top, VERDICTS[case]).problem
    assert "it is not what a result records" in problem


def test_a_verdict_of_a_stranger_is_text(top: Path) -> None:
    grown: Any = "<i>{item}</i> "
    for _level in range(7):
        grown = {"template": "{a}" * 600, "facts": {"a": grown}}
    wide = {"template": "<script>{a}{b}</script>", "facts": {"a": "{b}", "b": "<b>"}}
    for label, told in ((wide, "<script>{b}<b></script>"), (grown, ""), ("z" * 10**6, "zzz")):
        found = _with_verdict(top, {"label": label, "reason": "leader"})
        assert found.problem == ""
        card = translated(found.datasets[0].verdict, "ko")
        assert told in card.text
        page = Page(index_page([found], top, "ko").text)
        assert not {"script", "b", "i"} & {tag for tag, _ in page.tags}
        assert any(told in text for text in page.texts)


def _with_verdict(top: Path, changes: dict[str, Any]) -> FoundResult:
    """A result in whose verdict these fields are others."""
    place = "tenancy/20261105"

    def written(value: Any) -> None:
        for dataset in value["datasets"]:
            dataset["verdict"] |= changes

    changed(top / place / "comparison.json", written)
    (found,) = [found for found in Finder(top).results() if found.place == place]
    return found


def test_new_and_changed_results_are_seen_at_once(top: Path, original: Path) -> None:
    finder = Finder(top)
    assert len(finder.results()) == 5
    copied(original, top / "new", created="2026-12-01T00:00:00+00:00")
    assert finder.results()[0].place == "new"
    shutil.rmtree(top / "new")
    (top / "tenancy" / "20261101" / "summary.csv").unlink()
    found = finder.results()
    assert len(found) == 5
    assert {one.place for one in found if one.problem} == {"tenancy/broken", "tenancy/20261101"}


def test_a_result_itself_may_be_named(original: Path) -> None:
    (one,) = Finder(original).results()
    assert (one.place, one.problem) == (".", "")


def _no_list(value: Any) -> None:
    value["results"] = [{}]


def _no_object(value: Any) -> None:
    value["datasets"] = [[]]


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "not a manifest": (lambda at: (at / "manifest.json").unlink(), "manifest.json"),
    "half a manifest": (lambda at: (at / "manifest.json").write_text('{"sch'), "not a manifest"),
    "a stranger's manifest": (lambda at: (at / "manifest.json").write_text("{}"), "not a manifest"),
    "other bytes": (lambda at: (at / "scores.parquet").write_bytes(b"x"), "it has 1 bytes"),
    "no date": (
        lambda at: changed(at / "manifest.json", lambda value: value.update(created="noon")),
        "is not a date",
    ),
    "another summary": (lambda at: changed(at / "summary.json", _no_list), "summary.json"),
    "another comparison": (lambda at: changed(at / "comparison.json", _no_object), "records"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_told_and_hides_nothing_else(damage: str, tmp_path: Path, original: Path) -> None:
    copied(original, tmp_path / "good")
    at = copied(original, tmp_path / "bad")
    harm, told = DAMAGE[damage]
    harm(at)
    good, bad = Finder(tmp_path).results()
    assert (good.place, good.problem) == ("good", "")
    assert told in bad.problem
    page = Page(index_page([good, bad], tmp_path, "en").text)
    assert any(told in text for text in page.texts)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_and_hidden_folders_are_not_followed(tmp_path: Path, original: Path) -> None:
    outside = copied(original, tmp_path / "outside")
    top = tmp_path / "results"
    copied(original, top / ".unfinished-1")
    (top / "link").symlink_to(outside, target_is_directory=True)
    (top / "round").symlink_to(top, target_is_directory=True)
    assert Finder(top).results() == []


@pytest.mark.parametrize(("name", "what"), [("nowhere", "no such folder"), ("file", "is a file")])
def test_no_folder(name: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match=what) as told:
        Finder(tmp_path / name)
    assert "ragscore run" in str(told.value)
