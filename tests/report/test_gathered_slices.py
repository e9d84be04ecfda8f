"""Datasets are sliced by what the experiment names, else by keys that split the queries well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragscore.dataset import Queries
from ragscore.dataset.labels import labels
from ragscore.elements import Paragraph
from ragscore.models import Query
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.report.sections import SECTIONS
from ragscore.results import open_result
from ragscore.results.slicing import automatic_keys
from tests.factories.built_report import in_english, section
from tests.factories.results import Row, ran, written
from tests.factories.scores import rounded_slices, slices_of
from tests.factories.tiny_results import PASSAGES, QUERIES, TWO, panel_of, tiny

# What stands beside.


def test_slices_are_those_of_slices_for_every_baseline(tmp_path: Path) -> None:
    folder = tiny(tmp_path, compare={"slices": ["kind", "part"], "resamples": 1000})
    result = open_result(folder)
    options = result.view.compare.value.model_copy(update={"slices": ("kind", "part", "gone")})
    (panel,) = result.viewed(compare=options)
    assert panel.data is not None
    assert in_english(panel.notes_on("slices")) == (
        "No slices by 'gone': no query has a tag or metadata 'gone'",
    )
    assert list(panel.slices) == ["one", "two"]
    for baseline, found in panel.slices.items():
        said = slices_of(
            panel.scores,
            panel.data.queries,
            ["kind", "part"],
            panel.options.model_copy(update={"baseline": baseline}),
        )
        assert [one.by for one in found] == ["kind", "part"]
        # Sums of differences are added in another order: the last digit may differ.
        assert [rounded_slices(one) for one in found] == [rounded_slices(one) for one in said]


@pytest.mark.parametrize(
    ("tags", "metadata", "keys"),
    [
        # A value for each query, and one for all, part nothing.
        (lambda n: [], lambda n: {"half": n // 10, "own": n, "all": 1, "few": n // 7}, "half few"),
        # Tags say what their prefix says.
        (lambda n: [f"kind:{'ab'[n % 2]}"], lambda n: {}, "kind"),
        (lambda n: [f"kind:{'ab'[n % 2]}", "plain"], lambda n: {}, "kind"),
        # So do those that part the queries as another key does; the others are left.
        (lambda n: ["odd" if n % 2 else "even"], lambda n: {"kind": "ab"[n % 2]}, "kind"),
        (lambda n: ["ab"[n % 2], *["few"] * (n < 4)], lambda n: {"kind": n % 2}, "kind tags"),
        (lambda n: ["even" if n % 2 else "odd"], lambda n: {"part": "x"}, "tags"),
        # Of many tags those of ten queries or more count.
        (lambda n: [f"rare {n}", "odd" if n < 10 else "even"], lambda n: {}, "tags"),
        (lambda n: [f"rare {n}"], lambda n: {"nested": {"a": n}, "null": None}, ""),
        (lambda n: [], lambda n: {}, ""),
    ],
)
def test_keys_that_part_the_queries_well_are_sliced_by_unasked(
    tags: Callable[[int], list[str]], metadata: Callable[[int], Row], keys: str
) -> None:
    ids = [f"q{number}" for number in range(20)]
    queries = Queries.from_rows(
        Query(id=one, text="?", tags=tags(number), metadata=metadata(number))
        for number, one in enumerate(ids)
    )
    found, left, left_out = automatic_keys(queries, ids)
    assert found == tuple(keys.split())
    if "rare 0" in tags(0) and keys:
        assert "only tags that at least 10 queries have" in str(*left_out)
        assert labels(left, "tags") == {one: tuple(tags(n)[1:]) for n, one in enumerate(ids)}
    elif keys == "kind tags":
        assert "Tags that split the queries exactly as another key" in str(*left_out)
        assert labels(left, "tags") == dict.fromkeys(ids[:4], ("few",))
        assert labels(left, "kind") == labels(queries, "kind")
    else:
        assert left is queries


def test_unasked_slices_say_which_tags_they_leave_out(tmp_path: Path) -> None:
    tagged = [
        {**one, "tags": [f"rare {number}", "early" if number < 10 else "late"], "metadata": {}}
        for number, one in enumerate(QUERIES)
    ]
    truth = [{"query_id": f"q{number}", "passages": {f"p{number}": 1}} for number in range(20)]
    written(tmp_path / "data", PASSAGES, tagged, truth)
    folder = ran(tmp_path, "tiny", [tmp_path / "data"], retrievers=TWO, measures=["RR@5"])
    panel = panel_of(folder)
    (tags,) = panel.slices["two"]
    assert [one.value for one in tags.slices] == ["early", "late"]
    assert panel.notes == ()
    told = "Slices by tag show only tags that at least 10 queries have."
    assert {one: in_english(panel.notes_on(one)) for one in SECTIONS if panel.notes_on(one)} == {
        "slices": (told,)
    }
    for one in ("slices", "judgments"):
        made = section(Report(open_result(folder), ReportOptions()), one)
        assert (Paragraph(told, "note") in made.elements) == (one == "slices")
