"""Killing the process at any moment leaves no output folder, or a complete one; the next run
sweeps what else was left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragscore import Cache, load_experiment, run_experiment
from ragscore.results.folder_writing import ASIDE
from ragscore.results.manifest_file import read_document
from ragscore.scratch import PARTIAL
from tests.factories.thorough import THOROUGH

PROGRAM = """
import sys
from ragscore import Cache, load_experiment, run_experiment
experiment = load_experiment(sys.argv[1])
print("go", flush=True)
for number in range(1000):
    run_experiment(experiment, output=sys.argv[2] + str(number), cache=Cache(sys.argv[3]))
    print("done", flush=True)
"""


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path, root: Path) -> None:
    config = tmp_path / "config.yaml"
    dataset = (root / "datasets" / "harbour-tenancy").as_posix()
    config.write_text(
        f"dataset: {dataset}\nretrievers: {{bm25: {{kind: bm25}}}}\nlatency: false\n",
        encoding="utf-8",
    )
    complete = 0
    for moment in (1, 2, 5, 6) if THOROUGH else (5, 2):
        outputs = tmp_path / f"outputs{moment}"
        outputs.mkdir()
        arguments = [str(config), f"{outputs}{os.sep}run", str(tmp_path / "cache")]
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments], stdout=subprocess.PIPE, cwd=root
        )
        assert process.stdout is not None
        # Odd moments fall into the first run, even ones into a later run.
        for _ in range(1 if moment % 2 else 2):
            assert process.stdout.readline()
        time.sleep(0.006 * moment)
        process.kill()
        process.wait()
        for folder in outputs.iterdir():
            if folder.name.startswith("."):
                continue  # never taken for a result
            manifest = read_document(folder)
            for name, file in manifest["files"].items():
                assert (folder / name).stat().st_size == file["bytes"]
            complete += 1
        cache = Cache(tmp_path / "cache")
        run_experiment(load_experiment(config), output=outputs / "next", cache=cache)
        left = [path for path in tmp_path.rglob(".*") if path.name.startswith((PARTIAL, ASIDE))]
        assert left == []
    assert complete >= (2 if THOROUGH else 1), "the even moments come after a finished run"
