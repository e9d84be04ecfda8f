"""What a notebook shows when a result stands at the end of a cell."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ragscore import compare, evaluate, make_report, open_result, tune
from ragscore.comparison.verdict import Verdict
from ragscore.elements import as_text
from ragscore.retrievers import BM25
from tests.factories.built_report import Data, section, tables
from tests.factories.manifests import write_manifest
from tests.factories.results import DATASETS
from tests.factories.verdict_cases import said

TENANCY = DATASETS / "harbour-tenancy"


def text_of(html: str) -> str:
    """What a reader sees, but for styles."""
    plain = re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", plain)).split())


class Tags(HTMLParser):
    """Every tag and attribute."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[tuple[str, str]] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {(tag, name) for name, _ in attrs} | {(tag, "")}


def test_an_opened_result_shows_verdict_and_table(
    result_of: Callable[[str], Path],
) -> None:
    result = open_result(result_of("small"))
    html = result._repr_html_()
    (compared,) = json.loads((result.folder / "comparison.json").read_bytes())["datasets"]
    for line in said(Verdict.from_dict(compared["verdict"])):
        assert line in text_of(html)
    assert "bar-cell" in html
    assert 'data-table="leaderboard"' in html
    for value in result.scores.to_dict()["harbour-tenancy"].values():
        assert f"{value['nDCG@10']:.3f}" in text_of(html)


def test_a_result_in_memory_shows_the_same(result_of: Callable[[str], Path]) -> None:
    calls = {"none": lambda query, k: [], "first": lambda query, k: ["DF-01"]}
    result = evaluate(TENANCY, calls, ["nDCG@10", "R@10"])
    assert "first" in text_of(result._repr_html_())
    assert "bar-cell" in result._repr_html_()
    alone = evaluate(TENANCY, {"first": calls["first"]}, ["nDCG@10"])
    assert 'data-table="leaderboard"' in alone._repr_html_()
    assert "data-figure" not in alone._repr_html_()


def test_a_comparison_and_a_tuning(result_of: Callable[[str], Path]) -> None:
    result = open_result(result_of("small"))
    compared = compare(result.scores)
    for line in said(compared.datasets[0].verdict):
        assert line in text_of(compared._repr_html_())
    run, dataset = result.run("harbour-tenancy", "bm25"), result.dataset()
    html = tune(run, dataset)._repr_html_()
    assert text_of(html).count("Nothing is recommended without a rule") == 1
    assert 'data-figure="curves-R"' in html
    tuned = tune(run, dataset, rule="knee")
    assert str(tuned.sentence) in text_of(tuned._repr_html_())


def test_a_report_shows_its_verdict_and_curves(result_of: Callable[[str], Path]) -> None:
    html = make_report(result_of("two-datasets"))._repr_html_()
    shown = re.findall(r'data-(?:table|figure)="([\w-]*?leaderboard|[\w-]*?curves-P)"', html)
    assert shown == ["leaderboard", "curves-P", "d1-leaderboard", "d1-curves-P"]
    assert "insurer-handbook-ko" in text_of(html)


def test_clusters_that_are_not_known_are_not_left_out(
    result_of: Callable[[str], Path], tmp_path: Path
) -> None:
    """Intervals without the clusters would be too narrow: the means are shown alone."""
    folder = Path(shutil.copytree(result_of("small"), tmp_path / "copy"))
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["compare"]["cluster"] = "topic"
    write_manifest(folder, manifest)
    html = open_result(folder)._repr_html_()
    assert 'data-table="leaderboard"' in html
    assert "bar-cell" in html
    assert html != open_result(result_of("small"))._repr_html_()
    for entry in manifest["datasets"]:
        entry["path"] = entry["spec"]["path"] = str(tmp_path / "gone")
    write_manifest(folder, manifest)
    html = open_result(folder)._repr_html_()
    assert "data-figure" not in html
    assert "nDCG@10" in text_of(html)


@pytest.mark.parametrize("kind", ["hostile", "korean", "one-retriever"])
def test_nothing_in_it_runs(kind: str, data_of: Data, result_of: Callable[[str], Path]) -> None:
    for html in (
        open_result(result_of(kind))._repr_html_(),
        data_of(kind)._repr_html_(),
    ):
        tags = Tags(html).found
        assert not {tag for tag, _ in tags} & {"script", "img", "iframe", "object", "link", "base"}
        assert not {name for _, name in tags if name.startswith("on") or name == "style"}


def test_what_is_bold_is_what_the_page_has_bold() -> None:
    """By one rule, the measures that are not the primary one too."""
    bm25 = BM25(tokenizer={"kind": "words"})
    calls = {"bm25": bm25, "titles": BM25(fields=["title"])}
    result = evaluate(TENANCY, calls, ["nDCG@10", "R@10", "MR"])
    table, *_ = tables(section(make_report(result), "verdict"), "leaderboard")
    bold = [cell.text for row in table.rows for cell in row if cell.strong]
    assert len(bold) == 2
    for shown in (result, result.comparison()):
        found = re.findall(r"<td.*?</td>", shown._repr_html_(), re.DOTALL)
        strong = [re.search(r"<strong>(.*?)</strong>", cell) for cell in found]
        assert [mark[1] for mark in strong if mark] == bold


def test_which_values_are_better_is_said_in_the_readers_language() -> None:
    calls = {"bm25": BM25(), "titles": BM25(fields=["title"])}
    result = evaluate(TENANCY, calls, ["nDCG@10", "MR"])
    korean = result.comparison(language="ko")
    report = make_report(result, language="ko", formats=["markdown"])
    for shown in (korean._repr_html_(), as_text(korean.elements(), language="ko"), report.text()):
        assert "is better" not in shown
    assert "MR(낮을수록 좋음)" in report.text()
