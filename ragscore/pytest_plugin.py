"""The plugin that pytest loads where ragscore is installed: one fixture, and nothing heavy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest


class NotWorse(Protocol):
    """What the fixture :func:`ragscore_not_worse` is."""

    def __call__(
        self,
        result: Any,
        max_drop: Mapping[str, float],
        *,
        baseline: Any = "baseline.json",
        **changes: Any,
    ) -> Any:
        """:func:`ragscore.testing.assert_not_worse`; paths start from pytest's root folder."""
        ...


@pytest.fixture
def ragscore_not_worse(pytestconfig: pytest.Config) -> NotWorse:
    """``ragscore_not_worse(result, {"nDCG@10": 0.02})`` fails the test where the result is worse
    than baseline.json in pytest's root folder, with the table that ``ragscore gate`` prints."""

    def check(
        result: Any,
        max_drop: Mapping[str, float],
        *,
        baseline: Any = "baseline.json",
        **changes: Any,
    ) -> Any:
        __tracebackhide__ = True
        from ragscore.testing import assert_not_worse

        root = pytestconfig.rootpath
        placed = [
            root / given if isinstance(given, str | Path) else given for given in (result, baseline)
        ]
        return assert_not_worse(placed[0], placed[1], max_drop, **changes)

    return check
