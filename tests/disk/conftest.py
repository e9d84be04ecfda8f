"""A folder to work in, the command there, and a disk that is soon full."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragscore.formats import write_dataset
from tests.factories.full_disk import AS_ROOT, CONFIG, Commands, dataset


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a config over a dataset of its own."""
    write_dataset(dataset(), tmp_path / "data")
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    return tmp_path


@pytest.fixture
def small_disk(work: Path) -> Iterator[Callable[[int], Path]]:
    """Mounts a file system of so many KiB."""
    place = work / "disk"
    place.mkdir()

    def mounted(size: int) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(place)]
        if not AS_ROOT or not shutil.which("mount"):
            pytest.skip("only root mounts a file system")
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("a file system cannot be mounted here")
        return place

    yield mounted
    if os.path.ismount(place):
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def ragscore(work: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.chdir(work)
    monkeypatch.setenv("RAGSCORE_CACHE", str(work / "cache"))
    return Commands()
