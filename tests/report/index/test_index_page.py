"""The page of all results: safe, and without a script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ragscore.messages import text_of
from ragscore.names import LANGUAGES
from ragscore.report.index.finder import Finder
from ragscore.report.index.index_page import MAX_RETRIEVERS, groups, index_page
from tests.factories.copied_results import changed, copied
from tests.factories.index_page import Page
from tests.factories.results import HOSTILE


def shown(top: Path, language: str = "en") -> Page:
    return Page(index_page(Finder(top).results(), top, language).text)


def test_the_page_needs_no_script_and_nothing_from_anywhere(top: Path) -> None:
    made = index_page(Finder(top).results(), top, "en")
    page = Page(made.text)
    assert not page.of("script")
    assert not [one for _, one in page.tags if "style" in one]
    assert all(link.startswith(("/r/", "#")) for link in page.links)
    assert re.match(r"default-src 'none'; style-src 'sha256-\S+'; img-src data:; ", made.policy)
    assert "url(" not in made.text


def test_the_chosen_measure_is_shown_by_style_alone(top: Path) -> None:
    page = shown(top)
    select = next(one for one in page.of("select") if one["id"] == "d0-measure")
    assert "pick" in str(select["class"])
    text = index_page(Finder(top).results(), top, "en").text
    for number in range(2):
        rule = f'#d0:has(#d0-measure option[value="{number}"]:checked) .variant[data-m]'
        assert rule in text
    figures = [one["data-m"] for one in page.of("figure")]
    assert figures == ["0", "1"]


def test_the_history_links_to_every_report(top: Path) -> None:
    page = shown(top)
    ids = [one.id for one in Finder(top).results() if one.name == "tenancy"]
    for id in ids:
        # Two retrievers in two charts, and the table's row.
        assert page.links.count(f"/r/{id}/report.html") >= 5
    assert f"/r/{ids[0]}/since/{ids[1]}/report.html" in page.links
    assert f"/r/{ids[1]}/since/{ids[2]}/report.html" in page.links


def test_each_result_has_the_first_line_of_its_verdict(top: Path) -> None:
    found = [one for one in Finder(top).results() if one.name == "tenancy"]
    card = found[0].datasets[0].verdict
    assert card is not None
    for language in LANGUAGES:
        texts = shown(top, language).texts
        # Of the newest result above the table, too.
        assert texts.count(text_of(card.text, language)) == 1 + len(found[1:]) + 1


def test_other_data_is_told(top: Path) -> None:
    def other(value: Any) -> None:
        value["datasets"][0]["digest"] = "0" * 64

    changed(top / "tenancy" / "20261102" / "manifest.json", other)
    page = shown(top)
    text = " ".join(page.texts)
    assert "The dataset changed on 2026-11-02 10:00, 2026-11-05 10:00" in text
    assert sum("data changed" in one for one in page.texts) == 2


def test_many_retrievers_are_not_all_shown(tmp_path: Path, original: Path) -> None:
    def many(value: Any) -> None:
        (row, *_) = value["results"]
        value["results"] = [{**row, "retriever": f"r{n}"} for n in range(20)]

    def named(value: Any) -> None:
        (entry, *_) = value["retrievers"]
        value["retrievers"] = [{**entry, "name": f"r{n}"} for n in range(20)]

    at = copied(original, tmp_path / "many")
    changed(at / "summary.json", many)
    changed(at / "manifest.json", named)
    (group,) = groups(Finder(tmp_path).results())
    assert (len(group.retrievers), group.hidden) == (MAX_RETRIEVERS, 20 - MAX_RETRIEVERS)
    assert any("Retrievers shown only in the reports: 12" in text for text in shown(tmp_path).texts)


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    assert any("ragscore run" in text for text in shown(tmp_path).texts)


def test_korean(top: Path) -> None:
    page = shown(top, "ko")
    assert page.of("html")[0]["lang"] == "ko"
    assert any("읽을 수 없는 폴더" in text for text in page.texts)


def test_hostile_names_stay_text(tmp_path: Path, original: Path) -> None:
    def named(value: Any) -> None:
        value["experiment"] = " ".join(HOSTILE)
        for entry in value["datasets"]:
            entry["name"] = HOSTILE[0]
        for entry in value["retrievers"]:
            entry["dataset"] = HOSTILE[0]
            entry["name"] += HOSTILE[1]

    def scored(value: Any) -> None:
        for row in value["results"]:
            row["dataset"] = HOSTILE[0]
            row["retriever"] += HOSTILE[1]
            row["label"] += HOSTILE[2]

    for number in (1, 2):
        at = copied(original, tmp_path / f"h{number}", created=f"2026-11-0{number}T00:00:00")
        changed(at / "manifest.json", named)
        changed(at / "summary.json", scored)
    page = shown(tmp_path)
    assert not page.of("script")
    assert not page.of("img")
    handlers = [name for _, one in page.tags for name in one if name.startswith("on")]
    assert handlers == []
    assert all(link.startswith(("/r/", "#")) for link in page.links)
    assert HOSTILE[0] in "".join(page.texts)
