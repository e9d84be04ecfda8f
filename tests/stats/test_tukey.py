"""Randomized Tukey HSD: equal to loops in plain Python over the same permutations."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from ragscore.errors import ConfigError, DataError
from ragscore.stats import tukey
from ragscore.stats.tukey import label_permutations, randomized_tukey
from tests.stats.one_column import paired_test

B, SEED = 199, 5


def plain(
    scores: list[list[float]], permutations: list[list[list[int]]], clusters: list[int]
) -> list[list[float]]:
    """Carterette (2012): for one measure, scores[system][query], by the book."""
    systems = range(len(scores))
    queries = [
        q for q in range(len(clusters)) if all(scores[s][q] == scores[s][q] for s in systems)
    ]

    def means(taken: Any) -> list[float]:
        return [sum(scores[taken(s, q)][q] for q in queries) / len(queries) for s in systems]

    observed = means(lambda s, q: s)
    counts = [[0 for _ in systems] for _ in systems]
    for labels in permutations:
        permuted = means(lambda s, q, labels=labels: labels[clusters[q]][s])
        spread = round(max(permuted) - min(permuted), 10)
        for i in systems:
            for j in systems:
                counts[i][j] += spread >= round(abs(observed[i] - observed[j]), 10)
    return [[(c + 1) / (len(permutations) + 1) for c in row] for row in counts]


def drawn(units: int, systems: int, permutations: int, seed: int = SEED) -> np.ndarray:
    return np.concatenate(list(label_permutations(units, systems, permutations, seed)))


def examples() -> dict[str, tuple[np.ndarray, list[int] | None]]:
    random = np.random.default_rng(1)
    means = np.array([0.0, 0.05, 0.1, 0.3])[:, None]
    smooth = random.random((3, 4, 15)) + means
    binary = (random.random((2, 3, 12)) < [[0.3], [0.5], [0.8]]).astype(float)
    tenths = np.round(random.random((2, 4, 10)), 1)
    undefined = smooth.copy()
    undefined[0, :, 3] = np.nan  # no system has it
    undefined[1, 2, 7] = np.nan  # one has it not
    return {
        "smooth": (smooth, None),
        "binary, many ties": (binary, None),
        "tenths, ties that rounding parts": (tenths, None),
        "undefined": (undefined, None),
        "clusters": (smooth, [0, 0, 0, 1, 2, 2, 3, 4, 5, 5, 5, 6, 7, 8, 8]),
        "clusters, undefined": (undefined, [0, 0, 0, 1, 2, 2, 3, 4, 5, 5, 5, 6, 7, 8, 8]),
        "two systems": (smooth[:1, :2], None),
        "all the same": (np.ones((1, 3, 6)), None),
    }


@pytest.mark.parametrize("name", examples())
def test_as_plain_python(name: str) -> None:
    values, clusters = examples()[name]
    labels = list(range(values.shape[2])) if clusters is None else clusters
    permutations = drawn(max(labels) + 1, values.shape[1], B).tolist()
    found = randomized_tukey(
        values, permutations=B, seed=SEED, clusters=None if clusters is None else np.array(clusters)
    )
    expected = [plain(scores, permutations, labels) for scores in values.tolist()]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(found, found.transpose(0, 2, 1))
    assert (np.diagonal(found, axis1=1, axis2=2) == 1).all()


def test_each_row_is_a_permutation_and_every_permutation_is_as_likely() -> None:
    rows = drawn(40, 3, 300).reshape(-1, 3)
    assert (np.sort(rows, axis=1) == [0, 1, 2]).all()
    counts = Counter(map(tuple, rows.tolist()))
    expected = len(rows) / 6
    assert len(counts) == 6
    # Chi-square with 5 degrees of freedom: above 20.5 in one draw of a thousand.
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 20.5


def test_one_permutation_serves_all_measures_and_neither_chunks_nor_more_of_them_change_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = examples()["smooth"][0]
    together = randomized_tukey(values, permutations=B)
    for measure, alone in enumerate(values):
        np.testing.assert_array_equal(randomized_tukey(alone, permutations=B)[0], together[measure])
    first = drawn(15, 4, 50)
    monkeypatch.setattr(tukey, "LABELS_AT_ONCE", 7 * 15 * 4)
    np.testing.assert_array_equal(drawn(15, 4, 60)[:50], first)
    np.testing.assert_array_equal(randomized_tukey(values, permutations=B), together)


def test_the_same_seed_the_same_digits_another_seed_others() -> None:
    values = examples()["smooth"][0]
    assert (randomized_tukey(values, seed=1) == randomized_tukey(values, seed=1)).all()
    assert (randomized_tukey(values, seed=1) != randomized_tukey(values, seed=2)).any()


def test_for_two_systems_it_is_the_sign_flip_test() -> None:
    values = np.random.default_rng(2).normal(0, 1, (2, 16))
    values[0] += 0.4
    exact = paired_test(values[0] - values[1]).p
    found = randomized_tukey(values, permutations=20_000)[0, 0, 1]
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def test_a_pair_is_held_against_the_range_of_all() -> None:
    random = np.random.default_rng(4)
    values = random.normal(0, 1, (8, 30))
    values[0] += 0.6
    alone = randomized_tukey(values[:2])[0, 0, 1]
    among_all = randomized_tukey(values)[0, 0, 1]
    assert among_all > alone


def test_no_system_better_than_another_is_found_in_at_most_5_in_100_families() -> None:
    random = np.random.default_rng(6)
    families = 400
    found = sum(
        randomized_tukey(random.random((5, 20)), permutations=99, seed=seed).min() <= 0.05
        for seed in range(families)
    )
    assert found / families <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / families)


@pytest.mark.parametrize(
    ("values", "options", "error", "says"),
    [
        (np.ones((1, 9)), {}, DataError, "at least two systems"),
        (np.ones((2, 0)), {}, DataError, "no query"),
        (np.ones(9), {}, DataError, "shape"),
        (np.array([[1.0, np.inf], [0.0, 1.0]]), {}, DataError, "infinite"),
        (np.ones((2, 9)), {"clusters": np.zeros(8, dtype=np.int64)}, DataError, "one per query"),
        (np.ones((2, 9)), {"permutations": 0}, ConfigError, "1 or more"),
        (np.ones((2, 9)), {"seed": -1}, ConfigError, "seed"),
    ],
)
def test_wrong_asks(
    values: np.ndarray, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        randomized_tukey(values, **options)


def test_a_measure_that_is_defined_nowhere_shows_nothing() -> None:
    values = np.stack([np.full((3, 5), np.nan), np.random.default_rng(0).random((3, 5))])
    assert (randomized_tukey(values)[0] == 1).all()
