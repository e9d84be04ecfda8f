"""How many examples a property is tried on: a tenth in the plain test command, all in .ci/run."""

from __future__ import annotations

import os

THOROUGH = os.environ.get("RAGSCORE_TESTS") == "thorough"


def examples(number: int) -> int:
    """The examples of this session, of the number that a thorough one tries."""
    return number if THOROUGH else max(number // 10, 4)
