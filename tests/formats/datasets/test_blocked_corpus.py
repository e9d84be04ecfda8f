"""A corpus that is read in blocks: from a folder of shards, or from one file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from ragscore import load_dataset
from ragscore.cache import Cache
from ragscore.dataset import Corpus, Dataset
from ragscore.dataset.text_columns import taken
from ragscore.errors import DataError
from ragscore.formats.datasets.blocked_corpus import PassageFiles
from ragscore.formats.datasets.dataset_formats import FORMATS
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.find import locate
from ragscore.formats.datasets.texts import read_texts
from ragscore.formats.reading.problems import Problems
from ragscore.progress import SILENT

ROWS: list[dict[str, Any]] = [
    {
        "id": f"조항-{row}",
        "text": f"Month {row}.\u2028" * (row % 4),
        "title": "Rent" * (row % 2),
    }
    for row in range(23)
]
ROWS[5] |= {"tags": ["late"], "metadata": {"year": 2024}}
ROWS[20] |= {"metadata": {"year": 2025}}
ANOTHER = {"id": "조항-x", "text": "Rent"}


def jsonl(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset whose passages are in three shards: 10 and 8 lines, and 5 rows of Parquet."""
    shards = tmp_path / "rent" / "passages"
    shards.mkdir(parents=True)
    (shards / "part-2.jsonl.gz").write_bytes(gzip.compress(jsonl(ROWS[:10]).encode()))
    (shards / "part-10.jsonl").write_text(jsonl(ROWS[10:18]) + "\n\n", encoding="utf-8")
    plain = [{key: row[key] for key in ("id", "text", "title")} for row in ROWS[18:]]
    polars.DataFrame(plain).write_parquet(shards / "part-11.parquet")
    (shards / "_SUCCESS").touch()
    (tmp_path / "rent" / "queries.jsonl").write_text(jsonl([{"id": "q", "text": "When?"}]))
    truth = [{"query_id": "q", "passages": {"조항-3": 1, "조항-22": 2}}]
    (tmp_path / "rent" / "ground_truth.jsonl").write_text(jsonl(truth))
    return tmp_path / "rent"


@pytest.fixture
def single(folder: Path) -> Path:
    """The same dataset with one file of passages."""
    for path in (folder / "passages").iterdir():
        path.unlink()
    (folder / "passages").rmdir()
    (folder / "passages.jsonl").write_text(jsonl(ROWS), encoding="utf-8")
    return folder


def read(folder: Path, cache: Cache, **options: Any) -> Dataset:
    return load_dataset(folder, cache=cache, block=4, **options)


def refusal(folder: Path, cache: Cache) -> str:
    with pytest.raises(DataError) as caught:
        read(folder, cache)
    return str(caught.value)


def blocks(dataset: Dataset) -> list[int]:
    assert dataset.corpus is not None
    return [len(block) for block in dataset.corpus.blocks]


def test_shards_are_one_corpus_in_the_order_of_their_numbers(folder: Path) -> None:
    cache = Cache()
    dataset = read(folder, cache)
    assert dataset.corpus is not None
    assert list(dataset.corpus.ids) == [row["id"] for row in ROWS]
    assert list(dataset.corpus.texts) == [row["text"] for row in ROWS]
    assert blocks(dataset) == [4, 4, 2, 4, 4, 4, 1]
    assert dataset.corpus[5].tags == ["late"]
    assert dict(dataset.corpus.metadata) == {5: {"year": 2024}}
    assert len(dataset.qrels) == 2
    written = cache.writes
    again = read(folder, cache)
    assert cache.writes == written
    assert again.digest == dataset.digest


def test_one_file_in_blocks_is_the_corpus_in_memory(single: Path) -> None:
    dataset, whole = read(single, Cache(), in_blocks=True), load_dataset(single)
    assert blocks(dataset) == [4, 4, 4, 4, 4, 3]
    assert dataset.corpus is not None
    assert whole.corpus is not None
    assert list(dataset.corpus) == list(whole.corpus)
    rows = np.array([20, 3, 3, 22, 0])
    assert taken(dataset.corpus.texts, rows) == taken(whole.corpus.texts, rows)
    assert dataset.corpus.words(rows).tolist() == whole.corpus.words(rows).tolist()
    assert dataset.digest == whole.digest
    assert dataset.metadata_digest == whole.metadata_digest
    assert dataset.counts == whole.counts
    assert dataset.counts["empty_passages"] == 6


def test_a_file_that_changed_is_read_again(folder: Path) -> None:
    cache = Cache()
    before = read(folder, cache)
    path = folder / "passages" / "part-10.jsonl"
    path.write_text(path.read_text().replace("Month 13", "Month XIII"))
    after = read(folder, cache)
    assert before.digest != after.digest
    assert after.corpus is not None
    assert "XIII" in after.corpus.texts[13]


def test_a_damaged_block_is_noticed_and_read_again(folder: Path) -> None:
    cache = Cache()
    dataset = read(folder, cache)
    found = next(iter((cache.root / "passage-texts").glob("*/*/texts.utf8")))
    found.write_bytes(bytes([found.read_bytes()[0] ^ 1]) + found.read_bytes()[1:])
    dataset = read(folder, cache)
    assert dataset.corpus is not None
    with pytest.raises(DataError, match=r"damaged block of passages .*texts\.utf8 has changed"):
        list(dataset.corpus.texts)
    again = read(folder, cache)
    assert again.corpus is not None
    assert list(again.corpus.texts) == [row["text"] for row in ROWS]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("part-12.jsonl", jsonl([ROWS[3]]), "the id '조항-3' of its passage 1 is"),
        ("part-12.jsonl", '{"id": "x"}\n', "part-12.jsonl:1: the key 'text' is missing"),
        ("part-12.jsonl", '{"id": " ", "text": ""}\n', "part-12.jsonl:1: id: the id is only white"),
        ("part-12.parquet", "no Parquet", "part-12.parquet: it cannot be read as Parquet"),
        ("notes.txt", "", "notes.txt: it is not a shard of passages"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    folder: Path, name: str, content: str, message: str
) -> None:
    (folder / "passages" / name).write_text(content, encoding="utf-8")
    assert message in refusal(folder, Cache())


def test_an_id_of_two_shards_is_named_with_both_places(folder: Path) -> None:
    (folder / "passages" / "part-12.jsonl").write_text(jsonl([ROWS[20], ROWS[12]]))
    said = refusal(folder, Cache())
    assert (
        "part-12.jsonl: the id '조항-20' of its passage 1 is" in said
        or "'조항-12' of its passage 2 is" in said
    )
    assert "is already used by passage 3 of" in said


def test_an_id_twice_in_one_shard_names_the_shard_once(folder: Path) -> None:
    others = [{"id": str(row), "text": ""} for row in range(4)]
    (folder / "passages" / "part-12.jsonl").write_text(jsonl([ANOTHER, *others, ANOTHER]))
    assert refusal(folder, Cache()).endswith(
        "part-12.jsonl: the id '조항-x' of its passage 6 is already used by passage 1. "
        "Ids must be unique"
    )


def test_a_shard_that_is_cut_off_in_a_character_is_no_wrong_encoding(folder: Path) -> None:
    whole = json.dumps(ANOTHER, ensure_ascii=False).encode()
    (folder / "passages" / "part-12.jsonl").write_bytes(whole[: whole.index("항".encode()) + 2])
    said = refusal(folder, Cache())
    assert "part-12.jsonl:1: the file ends in the middle of a character. It was cut off" in said


@pytest.mark.parametrize("left", [[], ["_SUCCESS"]])
def test_a_folder_without_shards_is_named(folder: Path, left: list[str]) -> None:
    for path in (folder / "passages").iterdir():
        path.unlink()
    for name in left:
        (folder / "passages" / name).touch()
    said = "passages: the folder holds no shards. Put .parquet files there, or .jsonl"
    assert said in refusal(folder, Cache())


def test_a_link_to_nothing_is_named(folder: Path) -> None:
    (folder / "passages" / "part-12.jsonl").symlink_to("nowhere.jsonl")
    said = "part-12.jsonl: it is a link to nowhere.jsonl, which does not exist. Take it out"
    assert said in refusal(folder, Cache())


def test_a_folder_beside_a_file_of_passages_is_not_guessed(folder: Path) -> None:
    (folder / "passages.jsonl").write_text(jsonl(ROWS))
    assert "there are several files of the passages: passages.jsonl, passages/" in refusal(
        folder, Cache()
    )
    assert len(blocks(read(folder, Cache(), passages="passages"))) == 7


@pytest.mark.parametrize(
    "columns",
    [
        {"id": ["a", "b", "ㄷ", "d", "e"], "text": ["x", "", "물음", " ", "y"]},
        {"id": ["a", "b", "c", "d", "e"], "text": ["x"] * 5, "title": ["", None, "t", "", ""]},
        {"id": [1, 2, 30, 4, 5], "text": ["x", None, "y", "", "z"]},
        {"id": ["a", "b", "c", "d", "e"], "text": ["x"] * 5, "tags": [["late"], [], [], [], []]},
    ],
    ids=["texts", "titles", "numbers", "tags"],
)
def test_columns_of_parquet_are_its_rows(single: Path, columns: dict[str, list[Any]]) -> None:
    truth = [{"query_id": "q", "passages": {str(columns["id"][0]): 1}}]
    (single / "ground_truth.jsonl").write_text(jsonl(truth))
    (single / "shards").mkdir()
    polars.DataFrame(columns).write_parquet(single / "shards" / "0.parquet")
    blocked = read(single, Cache(), passages="shards")
    assert blocked.corpus is not None
    whole = read_texts(single / "shards" / "0.parquet")
    assert isinstance(whole, Corpus)
    assert list(blocked.corpus) == list(whole)
    assert blocks(blocked) == [4, 1]


def test_a_wrong_row_of_parquet_is_named_by_its_number(folder: Path) -> None:
    frame = polars.DataFrame({"id": ["x1", "x2", "x3", "x4", " "], "text": ["a"] * 5})
    frame.write_parquet(folder / "passages" / "part-12.parquet")
    assert "part-12.parquet:row 5: id: the id is only white space" in refusal(folder, Cache())


def passage_files(folder: Path, cache: Cache) -> PassageFiles:
    spec = DatasetSpec(path=str(folder), block=4)
    return PassageFiles(locate(spec).shards, FORMATS.load("jsonl"), spec, cache, Problems(), SILENT)


def entries(cache: Cache, kind: str) -> int:
    return len(list((cache.root / kind).glob("[!.]*/*")))


def test_one_block_is_read_without_the_others(folder: Path) -> None:
    cache = Cache()
    files = passage_files(folder, cache)
    places = files.places()
    assert [(place.file, place.in_file, place.first, place.count) for place in places] == [
        (0, 0, 0, 4),
        (0, 1, 4, 4),
        (0, 2, 8, 2),
        (1, 0, 10, 4),
        (1, 1, 14, 4),
        (2, 0, 18, 4),
        (2, 1, 22, 1),
    ]
    assert entries(cache, "passages") == 0
    wanted = [places[1], places[3], places[6]]
    found = list(files.blocks(wanted))
    assert entries(cache, "passages") == 3
    assert [block.first for block in found] == [4, 10, 22]
    assert [files.digest_of(place) for place in wanted] == [block.digest for block in found]
    assert files.digest_of(places[0]) == ""
    whole = read(folder, cache).corpus
    assert whole is not None
    assert [whole.blocks[place.number].digest for place in wanted] == [b.digest for b in found]
    assert passage_files(folder, cache).places() == places


def test_texts_that_nobody_reads_are_not_fetched(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    first, second = (Cache(tmp_path / name, f"file://{tmp_path}/shared") for name in ("a", "b"))
    digest = read(folder, first).digest
    again = read(folder, second)
    assert again.digest == digest
    assert second.writes == 0
    assert (entries(second, "passages"), entries(second, "passage-texts")) == (7, 0)
    assert again.corpus is not None
    assert again.corpus.texts[13] == ROWS[13]["text"]
    assert entries(second, "passage-texts") == 1
