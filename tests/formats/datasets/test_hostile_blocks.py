"""Blocks of passages in a cache that is damaged, forged or read-only, and files that change while
they are read: noticed, and nothing is left out in silence."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import load_dataset
from ragscore.cache import Cache
from ragscore.dataset import Dataset
from ragscore.errors import DataError, DiskError
from ragscore.formats.datasets import stored_columns
from ragscore.formats.datasets.block_reader import BlockReader
from ragscore.formats.datasets.blocked_corpus import PassageFiles
from ragscore.formats.datasets.dataset_formats import FORMATS
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.stored_columns import StoredTexts
from ragscore.formats.reading.problems import Problems
from ragscore.progress import SILENT, Progress
from ragscore.seal import SEAL, seal
from tests.factories.full_disk import AS_ROOT, ordinary
from tests.factories.witness import Witness

ROWS: list[dict[str, Any]] = [
    {"id": f"조항-{row}", "text": f"Month {row}." * (row % 4), "metadata": {"year": row}}
    for row in range(10)
]


def jsonl(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset of three blocks in two shards."""
    (tmp_path / "rent" / "passages").mkdir(parents=True)
    (tmp_path / "rent" / "passages" / "0.jsonl").write_text(jsonl(ROWS[:7]))
    (tmp_path / "rent" / "passages" / "1.jsonl").write_text(jsonl(ROWS[7:]))
    (tmp_path / "rent" / "queries.jsonl").write_text(jsonl([{"id": "q", "text": "When?"}]))
    truth = [{"query_id": "q", "passages": {"조항-1": 1}}]
    (tmp_path / "rent" / "ground_truth.jsonl").write_text(jsonl(truth))
    return tmp_path / "rent"


def read(folder: Path, cache: Cache, progress: Progress = SILENT) -> Dataset:
    return load_dataset(folder, cache=cache, block=4, progress=progress)


def content(folder: Path, cache: Cache, progress: Progress = SILENT) -> list[Any]:
    """All of the corpus that stands in files."""
    corpus = read(folder, cache, progress).corpus
    assert corpus is not None
    found: list[Any] = [list(corpus.ids)]
    for block in corpus.blocks:
        assert isinstance(block.texts, StoredTexts)
        counts = block.texts.character_counts().tolist()
        found.append((list(block.texts), dict(block.metadata), counts))
    return found


def places(folder: Path, cache: Cache) -> list[int]:
    """How many passages the blocks have."""
    reader = BlockReader(DatasetSpec(path=str(folder), block=4), cache, in_blocks=True)
    return [place.count for place in reader.places]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.skipif(
    AS_ROOT and sys.platform != "linux", reason="root's privileges are given up as on Linux"
)
def test_a_damaged_block_that_cannot_be_removed_is_never_left_out(folder: Path) -> None:
    cache = Cache()
    wanted = content(folder, cache)
    path = next((cache.root / "passages").glob("*/*/ids.utf8"))
    path.write_bytes(b"x" + path.read_bytes()[1:])
    shelves = [cache.root / "passages", path.parent, path.parent.parent]
    for shelf in shelves:
        shelf.chmod(0o555)
    try:
        with ordinary(), pytest.raises(DiskError, match=r"block \d of .* cannot be kept"):
            read(folder, cache)
    finally:
        for shelf in shelves:
            shelf.chmod(0o755)
    assert content(folder, cache) == wanted


def test_rows_are_counted_where_nothing_can_be_kept(folder: Path) -> None:
    cache = Cache()
    cache.failure = DiskError("the disk is full")
    assert places(folder, cache) == [4, 3, 3]


def test_a_file_that_changes_while_it_is_read_is_refused(folder: Path) -> None:
    path, problems = folder / "passages" / "0.jsonl", Problems()
    spec, cache = DatasetSpec(path=str(folder), block=4), Cache()
    files = PassageFiles([path], FORMATS.load("jsonl"), spec, cache, problems, SILENT)
    found = files.blocks()
    next(found)
    path.write_text(path.read_text() + jsonl([{"id": "new", "text": "late"}]))
    list(found)
    (problem,) = problems.listed()
    assert problem.what == "the file changed while it was read"
    assert places(folder, cache) == [4, 4, 3]


def forged(folder: Path, name: str, change: Callable[[Path], object]) -> bool:
    """Change a file of an entry, seal the entry again, and read the dataset; whether that was
    noticed."""
    cache = Cache()
    wanted = content(folder, cache)
    path = next(path for path in sorted(cache.root.rglob(name)) if path.stat().st_size)
    change(path)
    stored_columns._rows_in.cache_clear()  # which another process does not have
    (path.parent / SEAL).unlink()
    seal(path.parent, path.parent.name)
    notes = Witness()
    try:
        found = content(folder, cache, notes)
    except DataError as error:
        found, notes = content(folder, cache), Witness()
        notes.note(str(error))
    is_noticed = any(" a damaged " in str(note) for note in notes.notes)
    assert not is_noticed or found == wanted
    return is_noticed


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("ids.lengths.npy", lambda array: array[:-1]),
        ("ids.lengths.npy", lambda array: array * -1),
        ("ids.lengths.npy", lambda array: array + 1),
        ("empty.npy", lambda array: np.array([10**6], np.int32)),
        ("tagged.npy", lambda array: np.array([-1], np.int32)),
        ("described.npy", lambda array: np.array([0.5])),
        ("described.npy", lambda array: np.array([[0]], np.int32)),
        ("texts.characters.npy", lambda array: array[:-1]),
        ("texts.characters.npy", lambda array: np.array(["x"] * len(array))),
    ],
)
def test_arrays_that_do_not_fit_their_block_are_noticed(
    folder: Path, name: str, change: Callable[[Any], Any]
) -> None:
    assert forged(folder, name, lambda path: np.save(path, change(np.load(path))))


def test_an_array_that_claims_more_than_the_memory_is_noticed(folder: Path) -> None:
    def claim(path: Path) -> None:
        with path.open("wb") as file:
            header = {"descr": "<i4", "fortran_order": False, "shape": (1 << 58,)}
            np.lib.format.write_array_header_1_0(file, header)

    assert forged(folder, "ids.lengths.npy", claim)


@pytest.mark.parametrize("name", ["texts.utf8", "texts.bounds", "rows.jsonl", "block.json"])
@pytest.mark.parametrize(
    "found",
    [b"\xff" * 400, b"[" * 100_000, b"null\n", b"[0, 0, 0]\n", b"\0" * 8 + b"\xff" * 7 + b"\x3f"],
    ids=["bytes", "deep", "null", "types", "far"],
)
def test_what_cannot_be_read_is_made_again(folder: Path, name: str, found: bytes) -> None:
    if (name, found[:2]) == ("texts.utf8", b"[["):
        pytest.skip("it is a text like any other")
    assert forged(folder, name, lambda path: path.write_bytes(found))


@pytest.mark.parametrize("found", ["", "-1", "NaN", "[]", "9" * 15, "9" * 5000])
def test_a_forged_count_of_rows_is_made_again(folder: Path, found: str) -> None:
    assert forged(folder, "count.txt", lambda path: path.write_text(found))
