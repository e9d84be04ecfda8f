"""Which ids a sample holds depends on the ids and the seed, and on nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray

from ragscore.dataset import Ids, NumberedIds
from ragscore.dataset.byte_ids import joined_ids
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.drawing import draw_numbers, drawn

IDS = [f"문단-{number}" for number in range(5000)]
CRITICAL = 330.5
"""A chi-square with 255 degrees of freedom is larger once in a thousand times."""


def names(count: int, seed: int = 0, ids: list[str] = IDS) -> set[str]:
    return {ids[row] for row in drawn(ids, count, seed).tolist()}


def test_a_larger_sample_holds_every_smaller_one() -> None:
    before: set[str] = set()
    for count in (1, 2, 3, 70, 71, 1000, 4999, 5000, 9000):
        found = names(count)
        assert before <= found
        assert len(found) == min(count, len(IDS))
        before = found


def test_neither_the_order_nor_the_file_nor_the_other_ids_matter() -> None:
    mixed = np.random.default_rng(3).permutation(len(IDS)).tolist()
    assert names(500) == names(500, ids=[IDS[row] for row in mixed])
    shards = joined_ids([Ids(IDS[:700]), Ids(IDS[700:])])
    assert drawn(shards, 500).tolist() == drawn(IDS, 500).tolist() == sorted(drawn(IDS, 500))
    # Of half of the ids, those are drawn that the same limit draws from all.
    half = IDS[::2]
    assert names(200, ids=half) == names(5000) & set(half) & names(200, ids=half)
    assert names(300) & set(half) <= names(200, ids=half)


def test_another_seed_draws_others_and_the_same_seed_always_these() -> None:
    assert drawn(NumberedIds(20), 5, seed=0).tolist() == [2, 5, 9, 13, 16]
    common = len(names(2500) & names(2500, seed=1))
    assert abs(common - 1250) < 5 * np.sqrt(5000 / 16)  # each is in both with probability 1/4


def chi_square(numbers: NDArray[np.uint64]) -> float:
    """Of the first eight bits, which decide what is drawn."""
    counts = np.bincount((numbers >> np.uint64(56)).astype(np.int64), minlength=256)
    expected = len(numbers) / 256
    return float(((counts - expected) ** 2 / expected).sum())


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
@pytest.mark.parametrize(
    "name", [str, "msmarco_passage_{:08d}".format, "{:x}".format, "가나다라마바사 {}".format]
)
def test_ids_in_a_row_are_drawn_evenly(name: object, seed: int) -> None:
    assert callable(name)
    numbers = draw_numbers(ByteTexts.of(name(number) for number in range(50_000)), seed)
    assert chi_square(numbers) < CRITICAL
    assert len(np.unique(numbers)) == len(numbers)


def test_the_test_of_evenness_can_fail() -> None:
    """Numbers that follow the order of the ids are too even, those of a poor hash too uneven."""
    poor = np.array([sum(str(number).encode()) for number in range(50_000)], dtype=np.uint64)
    assert chi_square(poor << np.uint64(54)) > CRITICAL


@given(some.lists(some.text(max_size=20), unique=True, max_size=30), some.integers(0, 2**63 - 1))
def test_any_ids_have_numbers_of_their_own(ids: list[str], seed: int) -> None:
    numbers = draw_numbers(ByteTexts.of(ids), seed)
    alone = [int(draw_numbers(ByteTexts.of([id]), seed)[0]) for id in ids]
    assert numbers.tolist() == alone
    assert len(set(alone)) == len(ids)
