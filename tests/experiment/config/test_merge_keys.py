"""Merge keys: what YAML 1.1 says they mean, and places in the anchor's mapping."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ragscore.experiment import load_experiment, validate_experiment
from ragscore.experiment.config.file import ConfigText, Mark
from ragscore.experiment.config.placed_data import ConfigDocument
from ragscore.experiment.config.yaml import read_yaml
from tests.factories.house import GOOD, Write


def read(text: str) -> ConfigDocument:
    return read_yaml(ConfigText("x.yaml", text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &a {k: 1, b: 2}\nc: {<<: *a, k: 3}\n", {"k": 3, "b": 2}),
        ("a: &a {k: 1, b: 2}\nc: {k: 3, <<: *a}\n", {"k": 3, "b": 2}),
        ("a: &a {k: 1}\nb: &b {k: 2, b: 2}\nc: {<<: [*a, *b]}\n", {"k": 1, "b": 2}),
        ("a: &a {k: 1}\nb: &b {<<: *a, b: 2}\nc: {<<: *b, b: 0}\n", {"k": 1, "b": 0}),
        ("a: &a [{k: 1}, {b: 2}]\nc: {<<: *a}\n", {"k": 1, "b": 2}),
        ("c: {<<: {k: {x: 1}}, k: {y: 2}}\n", {"k": {"y": 2}}),
        ("c: {<<: []}\n", {}),
        ("c: {'<<': 1}\n", {"<<": 1}),
    ],
)
def test_keys_merge_as_yaml_1_1_says(text: str, value: Any) -> None:
    document = read(text)
    assert not document.misread
    assert document.data["c"] == value
    if "'<<'" not in text:
        assert yaml.safe_load(text)["c"] == value


@given(st.recursive(
    st.dictionaries(st.sampled_from("klm"), st.integers(0, 9), max_size=3).map(str),
    lambda inner: st.tuples(st.lists(inner, min_size=1, max_size=2), st.integers(0, 9)).map(
        lambda drawn: f"{{k: {drawn[1]}, <<: [{', '.join(drawn[0])}]}}"
    ),
    max_leaves=6,
))  # fmt: skip
def test_the_same_is_read_as_by_pyyaml(flow: str) -> None:
    assert read(f"a: {flow}").data == yaml.safe_load(f"a: {flow}")


def test_a_merged_value_has_the_place_where_it_is_written() -> None:
    document = read("a: &a\n  k: 1\nb:\n  <<: *a\n  l: 2\n")
    assert document.places["b", "k"].start == Mark(2, 3)
    assert document.places["b", "l"].start == Mark(5, 3)
    assert document.data["a"] is not document.data["b"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("a: &a {k: 1}\nb: {<<: *a, <<: *a}\n", ["2:13: b.<<: the key occurs twice, first in "
         "line 2, column 5. Write <<: [*one, *other]"]),
        ("a: &a {k: 1}\nb: {<<: *a, k: 1, k: 2}\n", ["2:19: b.k: the key occurs twice, first in "
         "line 2, column 13. Keep one of the two"]),
        ("a: &a {k: 1, k: 2}\nb: {<<: *a}\nc: *a\n", ["1:14: a.k: the key occurs twice, first in "
         "line 1, column 8. Keep one of the two"]),
        ("a: &a {k: no}\nb: {<<: *a}\nc: {<<: *a}\n", ["1:11: a.k: no without quotes is read as "
         "false by some YAML tools. Write false, or 'no' with quotes for the text"]),
        ("a: {<<: 5}\n", ["1:5: a.<<: what is merged is not a mapping. Write <<: *name, after "
         "&name before a mapping, or <<: [*one, *other]"]),
        ("a: &a 5\nb: {k: 1, <<: *a}\n", ["2:11: b.<<: what is merged is not a mapping. Write <<: "
         "*name, after &name before a mapping, or <<: [*one, *other]"]),
        ("a: {<<: }\nb: {<<: [[{k: 1}]]}\n", ["1:5: a.<<: what is merged is not a mapping. Write "
         "<<: *name, after &name before a mapping, or <<: [*one, *other]", "2:5: b.<<: what is "
         "merged is not a mapping. Write <<: *name, after &name before a mapping, or <<: [*one, "
         "*other]"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_once(text: str, wrong: list[str]) -> None:
    problems = dict.fromkeys(
        str(misread.problem).partition("\n")[0] for misread in read(text).misread
    )
    assert list(problems) == [f"x.yaml:{line}" for line in wrong]


SHARED = "x-base: &base {kind: bm25, k1: 0.9}\nx-more: [1, no-option]\n" + GOOD.replace(
    "{kind: bm25}", "{<<: *base, b: 0.4}"
)


def test_anchors_have_a_place_of_their_own(write: Write) -> None:
    path = write(SHARED + "  other: *base\n")
    experiment = load_experiment(path, ["retrievers.other.k1=2"])
    spelled_out = GOOD.replace("{kind: bm25}", "{kind: bm25, k1: 0.9, b: 0.4}")
    assert experiment == load_experiment(
        write(spelled_out + "  other: {kind: bm25, k1: 2}\n", path)
    )


@pytest.mark.parametrize(
    ("old", "new", "where", "what"),
    [
        ("k1: 0.9", "k: 0.9", ":1:28", "retrievers.bm25.k: unknown key"),
        ("k1: 0.9", "k1: high", ":1:32", "retrievers.bm25.k1: the text 'high' where a number is "
         "expected"),
        ("kind: bm25, ", "", ":5:3", "retrievers.bm25.kind: missing"),
        ("x-more", "y-more", ":2:1", "y-more: unknown key"),
    ],
)  # fmt: skip
def test_errors_are_placed_in_the_anchor_once(
    old: str, new: str, where: str, what: str, write: Write
) -> None:
    path = write(SHARED.replace(old, new) + "  same: {<<: *base, b: 0.5}\n")
    problems = validate_experiment(path)
    assert (problems[0].where.removeprefix(str(path)), problems[0].what) == (where, what)
    assert len(problems) == (2 if "missing" in what else 1)  # each retriever lacks its own


def test_what_anchors_hold_cannot_be_set(write: Write) -> None:
    [problem] = validate_experiment(write(SHARED), ["x-base.k1=2"])
    assert str(problem) == (
        "--set x-base.k1=2: x-base is not an option: aliases were replaced by what it holds. "
        "Set the option where it is used: --set retrievers.NAME.KEY=VALUE"
    )
