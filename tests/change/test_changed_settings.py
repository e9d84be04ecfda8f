"""Before and after: what changed of config and versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragscore.change.match import changed_settings
from ragscore.errors import DataError
from tests.factories.changed_results import NEW, OLD, against, said, tables


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
        ("a:\n  " + "[" * 5000 + "]" * 5000, "experiment.yaml:2:102: it is nested more than 100"),
        ("[" * 1_000_000, "experiment.yaml:1:101: it is nested more than 100 deep"),
    ],
)
def test_a_config_that_cannot_be_compared_is_said(text: str, why: str) -> None:
    with pytest.raises(DataError, match=why):
        changed_settings("a: 1", text)
