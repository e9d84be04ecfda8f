"""Columns of texts do what Python's lists of texts do."""

from __future__ import annotations

import time
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.dataset import byte_texts
from ragscore.dataset.byte_texts import ByteTexts, TextLookup, first_rows, numbered
from tests.factories.thorough import examples

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


@quick
@given(columns, st.data())
def test_like_a_list(texts: list[str], data: st.DataObject) -> None:
    column = ByteTexts.of(texts)
    assert len(column) == len(texts)
    assert column.to_list() == texts
    row = st.integers(0, max(len(texts) - 1, 0))
    rows = data.draw(st.lists(row, max_size=20)) if texts else []
    taken = column.take(np.array(rows, dtype=np.int64))
    assert taken.to_list() == [texts[row] for row in rows]
    runs = [len(list(run)) for _, run in groupby(texts)]
    assert column.runs().tolist() == [sum(runs[:at]) for at in range(len(runs))]


@quick
@given(columns, columns)
def test_equal_texts(ours: list[str], theirs: list[str]) -> None:
    one, other = ByteTexts.of(ours), ByteTexts.of(theirs)
    pairs = [(a, b) for a in range(len(ours)) for b in range(len(theirs))]
    at, at_other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    expected = [ours[a] == theirs[b] for a, b in pairs]
    assert one.equal(at, other, at_other).tolist() == expected
    same_hash = one.hashes()[at] == other.hashes()[at_other]
    assert same_hash[np.array(expected, dtype=bool)].all()
    row_of = {text: row for row, text in enumerate(dict.fromkeys(theirs))}
    found = TextLookup(ByteTexts.of(row_of)).rows(one)
    assert found.tolist() == [row_of.get(text, -1) for text in ours]
    first = {text: row for row, text in reversed(list(enumerate(ours)))}
    assert first_rows(one).tolist() == [first[text] for text in ours]
    different, number = numbered(one)
    assert different.to_list() == list(dict.fromkeys(ours))
    assert [different.to_list()[at] for at in number] == ours


@quick
@given(st.lists(st.tuples(st.integers(0, 3), ids), max_size=30))
def test_falling_texts(rows: list[tuple[int, str]]) -> None:
    groups = np.array([group for group, _ in rows], dtype=np.int64)
    order = ByteTexts.of([text for _, text in rows]).falling(groups).tolist()
    by_text = sorted(rows, key=lambda row: row[1], reverse=True)
    assert [rows[at] for at in order] == sorted(by_text, key=lambda row: row[0])


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*"aabbbca", "x" * 9, "x" * 9, "x" * 17, "x" * 8, "x" * 8, "물음"] * 3
    whole = ByteTexts.of(texts)
    hashes, runs = whole.hashes(), whole.runs()
    for size in range(1, 12):
        monkeypatch.setattr(byte_texts, "BLOCK", size)
        assert np.array_equal(ByteTexts.of(texts).hashes(), hashes)
        assert np.array_equal(ByteTexts.of(texts).runs(), runs)


def test_long_texts_are_compared_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        *"ab",
        "x" * 9,
        "x" * 9,
        "x" * 17,
        "x" * 16 + "y",
        "물음" * 9,
        "물음" * 9,
        "x" * 17,
    ] * 2
    whole, groups = ByteTexts.of(texts), np.arange(len(texts)) % 2
    runs, order, first = whole.runs(), whole.falling(groups), first_rows(whole)
    for words in (1, 2, 3):
        monkeypatch.setattr(byte_texts, "LONG", words)
        column = ByteTexts.of(texts)
        assert np.array_equal(column.runs(), runs)
        assert np.array_equal(column.falling(groups), order)
        assert np.array_equal(first_rows(column), first)
        assert len(set(column.hashes().tolist())) == len(set(texts))


@pytest.mark.slow
def test_a_text_of_megabytes_takes_no_longer_than_reading_it() -> None:
    texts = ["x" * 20_000_000, "x" * 20_000_000, "x" * 19_999_999 + "y", "a"]
    column = ByteTexts.of(texts)
    begun = time.process_time()
    assert first_rows(column).tolist() == [0, 0, 2, 3]
    assert column.runs().tolist() == [0, 2, 3]
    assert column.falling(np.zeros(4, dtype=np.int64)).tolist() == [2, 0, 1, 3]
    assert time.process_time() - begun < 2


def test_hashes_differ() -> None:
    texts = [str(number) for number in range(100_000)]
    texts += [f"{'x' * (number % 40)}{number}" for number in range(100_000)]
    texts = list(dict.fromkeys(texts))
    hashed = ByteTexts.of(texts).hashes()
    assert len(set(hashed.tolist())) == len(texts)
    upper = len(set((hashed >> np.uint64(32)).tolist()))
    assert upper > 0.9999 * len(texts)
