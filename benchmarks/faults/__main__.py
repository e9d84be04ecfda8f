"""Damage everything that ragscore writes, and count what it notices.

    python -m benchmarks.faults [kills] [flips] [full_disk] [strange_files] [--cases N] [--no-dense]

Prints one row for each kind of fault as Markdown; exit code 1 where something was silent, torn,
hung or left over. Needs POSIX: processes are forked, and killed.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.faults.flips import flips
from benchmarks.faults.full_disk import full_disk
from benchmarks.faults.kills import kills
from benchmarks.faults.rows import Row, markdown, total
from benchmarks.faults.strange_files import strange_files
from benchmarks.faults.workplace import make, preload

SCRIPTS = {
    "kills": kills,
    "flips": flips,
    "full_disk": full_disk,
    "strange_files": strange_files,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("scripts", nargs="*", choices=[*SCRIPTS, []], help="which; by default all")
    parser.add_argument("--cases", type=int, default=12, help="of each kind of fault, at most")
    parser.add_argument("--only", default="", help="a regular expression that rows match")
    parser.add_argument(
        "--no-dense", action="store_true", help="flips without FAISS's and an encoder's entries"
    )
    options = parser.parse_args()
    dense = not options.no_dense
    preload(dense)
    rows: list[Row] = []
    for name in options.scripts or SCRIPTS:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            # Only the cache holds more where there is an encoder, and loading it takes long.
            place = make(Path(folder).resolve() / "work", dense=dense and name == "flips")
            for row in SCRIPTS[name](place, options.cases, re.compile(options.only).search):
                rows.append(row)
                print(row, file=sys.stderr)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    print(markdown(rows))
    return int(total(rows).failed)


if __name__ == "__main__":
    sys.exit(main())
