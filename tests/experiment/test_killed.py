"""Killing the process at any moment leaves no output folder, or a complete one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from ragscore.experiment.record import read_manifest

PROGRAM = """
import sys
from ragscore import Cache, load_experiment, run_experiment
experiment = load_experiment(sys.argv[1])
print("go", flush=True)
for number in range(1000):
    run_experiment(experiment, output=sys.argv[2] + str(number), cache=Cache(sys.argv[3]))
"""


def test_killed_at_any_moment(tmp_path: Path, root: Path) -> None:
    config = tmp_path / "config.yaml"
    dataset = (root / "datasets" / "harbour-tenancy").as_posix()
    config.write_text(
        f"dataset: {dataset}\nretrievers: {{bm25: {{kind: bm25}}}}\nlatency: false\n",
        encoding="utf-8",
    )
    complete = 0
    for moment in range(6):
        outputs = tmp_path / f"outputs{moment}"
        outputs.mkdir()
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(config), f"{outputs}{os.sep}run", str(tmp_path / "cache")],
            stdout=subprocess.PIPE,
            cwd=root,
        )
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"go"
        time.sleep(0.35 + 0.043 * moment)
        process.kill()
        process.wait()
        for folder in outputs.iterdir():
            if folder.name.startswith("."):
                continue  # never taken for a result
            manifest = read_manifest(folder)
            for name, file in manifest["files"].items():
                assert (folder / name).stat().st_size == file["bytes"]
            complete += 1
    assert complete, "the moments must fall among finished runs too"
