"""Results to hold against each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.factories.changed_results import MEASURES, TENANCY
from tests.factories.results import ran


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A result folder of some retrievers on a dataset, each made once."""
    known: dict[str, Path] = {}

    def make(
        retrievers: dict[str, Any], dataset: Path = TENANCY, measures: Any = MEASURES, **parts: Any
    ) -> Path:
        key = json.dumps([retrievers, str(dataset), measures, parts])
        if key not in known:
            place = tmp_path_factory.mktemp("made")
            parts = {"measures": measures, "depth": 20, **parts}
            known[key] = ran(place, "tenancy", [dataset], retrievers=retrievers, **parts)
        return known[key]

    return make
