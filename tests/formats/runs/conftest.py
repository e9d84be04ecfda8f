"""No fall back to the slow reader."""

from __future__ import annotations

import pytest

from ragscore.formats.runs import trec


@pytest.fixture
def only_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow reader may be used by the test, and not by the join."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the slow reader was asked")

    monkeypatch.setattr(trec, "line_by_line", refuse)
