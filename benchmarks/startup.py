"""How long ``ragscore --help`` takes, in units of ``python -c "import typer"``, and a second run of
the quickstart in which nothing changed.

Alternating runs, so that all see the same machine; wall-clock seconds, medians and the least, and
the least processor time: on a busy machine that says most.

    python benchmarks/startup.py [RUNS]
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 2.5
QUICKSTART = Path(__file__).parents[1] / "configs" / "quickstart.yaml"
AGAIN = ["run", str(QUICKSTART), "-q", "--overwrite", "-o"]
COMMANDS = {
    "import typer": [sys.executable, "-c", "import typer"],
    "ragscore --help": [sys.executable, "-m", "ragscore", "--help"],
    "import ragscore": [sys.executable, "-c", "import ragscore"],
    "python": [sys.executable, "-c", "pass"],
    "ragscore run again": [sys.executable, "-m", "ragscore", *AGAIN],
}


def seconds(command: list[str], folder: str) -> tuple[float, float]:
    """Wall-clock and processor seconds; the cache and the result are in the folder."""
    places = {"RAGSCORE_CACHE": f"{folder}/cache"}
    if command[-1] == "-o":
        command = [*command, f"{folder}/result"]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | places)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS.values():
            seconds(command, folder)  # writes the bytecode, and fills the cache
        for _ in range(runs):
            for name, command in COMMANDS.items():
                taken[name].append(seconds(command, folder))
    walls = {name: [wall for wall, _ in values] for name, values in taken.items()}
    medians = {name: statistics.median(values) for name, values in walls.items()}
    for name, median in medians.items():
        least, processor = min(walls[name]), min(used for _, used in taken[name])
        parts = (f"{median:.3f} s", f"least {least:.3f} s", f"processor {processor:.3f} s")
        print(f"{name:<19} {', '.join(parts)}")
    ratio = medians["ragscore --help"] / medians["import typer"]
    print(f"ratio {ratio:.2f} (limit {LIMIT}, {runs} alternating runs)")


if __name__ == "__main__":
    main()
