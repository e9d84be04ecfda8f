"""Folders of vectors that somebody else wrote, read a block at a time: whatever a file claims, an
error names it, and nothing in it is run or believed."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from ragscore.encoders import Precomputed
from ragscore.errors import DataError

VECTORS = np.arange(1, 49, dtype=np.float32).reshape(12, 4)
IDS = [f"p{row}" for row in range(len(VECTORS))]
BAD = "2.npy"
"""The file that is wrong, of three."""


def blocks(folder: Path) -> np.ndarray[Any, Any]:
    """All vectors, read in blocks that cut across files."""
    np.save(folder / "queries.npy", VECTORS[:1])
    spec = Precomputed(passages=str(folder / "v"), queries=str(folder / "queries.npy"))
    opened = spec.open()
    found = []
    for first in range(0, len(IDS), 5):
        ids = IDS[first : first + 5]
        block = opened.for_block(first, len(IDS))
        found.append(block.encode(ids, [""] * len(ids), "passage"))
    return np.concatenate(found)


def written(folder: Path, suffix: str = "npy") -> Path:
    """Three files of four vectors; the one that is to be wrong."""
    (folder / "v").mkdir()
    for part in range(3):
        rows = slice(4 * part, 4 * part + 4)
        path = folder / "v" / f"{part + 1}.{suffix}"
        if suffix == "npy":
            np.save(path, VECTORS[rows])
        else:
            frame = {"id": IDS[rows], "vector": VECTORS[rows].tolist()}
            polars.DataFrame(frame).write_parquet(path)
    return folder / "v" / f"2.{suffix}"


def header(text: str, version: bytes = b"\x01\x00", size: str = "<H") -> bytes:
    """The beginning of a .npy file, whatever it says."""
    return b"\x93NUMPY" + version + struct.pack(size, len(text) + 1) + text.encode() + b"\n"


def claimed(shape: str, descr: str = "'<f4'") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    return header(text) + VECTORS[4:8].tobytes()


class Pickled:
    """Leaves a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (VECTORS[4:8, :3], "3 dimensions, those of 1.npy 4"),
        (np.where(VECTORS[4:8] == 22, np.nan, VECTORS[4:8]), "1 of 5 passages have .*: 'p5'"),
        (np.where(VECTORS[4:8] == 22, np.inf, VECTORS[4:8]), "1 of 5 passages have .*: 'p5'"),
        (
            np.where(VECTORS[4:8] == 22, 1e300, VECTORS[4:8].astype("f8")),
            "1 of 5 passages have .*: 'p5'",
        ),
        (np.asfortranarray(VECTORS[4:8]), "column by column"),
        (VECTORS[4:8] > 0, "type bool"),
        (VECTORS[4:8].astype(complex), "type complex128"),
        (VECTORS[4:8].astype("U4"), "type <U4"),
        (VECTORS[4], r"the array has shape \(4,\)"),
        (np.zeros((4, 4), dtype=[("a", "f4")]), "the array has shape"),
    ],
    ids=range(10),
)
def test_an_array_that_is_wrong_is_named(tmp_path: Path, vectors: Any, message: str) -> None:
    np.save(written(tmp_path), vectors)
    with pytest.raises(DataError, match=rf"{BAD}: .*{message}"):
        blocks(tmp_path)


@pytest.mark.parametrize("number", [">f4", "<f8", "<f2", "<i4", "<u8"])
def test_any_numbers_are_vectors(tmp_path: Path, number: str) -> None:
    np.save(written(tmp_path), VECTORS[4:8].astype(number))
    found = blocks(tmp_path)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, VECTORS)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no array",
        claimed("(1152921504606846976, 4)"),
        claimed("(-4, 4)"),
        claimed("(-4, -4)"),
        claimed("(4, 0)"),
        claimed("(4, 4)", "('<f4', (4,))"),
        claimed("(4, 4)", "'|V0'"),
        claimed("(4, 4)")[:-1],
        header("(" * 5000),
        header("__import__('os').abort()"),
        header("x" * 100, b"\x02\x00", "<I"),
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
        b"\x93NUMPY\x09\x09",
    ],
    ids=range(14),
)
def test_nothing_that_a_header_claims_is_believed(tmp_path: Path, content: bytes) -> None:
    written(tmp_path).write_bytes(content)
    with pytest.raises(DataError, match=rf"{BAD}: "):
        blocks(tmp_path)


def test_objects_are_not_unpickled(tmp_path: Path) -> None:
    trap = tmp_path / "unpickled"
    objects = np.array([[Pickled(trap)] * 4] * 4, dtype=object)
    np.save(written(tmp_path), objects, allow_pickle=True)
    with pytest.raises(DataError, match=rf"{BAD}: the array has shape \(4, 4\) and type object"):
        blocks(tmp_path)
    assert not trap.exists()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.skipif(os.name != "posix", reason="pipes, devices and links of POSIX")
@pytest.mark.parametrize(
    ("put", "message"),
    [
        (pipe, "it is a named pipe, not a file"),
        (device, "it is a device, not a file"),
        (loop, "there is no such file"),
        (Path.mkdir, "it is a folder, not a file"),
    ],
)
def test_what_is_no_file_is_named(
    tmp_path: Path, put: Callable[[Path], None], message: str
) -> None:
    path = written(tmp_path)
    path.unlink()
    put(path)
    with pytest.raises(DataError, match=rf"{BAD}: {message}"):
        blocks(tmp_path)


@pytest.mark.parametrize(
    ("ids", "vectors", "message"),
    [
        (IDS[4:8], [*VECTORS[4:7].tolist(), None], "1 of 3 .* do not have 4 .* most do: 'p7'"),
        (IDS[4:8], [*VECTORS[4:7].tolist(), [1.0]], "1 of 3 .* do not have 4 .* most do: 'p7'"),
        (IDS[4:8], [[1.0, 2.0]] * 4, "the vectors have 2 dimensions, the first of v has 4"),
        (IDS[4:8], [[[1.0]] * 4] * 4, "the column 'vector' has type List"),
        (IDS[4:8], [1.0] * 4, "the column 'vector' has type Float64"),
        ([None, *IDS[5:8]], VECTORS[4:8].tolist(), "1 rows have no id"),
        ([[id] for id in IDS[4:8]], VECTORS[4:8].tolist(), "the column 'id' has type List"),
        ([b"\xff\xfe"] * 4, VECTORS[4:8].tolist(), "the column 'id' has type Binary"),
        (IDS[4:8][::-1], VECTORS[4:8].tolist(), "row 5 is the vector of 'p7', and passage 5"),
    ],
    ids=range(9),
)
def test_a_table_that_is_wrong_is_named(
    tmp_path: Path, ids: list[Any], vectors: list[Any], message: str
) -> None:
    polars.DataFrame({"id": ids, "vector": vectors}).write_parquet(written(tmp_path, "parquet"))
    with pytest.raises(DataError, match=rf"2.parquet: .*{message}"):
        blocks(tmp_path)


def test_a_table_that_is_as_it_should_be(tmp_path: Path) -> None:
    written(tmp_path, "parquet")
    np.testing.assert_array_equal(blocks(tmp_path), VECTORS)
