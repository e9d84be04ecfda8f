"""Vectors of a corpus in blocks: searched block by block, or added to one index block by block."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import polars
import pytest

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Queries
from ragscore.encoders import RowBuffers
from ragscore.encoders.vector_rows import open_rows
from ragscore.errors import DataError, RetrieverError
from ragscore.retrievers import Faiss
from ragscore.retrievers.block_vectors import VECTORS
from ragscore.retrievers.blockwise import BlockedIndex
from ragscore.retrievers.encoded_block import COSTS
from ragscore.retrievers.found_passages import FOUND
from ragscore.run import Run
from tests.factories.blocks import assert_equal, in_blocks
from tests.factories.static_model import save_static_model
from tests.factories.vectors import CORPUS, PASSAGE_VECTORS, QUERIES, QUERY_VECTORS, overlap

CUTS = (0, 65, 300, 301)


@pytest.fixture
def blocks() -> Corpus:
    return in_blocks(CORPUS, CUTS)


@pytest.fixture
def made_elsewhere(tmp_path: Path) -> dict[str, str]:
    np.save(tmp_path / "passages.npy", PASSAGE_VECTORS)
    np.save(tmp_path / "queries.npy", QUERY_VECTORS)
    return {
        "kind": "precomputed",
        "passages": str(tmp_path / "passages.npy"),
        "queries": str(tmp_path / "queries.npy"),
    }


def assert_close(found: Run, wanted: Run) -> None:
    """FAISS rounds otherwise for other numbers of vectors."""
    assert found.scores is not None
    assert wanted.scores is not None
    np.testing.assert_allclose(found.scores, wanted.scores, rtol=1e-5, atol=1e-6)
    assert (found.rows == wanted.rows).mean() > 0.99


@pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
@pytest.mark.parametrize("index", ["Flat", "IDMap,Flat"])
def test_exact_search_over_blocks(
    index: str, metric: Any, blocks: Corpus, made_elsewhere: dict[str, str]
) -> None:
    spec = Faiss(encoder=made_elsewhere, index=index, metric=metric)
    over_blocks = spec.build(blocks)
    assert isinstance(over_blocks, BlockedIndex)
    assert over_blocks.size_bytes == PASSAGE_VECTORS.nbytes
    assert_equal(over_blocks.search(QUERIES, 70), spec.build(CORPUS).search(QUERIES, 70))


@pytest.mark.parametrize("index", ["IVF8,Flat", "HNSW8", "PCA8,SQ8", "IVF4,PQ4x4"])
def test_one_index_is_added_to_by_block(
    index: str, blocks: Corpus, made_elsewhere: dict[str, str]
) -> None:
    # Where the sample is named, it is the one that is drawn of a corpus in memory.
    spec = Faiss(encoder=made_elsewhere, index=index, train={"size": 400, "seed": 5})
    assert not spec.blockwise
    wanted = spec.build(CORPUS).search(QUERIES, 10)
    assert_equal(spec.build(blocks).search(QUERIES, 10), wanted)
    default = spec.changed(train={}).build(blocks).search(QUERIES, 10)
    assert overlap(default) > overlap(wanted) - 0.15


def test_an_index_of_each_block(
    blocks: Corpus, made_elsewhere: dict[str, str], tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache")
    one = Faiss(encoder=made_elsewhere, index="HNSW8", search={"efSearch": 600})
    spec = one.changed(per_block=True)
    assert spec.key() != one.key()
    index = spec.build(blocks, cache)
    assert isinstance(index, BlockedIndex)
    assert not index.reopened
    exact = Faiss(encoder=made_elsewhere).build(CORPUS).search(QUERIES, 10)
    assert_close(index.search(QUERIES, 10), exact)
    again = spec.build(blocks, cache)
    assert again.reopened
    assert again.size_bytes
    # A corpus in memory is one block.
    assert_equal(
        spec.build(CORPUS, cache).search(QUERIES, 10), one.build(CORPUS, cache).search(QUERIES, 10)
    )


def rows_of(folder: Path, made: str) -> dict[str, str]:
    """The passages' vectors in several files, in order."""
    folder.mkdir()
    for part, start in enumerate(range(0, len(PASSAGE_VECTORS), 250)):
        vectors = PASSAGE_VECTORS[start : start + 250]
        if made == "npy":
            np.save(folder / f"part-{part + 8}.npy", vectors)
        else:
            frame = {"id": CORPUS.ids[start : start + 250], "vector": vectors.tolist()}
            polars.DataFrame(frame).write_parquet(folder / f"part-{part + 8}.parquet")
    (folder / "_SUCCESS").touch()
    return {"passages": str(folder)}


@pytest.mark.parametrize("made", ["npy", "parquet"])
def test_vectors_in_shards(
    made: str, blocks: Corpus, made_elsewhere: dict[str, str], tmp_path: Path
) -> None:
    wanted = Faiss(encoder=made_elsewhere).build(CORPUS).search(QUERIES, 10)
    spec = Faiss(encoder={**made_elsewhere, **rows_of(tmp_path / "vectors", made)})
    assert spec.check() == []
    assert spec.encoder.dimension() == (16 if made == "npy" else None)
    assert_equal(spec.build(CORPUS).search(QUERIES, 10), wanted)
    assert_close(spec.build(blocks).search(QUERIES, 10), wanted)


@pytest.mark.parametrize("numbers", [">f4", "<f8", "<f2"])
def test_vectors_of_other_numbers(
    numbers: str, blocks: Corpus, made_elsewhere: dict[str, str], tmp_path: Path
) -> None:
    np.save(tmp_path / "passages.npy", PASSAGE_VECTORS.astype(numbers))
    spec = Faiss(encoder=made_elsewhere, metric="ip")
    assert_close(spec.build(blocks).search(QUERIES, 10), spec.build(CORPUS).search(QUERIES, 10))


def test_a_block_is_read_into_the_memory_of_the_last_but_one() -> None:
    buffers = RowBuffers()
    first, second = buffers.take(3, 4), buffers.take(2, 4)
    assert (first.shape, second.shape) == ((3, 4), (2, 4))
    assert not np.shares_memory(first, second)
    assert np.shares_memory(buffers.take(2, 5), first)
    larger = buffers.take(9, 4)
    assert not np.shares_memory(larger, first)
    assert np.shares_memory(buffers.take(3, 4), first)
    with ThreadPoolExecutor(1) as other:
        elsewhere = other.submit(buffers.take, 3, 4).result()
    assert not np.shares_memory(elsewhere, first)
    assert not np.shares_memory(elsewhere, larger)


def test_vectors_with_ids_of_their_own_may_be_in_any_order(
    blocks: Corpus, made_elsewhere: dict[str, str], tmp_path: Path
) -> None:
    order = np.random.default_rng(3).permutation(len(PASSAGE_VECTORS))
    np.save(tmp_path / "passages.npy", PASSAGE_VECTORS[order])
    (tmp_path / "ids.txt").write_text("\n".join(CORPUS.ids.texts(order)), encoding="utf-8")
    spec = Faiss(encoder={**made_elsewhere, "passage_ids": str(tmp_path / "ids.txt")})
    assert_close(spec.build(blocks).search(QUERIES, 10), spec.build(CORPUS).search(QUERIES, 10))
    rows = open_rows(tmp_path / "passages.npy", "id", "vector")
    wanted = np.array([5, 4, 6, 599, 4, 0])
    assert rows.take(wanted).tolist() == PASSAGE_VECTORS[order][wanted].tolist()
    assert rows.take(wanted[:0]).shape == (0, 16)


def test_vectors_that_do_not_belong_to_the_blocks(
    blocks: Corpus, made_elsewhere: dict[str, str], tmp_path: Path
) -> None:
    def refusal(**changed: str) -> str:
        with pytest.raises((DataError, RetrieverError)) as caught:
            Faiss(encoder={**made_elsewhere, **changed}).build(blocks).search(QUERIES, 5)
        return str(caught.value)

    frame = {"id": CORPUS.ids[::-1], "vector": PASSAGE_VECTORS.tolist()}
    polars.DataFrame(frame).write_parquet(tmp_path / "v.parquet")
    message = refusal(passages=str(tmp_path / "v.parquet"))
    assert "row 1 is the vector of 'p599', and passage 1 of the corpus is 'p0'" in message
    np.save(tmp_path / "few.npy", PASSAGE_VECTORS[:500])
    assert "500 vectors for 600 passages" in refusal(passages=str(tmp_path / "few.npy"))
    np.save(tmp_path / "columns.npy", np.asfortranarray(PASSAGE_VECTORS))
    assert "stored column by column" in refusal(passages=str(tmp_path / "columns.npy"))
    np.save(tmp_path / "wide.npy", np.tile(PASSAGE_VECTORS, 2))
    wide = refusal(passages=str(tmp_path / "wide.npy"))
    assert "query vectors have 16 dimensions, passage vectors 32" in wide
    broken = PASSAGE_VECTORS.copy()
    broken[310] = np.nan
    np.save(tmp_path / "broken.npy", broken)
    assert "NaN or infinity: 'p310'" in refusal(passages=str(tmp_path / "broken.npy"))


TEXTS = Corpus(
    CORPUS.ids, [f"rent {row % 7} and a deposit of {row % 40}" for row in range(len(CORPUS))]
)
ASKED = Queries.from_texts({"q": "rent 3", "r": "a deposit"})


def test_encoded_blocks_are_entries_of_the_cache(tmp_path: Path) -> None:
    model = str(save_static_model(tmp_path / "model"))
    spec = Faiss(encoder={"kind": "static", "model": model})
    blocks, cache = in_blocks(TEXTS, CUTS), Cache(tmp_path / "cache")
    for block in blocks.blocks[1:3]:
        assert not spec.is_encoded(block, cache)
        assert not spec.encode_block(block, cache, name="dense").reopened
        assert spec.is_encoded(block, cache)
    index = spec.build(blocks, cache)
    assert not index.reopened
    assert index.build_cost is not None
    assert index.build_cost.encoding is not None
    assert index.build_cost.encoding.texts >= 40
    assert index.size_bytes == len(TEXTS) * 16 * 4
    found, wanted = index.search(ASKED, 10), spec.build(TEXTS).search(ASKED, 10)
    assert found.scores is not None
    assert wanted.scores is not None
    np.testing.assert_allclose(found.scores, wanted.scores, atol=1e-6)
    (cut, asked) = index.truncations(ASKED)
    assert (cut.texts, asked.texts) == (600, 2)
    # What was encoded of a block bit by bit is gone once its vectors are whole.
    kinds = sorted(path.name for path in (tmp_path / "cache").iterdir() if any(path.glob("*/*")))
    assert kinds == sorted([FOUND, "query-vectors", COSTS, VECTORS])
    written = cache.writes
    again = spec.build(blocks, cache)
    assert again.reopened
    assert_equal(again.search(ASKED, 10), found)
    assert cache.writes == written
    # Blocks that others encoded and searched, in any order, give the same to the last bit.
    other = Cache(tmp_path / "other")
    for block in filter(len, blocks.blocks[::-1]):
        spec.encode_block(block, other, name="dense")
    shared = spec.shared_of(blocks.blocks, ASKED, other, name="dense")
    for block in filter(len, blocks.blocks[::-1]):
        spec.search_block(block, ASKED, 10, shared, other, name="dense")
    assert_equal(spec.build(blocks, other).search(ASKED, 10), found)


def test_vectors_without_a_direction_are_counted(
    made_elsewhere: dict[str, str], blocks: Corpus, tmp_path: Path
) -> None:
    vectors = PASSAGE_VECTORS.copy()
    vectors[[3, 400]] = 0
    np.save(tmp_path / "passages.npy", vectors)
    index = Faiss(encoder=made_elsewhere).build(blocks)
    index.search(QUERIES, 5)
    (note,) = index.notes()
    assert "2" in str(note)


def test_what_needs_all_passages_at_once_is_refused(blocks: Corpus) -> None:
    windows = Faiss(encoder="minilm", windows={"size": 64, "stride": 32})
    nsg = Faiss(encoder="minilm", index="NSG16")
    for spec, message in ((windows, "windows are cut of all"), (nsg, "NSG graph is built of all")):
        with pytest.raises(RetrieverError, match=message):
            spec.build(blocks)
    assert nsg.changed(per_block=True).unfit_for_blocks() is None


def test_a_small_index_is_what_faiss_finds(blocks: Corpus, made_elsewhere: dict[str, str]) -> None:
    flat = faiss.IndexFlatIP(16)
    flat.add(PASSAGE_VECTORS)
    scores, rows = flat.search(QUERY_VECTORS, 10)
    run = Faiss(encoder=made_elsewhere, metric="ip").build(blocks).search(QUERIES, 10)
    assert run.rows.tolist() == rows.tolist()
    assert run.scores is not None
    np.testing.assert_allclose(run.scores, scores, rtol=1e-5)
