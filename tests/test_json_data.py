"""JSON of others: nested as deep as a limit of our own allows, wherever a recursion would end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.json_data import MAX_NESTING, Pairs, load_json, parse_json

LISTS = ("[", "]")
OBJECTS = ('{"a": ', "}")


def nested(depth: int, kinds: list[tuple[str, str]]) -> str:
    chosen = [kinds[level % len(kinds)] for level in range(depth)]
    opened = "".join(opening for opening, _ in chosen)
    return opened + '"[[{"' + "".join(closing for _, closing in reversed(chosen))


@pytest.mark.parametrize("hooks", [{}, {"object_pairs_hook": Pairs}], ids=["dict", "pairs"])
@given(
    st.integers(MAX_NESTING - 1, MAX_NESTING + 2),
    st.lists(st.sampled_from([LISTS, OBJECTS]), min_size=1, max_size=3),
)
def test_the_limit_is_the_same_for_lists_and_objects(
    hooks: dict[str, Any], depth: int, kinds: list[tuple[str, str]]
) -> None:
    text = nested(depth, kinds)
    if depth <= MAX_NESTING:
        assert load_json(text, **hooks) == json.loads(text, **hooks)
        assert parse_json(text.encode()) == json.loads(text)
    else:
        with pytest.raises(ValueError, match="it is nested more than 100 deep"):
            load_json(text, **hooks)


@pytest.mark.parametrize("depth", [101, 500, 2_000, 5_000, 100_000])
@pytest.mark.parametrize("end", ["whole", "cut"])
def test_what_is_deeper_is_refused_at_its_place_wherever_recursion_ends(
    depth: int, end: str
) -> None:
    text = '{"\\"[[": "]",\n "b": ' + "[" * depth + "]" * depth * (end == "whole") + "}"
    with pytest.raises(ValueError, match=r"nested more than 100 deep at line 2, column 106$"):
        load_json(text)


def test_other_faults_stay_what_they_are() -> None:
    for text in ("", "<html>", '{"a": [1,]}', "[" * 90, '"' + "[" * 200, "]" * 200 + "[" * 200):
        with pytest.raises(json.JSONDecodeError) as said:
            load_json(text)
        with pytest.raises(json.JSONDecodeError) as wanted:
            json.loads(text)
        assert str(said.value) == str(wanted.value)
