"""A small result with every kind of file, and a copy that may be harmed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragscore import load_experiment, run_experiment
from tests.factories.hostile_results import CONFIG, SECRET
from tests.factories.house import write_dataset


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small result with every kind of file, beside its data."""
    folder = tmp_path_factory.mktemp("hostile")
    write_dataset(folder / "data", tagged=True)
    config = folder / "house.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    written = run_experiment(load_experiment(config), output=folder / "results" / "house").folder
    assert written is not None
    return written


@pytest.fixture
def result(original: Path, tmp_path: Path) -> Path:
    """A copy that may be harmed."""
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    return Path(shutil.copytree(original, tmp_path / "results" / "house"))
