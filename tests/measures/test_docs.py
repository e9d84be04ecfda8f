"""docs/measures.md and docs/conventions.md name every measure, option and choice that there is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from ragscore.measures import TABLE, Measure, parse_measures
from ragscore.scoring.conventions import choices, options_of

EXAMPLES = {"@k": "@5", "@r": "@0.5", "beta=b": "beta=2"}
"""Letters that stand for numbers on the page."""


@pytest.fixture(scope="module")
def measures_page(root: Path) -> str:
    return (root / "docs" / "measures.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def both_pages(root: Path, measures_page: str) -> str:
    return measures_page + (root / "docs" / "conventions.md").read_text(encoding="utf-8")


def families(texts: list[str]) -> set[type[Measure]]:
    for letter, number in EXAMPLES.items():
        texts = [text.replace(letter, number) for text in texts]
    return {type(measure) for text in texts for measure in parse_measures([text])}


def test_the_tables_define_every_measure(measures_page: str) -> None:
    above = measures_page.partition("Options: `relevant_from`")[0]
    cells = re.findall(r"^\| (`[^|]*`) \|", above, flags=re.MULTILINE)
    named = [text for cell in cells for text in re.findall(r"`([^`]*)`", cell)]
    assert families(named) == set(TABLE), "the tables of docs/measures.md have a row for each"


@pytest.mark.parametrize("family", TABLE, ids=lambda family: family.name)
def test_every_option_and_choice_is_explained(family: type[Measure], both_pages: str) -> None:
    for option in options_of(family):
        assert f"`{option}" in both_pages, option
        for word in choices(family, option):
            assert f"`{word}`" in both_pages or f"`{option}={word}`" in both_pages, (option, word)


def test_which_measures_have_an_option_or_bounds(measures_page: str) -> None:
    page = " ".join(measures_page.split())

    def listed(before: str, behind: str) -> set[type[Measure]]:
        (text,) = re.findall(f"{re.escape(before)}(.*?){re.escape(behind)}", page)
        return families([f"{name}@5" for name in re.split(r", | and ", text)])

    with_ties = {family for family in TABLE if "tie" in family.model_fields}
    assert listed("`tie=` on ", " gives values") == with_ties, (
        "docs/measures.md: '`tie=` on ... gives values' lists each measure that has it"
    )
    scale = np.array([1.0])
    plain = (family for family in TABLE if family.has_curve)
    bounded = {family for family in plain if family().bounds_kind(scale) != "none"}
    assert listed("in Python, gives for ", " the lowest and highest value") == bounded, (
        "docs/measures.md: '`bounds=True` in Python, gives for ...' lists each that has bounds"
    )
