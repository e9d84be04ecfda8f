"""``tie=expected``, ``min`` and ``max`` against every order of the tied passages."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.dataset import Qrels
from ragscore.errors import MeasureError
from ragscore.judge import judge
from ragscore.measures import Measure, parse_measure
from ragscore.run import Run
from ragscore.scoring import score
from tests.factories.thorough import examples

DEPTH = 10
MEASURES = [
    "P", "P(denominator=returned)", "P(denominator=min)", "P(relevant_from=2)",
    "R", "R(denominator=min)", "F1", "F1(beta=2)", "Success", "Success(relevant_from=2)",
    "RR", "RR(relevant_from=2)", "RR(empty=1)", "AP", "AP(denominator=min)", "AP(denominator=k)",
    "AP(denominator=found)", "AP(relevant_from=2)", "AP(denominator=found,relevant_from=2)",
    "nDCG", "nDCG(gain=exp)", "nDCG(gain=binary)", "nDCG(gain={1:3,2:1})",
    "nDCG(gain={0:-1,2:0.5})", "nDCG(relevant_from=2)",
    "nDCG(ideal=returned)", "nDCG(ideal=slots)", "nDCG(ideal=uncut)",
    "nDCG(ideal=as_many)",
]  # fmt: skip
every = pytest.mark.parametrize("text", MEASURES)

Shape = list[list[int | None]]
"""Tie groups, best first: the grade of each passage, None where nobody judged it."""
grade = st.sampled_from([None, -1, 0, 1, 1, 2, 3])
small = st.lists(st.lists(grade, min_size=1, max_size=4), min_size=1, max_size=3).filter(
    lambda shape: math.prod(math.factorial(len(group)) for group in shape) <= 150
)
of_six = st.lists(grade, min_size=6, max_size=6).map(lambda group: [[1], group, [0, 1]])
elsewhere = st.lists(st.integers(0, 3), max_size=3)
"""Grades of passages that were not returned."""


def with_tie(text: str, tie: str) -> Measure:
    """The measure without a cutoff, with one more option."""
    name, _, options = text.rstrip(")").partition("(")
    return parse_measure(f"{name}({options + ',' if options else ''}tie={tie})@1").family()


def named(shape: Shape) -> list[list[str]]:
    numbers = iter(range(100))
    return [[f"p{next(numbers):02}" for _ in group] for group in shape]


def orders(shape: Shape) -> Iterator[list[str]]:
    for order in product(*(permutations(group) for group in named(shape))):
        yield [passage for group in order for passage in group]


def curves(measure: Measure, run: Run, grades: dict[str, float]) -> np.ndarray:
    """A row for each query: the values at cutoffs 1 to DEPTH, then without a cutoff."""
    qrels = Qrels.from_dict(dict.fromkeys(run.queries, grades))
    vocabulary = run.passages.extended(qrels.passages)
    judged = judge(run.onto(vocabulary), qrels.onto(vocabulary), depth=DEPTH)
    curve = measure.settled(measure.curve(judged), judged)
    return np.column_stack([curve, measure.uncut(judged, measure.curve(judged))])


def check(text: str, shape: Shape, other: list[int]) -> None:
    passages, flat = chain.from_iterable(named(shape)), chain.from_iterable(shape)
    judged = zip(passages, flat, strict=True)
    grades = {passage: float(grade) for passage, grade in judged if grade is not None}
    grades |= {f"x{number}": float(grade) for number, grade in enumerate(other)}
    if not grades:
        return
    ranked = {str(number): order for number, order in enumerate(orders(shape))}
    plain = curves(with_tie(text, "id"), Run.from_dict(ranked), grades)
    scores = {p: -float(at) for at, group in enumerate(named(shape)) for p in group}
    # A second query without ties stands beside the tied one.
    tied = Run.from_dict({"tied": scores, "strict": dict.fromkeys(["p00"], 1.0)})
    for tie in ("expected", "min", "max"):
        found = curves(with_tie(text, tie), tied, grades)
        wanted = {"expected": plain.mean, "min": plain.min, "max": plain.max}[tie](axis=0)
        np.testing.assert_allclose(found[0], wanted, rtol=0, atol=1e-12, err_msg=tie)
        strict = curves(with_tie(text, "id"), tied, grades)[1]
        np.testing.assert_array_equal(found[1], strict)


@pytest.mark.slow
@every
@given(shape=small, other=elsewhere)
@settings(max_examples=examples(40), deadline=None)
def test_every_order_of_small_groups(text: str, shape: Shape, other: list[int]) -> None:
    check(text, shape, other)


@pytest.mark.slow
@every
@given(shape=of_six, other=elsewhere)
@settings(max_examples=examples(30), deadline=None)
def test_every_order_of_a_group_of_six(text: str, shape: Shape, other: list[int]) -> None:
    check(text, shape, other)


@pytest.mark.parametrize("k", [1, 3, 10, None])
@pytest.mark.parametrize("gain", ["linear", "exp"])
def test_expected_ndcg_is_scikit_learns(k: int | None, gain: str) -> None:
    """scikit-learn averages over ties; its ideal is that of what is returned, so all is."""
    metrics = pytest.importorskip("sklearn.metrics")
    generator = np.random.default_rng(11)
    measure = f"nDCG(gain={gain},tie=expected)" + (f"@{k}" if k else "")
    for _ in range(30):
        grades = generator.integers(0, 4, 12).astype(float)
        scores = generator.integers(0, 4, 12).astype(float)
        run = {"q": {f"p{number}": float(s) for number, s in enumerate(scores)}}
        qrels = {"q": {f"p{number}": float(g) for number, g in enumerate(grades)}}
        (ours,) = score(run, qrels, [measure]).entries[0].means
        worth = grades if gain == "linear" else 2**grades - 1
        assert ours == pytest.approx(metrics.ndcg_score([worth], [scores], k=k), abs=1e-12)


def test_a_group_of_a_thousand_is_exact_too() -> None:
    """Half of a tied thousand is relevant: the chances are those of scipy."""
    stats = pytest.importorskip("scipy.stats")
    run = {"q": {f"p{number:04}": 1.0 for number in range(1000)}}
    qrels = {"q": [f"p{number:04}" for number in range(3)]}
    names = ["Success(tie=expected)@100", "P(tie=expected)@100", "AP(denominator=found)@100"]
    success, precision, _ = score(run, qrels, names).entries[0].means
    assert success == pytest.approx(1 - stats.hypergeom(1000, 3, 100).pmf(0), abs=1e-12)
    assert precision == pytest.approx(3 / 1000, abs=1e-12)
    measure = "AP(denominator=found,tie=expected)@1"
    many = {"q": [f"p{number:04}" for number in range(500)]}
    assert score(run, many, [measure]).entries[0].means[0] == pytest.approx(0.5, abs=1e-10)


def test_without_ties_nothing_changes_and_pads_are_no_group() -> None:
    run = {"q": {"a": 2.0, "b": 1.0}, "r": {"b": 1.0}}
    qrels = {"q": {"b": 1}, "r": {"b": 1, "c": 1}}
    for text in MEASURES:
        plain = [with_tie(text, tie) @ 10 for tie in ("id", "expected", "min", "max")]
        values = score(run, qrels, plain).entries[0].values
        np.testing.assert_array_equal(values, values[:1].repeat(4, axis=0))


def test_the_option_prints_beside_the_others() -> None:
    assert str(parse_measure("P(tie=id)@3")) == "P@3"
    measure = parse_measure("AP(tie=min,denominator=found)@5")
    assert str(measure) == "AP(denominator=found,tie=min)@5"
    assert measure.label == "mAP(denominator=found,tie=min)@5"
    assert str(parse_measure("F(tie=expected)@3")) == "F1(tie=expected)@3"
    with pytest.raises(MeasureError, match="Allowed: id, expected, min, max"):
        parse_measure("RR(tie=best)")
