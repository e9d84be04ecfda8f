"""Datasets as other tools keep them: AutoRAG, MTEB, SQuAD, ranx's dicts, TREC's subtopics,
documents of LangChain and nodes of LlamaIndex."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars
import pytest

from ragscore import BM25, convert, evaluate, parquet_files
from ragscore.chunking import DocumentChunker
from ragscore.dataset import Dataset
from ragscore.dataset.ground_truth_rows import ground_truth_rows
from ragscore.errors import DataError
from ragscore.formats import load_dataset


def autorag(folder: Path, truth: list[Any], contents: list[Any] | None = None) -> Path:
    metadata = [{"year": 2020, "prev_id": None}, {"year": None, "prev_id": "a"}, {"year": 1}]
    texts = contents or ["Rent.", "Cats.", "Keys."]
    corpus = {"doc_id": ["a", "b", "c"], "contents": texts, "metadata": metadata}
    polars.DataFrame(corpus).write_parquet(folder / "corpus.parquet")
    asked = {
        "qid": [f"q{number}" for number in range(len(truth))],
        "query": ["When?"] * len(truth),
        "retrieval_gt": truth,
        "generation_gt": [["On the first."]] * len(truth),
    }
    polars.DataFrame(asked).write_parquet(folder / "qa.parquet")
    return folder


def test_autorag(tmp_path: Path) -> None:
    dataset = load_dataset(autorag(tmp_path, [[["a", "b"], ["c"]], [["a"], ["c"]], []]))
    assert [row.model_dump(exclude_defaults=True) for row in ground_truth_rows(dataset.qrels)] == [
        {"query_id": "q0", "needs": [["a", "b"], ["c"]]},
        {"query_id": "q1", "needs": [["a"], ["c"]]},
    ]
    assert dataset.corpus is not None
    assert dict(dataset.corpus.metadata) == {0: {"year": 2020}, 1: {"prev_id": "a"}, 2: {"year": 1}}
    assert dataset.queries[0].metadata == {"generation_gt": ["On the first."]}
    flat = load_dataset(autorag(tmp_path, [[["a"], ["c"]]]))
    assert flat.qrels.needs is None
    assert flat.qrels.to_dict() == {"q0": {"a": 1.0, "c": 1.0}}


def test_autorag_with_wrong_types(tmp_path: Path) -> None:
    autorag(tmp_path, [[[1.5]]], [b"\x80\x04pickle", b"x", b"y"])
    with pytest.raises(DataError) as raised:
        load_dataset(tmp_path)
    assert "qa.parquet:row 1: retrieval_gt: not a list of lists of ids" in str(raised.value)
    assert "corpus.parquet:row 1: contents: bytes where text is expected" in str(raised.value)


def mteb(folder: Path) -> Path:
    for name, rows in (
        ("corpus/corpus-00000-of-00002", {"_id": ["a"], "title": ["R"], "text": ["Rent."]}),
        ("corpus/corpus-00001-of-00002", {"_id": ["b"], "title": [""], "text": ["Cats."]}),
        ("queries/queries-00000-of-00001", {"_id": ["q"], "text": ["When?"]}),
        ("data/test-00000-of-00001", {"query-id": ["q"], "corpus-id": ["b"], "score": [2]}),
        ("data/dev-00000-of-00001", {"query-id": ["q"], "corpus-id": ["a"], "score": [1]}),
    ):
        path = folder / f"{name}.parquet"
        path.parent.mkdir(exist_ok=True)
        polars.DataFrame(rows).write_parquet(path)
    return folder


def test_mteb_folders_in_pieces_with_splits(tmp_path: Path) -> None:
    dataset = load_dataset(mteb(tmp_path))
    assert dataset.corpus is not None
    assert (list(dataset.corpus.ids), dataset.corpus.titles) == (["a", "b"], ["R", ""])
    assert dataset.qrels.to_dict() == {"q": {"b": 2.0}}
    assert load_dataset(tmp_path, split="dev").qrels.to_dict() == {"q": {"a": 1.0}}
    with pytest.raises(DataError, match="there is no split 'dve'"):
        load_dataset(tmp_path, split="dve")
    (tmp_path / "corpus/corpus-00001-of-00002.parquet").unlink()
    with pytest.raises(DataError, match=r"corpus-00001-of-00002\.parquet is missing"):
        load_dataset(tmp_path)


def test_a_judgment_of_mteb_without_a_score(tmp_path: Path) -> None:
    mteb(tmp_path)
    place = tmp_path / "data" / "test-00000-of-00001.parquet"
    rows = polars.read_parquet(place)
    rows.with_columns(polars.lit(None, polars.Int64).alias("score")).write_parquet(place)
    with pytest.raises(DataError, match=r"row 1: there is no grade. A grade is a finite number"):
        load_dataset(tmp_path)


def squad(folder: Path) -> Path:
    questions = [
        {"id": "q1", "question": "When?", "answers": [{"text": "first", "answer_start": 15}]},
        {"id": "q2", "question": "Why?", "answers": [], "is_impossible": True},
    ]
    paragraphs = [
        {"context": "Rent is due on first.", "qas": questions},
        {"context": "Cats.", "qas": []},
    ]
    data = {"version": "1", "data": [{"title": "Rent", "paragraphs": paragraphs}]}
    (folder / "squad.json").write_text(json.dumps(data))
    return folder


def test_squad(tmp_path: Path) -> None:
    dataset = load_dataset(squad(tmp_path))
    assert dataset.corpus is not None
    assert list(dataset.corpus.ids) == ["0-0", "0-1"]
    assert dataset.corpus.titles == ["Rent", "Rent"]
    assert dataset.qrels.to_dict() == {"q1": {"0-0": 1.0}}
    assert dataset.queries.unanswerable == {"q2"}
    assert dataset.queries[0].metadata == {"answers": ["first"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"data": [', "squad.json:1: not JSON"),
        ('{"data": 7}', "squad.json: data: a list is expected"),
        ('{"data": [{"paragraphs": [7]}]}', "squad.json: data.0.paragraphs.0: an object is"),
        ('{"data": [{"paragraphs": [{"context": "x"}]}]}', "data.0.paragraphs.0.qas: a list is"),
        (
            '{"data": [{"paragraphs": [{"context": 1, "qas": [{"id": "q", "question": "?", '
            '"answers": [{"text": "x", "answer_start": 0}]}]}]}]}',
            "text: the number 1 where",
        ),
    ],
)
@pytest.mark.parametrize("documents", [None, "squad.json"])
def test_each_fault_of_squad_is_said_once(
    tmp_path: Path, text: str, said: str, documents: str | None
) -> None:
    """The file is read for its passages, its questions and its judgments."""
    (tmp_path / "squad.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as raised:
        load_dataset(tmp_path, documents=documents)
    (problem,) = raised.value.problems
    assert said in str(problem)
    assert "the same in" not in problem.what


def test_squad_names_the_question(tmp_path: Path) -> None:
    """The file may be one line, so the number of a question says where it stands."""
    asked = [{"id": "q1", "question": "a?"}, {"question": "b?"}, {"id": "q1", "qestion": "c?"}]
    paragraphs = [
        {"context": "x", "qas": asked},
        {"contxt": "y", "qas": [{"id": "q1", "question": "d?"}]},
    ]
    (tmp_path / "squad.json").write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    with pytest.raises(DataError) as raised:
        load_dataset(tmp_path)
    assert [str(one).removeprefix(f"{tmp_path}/squad.json:") for one in raised.value.problems] == [
        "question 2: the key 'id' is missing. Found: question",
        "question 3: the key 'question' is missing. Found: id, qestion",
        "question 4: the id 'q1' is already used in question 1. Ids must be unique",
        "paragraph 2: the key 'context' is missing. Found: contxt, qas",
        "question 3: the passage '0-0' is judged twice for the query 'q1', first in question 1. "
        "Keep one judgment for each pair",
    ]


def test_answers_of_squad_as_evidence(tmp_path: Path) -> None:
    dataset = load_dataset(squad(tmp_path), documents="squad.json")
    assert dataset.corpus is None
    assert dataset.documents is not None
    assert dataset.evidence is not None
    assert list(dataset.documents.ids) == ["0-0", "0-1"]
    assert dataset.evidence.texts(dataset.documents) == ["first"]
    result = evaluate(dataset, {"bm25": BM25(chunk=DocumentChunker())}, ["R@1"])
    assert result.scores["bm25"].query_ids == ["q1"]


def test_answers_of_squad_that_stand_elsewhere(tmp_path: Path) -> None:
    text = (squad(tmp_path) / "squad.json").read_text()
    text = text.replace('"answer_start": 15', '"answer_start": 3')
    (tmp_path / "squad.json").write_text(text)
    with pytest.raises(DataError, match="first"):
        load_dataset(tmp_path, documents="squad.json")
    (tmp_path / "squad.json").write_text(text.replace('"answer_start": 3', '"answer_start": "3"'))
    with pytest.raises(DataError, match="an answer without text and answer_start"):
        load_dataset(tmp_path, documents="squad.json")


def test_squad_is_written_as_it_was_read(tmp_path: Path) -> None:
    before = json.loads((squad(tmp_path) / "squad.json").read_text())
    for options in ({}, {"documents": "squad.json"}):
        dataset = load_dataset(tmp_path, **options)
        made = convert(dataset, tmp_path / f"again{len(options)}", to="squad")
        assert made.lost == {}
        after = json.loads((tmp_path / f"again{len(options)}" / "squad.json").read_text())
        assert after["data"] == before["data"]
        assert load_dataset(tmp_path / f"again{len(options)}", **options).digest == dataset.digest


def test_what_squad_cannot_hold_is_named(tmp_path: Path) -> None:
    passages = {"a": "Rent is due.", "b": "Rent is late.", "c": "Cats."}
    queries = {"q": "When?", "r": "Why?", "s": "Who?"}
    dataset = Dataset.from_rows(passages, queries, {"q": {"a": 2, "b": 1}, "r": {"c": 0}})
    made = convert(dataset, tmp_path / "flat", to="squad")
    assert made.lost == {
        "grades": 1,
        "not_relevant": 1,
        "ids": 3,
        "other_passages": 1,
        "unplaced": 2,
    }
    needs = [[{"document": "d", "quote": "Rent"}], [{"document": "d", "quote": "due"}]]
    cited = Dataset.from_rows(
        None, {"q": "When?"}, [{"query_id": "q", "needs": needs}], documents={"d": "Rent is due."}
    )
    made = convert(cited, tmp_path / "cited", to="squad")
    assert made.lost == {"needs": 1, "evidence": 1, "ids": 1}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[" * 200_000,
            "nested more than 100 deep at line 1, column 101",
        ),
        ('{"data": 3}', "data: a list is expected"),
        ('{"data": [{"title": "x", "paragraphs": [7]}]}', r"data\.0\.paragraphs\.0: an object"),
        ('{"data": [{"paragraphs": [{"context": 1, "qas": []}]}]}', "text: "),
        ('{"data": [{"paragraphs": [{"context": "", "qas": [{"id": 5}]}]}]}', "id: "),
    ],
)
def test_broken_squad(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "squad.json").write_text(text)
    with pytest.raises(DataError, match=told):
        load_dataset(tmp_path)


def test_dicts_of_ranx_and_pytrec_eval(tmp_path: Path) -> None:
    qrels = {"q1": {"d1": 1, "d2": 0}}
    for name, value in (
        ("corpus", {"d1": {"title": "R", "text": "Rent.", "year": 3}, "d2": "Cats."}),
        ("queries", {"q1": "When?"}),
        ("qrels", qrels),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    dataset = load_dataset(tmp_path)
    assert dataset.qrels.to_dict() == qrels
    assert dataset.corpus is not None
    assert dataset.corpus[0].metadata == {"year": 3}
    (tmp_path / "queries.json").write_text('{"q1": 3, "q2": "a", "q2": "b"}')
    with pytest.raises(DataError, match="the query 'q1': text is expected"):
        load_dataset(tmp_path)
    (tmp_path / "corpus.json").write_text('{"d1": "a", "d1": "b"}')
    with pytest.raises(DataError, match="passage 'd1': the passage occurs twice"):
        load_dataset(tmp_path)


def test_subtopics_are_needs(tmp_path: Path) -> None:
    (tmp_path / "queries.tsv").write_text("q1\tWhen?\nq2\tWhy?\n")
    lines = "q1 1 a 2\nq1 2 a 1\nq1 2 b 1\nq1 3 c 0\nq2 0 c 1\nq2 0 a 0\n"
    (tmp_path / "qrels.subtopics").write_text(lines)
    dataset = load_dataset(tmp_path)
    rows = {row.query_id: row for row in ground_truth_rows(dataset.qrels)}
    assert rows["q1"].needs == [{"a": 2.0}, ["a", "b"]]
    assert rows["q1"].passages == {"c": 0.0}
    assert dataset.qrels.to_dict()["q2"] == {"c": 1.0, "a": 0.0}
    (tmp_path / "qrels.subtopics").write_text("q1 1 a 2\nq1 1 a 3\nq1 1 b x\nq1 b\n")
    with pytest.raises(DataError) as raised:
        load_dataset(tmp_path)
    for told in (":2: the passage 'a' is judged twice", ":3: the grade 'x'", ":4: 2 columns"):
        assert told in str(raised.value)


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class Node:
    node_id: str
    metadata: dict[str, Any]
    content: str

    def get_content(self) -> str:
        return self.content


@dataclass
class NodeWithScore:
    node: Node
    score: float = 0.5


def test_documents_of_langchain_and_nodes_of_llamaindex() -> None:
    passages = [
        LangChainDocument("Rent.", {"page": 3}, "a"),
        Node("b", {}, "Cats."),
        NodeWithScore(Node("c", {}, "Keys.")),
    ]
    dataset = Dataset.from_rows(passages, {"q": "When?"}, {"q": ["a"]})
    assert dataset.corpus is not None
    assert list(dataset.corpus.texts) == ["Rent.", "Cats.", "Keys."]
    assert dataset.corpus[0].metadata == {"page": 3}
    with pytest.raises(DataError, match=r"passages, row 1: .*id"):
        Dataset.from_rows([LangChainDocument("Rent.")], {"q": "When?"}, {"q": ["a"]})


def test_lists_of_texts_count_against_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    autorag(tmp_path, [[["x" * 1000] * 1000]])
    monkeypatch.setattr(parquet_files, "MAX_TEXT", 500_000)
    with pytest.raises(DataError, match=r"qa\.parquet: .*unpacked bytes in"):
        load_dataset(tmp_path)
