"""Run files and judgments of known shape, always the same for a seed.

    python benchmarks/gen_runs.py FOLDER [NAME ...]

Names: marco, rag, dl, or a number of queries with 100 passages each. Writes NAME.run (but for
a number), NAME.qrels and NAME.parquet (the run as ragscore records one). Half of the
judged passages of a query were returned for it, the others were not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import polars

IDS = 1 << 23
"""Passages to choose from; a power of two, so that odd steps through it meet none twice."""


@dataclass(frozen=True)
class Shape:
    queries: int
    depth: int
    judged: int
    seed: int = 0


SHAPES = {
    "marco": Shape(queries=6_980, depth=1000, judged=2),
    "rag": Shape(queries=50_000, depth=20, judged=3, seed=2),
    "dl": Shape(queries=200, depth=1000, judged=200, seed=1),
}
QUERIES_AT_A_TIME = 5_000


def shape_of(name: str) -> Shape:
    """A shape by its name."""
    return Shape(int(name), depth=100, judged=3, seed=4) if name.isdecimal() else SHAPES[name]


@dataclass(frozen=True)
class Piece:
    """What is written for some queries."""

    run: polars.DataFrame
    qrels: polars.DataFrame


def pieces(shape: Shape) -> Iterator[Piece]:
    """The run and its judgments, some thousand queries at a time."""
    import numpy as np
    import polars

    generator = np.random.default_rng(shape.seed)
    for start in range(0, shape.queries, QUERIES_AT_A_TIME):
        count = min(QUERIES_AT_A_TIME, shape.queries - start)
        ids = 1_000_000 + np.arange(start, start + count)
        passages = distinct(generator, count, shape.depth)
        scores = np.sort(generator.random((count, shape.depth)) * 20, axis=1)[:, ::-1]
        returned = max(1, shape.judged // 2)
        order = np.argsort(generator.random((count, shape.depth)), axis=1)[:, :returned]
        judged = np.concatenate(
            [
                np.take_along_axis(passages, order, axis=1),
                distinct(generator, count, shape.judged - returned) + IDS,
            ],
            axis=1,
        )
        yield Piece(
            run=polars.DataFrame(
                {
                    "query": np.repeat(ids, shape.depth),
                    "passage": passages.ravel(),
                    "rank": np.tile(np.arange(1, shape.depth + 1, dtype=np.int32), count),
                    "score": np.round(scores.ravel(), 6),
                }
            ).cast({"query": polars.String, "passage": polars.String}),
            qrels=polars.DataFrame(
                {
                    "query": np.repeat(ids, shape.judged),
                    "ignored": np.zeros(judged.size, dtype=np.int8),
                    "passage": judged.ravel(),
                    "grade": generator.integers(0, 4, judged.size),
                }
            ),
        )


def distinct(generator: np.random.Generator, queries: int, count: int) -> np.ndarray:
    """For each query as many different passages: int64[queries, count]."""
    import numpy as np

    first = generator.integers(0, IDS, (queries, 1))
    step = generator.integers(0, IDS // 2, (queries, 1)) * 2 + 1
    return (first + step * np.arange(count)) % IDS


def write_text(folder: Path, name: str) -> None:
    """NAME.run, as trec_eval reads it."""
    import polars

    with (folder / f"{name}.run").open("wb") as file:
        for piece in pieces(shape_of(name)):
            lines = piece.run.select(
                "query", polars.lit("Q0").alias("q0"), "passage", "rank", "score"
            ).with_columns(tag=polars.lit("run"))
            lines.write_csv(file, separator=" ", include_header=False, float_precision=6)


def write_qrels(folder: Path, name: str) -> None:
    """NAME.qrels, as trec_eval reads it."""
    with (folder / f"{name}.qrels").open("wb") as file:
        for piece in pieces(shape_of(name)):
            piece.qrels.write_csv(file, separator=" ", include_header=False)


def write_recorded(folder: Path, name: str) -> None:
    """NAME.parquet, as ``write_parquet_run`` lays it out, but never in memory as a whole."""
    import polars
    from polars.io.plugins import register_io_source

    shape = shape_of(name)
    columns = {"query": polars.String, "passage": polars.String}
    columns |= {"rank": polars.Int32, "score": polars.Float64}

    def frames(*_: object) -> Iterator[polars.DataFrame]:
        return (piece.run for piece in pieces(shape))

    about = {
        "schema": 1,
        "kind": "run",
        "name": name,
        "depth": shape.depth,
        "scored": True,
        "duplicates": 0,
        "queries": [str(1_000_000 + row) for row in range(shape.queries)],
    }
    register_io_source(frames, schema=columns).sink_parquet(
        folder / f"{name}.parquet",
        compression="zstd",
        row_group_size=1 << 18,
        metadata={"ragscore": json.dumps(about)},
    )


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or SHAPES:
        write_qrels(folder, name)
        write_recorded(folder, name)
        if not name.isdecimal():
            write_text(folder, name)


if __name__ == "__main__":
    main()
