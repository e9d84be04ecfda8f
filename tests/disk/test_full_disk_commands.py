"""Commands on a full disk or without permission: one line, exit code 1."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.factories.full_disk import (
    AS_ROOT,
    ROOT,
    Commands,
    contents,
    largest,
    leftovers,
    ordinary,
)


def test_the_commands(work: Path, ragscore: Commands) -> None:
    """Each command that writes, with files that may not grow."""
    ragscore.works("run", "config.yaml", "-o", "out", "-q")
    before = contents(work / "out")
    with largest(900):
        kept = f"unchanged, and what was searched is in {work / 'cache'}: the next run goes on"
        ragscore.refused("run", "config.yaml", "-o", "new", "-q", texts=[work / "new", kept])
        kept = "What is already there is unchanged. Make room there, or name another place"
        ragscore.refused("report", "out", "-q", texts=["out: the report", kept])
        instead = "Make room there, or name another file with --csv"
        ragscore.refused("tune", "out", "--csv", "c.csv", "-q", texts=["c.csv: ", instead])
    with largest(300):
        instead = "Nothing was kept. Make room there, or name another folder"
        ragscore.refused("init", "starter", texts=["starter: ", instead])
    assert contents(work / "out") == before
    assert not (work / "c.csv").exists()
    assert contents(work / "starter") == {}


@pytest.mark.slow
def test_a_report_that_does_not_fit_costs_no_result(work: Path, ragscore: Commands) -> None:
    _, whole, _ = ragscore("run", "config.yaml", "-o", "whole", "-q")
    files = contents(work / "whole")
    size = max(len(content) for name, content in files.items() if not name.startswith("report"))
    config = (work / "config.yaml").read_text(encoding="utf-8").replace("[csv]", "[html]")
    (work / "config.yaml").write_text(config, encoding="utf-8")
    with largest(size + 2_000):
        code, printed, error = ragscore("run", "config.yaml", "-o", "out", "-q")
    assert code == 1
    assert error.startswith(f"{work / 'out'}: the report cannot be written: ")
    assert error.count("\n") == 1
    assert printed.splitlines()[:4] == whole.splitlines()[:4]
    assert (work / "out" / "manifest.json").is_file()
    assert not (work / "out" / "report.html").exists()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_device(work: Path, ragscore: Commands) -> None:
    command = [sys.executable, "-m", "ragscore", "schema"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", cwd=ROOT, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith("stdout cannot be written: No space left on device. ")
    assert done.stderr.count("\n") == 1
    ragscore.works("run", "config.yaml", "-o", "out", "-q")
    texts = ["/dev/full: ", "No space left on device"]
    ragscore.refused("tune", "out", "--csv", "/dev/full", "-q", texts=texts)
    assert Path("/dev/full").is_char_device()


@pytest.mark.slow
@pytest.mark.skipif(
    AS_ROOT and sys.platform != "linux", reason="root's privileges are given up as on Linux"
)
def test_without_permission(work: Path, ragscore: Commands) -> None:
    ragscore.works("run", "config.yaml", "-o", "out", "-q")
    before = contents(work)
    places = [work / "cache", work / "out", work]
    for place in places:
        place.chmod(0o555)
    why = "Permission denied. "
    try:
        with ordinary():
            kept = "Nothing was searched yet, and earlier results are unchanged. Allow writing"
            ragscore.refused("run", "config.yaml", "-q", texts=[work, why, kept])
            ragscore.refused("report", "out", "-q", texts=["out: the report", why])
            ragscore.refused("tune", "out", "--csv", "c.csv", "-q", texts=["c.csv: ", why])
            ragscore.refused("init", "starter", texts=["starter: ", why])
            assert contents(work) == before
            work.chmod(0o755)
            notes = ragscore.works("run", "config.yaml", "-o", "new", "--set", "depth=17")
            assert f"{work / 'cache'}: the cache cannot be written: {why}" in notes
    finally:
        for place in places:
            place.chmod(0o755)


def test_a_small_file_system(
    work: Path,
    ragscore: Commands,
    small_disk: Callable[[int], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = small_disk(24)
    monkeypatch.setenv("RAGSCORE_CACHE", str(place / "cache"))
    notes = ragscore.works("run", "config.yaml", "-o", "out")
    assert f"{place / 'cache'}: the cache cannot be written: No space left" in notes
    texts = [place / "out", "No space left on device", "Earlier results are unchanged"]
    ragscore.refused("run", "config.yaml", "-o", place / "out", "-q", texts=texts)
    assert not (place / "out").exists()
    assert (work / "out" / "summary.json").is_file()
    assert leftovers(place) == []
