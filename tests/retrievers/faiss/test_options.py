"""What FAISS cannot do is said before it is tried; keys tell what changes a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore.dataset import Corpus
from ragscore.encoders import MiniLM, Precomputed
from ragscore.errors import ConfigError, DataError, RetrieverError
from ragscore.retrievers.faiss import Faiss
from tests.factories.vectors import (
    CORPUS,
    DEPTH,
    PASSAGE_VECTORS,
    PASSAGES,
    QUERIES,
    QUERY_VECTORS,
    Make,
    corpus_of,
)
from tests.factories.witness import Witness


def fails(spec: Faiss, corpus: Corpus = CORPUS) -> str:
    with pytest.raises(RetrieverError) as caught:
        spec.build(corpus, name="dense").search(QUERIES, DEPTH)
    return str(caught.value)


WRONG = [
    (
        {"index": "HNSW,Flat32"},
        "retriever 'dense': 'HNSW,Flat32' is not a FAISS factory string. Examples: Flat, IVF256",
    ),
    (
        {"index": "PQ5"},
        "retriever 'dense': 'PQ5' does not fit vectors of 16 dimensions (The dimension of the "
        "vector (d) should be a multiple of the number of subquantizers (M)). Use numbers that "
        "divide 16",
    ),
    (
        {"index": "LSH"},
        "retriever 'dense': 'LSH' exists in FAISS for the metric l2 only. Set metric: l2",
    ),
    (
        {"index": "IVF4,Flat", "search": {"nprobes": 2}},
        "retriever 'dense': an index 'IVF4,Flat' has no search parameter 'nprobes'. Did you mean "
        "'nprobe'? Allowed: nprobe, max_codes",
    ),
    (
        {"index": "HNSW8", "search": {"efsearch": 2}},
        "retriever 'dense': an index 'HNSW8' has no search parameter 'efsearch'. Did you mean "
        "'efSearch'? Allowed: efSearch",
    ),
    (
        {"search": {"nprobe": 2}},
        "retriever 'dense': an index 'Flat' has no search parameter 'nprobe'. It has none; leave "
        "`search` out",
    ),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_what_faiss_cannot_do_is_said_before_building(
    make: Make, options: dict[str, Any], message: str
) -> None:
    spec = make(**options)
    assert fails(spec).startswith(message)
    [problem] = spec.check()
    assert problem.what in message
    assert problem.where in ("index", "metric", "search")


TOO_FEW = [
    ("IVF700,Flat", "600 passages are too few to train this index (IVF needs 700). Use fewer"),
    ("IVF900,PQ4x10", "(IVF needs 900, PQ needs 1,024). Use fewer lists or smaller codes, or at"),
]


@pytest.mark.parametrize(("index", "message"), TOO_FEW)
def test_too_few_passages_to_train(make: Make, index: str, message: str) -> None:
    assert message in fails(make(index=index))


def test_a_training_size_below_the_lists(make: Make) -> None:
    spec = make(index="IVF32,Flat", train={"size": 20})
    assert "20 passages are too few to train this index (IVF needs 32)" in fails(spec)


def test_other_failures_of_faiss_are_quoted_without_their_source(make: Make) -> None:
    message = fails(make(index="NSG8", passages=PASSAGE_VECTORS[:20]), corpus_of(20))
    assert message.startswith("retriever 'dense': FAISS cannot build this index (")
    assert ".cpp" not in message
    assert "100" in message


def test_an_empty_corpus(make: Make) -> None:
    assert fails(make(), corpus_of(0)) == "retriever 'dense': the corpus is empty"


def test_query_vectors_of_another_model(make: Make) -> None:
    message = fails(make(queries=QUERY_VECTORS[:, :8].copy()))
    assert "query vectors have 8 dimensions, passage vectors 16" in message


def test_vectors_with_nan_name_the_file_and_the_passage(make: Make) -> None:
    passages = PASSAGE_VECTORS.copy()
    passages[7, 3] = np.nan
    with pytest.raises(DataError, match=r"1 of 600 passages have a vector with NaN .*: 'p7'"):
        make(passages=passages).build(CORPUS)


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "dot"},
        {"search": {"nprobe": 0}},
        {"search": {"nprobe": True}},
        {"search": {"nprobe": "8"}},
        {"index": ""},
        {"fields": ()},
        {"train": {"size": 0}},
        {"nprobe": 8},
    ],
)
def test_options_are_checked_when_written(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Faiss(encoder=MiniLM(), **options)


CHANGES: list[tuple[dict[str, Any], bool]] = [
    ({"encoder": MiniLM(batch_size=8, device="cpu")}, False),
    ({"encoder": MiniLM(query_prompt="query: ")}, True),
    ({"index": "HNSW32"}, True),
    ({"search": {"nprobe": 2}}, True),
    ({"fields": ("text",)}, True),
]


@pytest.mark.parametrize(("options", "changed"), CHANGES)
def test_the_key_tells_what_changes_a_run(options: dict[str, Any], changed: bool) -> None:
    usual = Faiss(encoder=MiniLM())
    other = Faiss(**{"encoder": MiniLM(), **options})
    assert (usual.key() != other.key()) is changed


def test_paths_of_the_encoder_follow_the_experiment(tmp_path: Path) -> None:
    spec = Faiss(encoder=Precomputed(passages="p.npy", queries="q.npy")).resolved(tmp_path)
    found = [problem.where for problem in spec.check()]
    assert found == [str(tmp_path / "p.npy"), str(tmp_path / "q.npy")]


def test_a_graph_built_by_one_thread_is_noted(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Witness()
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    make(index="HNSW8").build(CORPUS, progress=kept)
    assert kept.notes == []
    monkeypatch.setattr("ragscore.retrievers.faiss.options.MANY_FOR_ONE_THREAD", PASSAGES)
    for options in ({"index": "Flat"}, {"index": "HNSW8", "build_threads": 1}):
        make(**options).build(CORPUS, progress=kept)
    assert kept.notes == []
    make(index="HNSW8").build(CORPUS, name="graph", progress=kept)
    (note,) = kept.notes
    assert note.startswith(f"graph: one thread builds HNSW8 over {PASSAGES:,} passages")
    assert "build_threads: 4 is faster" in note
