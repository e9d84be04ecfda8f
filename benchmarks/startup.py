"""How long ``ragscore --help`` takes, in units of ``python -c "import typer"``.

Alternating runs, so that both see the same machine; medians of wall-clock seconds.

    python benchmarks/startup.py [RUNS]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

LIMIT = 2.5
COMMANDS = {
    "import typer": [sys.executable, "-c", "import typer"],
    "ragscore --help": [sys.executable, "-m", "ragscore", "--help"],
    "import ragscore": [sys.executable, "-c", "import ragscore"],
    "python": [sys.executable, "-c", "pass"],
}


def seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    for command in COMMANDS.values():
        seconds(command)  # writes the bytecode
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, command in COMMANDS.items():
            taken[name].append(seconds(command))
    medians = {name: statistics.median(values) for name, values in taken.items()}
    for name, median in medians.items():
        print(f"{name:<16} {median:.3f} s")
    ratio = medians["ragscore --help"] / medians["import typer"]
    print(f"ratio {ratio:.2f} (limit {LIMIT}, {runs} alternating runs)")


if __name__ == "__main__":
    main()
