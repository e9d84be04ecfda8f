"""Small files that stand for large ones: reading ends early, with what is wrong in a line."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import polars
import pytest
import zstandard

from ragscore.errors import DataError
from ragscore.formats import load_dataset, load_run
from ragscore.formats.reading.lines import CHUNK_BYTES, MAX_LINE_BYTES
from ragscore.parquet_files import ParquetError, refuse_too_many_rows

PACK = {".gz": gzip.compress, ".zst": zstandard.compress}
FILES = {
    "passages.jsonl": b'{"id": "p", "text": "a"}\n',
    "queries.jsonl": b'{"id": "q", "text": "a"}\n',
    "ground_truth.jsonl": b'{"query_id": "q", "passages": ["p"]}\n',
}


def dataset(folder: Path, **files: bytes) -> Path:
    for name, content in {**FILES, **files}.items():
        if content:
            (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("suffix", PACK)
def test_a_packed_file_unpacks_to_no_more_than_its_size_allows(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragscore.formats.reading.lines.MAX_UNPACKED", 1 << 16)
    packed = {f"passages.jsonl{suffix}": PACK[suffix](bytes(1 << 24)), "passages.jsonl": b""}
    with pytest.raises(DataError, match=r"bytes of it unpack to [\d,]+, more than 200 for each"):
        load_dataset(dataset(tmp_path, **packed))
    (tmp_path / f"run.trec{suffix}").write_bytes(PACK[suffix](b"q Q0 p 1 1.0 r\n" * (1 << 20)))
    with pytest.raises(DataError, match="If it is meant to, unpack it first"):
        load_run(tmp_path / f"run.trec{suffix}")


@pytest.mark.parametrize("suffix", PACK)
def test_a_small_file_may_unpack_to_much_more_than_its_size(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"run.trec{suffix}").write_bytes(PACK[suffix](b"q Q0 p 1 1.0 r\n" * (1 << 16)))
    assert load_run(tmp_path / f"run.trec{suffix}").duplicates == (1 << 16) - 1


@pytest.mark.slow
def test_a_row_has_an_end(tmp_path: Path) -> None:
    dataset(tmp_path)
    with (tmp_path / "passages.jsonl").open("wb") as file:
        file.truncate(MAX_LINE_BYTES + 2 * CHUNK_BYTES)  # nothing but zeros
    with pytest.raises(DataError, match=f"1: the line is longer than {MAX_LINE_BYTES:,} bytes"):
        load_dataset(tmp_path)


@pytest.mark.parametrize("kind", [polars.String(), polars.Categorical()])
def test_one_text_in_every_row_of_a_table(
    tmp_path: Path, kind: polars.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three kilobytes that stand for gigabytes: the text is in the file once."""
    monkeypatch.setattr("ragscore.parquet_files.MAX_TEXT", 1 << 16)
    rows = polars.DataFrame({"id": [str(at) for at in range(64)]}).with_columns(
        text=polars.Series(["a" * (1 << 14)] * 64, dtype=kind)
    )
    rows.write_parquet(tmp_path / "passages.parquet", compression="zstd")
    polars.DataFrame({"id": ["q"], "text": ["a"]}).write_parquet(tmp_path / "queries.parquet")
    polars.DataFrame({"query_id": ["q"], "passage_id": ["1"]}).write_parquet(
        tmp_path / "ground_truth.parquet"
    )
    with pytest.raises(DataError, match=r"it holds 1,048,\d+ bytes of text in [\d,]+ bytes; "):
        load_dataset(tmp_path)


LONG = "a" * (1 << 12)
NESTED: list[tuple[object, polars.DataType]] = [
    ([LONG], polars.List(polars.Categorical)),
    ([LONG], polars.List(polars.String)),
    ([[LONG]], polars.List(polars.List(polars.Categorical))),
    ([LONG], polars.Array(polars.String, 1)),
    ({"a": {"b": [LONG]}}, polars.Struct({"a": polars.Struct({"b": polars.List(polars.String)})})),
    ([{"a": LONG}], polars.List(polars.Struct({"a": polars.Categorical}))),
    (LONG, polars.Enum([LONG])),
    (LONG.encode(), polars.Binary()),
]


@pytest.mark.parametrize(("value", "kind"), NESTED, ids=[str(kind) for _, kind in NESTED])
def test_texts_count_however_deep_they_stand(
    tmp_path: Path, value: object, kind: polars.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.parquet"
    rows = polars.DataFrame({"query": ["q"] * 64, "passage": [str(at) for at in range(64)]})
    rows.with_columns(odd=polars.Series([value] * 64, dtype=kind)).write_parquet(path)
    refuse_too_many_rows(path)
    monkeypatch.setattr("ragscore.parquet_files.MAX_TEXT", 1 << 16)
    monkeypatch.setattr("ragscore.parquet_files.MAX_TEXT_PER_BYTE", 1)
    with pytest.raises(ParquetError, match=r"it holds 26[\d,]+ (bytes of text|unpacked bytes) in "):
        refuse_too_many_rows(path)


@pytest.mark.parametrize("compression", ["zstd", "snappy"])
@pytest.mark.parametrize("groups", [1, 3])
def test_a_row_of_endless_values(
    tmp_path: Path, compression: Any, groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row of equal tags takes no room in a file; they are counted and not read."""
    tags = polars.repeat("a", 100_000).implode()
    rows = polars.concat([polars.select(id=polars.lit("p"), text=polars.lit("a"), tags=tags)] * 3)
    path = tmp_path / "passages.parquet"
    rows.write_parquet(path, compression=compression, row_group_size=3 // groups)
    assert refuse_too_many_rows(path) == 3
    monkeypatch.setattr("ragscore.parquet_files.ALWAYS_READ", 10_000)
    monkeypatch.setattr("ragscore.parquet_files.MAX_ROWS_PER_BYTE", 1)
    with pytest.raises(ParquetError, match="it holds 300,000 values in a column in"):
        refuse_too_many_rows(path)


def test_long_texts_are_refused_before_a_page_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "passages.parquet"
    polars.DataFrame({"id": ["p"], "text": ["a" * (1 << 20)]}).write_parquet(path)
    monkeypatch.setattr("ragscore.parquet_files.MAX_TEXT", 1 << 16)
    with pytest.raises(ParquetError, match=r"it holds 1,048,\d+ unpacked bytes in"):
        refuse_too_many_rows(path, texts=False)
