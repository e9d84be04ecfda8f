"""A run of hundreds of millions of lines in parts, and as one file: seconds, memory and the scores.

    python benchmarks/run_parts.py [--folder FOLDER] [--runs N] [--workers N] [KIND:LINES ...]

Without names: parquet:200000000 and trec:50000000, which take about 8 GB below FOLDER while they
are measured; nothing stays there. Each line is one of 100 that a query got; the parts are 64, cut
without regard to queries. What is timed is ``ragscore score`` as a process of its own, in turn on
the file and on the parts; seconds are medians, of the clock and of all processors, and memory is
the most that a process held at once, the judgments included. The scores must be equal in every
digit.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import gen_runs
from score_files import MEASURES, Taken, took

if TYPE_CHECKING:
    import polars

PARTS = 64
DEPTH = 100
DEFAULT = ["parquet:200000000", "trec:50000000"]


def frames(lines: int) -> Iterator[polars.DataFrame]:
    """The run, some hundred thousand lines at a time."""
    return (piece.run for piece in gen_runs.pieces(gen_runs.shape_of(str(lines // DEPTH))))


def parts(lines: int) -> Iterator[polars.DataFrame]:
    """The lines of each part: of equally many lines, wherever queries end."""
    import polars

    held: list[polars.DataFrame] = []
    size = -(-lines // PARTS)
    for frame in frames(lines):
        held.append(frame)
        while sum(each.height for each in held) >= size:
            whole = polars.concat(held)
            yield whole.head(size)
            held = [whole.slice(size)]
    if sum(each.height for each in held):
        yield polars.concat(held)


def as_text(frame: polars.DataFrame, file: object) -> None:
    """Lines as trec_eval reads them."""
    import polars

    frame.select(
        "query", polars.lit("Q0").alias("q0"), "passage", "rank", "score", tag=polars.lit("run")
    ).write_csv(file, separator=" ", include_header=False, float_precision=6)  # type: ignore[call-overload]


def generate(folder: Path, kind: str, lines: int) -> None:
    """The folder of parts, the single file and the judgments."""
    from polars.io.plugins import register_io_source

    cut, single = folder / "parts", folder / f"single.{kind}"
    cut.mkdir()
    for number, frame in enumerate(parts(lines)):
        path = cut / f"part-{number:05}.{kind}"
        if kind == "parquet":
            frame.write_parquet(path, compression="zstd", row_group_size=1 << 18)
        else:
            with path.open("wb") as file:
                as_text(frame, file)
    if kind == "parquet":
        schema = dict(next(frames(lines)).schema)
        register_io_source(lambda *_: frames(lines), schema=schema).sink_parquet(
            single, compression="zstd", row_group_size=1 << 18
        )
    else:
        with single.open("wb") as file:
            for path in sorted(cut.iterdir()):
                with path.open("rb") as part:
                    shutil.copyfileobj(part, file, 1 << 24)
    gen_runs.write_qrels(folder, str(lines // DEPTH))


def command(run: Path, qrels: Path, workers: int | None) -> list[str]:
    """The command line of ragscore itself."""
    asked = [word for name in MEASURES for word in ("-m", name)]
    given = [sys.executable, "-m", "ragscore", "score", str(run), "--qrels", str(qrels)]
    more = [] if workers is None else ["--workers", str(workers)]
    return [*given, *asked, *more, "--format", "csv", "--quiet"]


def measure(folder: Path, name: str, rounds: int, workers: int | None) -> None:
    """One kind of file and number of lines."""
    kind, _, lines = name.partition(":")
    # In a process of its own: the peak memory of a child begins with its parent's, on Linux.
    subprocess.run([sys.executable, __file__, "--generate", str(folder), name], check=True)
    cut, single = folder / "parts", folder / f"single.{kind}"
    qrels = folder / f"{int(lines) // DEPTH}.qrels"
    size = single.stat().st_size / 1e9
    print(f"\n{kind}: {int(lines):,} lines, {size:.2f} GB, {len(list(cut.iterdir()))} parts")
    heads = ("seconds", "processors", "ns a line", "lines/s", "GB")
    print("".join([f"{'':<6}", *(f"{head:>13}" for head in heads)]), flush=True)
    taken: dict[str, list[Taken]] = {"file": [], "parts": []}
    for _ in range(rounds):
        taken["file"].append(took(command(single, qrels, None)))
        taken["parts"].append(took(command(cut, qrels, workers)))
    seconds = {what: statistics.median(one.seconds for one in all_) for what, all_ in taken.items()}
    busy = {
        what: statistics.median(one.processor_seconds for one in all_)
        for what, all_ in taken.items()
    }
    for what, all_ in taken.items():
        memory = max(one.gigabytes for one in all_)
        a_line, a_second = 1e9 * seconds[what] / int(lines), int(lines) / seconds[what]
        print(
            f"{what:<6}{seconds[what]:>13.1f}{busy[what]:>13.1f}{a_line:>13.0f}{a_second:>13,.0f}"
            f"{memory:>13.2f}"
        )
    ratios = seconds["parts"] / seconds["file"], busy["parts"] / busy["file"]
    print("parts / file: {:.2f} of the clock, {:.2f} of the processors".format(*ratios), flush=True)
    printed = [one.printed.replace(what, "run") for what, all_ in taken.items() for one in all_]
    if len({text.replace("single", "run") for text in printed}) > 1:
        raise SystemExit("the scores differ")


def main() -> None:
    if sys.argv[1:2] == ["--generate"]:
        kind, _, lines = sys.argv[3].partition(":")
        generate(Path(sys.argv[2]), kind, int(lines))
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--workers", type=int)
    parser.add_argument("names", nargs="*", default=DEFAULT)
    asked = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    for name in asked.names:
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            measure(Path(folder), name, asked.runs, asked.workers)


if __name__ == "__main__":
    main()
