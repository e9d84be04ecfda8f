"""Gap tests: Welch's t under re-assignment of queries, and t with the CR2 error for clusters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import linalg, stats

from ragscore.stats.gaps import gap_tests
from ragscore.stats.units import units_of


def plain_gap_p(values: np.ndarray, member: np.ndarray, drawn: int, seed: int) -> float:
    """Welch's t by scipy under random re-assignments drawn the same way, one at a time."""

    def t(inside: np.ndarray) -> float:
        return abs(stats.ttest_ind(values[inside], values[~inside], equal_var=False).statistic)

    rng = np.random.default_rng(seed)
    order = rng.permuted(np.tile(np.arange(len(values)), (drawn, 1)), axis=1)
    found = t(member)
    reached = sum(t(member[row]) >= found * (1 - 1e-9) for row in order)
    return (reached + 1) / (drawn + 1)


def test_gap_tests_are_welchs_t_under_permutation() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(2, 50))
    members = np.array([np.arange(50) < 15, np.arange(50) % 2 == 0])
    values[0, :15] += 0.9
    found = gap_tests(values, members, permutations=200, seed=8)
    for pair in range(2):
        for part in range(2):
            inside = members[part]
            assert found.inside[pair, part] == pytest.approx(values[pair, inside].mean())
            assert found.outside[pair, part] == pytest.approx(values[pair, ~inside].mean())
            assert found.p[pair, part] == plain_gap_p(values[pair], inside, 200, 8)


def test_gap_tests_agree_with_welchs_distribution_on_many_queries() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(1, 400)) + np.where(np.arange(400) < 100, 0.25, 0.0)
    member = np.arange(400) < 100
    p = stats.ttest_ind(values[0, member], values[0, ~member], equal_var=False).pvalue
    assert gap_tests(values, member[None], permutations=20_000).p[0, 0] == pytest.approx(
        p, abs=0.01
    )


def test_pairs_and_undefined_values_change_no_other_p() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(3, 60))
    members = np.arange(60)[None] < 20
    together = gap_tests(values, members, permutations=300)
    values[1, :3] = np.nan
    again = gap_tests(values, members, permutations=300)
    assert again.p[[0, 2], 0].tolist() == together.p[[0, 2], 0].tolist()
    assert again.n_inside[:, 0].tolist() == [20, 17, 20]
    alone = gap_tests(values[1:2, 3:], members[:, 3:], permutations=300)
    assert again.p[1, 0] == alone.p[0, 0]


def test_small_slices_are_not_tested_and_constant_differences_show_nothing() -> None:
    values = np.zeros((1, 40))
    members = np.array([np.arange(40) < 9, np.arange(40) < 10, np.arange(40) < 31])
    found = gap_tests(values, members, permutations=200)
    assert np.isnan(found.p[0]).tolist() == [True, False, True]
    assert found.p[0, 1] == 1.0
    values[0, :10] = 0.5
    assert gap_tests(values, members, permutations=200).p[0, 1] == pytest.approx(1 / 201)


def test_clusters_are_the_units_of_a_gap_test() -> None:
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(40), 5)
    values = (np.repeat(rng.normal(size=40), 5) + rng.normal(size=200) * 0.01)[None]
    member = (clusters < 15)[None]
    found = gap_tests(values, member, clusters=clusters, permutations=200).p[0, 0]
    # With five near copies of each, the test is that of the cluster means.
    means = values[0].reshape(40, 5).mean(axis=1)
    welch = stats.ttest_ind(means[:15], means[15:], equal_var=False)
    expected = 2 * stats.t.sf(abs(welch.statistic), 14)
    assert found == pytest.approx(expected, abs=0.03)
    assert np.isnan(gap_tests(values, (clusters < 9)[None], clusters=clusters).p[0, 0])


def test_gap_tests_keep_their_level() -> None:
    rng = np.random.default_rng(7)
    # Shaped like differences of reciprocal ranks: many zeros, a few large steps.
    steps = np.array([0.0, 0.5, -0.5, 2 / 3, -2 / 3, 1.0, -1.0])
    values = rng.choice(steps, size=(4000, 60), p=[0.58, *[0.07] * 6])
    p = gap_tests(values, np.arange(60)[None] < 15, permutations=500).p[:, 0]
    assert 0.035 < (p < 0.05).mean() < 0.06


def by_matrices(
    values: NDArray[np.float64], member: NDArray[np.bool_], clusters: NDArray[np.int64]
) -> float:
    """The same p from the definition: the regression on membership, its CR2 variance and the
    degrees of freedom of Bell and McCaffrey, matrix by matrix."""
    design = np.column_stack([member, ~member]).astype(np.float64)
    contrast = np.array([1.0, -1.0])
    bread = np.linalg.inv(design.T @ design)
    hat = design @ bread @ design.T
    residuals = values - hat @ values
    identity = np.eye(len(values))
    variance, columns = 0.0, []
    for cluster in np.unique(clusters):
        own = clusters == cluster
        left = identity[np.ix_(own, own)] - hat[np.ix_(own, own)]
        weights = np.linalg.inv(linalg.sqrtm(left).real) @ design[own] @ bread @ contrast
        variance += float(weights @ residuals[own]) ** 2
        columns.append((identity - hat)[:, own] @ weights)
    made = np.column_stack(columns)
    eigenvalues = np.linalg.eigvalsh(made.T @ made)
    degrees = eigenvalues.sum() ** 2 / np.square(eigenvalues).sum()
    gap = contrast @ bread @ design.T @ values
    return float(2 * stats.t.sf(abs(gap) / np.sqrt(variance), degrees))


def clustered(
    rng: np.random.Generator, sizes: NDArray[np.int64], samples: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Clusters of these sizes, and values of which half of the variance is the cluster's own."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    own = rng.normal(size=(samples, len(sizes)))[:, clusters]
    return clusters, own + rng.normal(size=(samples, len(clusters)))


def test_clusters_that_reach_inside_and_outside_have_the_error_of_their_regression() -> None:
    rng = np.random.default_rng(11)
    clusters, values = clustered(rng, rng.integers(1, 9, 30), 3)
    member = rng.random(len(clusters)) < 0.4
    found = gap_tests(values, member[None], clusters=clusters).p[:, 0]
    assert found == pytest.approx([by_matrices(row, member, clusters) for row in values], rel=1e-9)


def test_whole_clusters_inside_and_outside_have_the_errors_of_two_means() -> None:
    rng = np.random.default_rng(12)
    clusters, values = clustered(rng, rng.integers(1, 9, 30), 1)
    member = clusters < 12
    sides = [units_of(values[:, side], clusters[side]) for side in (member, ~member)]
    gap = float(sides[0].means()[0] - sides[1].means()[0])
    error = float(np.hypot(*(float(side.standard_errors()[0]) for side in sides)))
    found = float(gap_tests(values, member[None], clusters=clusters).p[0, 0])
    assert found == pytest.approx(by_matrices(values[0], member, clusters), rel=1e-9)
    # t has at least the degrees of freedom of the smaller side, and at most both together.
    least, most = (2 * stats.t.sf(abs(gap) / error, degrees) for degrees in (40, 5))
    assert least <= found <= most


@pytest.mark.parametrize("whole", [True, False], ids=["whole clusters", "clusters on both sides"])
def test_gap_tests_of_clusters_of_different_sizes_keep_their_level(whole: bool) -> None:
    rng = np.random.default_rng(13)
    sizes = np.array([1, 2, 3, 4, 5, 6] * 6)
    clusters, values = clustered(rng, sizes, 4_000)
    member = clusters < 18 if whole else rng.random(len(clusters)) < 0.4
    p = gap_tests(values, member[None], clusters=clusters).p[:, 0]
    assert 0.04 < (p < 0.05).mean() < 0.062
    alone = gap_tests(values[:500], member[None], permutations=200).p[:, 0]
    if whole:
        assert (alone < 0.05).mean() > 0.15, "queries counted as independent promise too much"
