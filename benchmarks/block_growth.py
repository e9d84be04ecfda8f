"""How searching a corpus in blocks grows with it, under a limit on memory: a table and a picture.

    python benchmarks/block_growth.py --folder /tmp/ten-million [--picture docs/growth.svg]

Measures what streamed_search.py measures, with one set of generated passages of which the first 1,
3 and 10 million are searched. The picture shows seconds against passages.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from streamed_search import SHARD, make, measured

SIZES = (1_000_000, 3_000_000, 10_000_000)
QUERIES = 1_000
FIT = 1_000_000
LIMIT = 4.0
"""GB of address space."""
SHOWN = {
    "read": ("reading the shards", "seconds"),
    "exact": ("exact search", "seconds"),
    "bm25 build": ("BM25, tokens", "build"),
    "bm25": ("BM25, search", "seconds"),
}
"""By row of the table: its name, and what it shows of a part."""


def beginning(whole: Path, passages: int, folder: Path) -> Path:
    """A dataset of the first passages, whose files are those of the whole."""
    for name, suffix in (("passages", "parquet"), ("vectors", "npy")):
        (folder / name).mkdir(parents=True)
        for part in range(passages // SHARD):
            file = f"{name}/part-{part}.{suffix}"
            os.link(whole / file, folder / file)
    for file in ("queries.jsonl", "ground_truth.jsonl", "queries.npy"):
        os.link(whole / file, folder / file)
    return folder


def picture(found: dict[int, dict[str, Any]], path: Path) -> None:
    """Seconds against millions of passages."""
    from ragscore.report.charts.line_chart import Line, XAxis, YAxis, line_chart
    from ragscore.report.charts.scale import ticks
    from ragscore.report.charts.style import standalone

    x = np.array([0.0, *(size / 1e6 for size in found)])
    lines = []
    for number, (row, (name, what)) in enumerate(SHOWN.items()):
        seconds = [parts[row.partition(" ")[0]][what] for parts in found.values()]
        y = np.array([0.0, *seconds])
        lines.append(Line(name, number, x, y, marks=list(range(1, len(x)))))
    marks = ticks(0.0, float(x[-1]), 5)
    axis = XAxis(0.0, float(x[-1]), lambda _: (marks, [f"{mark:g}" for mark in marks]))
    levels = ticks(0.0, max(float(line.y[-1]) for line in lines))
    figure = line_chart(
        lines,
        XAxis(axis.low, axis.high, axis.ticks, "million passages"),
        YAxis(levels, "seconds"),
        id="growth",
        title=f"{QUERIES:,} queries over a corpus in blocks, in {LIMIT:g} GB of memory",
        description="; ".join(
            f"{line.name}: " + ", ".join(f"{value:.0f} s" for value in line.y[1:].tolist())
            for line in lines
        ),
    )
    path.write_text(standalone(figure), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="of the passages; made once")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    if not (given.folder / "queries.npy").is_file():
        make(given.folder, max(given.sizes), QUERIES)
    bare = measured("faiss", given.folder, FIT, 0)
    found: dict[int, dict[str, Any]] = {}
    for size in given.sizes:
        with tempfile.TemporaryDirectory(dir=given.folder.parent) as scratch:
            folder = beginning(given.folder, size, Path(scratch) / "first")
            found[size] = {
                part: measured(part, folder, FIT, LIMIT) for part in ("read", "exact", "bm25")
            }
        print(f"{size:,}: {found[size]}", file=sys.stderr, flush=True)
    again = measured("faiss", given.folder, FIT, 0)
    fits = (bare["seconds"] + again["seconds"]) / 2 / FIT
    print(f"FAISS over {FIT:,} vectors in memory: {fits * FIT:.1f} s")
    print(
        "| passages |" + "".join(f" {name} |" for name, _ in SHOWN.values()) + " of FAISS | peak |"
    )
    print("|---" * (len(SHOWN) + 3) + "|")
    for size, parts in found.items():
        cells = [f"{parts[row.partition(' ')[0]][what]:.1f} s" for row, (_, what) in SHOWN.items()]
        ratio = parts["exact"]["seconds"] / size / fits
        peak = max(part["peak"] for part in parts.values()) / 1e9
        print(f"| {size:,} | {' | '.join(cells)} | {ratio:.2f} | {peak:.2f} GB |")
    if given.picture is not None:
        picture(found, given.picture)


if __name__ == "__main__":
    main()
