"""A sample of a corpus: what it holds, wherever the passages are read from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ragscore import load_dataset
from ragscore.cache import Cache
from ragscore.dataset import Dataset
from ragscore.dataset.drawing import drawn
from ragscore.errors import ConfigError, DataError
from ragscore.formats import convert

PASSAGES = [
    {
        "id": f"p{row}",
        "text": f"Room {row}",
        "title": "Rent" * (row % 2),
        "metadata": {"page": row // 5, "house": "ab"[row % 2]},
    }
    for row in range(200)
]
IDS = [str(row["id"]) for row in PASSAGES]
JUDGED, RELEVANT = ["p7", "p8", "p150"], ["p7", "p150"]
TRUTH = [{"query_id": "q", "passages": {"p7": 2, "p8": 0, "p150": 1}, "forbidden": ["p33"]}]
QUERIES = [{"id": "q", "text": "Which room?"}, {"id": "r", "text": "Where?"}]
DRAWN = [IDS[row] for row in drawn(IDS, 20).tolist()]


def lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sampled") / "rooms"
    made.mkdir()
    for name, rows in (("passages", PASSAGES), ("queries", QUERIES), ("ground_truth", TRUTH)):
        (made / f"{name}.jsonl").write_text(lines(rows), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


def ids(dataset: Dataset) -> list[str]:
    assert dataset.corpus is not None
    return list(dataset.corpus.ids)


def in_order(*parts: Iterable[str]) -> list[str]:
    """The passages of some parts in the order of the file."""
    held = {passage for part in parts for passage in part}
    return [passage for passage in IDS if passage in held]


@pytest.mark.parametrize(
    ("keep", "kept"), [("judged", [*JUDGED, "p33"]), ("relevant", RELEVANT), ("none", [])]
)
def test_what_is_drawn_and_what_is_kept(
    folder: Path, cache: Cache, keep: str, kept: list[str]
) -> None:
    found = load_dataset(folder, cache=cache, corpus={"sample": 20, "keep": keep})
    assert not set(JUDGED) <= set(DRAWN)
    assert ids(found) == in_order(DRAWN, kept)
    assert found.sample is not None
    assert (found.sample.passages, found.sample.of) == (len(ids(found)), 200)
    assert found.sample.drawn == 20
    assert found.sample.kept == len(set(kept) - set(DRAWN))
    missing = {*JUDGED, "p33"} - set(ids(found))
    assert found.counts["missing_passages"] == len(missing)
    assert set(found.missing_passages) == missing
    assert len(found.qrels) == 3  # what was not drawn is still sought


def test_the_passages_are_those_of_the_whole_corpus(folder: Path, cache: Cache) -> None:
    whole = load_dataset(folder)
    found = load_dataset(folder, cache=cache, corpus={"sample": 20, "seed": 5})
    assert found.corpus is not None
    assert whole.corpus is not None
    for passage in found.corpus:
        assert passage == whole.corpus[whole.corpus.ids.row(passage.id)]
    assert not found.corpus.blocks
    assert ids(found) != ids(load_dataset(folder, cache=cache, corpus={"sample": 20}))


def test_shards_in_another_order_hold_the_same_sample(
    folder: Path, cache: Cache, tmp_path: Path
) -> None:
    shards = tmp_path / "passages"
    shards.mkdir()
    (shards / "part-1.jsonl").write_text(lines(PASSAGES[120:][::-1]))
    (shards / "part-2.jsonl").write_text(lines(PASSAGES[:120]))
    for name in ("queries", "ground_truth"):
        (tmp_path / f"{name}.jsonl").write_bytes((folder / f"{name}.jsonl").read_bytes())
    corpus = {"sample": 20}
    one = load_dataset(folder, cache=cache, corpus=corpus)
    other = load_dataset(tmp_path, cache=cache, corpus=corpus, block=7)
    assert set(ids(one)) == set(ids(other))
    assert one.sample == other.sample


def test_the_pool_is_kept_too(folder: Path, cache: Cache) -> None:
    corpus = {"sample": 20, "pool": {"retrievers": ["bm25"], "depth": 7}}
    found = load_dataset(folder, cache=cache, corpus=corpus, pooled=["p1", "p8", "p199"])
    assert ids(found) == in_order(DRAWN, JUDGED, ["p33", "p1", "p199"])
    assert found.sample is not None
    assert found.sample.pooled == len({"p1", "p199"} - set(DRAWN))
    assert (found.sample.pool, found.sample.depth) == (("bm25",), 7)
    with pytest.raises(ConfigError, match=r"corpus\.pool: a pool holds what retrievers"):
        load_dataset(folder, cache=cache, corpus=corpus)


def test_units_keep_all_of_their_passages(folder: Path, cache: Cache, tmp_path: Path) -> None:
    for name in ("queries", "passages"):
        (tmp_path / f"{name}.jsonl").write_bytes((folder / f"{name}.jsonl").read_bytes())
    truth = {"query_id": "q", "passages": {"4": 1, "9": 0}, "forbidden": ["p33"]}
    (tmp_path / "ground_truth.jsonl").write_text(lines([truth]))
    found = load_dataset(tmp_path, cache=cache, unit="metadata.page", corpus={"sample": 20})
    pages = [f"p{row}" for row in (*range(20, 25), *range(45, 50))]
    assert ids(found) == in_order(DRAWN, pages, ["p33"])
    assert found.qrels.units is not None
    assert found.missing_passages == []
    corpus = {"sample": 20, "keep": "relevant"}
    found = load_dataset(tmp_path, cache=cache, unit="metadata.page", corpus=corpus)
    assert ids(found) == in_order(DRAWN, pages[:5])


def test_digests_tell_samples_from_each_other_and_from_the_whole(
    folder: Path, cache: Cache
) -> None:
    whole = load_dataset(folder)
    samples: list[dict[str, Any]] = [
        {"sample": 20},
        {"sample": 21},
        {"sample": 20, "seed": 1},
        {"sample": 20, "keep": "none"},
        {"sample": 199},
    ]
    digests = [load_dataset(folder, cache=cache, corpus=corpus).digest for corpus in samples]
    assert len({whole.digest, *digests}) == 6
    again = load_dataset(folder, cache=cache, corpus={"sample": 20})
    assert again.digest == digests[0]


@pytest.mark.parametrize("count", [200, 201, 10**9])
def test_a_sample_of_everything_is_the_corpus(folder: Path, cache: Cache, count: int) -> None:
    found = load_dataset(folder, cache=cache, corpus={"sample": count})
    assert found.sample is None
    assert found.digest == load_dataset(folder).digest
    assert found.counts["sample_of_all"] == count
    assert found.corpus is not None
    assert not found.corpus.blocks


def test_a_judged_passage_that_is_nowhere_is_an_error_still(folder: Path, cache: Cache) -> None:
    truth = folder / "odd.jsonl"
    truth.write_text(lines([{"query_id": "q", "passages": {"p1000": 1}}]))
    corpus = {"sample": 20, "keep": "none"}
    with pytest.raises(DataError, match=r"odd\.jsonl:1: the passage 'p1000' is not in"):
        load_dataset(folder, cache=cache, ground_truth="odd.jsonl", corpus=corpus)
    found = load_dataset(
        folder, cache=cache, ground_truth="odd.jsonl", corpus=corpus, allow_missing=True
    )
    assert found.missing_passages == ["p1000"]


@pytest.mark.parametrize(
    ("corpus", "told"),
    [
        ({"sample": 0}, "sample: the number 0 is too small. It must be at least 1"),
        ({"sampel": 3}, "sampel: unknown key. Did you mean 'sample'"),
        ({"sample": "many"}, "sample: the text 'many' where a whole number"),
        ({"sample": 3, "keep": "all"}, "keep: unknown value 'all'. Allowed: judged, relevant, no"),
        ({"sample": 3, "seed": -1}, "seed: the number -1 is too small"),
        ({"sample": 3, "pool": []}, "pool: empty. At least one is needed"),
        ({"sample": 3, "pool": {"depth": 3}}, "pool.retrievers: missing"),
        ({"sample": 3, "pool": {"retrievers": ["a"], "depth": 0}}, "pool.depth: the number 0 is"),
        ({}, "sample: missing"),
        (5, "corpus: the number 5 where true or false or a mapping"),
    ],
)
def test_wrong_values_are_named_at_their_place(folder: Path, corpus: Any, told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_dataset(folder, corpus=corpus)
    assert told in str(raised.value)


def test_documents_are_not_sampled(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text(lines([{"id": "d", "text": "Rent is due."}]))
    truth = {"query_id": "q", "evidence": [{"document": "d", "start": 0, "end": 4}]}
    (tmp_path / "ground_truth.jsonl").write_text(lines([truth]))
    (tmp_path / "queries.jsonl").write_bytes((folder / "queries.jsonl").read_bytes())
    for named in ({}, {"documents": "documents.jsonl"}):
        with pytest.raises((DataError, ConfigError)) as raised:
            load_dataset(tmp_path, corpus={"sample": 3}, **named)
        assert "a sample draws passages, and chunkers make those of documents" in str(raised.value)


def test_written_anew_it_is_no_longer_known_to_be_a_sample(
    folder: Path, cache: Cache, tmp_path: Path
) -> None:
    found = load_dataset(folder, cache=cache, corpus={"sample": 20})
    converted = convert(found, tmp_path / "out", to="jsonl")
    assert converted.lost["sample"] == 1
