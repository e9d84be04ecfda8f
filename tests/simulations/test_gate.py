"""What a gate decides is true as often as it says, and what 40 queries cannot tell is left open."""

from __future__ import annotations

import pytest

from tests.simulations.gate_tables import gates

pytestmark = pytest.mark.slow

EXTREME = "1 of 20 rises by 0.6"
"""Few large gains hide from samples: t is known not to hold there; docs/statistics.md says so."""
HIDDEN = "1 of 20 falls by 0.6"
"""A sample that holds none of the falls has not changed, and passes."""


def test_verdicts_are_as_rarely_wrong_and_as_often_given_as_stated() -> None:
    rows = gates().rows
    assert len(rows) == 24
    for name, queries, fail_at, pass_at, beyond, stated, fail, _, undecided in rows:
        case = (name, queries)
        assert float(fail) <= 0.05, case
        assert float(beyond) >= float(stated) - 0.04, case
        if not str(name).startswith(EXTREME):
            assert float(fail_at) <= 0.064, case
        if not str(name).startswith(HIDDEN):
            assert float(pass_at) <= 0.08, case
            if queries == "40":
                assert float(undecided) >= 0.8, case
