"""Five chunkers on real documents and questions, from one ground truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.published_chunking import CUTOFFS, DOCUMENT, PUBLISHED, questions
from benchmarks.published_chunking import MEASURES as STUDIED
from ragscore import BM25, Dataset, Faiss, MiniLM, Result, evaluate, load_dataset, run_experiment
from ragscore.chunking import ParagraphChunker, TokenChunker
from ragscore.dataset import Chunks

CHUNKERS = {
    "characters": "{kind: characters, size: 400}",
    "sentences": "{kind: sentences, size: 600}",
    "paragraphs": "{kind: paragraphs, size: 1200}",
    "recursive": "{kind: recursive, size: 800}",
    "tokens": "{kind: tokens, size: 200, overlap: 50}",
}
MEASURES = ("SpanR", "SpanP", "SpanF1", "IoU")


def write(conformance: Path, folder: Path, kinds: dict[str, str]) -> Path:
    """The documents and questions as a dataset, and an experiment over them."""
    source, data = conformance / "spans", folder / "spans"
    (data / "documents").mkdir(parents=True)
    for path in source.glob("*.md"):
        (data / "documents" / path.name).write_bytes(path.read_bytes())
    lines = (source / "questions.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    queries = [{"id": row["id"], "text": row["text"]} for row in rows]
    truth = [
        {
            "query_id": row["id"],
            "evidence": [{"document": row["document"], **span} for span in row["spans"]],
        }
        for row in rows
    ]
    for name, of_file in (("queries", queries), ("ground_truth", truth)):
        text = "".join(json.dumps(row) + "\n" for row in of_file)
        (data / f"{name}.jsonl").write_text(text, encoding="utf-8")
    retrievers = "".join(
        f"  {kind}-{name}: {{{options}, chunk: {chunk}}}\n"
        for name, chunk in CHUNKERS.items()
        for kind, options in kinds.items()
    )
    measures = ", ".join(f"{name}@{k}" for name in MEASURES for k in (1, 5))
    config = folder / "spans.yaml"
    config.write_text(
        f"dataset: spans\nretrievers:\n{retrievers}measures: [{measures}, Complete@5, R@5]\n"
        "depth: 20\nlatency: false\nreport: false\ncompare: false\n"
    )
    return config


def by_hand(data: Dataset, chunks: Chunks, run_rows: np.ndarray, query: int) -> list[float]:
    """The span measures of some rows of a run, from sets of characters."""
    assert data.evidence is not None

    def characters(places: Chunks | object, rows: np.ndarray) -> set[tuple[int, int]]:
        return {
            (int(places.document[row]), place)
            for row in rows
            for place in range(int(places.start[row]), int(places.end[row]))
        }

    evidence = characters(data.evidence, np.flatnonzero(data.evidence.query == query))
    held = characters(chunks, run_rows[run_rows >= 0])
    both, union = len(evidence & held), len(evidence | held)
    recall, precision = both / len(evidence), both / max(len(held), 1)
    return [recall, precision, 2 * both / (len(evidence) + len(held)), both / union]


def check(result: Result) -> None:
    data = result.dataset()
    assert data.chunkings is not None
    for entry in result.scores.entries:
        run = result.run("spans", entry.retriever).onto(data.corpus.ids)
        assert len(entry.query_ids) == 276
        for at in range(0, 276, 23):
            query = data.queries.ids.row(entry.query_ids[at])
            for k in (1, 5):
                wanted = by_hand(data, data.chunkings.chunks, run.rows[query, :k], query)
                found = [entry.per_query(f"{name}@{k}")[entry.query_ids[at]] for name in MEASURES]
                np.testing.assert_allclose(found, wanted, atol=1e-12, rtol=0)


@pytest.mark.slow
def test_five_chunkers_from_one_ground_truth(conformance: Path, tmp_path: Path) -> None:
    config = write(conformance, tmp_path, {"bm25": "kind: bm25"})
    result = run_experiment(config, output=tmp_path / "result")
    check(result)
    precision = {name: result.scores[f"bm25-{name}"].mean("SpanP@5") for name in CHUNKERS}
    # Published studies find it, too: at equal k, small chunks hold less that is no evidence.
    assert precision["characters"] > precision["recursive"] > precision["paragraphs"]


@pytest.mark.slow
def test_five_chunkers_and_two_retrievers(conformance: Path, tmp_path: Path) -> None:
    kinds = {"bm25": "kind: bm25", "dense": "kind: faiss, encoder: minilm"}
    check(run_experiment(write(conformance, tmp_path, kinds), output=tmp_path / "result"))


COMPARED = ((50, 0), (100, 50), (200, 50), (250, 125), (400, 0), (800, 0))
"""Sizes and overlaps that lie apart; the benchmark has all."""


@pytest.mark.slow
def test_published_figures_in_their_order(conformance: Path) -> None:
    """Chunks of whole words of the model's tokens, where the studies cut anywhere between tokens of
    another tokenizer: the figures move a little, their order does not."""
    from scipy.stats import spearmanr

    data = questions(conformance / "spans", {DOCUMENT})
    retrievers = {
        f"{size}-{overlap}": Faiss(encoder=MiniLM(), chunk=TokenChunker(size=size, overlap=overlap))
        for size, overlap in COMPARED
    }
    asked = [f"{name}@{k}" for name in STUDIED for k in CUTOFFS]
    scores = evaluate(data, retrievers, asked, depth=max(CUTOFFS)).scores
    for at, k in enumerate(CUTOFFS):
        for number, name in enumerate(STUDIED):
            found = [scores[retriever].mean(f"{name}@{k}") for retriever in retrievers]
            published = [PUBLISHED[chunked][at][number] for chunked in COMPARED]
            assert spearmanr(found, published).statistic > 0.9, (name, k)


def test_paragraph_chunks_give_the_figures_of_the_passages(conformance: Path) -> None:
    """Passages joined to documents, the judged ones as evidence, cut at paragraphs again."""
    given = load_dataset(conformance / "collections" / "xquad-en")
    assert given.corpus is not None
    texts = [" ".join(text.split()) for text in given.corpus.texts]
    documents: dict[str, str] = {}
    place: dict[str, dict[str, Any]] = {}
    for row, (passage, text) in enumerate(zip(given.corpus.ids, texts, strict=True)):
        document = f"document {row // 5}"
        before = f"{documents[document]}\n\n" if document in documents else ""
        documents[document] = before + text
        span = {"start": len(before), "end": len(before) + len(text)}
        place[passage] = {"document": document, **span}
    queries = dict(zip(given.queries.ids, given.queries.texts, strict=True))
    judged = given.qrels.to_dict()
    truth = [
        {"query_id": query, "evidence": [{**place[id], "grade": grade} for id, grade in of.items()]}
        for query, of in judged.items()
    ]
    flat = Dataset.from_rows(dict(zip(given.corpus.ids, texts, strict=True)), queries, judged)
    cut = Dataset.from_rows(None, queries, truth, documents=documents)
    measures = ["nDCG@10", "R@10", "AP@10", "RR", "P@5", "Complete@3"]
    chunker = ParagraphChunker(size=1, unit="paragraphs")
    passages = evaluate(flat, {"bm25": BM25()}, measures).scores["bm25"]
    chunks = evaluate(cut, {"bm25": BM25(chunk=chunker)}, measures).scores["bm25"]
    np.testing.assert_array_equal(passages.values, chunks.values)
