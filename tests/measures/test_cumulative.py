"""Measures off the found passages alone are those off all ranks, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.dataset import NumberedIds, Qrels
from ragscore.dataset.forbidden import Forbidden
from ragscore.errors import MeasureError
from ragscore.judge import Blocks, Found, Judged
from ragscore.measures import IPrec, Measure
from ragscore.measures.cumulative import Cumulative
from ragscore.run import Run
from ragscore.scoring.conventions import choices, options_of
from ragscore.scoring.measured_blocks import measure_block
from tests.factories.every_measure import FLAT

NUMBERS: dict[str, tuple[object, ...]] = {
    "relevant_from": (2.0, 3.0),
    "beta": (2.5,),
    "p": (0.8,),
    "max_grade": (5.0,),
    "gain": ({1: 3, 2: 1}, {1: -2}, {0: 1, 2: 9}),
}
"""Values of options that take a number or a map."""


def variants(family: type[Measure]) -> Iterator[Measure]:
    """A measure with each value of each option, and with each value of two."""
    values = {
        option: [
            value
            for value in (*choices(family, option), *NUMBERS.get(option, ()))
            if value not in (family.model_fields[option].default, "error")
        ]
        for option in options_of(family)
    }
    level = {"recall": 0.5} if family is IPrec else {}
    chosen: list[dict[str, object]] = [{}]
    for first in values:
        chosen += [{first: value} for value in values[first]]
    for first, second in combinations(values, 2):
        pairs = product(values[first], values[second])
        chosen += [{first: one, second: other} for one, other in pairs]
    for options in chosen:
        with suppress(MeasureError):  # not every value fits, nor every pair
            yield family(**options, **level)


VARIANTS = {family: list(variants(family)) for family in FLAT}


def stepwise(measure: Measure) -> bool:
    return isinstance(measure, Cumulative) and measure.stepwise


CUTOFFS = (1, 2, 3, 7, 20, 39, 40)
DEPTH = 40
seeds = st.integers(0, 2**32 - 1)


def block_of(seed: int, *, most: int = 10, scored: bool = False) -> Judged | Found:
    """A block of 40 ranks and few judgments: some queries got less, some nothing."""
    random = np.random.default_rng(seed)
    queries = int(random.integers(1, 12))
    rows = np.array([random.permutation(200)[:DEPTH] for _ in range(queries)])
    for query, got in enumerate(random.integers(0, DEPTH + 20, queries)):
        rows[query, got:] = -1
    scores = random.integers(0, 60, rows.shape).astype(float) if scored else None
    run = Run.make(NumberedIds(queries), NumberedIds(200), rows, scores)
    judged = [(q, random.permutation(200)[: random.integers(0, most + 1)]) for q in range(queries)]
    columns = [np.array([q for q, ids in judged for _ in ids], dtype=int)]
    columns.append(np.array([passage for _, ids in judged for passage in ids], dtype=int))
    grades = random.choice([-1.0, 0.0, 1.0, 2.0, 3.0, 0.1], len(columns[0]))
    qrels = Qrels.from_rows(*columns, grades, NumberedIds(queries), NumberedIds(200))
    pairs = map(str, range(queries)), map(str, random.integers(0, 200, queries))
    forbidden = Forbidden.of_pairs(*pairs, qrels.queries, qrels.passages)
    qrels = replace(qrels, forbidden=forbidden)
    (work,) = Blocks(run, qrels, depth=DEPTH, places=None, n_passages=200)
    return work()


@pytest.fixture(scope="module")
def compact() -> list[Found]:
    blocks = [block_of(seed) for seed in range(12)]
    return [block for block in blocks if isinstance(block, Found)]


@pytest.mark.slow
@pytest.mark.parametrize("family", FLAT)
def test_the_same_values(family: type[Measure], compact: list[Found]) -> None:
    kinds = [one for one in VARIANTS[family] if stepwise(one)]
    measures = [one @ k for one in kinds for k in CUTOFFS]
    measures += [] if family.needs_cutoff else kinds
    for block in compact:
        quick, slow = (measure_block(one, measures, DEPTH) for one in (block, block.dense()))
        np.testing.assert_array_equal(quick.values, slow.values)
        assert quick.curves.keys() == slow.curves.keys()
        for name, sums in quick.curves.items():
            for column in ("sums", "squares", "defined", "weight"):
                ours, theirs = getattr(sums, column), getattr(slow.curves[name], column)
                np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@given(seeds)
def test_the_same_counts(seed: int) -> None:
    block = block_of(seed, scored=True)
    quick, slow = (measure_block(one, (), DEPTH) for one in (block, block.dense()))
    for column in ("tied", "returned", "judged"):
        np.testing.assert_array_equal(getattr(quick, column), getattr(slow, column))
    assert (quick.empty, quick.without_relevant) == (slow.empty, slow.without_relevant)


def test_most_blocks_here_are_compact() -> None:
    compact = sum(isinstance(block_of(seed), Found) for seed in range(50))
    assert compact > 40
    assert isinstance(block_of(3, most=150), Judged)


@pytest.mark.parametrize("family", FLAT)
def test_the_others_too(family: type[Measure], compact: list[Found]) -> None:
    others = [one for one in VARIANTS[family] if not stepwise(one)]
    measures = [one @ 7 if one.has_curve and one.needs_cutoff else one for one in others]
    for block in compact[:3]:
        values = (measure_block(one, measures, DEPTH).values for one in (block, block.dense()))
        np.testing.assert_array_equal(*values)
