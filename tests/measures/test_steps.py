"""Measures off the found passages alone are those off all ranks, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.dataset import NumberedIds, Qrels
from ragscore.judge import Blocks, Found, Judged
from ragscore.measures import Measure, parse_measure, parse_measures
from ragscore.run import Run
from ragscore.scoring.blocks import measure_block

FAMILIES = [
    *("P", "P(denominator=returned)", "P(denominator=min)", "P(relevant_from=2)"),
    *("R", "R(denominator=min)", "F1", "F(beta=2.5)", "Success", "RR", "RR(relevant_from=3)"),
    *("AP", "AP(denominator=min)", "AP(denominator=k)", "Judged"),
    *("CG", "DCG", "CG(gain=exp)", "DCG(gain={0:1,2:9})"),
    *("nDCG", "nDCG(gain=exp)", "nDCG(gain=binary,relevant_from=2)", "nDCG(ideal=uncut)"),
    *("nDCG(gain={1:3,2:1})", "nDCG(gain={1:-2})"),
]
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
    (work,) = Blocks(run, qrels, depth=DEPTH, places=None)
    return work()


def measures_of(text: str) -> tuple[Measure, ...]:
    at = [parse_measure(f"{text}@{k}") for k in CUTOFFS]
    family = at[0].family()
    return (*at, family) if not family.needs_cutoff else tuple(at)


@pytest.mark.parametrize("text", FAMILIES)
def test_the_same_values(text: str) -> None:
    measures = measures_of(text)

    @given(seeds)
    def check(seed: int) -> None:
        block = block_of(seed)
        if not isinstance(block, Found):
            return
        assert measures[0].family().steps(block) is not None
        quick, slow = (measure_block(one, measures, DEPTH) for one in (block, block.dense()))
        np.testing.assert_array_equal(quick.values, slow.values)
        assert quick.curves.keys() == slow.curves.keys()
        for name, sums in quick.curves.items():
            for column in ("sums", "squares", "defined", "weight"):
                ours, theirs = getattr(sums, column), getattr(slow.curves[name], column)
                np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)

    check()


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


OTHERS = [
    *("RBP", "ERR@10", "Rprec", "BPref", "InfAP", "MR@20", "AR@10", "IPrec@0.5", "11pt", "SetF"),
    *("NumRelRet", "Unjudged@10", "IDCG@3", "GMAP", "RBPResidual"),
    *("AP(tie=expected)@7", "nDCG(tie=max)@7", "P(tie=min)@7", "R(empty=skip)@7", "RR(empty=1)"),
    *("P(average=micro)@7", "AP(denominator=found)@7", "nDCG(ideal=slots)@7"),
]


@pytest.mark.parametrize("text", OTHERS)
def test_the_others_are_computed_from_all_ranks(text: str) -> None:
    (measure,) = parse_measures([text])
    for seed in range(5):
        block = block_of(seed, scored=True)
        values = (measure_block(one, (measure,), DEPTH).values for one in (block, block.dense()))
        np.testing.assert_array_equal(*values)
