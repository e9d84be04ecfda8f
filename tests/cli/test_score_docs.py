"""docs/score.md names every option and every measure that is missing."""

from __future__ import annotations

import re
from pathlib import Path

from ragscore.measures.trec_names import MISSING
from tests.factories.command import Ragscore

PAGE = (Path(__file__).parents[2] / "docs" / "score.md").read_text(encoding="utf-8")


def test_the_page_tells_what_is_not_here(ragscore: Ragscore) -> None:
    groups = ("prefs", "_avgjg", "qrels_jg")
    names = [name for name in MISSING if not any(group in name for group in groups)]
    assert [name for name in names if not re.search(rf"\b{name}\b", PAGE)] == []


def test_every_option_of_the_command_is_told(ragscore: Ragscore) -> None:
    options = set(re.findall(r"--[a-z-]+", ragscore("score", "--help").stdout))
    assert {option for option in options if option not in PAGE} == set()
