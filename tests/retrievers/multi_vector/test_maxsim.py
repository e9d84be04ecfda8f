"""MaxSim is the same bits in any order, and no further from float32 than the search allows for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragscore.encoders.ragged import Ragged
from ragscore.retrievers.multi_vector.maxsim import maxsim


def drawn(numbers: np.random.Generator, texts: int, dimension: int, size: float) -> Ragged:
    bounds = np.append(0, np.cumsum(numbers.integers(0, 6, texts)))
    values = numbers.standard_normal((bounds[-1], dimension)) * size
    return Ragged(bounds, values.astype(np.float32))


@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.sampled_from([0.03, 1, 300]))
def test_no_order_changes_a_bit(seed: int, dimension: int, size: float) -> None:
    numbers = np.random.default_rng(seed)
    queries, passages = (drawn(numbers, count, dimension, size) for count in (5, 30))
    wanted = maxsim(queries, passages)
    order = numbers.permutation(dimension)
    turned = [Ragged(one.bounds, one.values[:, order]) for one in (queries, passages)]
    assert maxsim(*turned).tobytes() == wanted.tobytes()
    some = numbers.permutation(30)[:11]
    for query in range(5):
        found = maxsim(queries[np.array([query])], passages[some])
        assert found.tobytes() == wanted[query : query + 1, some].tobytes()
    known = np.isfinite(wanted)
    near = maxsim(queries, passages, canonical=False)
    assert (np.isfinite(near) == known).all()
    most = 1e-5 * dimension * size * size
    assert np.allclose(near[known], wanted[known], rtol=1e-5, atol=most)
