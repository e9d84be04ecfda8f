"""Columns of texts: both kinds do what Python's lists of texts do."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.formats.reading import byte_texts
from ragscore.formats.reading.byte_texts import ByteTexts
from ragscore.formats.reading.polars_texts import PolarsTexts
from ragscore.formats.reading.texts import Lookup, first_rows
from tests.thorough import examples

quick = settings(deadline=None, max_examples=examples(150))
# Few characters, so that texts are often equal, or equal but for their ends.
ids = st.one_of(
    st.text("ab", max_size=3),
    st.text("aé", max_size=40),
    st.integers(0, 40).map(lambda length: "x" * length),
    st.tuples(st.integers(0, 40), st.sampled_from("yz물\U0001f600\0")).map(
        lambda made: "x" * made[0] + made[1]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
)
columns = st.lists(ids, max_size=30)
both_kinds = pytest.mark.parametrize("kind", [ByteTexts, PolarsTexts])
Kind = Any


@both_kinds
def test_like_a_list(kind: Kind) -> None:
    @quick
    @given(columns, st.data())
    def check(texts: list[str], data: st.DataObject) -> None:
        column = kind.of(texts)
        assert len(column) == len(texts)
        assert column.to_list() == texts
        row = st.integers(0, max(len(texts) - 1, 0))
        rows = data.draw(st.lists(row, max_size=20)) if texts else []
        taken = column.take(np.array(rows, dtype=np.int64))
        assert taken.to_list() == [texts[row] for row in rows]
        runs = [len(list(run)) for _, run in groupby(texts)]
        assert column.runs().tolist() == [sum(runs[:at]) for at in range(len(runs))]

    check()


@both_kinds
def test_equal_texts(kind: Kind) -> None:
    @quick
    @given(columns, columns)
    def check(ours: list[str], theirs: list[str]) -> None:
        one, other = kind.of(ours), kind.of(theirs)
        pairs = [(a, b) for a in range(len(ours)) for b in range(len(theirs))]
        at, at_other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        expected = [ours[a] == theirs[b] for a, b in pairs]
        assert one.equal(at, other, at_other).tolist() == expected
        same_hash = one.hashes()[at] == other.hashes()[at_other]
        assert same_hash[np.array(expected, dtype=bool)].all()
        row_of = {text: row for row, text in enumerate(dict.fromkeys(theirs))}
        found = Lookup(kind.of(row_of)).rows(one)
        assert found.tolist() == [row_of.get(text, -1) for text in ours]
        first = {text: row for row, text in reversed(list(enumerate(ours)))}
        assert first_rows(one).tolist() == [first[text] for text in ours]

    check()


@both_kinds
def test_falling_texts(kind: Kind) -> None:
    @quick
    @given(st.lists(st.tuples(st.integers(0, 3), ids), max_size=30))
    def check(rows: list[tuple[int, str]]) -> None:
        groups = np.array([group for group, _ in rows], dtype=np.int64)
        order = kind.of([text for _, text in rows]).falling(groups).tolist()
        by_text = sorted(rows, key=lambda row: row[1], reverse=True)
        assert [rows[at] for at in order] == sorted(by_text, key=lambda row: row[0])

    check()


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*"aabbbca", "x" * 9, "x" * 9, "x" * 17, "x" * 8, "x" * 8, "물음"] * 3
    whole = ByteTexts.of(texts)
    hashes, runs = whole.hashes(), whole.runs()
    for size in range(1, 12):
        monkeypatch.setattr(byte_texts, "BLOCK", size)
        assert np.array_equal(ByteTexts.of(texts).hashes(), hashes)
        assert np.array_equal(ByteTexts.of(texts).runs(), runs)


def test_hashes_differ() -> None:
    texts = [str(number) for number in range(100_000)]
    texts += [f"{'x' * (number % 40)}{number}" for number in range(100_000)]
    texts = list(dict.fromkeys(texts))
    hashed = ByteTexts.of(texts).hashes()
    assert len(set(hashed.tolist())) == len(texts)
    upper = len(set((hashed >> np.uint64(32)).tolist()))
    assert upper > 0.9999 * len(texts)


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=9), max_size=9))
def test_lines_become_a_column_or_nothing(texts: list[str]) -> None:
    lines = ByteTexts.of(texts).lines()
    assert lines == "".join(f"{text}\n" for text in texts).encode()
    column = PolarsTexts.of_lines(lines, len(texts))
    odd = any(min(text, default="") < " " or text.startswith("\ufeff") for text in texts)
    if column is not None:
        assert column.to_list() == texts
    elif texts:
        assert odd


def test_ordinary_ids_become_a_column() -> None:
    ids = ["q1", "물음-2", '"quoted"', "a,b", "#7", "NULL", "007"]
    column = PolarsTexts.of_lines(ByteTexts.of(ids).lines(), len(ids))
    assert column is not None
    assert column.to_list() == ids
