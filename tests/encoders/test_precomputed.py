"""Vectors made elsewhere: how they may be written, and what may be wrong with them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from ragscore.encoders import Precomputed
from ragscore.errors import DataError

IDS = ["a 1", "나", "c"]
VECTORS = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)


def write_npy(folder: Path, ids: str = "txt") -> dict[str, str]:
    np.save(folder / "vectors.npy", VECTORS.astype(np.float64))
    text = "\n".join(IDS) + "\n" if ids == "txt" else json.dumps(IDS)
    (folder / f"ids.{ids}").write_text(text, encoding="utf-8")
    return {"passages": "vectors.npy", "passage_ids": f"ids.{ids}"}


def write_parquet(folder: Path, array: bool, id_name: str = "id") -> dict[str, str]:
    dtype = polars.Array(polars.Float32, 2) if array else polars.List(polars.Float64)
    vectors = polars.Series(VECTORS.tolist(), dtype=dtype)
    polars.DataFrame({id_name: IDS, "vector": vectors}).write_parquet(folder / "vectors.parquet")
    return {"passages": "vectors.parquet", "id_column": id_name}


def opened(folder: Path, options: dict[str, str]) -> Precomputed:
    return Precomputed(**{"queries": options["passages"], **options}).resolved(folder)


@pytest.mark.parametrize(
    "write",
    [
        lambda folder: write_npy(folder, "txt"),
        lambda folder: write_npy(folder, "json"),
        lambda folder: write_parquet(folder, array=False),
        lambda folder: write_parquet(folder, array=True, id_name="passage"),
    ],
)
def test_vectors_are_looked_up_by_id(tmp_path: Path, write: Any) -> None:
    spec = opened(tmp_path, write(tmp_path))
    assert spec.check() == []
    found = spec.open().encode(["c", "a 1"], ["", ""], "passage")
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, VECTORS[[2, 0]])


def test_integer_ids_of_a_parquet_are_texts(tmp_path: Path) -> None:
    polars.DataFrame({"id": [7, 8], "vector": [[1.0], [2.0]]}).write_parquet(tmp_path / "v.parquet")
    spec = opened(tmp_path, {"passages": "v.parquet"})
    assert spec.open().encode(["8"], [""], "passage").tolist() == [[2.0]]


def test_without_ids_the_rows_follow_the_dataset(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", VECTORS)
    encoder = opened(tmp_path, {"passages": "v.npy"}).open()
    np.testing.assert_array_equal(encoder.encode(IDS, [""] * 3, "query"), VECTORS)
    # A block or a sample is found by the ids of the whole.
    of_dataset = encoder.for_queries(IDS)
    np.testing.assert_array_equal(of_dataset.encode(["c"], [""], "query"), VECTORS[2:])
    with pytest.raises(DataError, match="3 vectors for 2 queries"):
        encoder.for_queries(IDS[:2])


def test_without_ids_each_dataset_has_its_own_order(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", VECTORS)
    encoder = opened(tmp_path, {"passages": "v.npy"}).open()
    for ids in (IDS, IDS[::-1]):
        np.testing.assert_array_equal(encoder.encode(ids, [""] * 3, "passage"), VECTORS)
        found = encoder.for_queries(ids).encode(IDS[:1], [""], "query")
        np.testing.assert_array_equal(found, VECTORS[[ids.index("a 1")]])


def test_a_replaced_file_is_another_encoder(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", VECTORS)
    spec = opened(tmp_path, {"passages": "v.npy"})
    before = spec.open()
    assert spec.open() is before
    np.testing.assert_array_equal(before.encode(IDS, [""] * 3, "passage"), VECTORS)
    (tmp_path / "v.npy").unlink()
    np.save(tmp_path / "v.npy", VECTORS[::-1].copy())
    np.testing.assert_array_equal(spec.open().encode(IDS, [""] * 3, "passage"), VECTORS[::-1])


def npy(folder: Path, vectors: Any, ids: object = None) -> dict[str, str]:
    np.save(folder / "v.npy", np.asarray(vectors))
    if ids is None:
        return {"passages": "v.npy"}
    (folder / "ids.json").write_text(json.dumps(ids), encoding="utf-8")
    return {"passages": "v.npy", "passage_ids": "ids.json"}


def parquet(folder: Path, frame: dict[str, Any]) -> dict[str, str]:
    polars.DataFrame(frame).write_parquet(folder / "v.parquet")
    return {"passages": "v.parquet"}


def text(folder: Path, name: str, content: bytes) -> dict[str, str]:
    (folder / name).write_bytes(content)
    return {"passages": name}


NAN = float("nan")

BROKEN: list[tuple[Any, str]] = [
    (lambda f: npy(f, VECTORS[:2]), "2 vectors for 3 passages. Without passage_ids there is one"),
    (lambda f: npy(f, VECTORS, ["a 1", "나"]), "2 ids for 3 vectors of v.npy"),
    (lambda f: npy(f, VECTORS, ["a 1", "c", "c"]), "the id 'c' occurs twice"),
    (lambda f: npy(f, VECTORS, ["a 1", "x", "y"]), "2 of 3 passages have no vector: '나', 'c'"),
    (lambda f: npy(f, VECTORS, ["a 1", "나", 3]), "this is not a list of texts"),
    (lambda f: npy(f, VECTORS, {}), "this is not a list of texts"),
    (lambda f: npy(f, VECTORS[0]), "the array has shape (2,) and type float32"),
    (lambda f: npy(f, [["a"], ["b"], ["c"]]), "and type <U1"),
    (
        lambda f: npy(f, [[1, NAN], [0, 1], [np.inf, 0]], IDS),
        "2 of 3 passages have a vector with NaN or infinity: 'a 1', 'c'",
    ),
    (lambda f: npy(f, [[1e300], [0], [0]], IDS), "1 of 3 passages have a vector with NaN or"),
    (lambda f: text(f, "v.npy", b"no array"), "this is not a NumPy array file"),
    (lambda f: text(f, "v.npy", b""), "this is not a NumPy array file"),
    (lambda f: text(f, "v.parquet", b"no table"), "this is not a Parquet file"),
    (lambda f: text(f, "v.csv", b"a,b"), "the file ends in '.csv'. Expected .npy or .parquet"),
    (lambda f: {"passages": "gone.npy"}, "there is no such file"),
    (lambda f: parquet(f, {"key": IDS}), "there is no column 'id'. Columns: key"),
    (lambda f: parquet(f, {"id": IDS, "vector": [1, 2, 3]}), "the column 'vector' has type Int64"),
    (
        lambda f: parquet(f, {"id": IDS, "vector": [[1.0, 2.0], [1.0, 2.0], [1.0]]}),
        "1 of 3 vectors do not have 2 dimensions, as most do: 'c'",
    ),
    (
        lambda f: parquet(f, {"id": IDS, "vector": [[1.0, 2.0], None, [1.0, None]]}),
        "1 of 3 vectors do not have 2 dimensions, as most do: '나'",
    ),
    (
        lambda f: parquet(f, {"id": IDS, "vector": [[1.0], [None], [1.0]]}),
        "1 of 3 passages have a vector with NaN or infinity: '나'",
    ),
    (lambda f: parquet(f, {"id": ["a", None], "vector": [[1.0], [1.0]]}), "1 rows have no id"),
]


@pytest.mark.parametrize(("write", "message"), BROKEN)
def test_what_is_wrong_is_said_with_counts_and_ids(
    tmp_path: Path, write: Any, message: str
) -> None:
    options = write(tmp_path)
    with pytest.raises(DataError) as caught:
        opened(tmp_path, options).open().encode(IDS, [""] * 3, "passage")
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_check_names_every_missing_file(tmp_path: Path) -> None:
    write_npy(tmp_path)
    spec = Precomputed(
        passages="vectors.npy", queries="q.parquet", passage_ids="vectors.npy", query_ids="q.txt"
    ).resolved(tmp_path)
    found = [str(problem) for problem in spec.check()]
    assert [line.removeprefix(str(tmp_path))[1:] for line in found] == [
        "vectors.npy: the file ends in '.npy'. Expected .txt or .json",
        "q.parquet: there is no such file",
        "q.txt: there is no such file",
        "q.parquet: query_ids is given, but a .parquet holds its ids itself. Leave query_ids out, "
        "and name the column with id_column",
    ]


def test_the_key_is_the_files_content(tmp_path: Path) -> None:
    spec = opened(tmp_path, write_npy(tmp_path))
    before = spec.vector_key("passage")
    (tmp_path / "other").mkdir()
    assert opened(tmp_path / "other", write_npy(tmp_path / "other")).vector_key("passage") == before
    np.save(tmp_path / "vectors.npy", VECTORS + 1)
    assert spec.vector_key("passage") != before


@pytest.mark.slow
def test_no_heavy_library_is_imported() -> None:
    code = (
        "import sys, ragscore.encoders, ragscore.retrievers.faiss\n"
        "heavy = {'torch', 'faiss', 'sentence_transformers', 'transformers', 'polars', 'scipy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
