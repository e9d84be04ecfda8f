"""Parquet files and other paths that hold no run: refused with the same error."""

from __future__ import annotations

import gzip
import re
from datetime import date
from pathlib import Path
from typing import Any

import polars
import pytest

from ragscore.errors import DataError
from ragscore.formats import load_run
from ragscore.formats.runs.run_loading import join_run
from tests.factories.joined_files import AS_TEXT, GOOD, QRELS, assert_same_error, assert_the_same

DAYS = [date(2026, 1, day) for day in (1, 2, 3)]
NAN, INF = float("nan"), float("inf")
WRONG_PARQUET: list[tuple[dict[str, list[Any]], str]] = [
    ({"rank": [3, None, 1]}, ":row 2: the rank of passage 'b' for query 'q' is null."),
    ({"rank": [2.5, 2.2, 2.9]}, ":row 1: the rank of passage 'a' for query 'q' is 2.5."),
    ({"rank": [2, 1, 2]}, ":row 3: rank 2 is given twice for query 'q'."),
    ({"rank": [1, 1, 2]}, ":row 2: rank 1 is given twice for query 'q'."),
    ({"score": [1.5, None, 2.0]}, ":row 2: the score of passage 'b' for query 'q' is null."),
    ({"score": [1.5, NAN, 2.0]}, ":row 2: the score of passage 'b' for query 'q' is nan."),
    ({"score": [1.5, 1.0, -INF]}, ":row 3: the score of passage 'c' for query 'q' is -inf."),
    ({"rank": [1, 2, 3], "score": [None, 1.0, 2.0]}, ":row 1: the score of passage 'a'"),
    ({"passage": ["a", None, "c"], "rank": [1, 2, 3]}, ":row 2: the passage id is null"),
    ({"passage": [1.0, 2.0, 3.0], "rank": [1, 2, 3]}, ": its column 'passage' holds Float64,"),
    ({"passage": [{"id": "a"}] * 3, "rank": [1, 2, 3]}, ": its column 'passage' holds Struct"),
    ({"passage": [["a"]] * 3, "rank": [1, 2, 3]}, ": its column 'passage' holds List"),
    ({"passage": DAYS, "rank": [1, 2, 3]}, ": its column 'passage' holds Date, where ids"),
    ({"score": DAYS}, ": its column 'score' holds Date, where numbers"),
]


@pytest.mark.parametrize(("columns", "message"), WRONG_PARQUET)
def test_wrong_parquet_rows_are_named(
    columns: dict[str, list[Any]], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.parquet"
    rows = {"query": ["q", "q", "q"], "passage": ["a", "b", "c"], **columns}
    polars.DataFrame(rows).write_parquet(path)
    assert_same_error(lambda: load_run(path), lambda: join_run(path, AS_TEXT))
    with pytest.raises(DataError, match=re.escape(f"{path}{message}")):
        load_run(path)


def test_ranks_that_are_written_as_floats(tmp_path: Path) -> None:
    rows = {"query": ["q", "q"], "passage": ["x", "a"], "rank": [2.0, 1.0]}
    polars.DataFrame(rows).write_parquet(tmp_path / "x.parquet")
    assert_the_same(tmp_path / "x.parquet", QRELS)
    assert list(load_run(tmp_path / "x.parquet").to_dict()["q"]) == ["a", "x"]


def test_paths_that_are_no_runs(tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"no")
    (tmp_path / "bad.run.gz").write_bytes(gzip.compress(GOOD)[:-3])
    (tmp_path / "bad.run.zst").write_bytes(b"no")
    polars.DataFrame({"query": ["q"], "passage": ["p"]}).write_parquet(tmp_path / "few.parquet")
    frame = polars.DataFrame({"query": ["q"], "passage": ["p"], "score": [float("nan")]})
    frame.write_parquet(tmp_path / "nan.parquet")
    frame.with_columns(score=polars.lit("x")).write_parquet(tmp_path / "text.parquet")
    frame.with_columns(query=polars.lit(None)).write_parquet(tmp_path / "null.parquet")
    unlisted = {"ragscore": '{"queries": [], "scored": true}'}
    frame.with_columns(score=1.0).write_parquet(tmp_path / "unlisted.parquet", metadata=unlisted)
    strange = ["[1]", '{"depth": "x"}', '{"depth": 1000000000000}', '{"depth": -1}', "{", "null"]
    strange += ['{"queries": [1]}', '{"queries": "q"}', '{"duplicates": []}', '{"name": 3}']
    for at, text in enumerate(strange):
        metadata = {"ragscore": text}
        frame.with_columns(score=1.0).write_parquet(tmp_path / f"{at}.parquet", metadata=metadata)
    for name in ("none.run", ".", *(path.name for path in list(tmp_path.iterdir()))):
        path = tmp_path / name
        assert_same_error(lambda p=path: load_run(p), lambda p=path: join_run(p, AS_TEXT))
