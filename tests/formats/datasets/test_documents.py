"""Datasets of documents on disk and in Python, and their evidence."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from ragscore.dataset import Dataset
from ragscore.errors import ConfigError, DataError
from ragscore.formats import load_dataset, write_dataset
from ragscore.formats.datasets.dataset_loading import dataset_from
from ragscore.models import Document, Evidence, GroundTruth

TERMS = "Rent is due\r\non the first day.\r\nPets: “ask first”.\r\n"
PAGE = "<title>Keys</title><h1>Keys</h1><p>Two keys &amp; a fob.</p><script>no</script>"
KOREAN = "임대료는 매월 1일에 냅니다."
QUESTIONS = {"q1": "When is rent due?", "q2": "How many keys?", "q3": "언제 내나요?"}
TRUTH: list[dict[str, Any]] = [
    {"query_id": "q1", "evidence": [{"document": "terms.md", "quote": "on the first day."}]},
    {"query_id": "q2", "evidence": [{"document": "house/keys.html", "start": 6, "end": 16}]},
    {"query_id": "q3", "evidence": [{"document": "ko/임대.txt", "quote": "매월 1일"}]},
]


def as_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def dataset_in(folder: Path, truth: list[dict[str, Any]] = TRUTH) -> Path:
    texts = folder / "documents"
    for name, text in (("terms.md", TERMS), ("house/keys.html", PAGE), ("ko/임대.txt", KOREAN)):
        path = texts / unicodedata.normalize("NFD", name)  # as a Mac writes names
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (texts / "logo.png").write_bytes(b"\x89PNG")
    (texts / ".hidden.md").write_text("hidden")
    questions = [{"id": row_id, "text": text} for row_id, text in QUESTIONS.items()]
    (folder / "queries.jsonl").write_text(as_lines(questions), encoding="utf-8")
    (folder / "ground_truth.jsonl").write_text(as_lines(truth), encoding="utf-8")
    return folder


def spans(dataset: Dataset) -> list[str]:
    assert dataset.documents is not None
    assert dataset.evidence is not None
    return dataset.evidence.texts(dataset.documents)


def test_a_folder_of_documents(tmp_path: Path) -> None:
    dataset = load_dataset(dataset_in(tmp_path))
    documents = dataset.documents
    assert documents is not None
    assert list(documents.ids) == ["house/keys.html", "ko/임대.txt", "terms.md"]
    assert documents.texts == ["Keys\n\nTwo keys & a fob.", KOREAN, TERMS]
    assert documents.titles == ["Keys", "", ""]
    assert dataset.corpus is None
    assert spans(dataset) == ["on the first day.", "Two keys &", "매월 1일"]
    assert repr(dataset).endswith(": 3 documents, 3 queries, 3 spans)")
    assert dataset.counts["queries_without_judgments"] == 0
    assert dataset.counts["skipped_files"] == 1


def test_the_source_of_html(tmp_path: Path) -> None:
    truth = [
        {"query_id": "q1", "evidence": [{"document": "house/keys.html", "quote": "Keys</h1>"}]}
    ]
    dataset = load_dataset(dataset_in(tmp_path, truth), html="source")
    assert dataset.documents is not None
    assert dataset.documents.texts[0] == PAGE
    assert spans(dataset) == ["Keys</h1>"]


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    first = {"document": "terms.md", "quote": "first day"}
    either = [first, {"document": "terms.md", "start": 0, "end": 4, "grade": 2.0}]
    needs = [either, [{"document": "ko/임대.txt", "quote": "매월"}]]
    truth = [*TRUTH[:2], {"query_id": "q3", "needs": needs}]
    dataset = load_dataset(dataset_in(tmp_path / "in", truth))
    write_dataset(dataset, tmp_path / "out")
    again = load_dataset(tmp_path / "out", name=dataset.name)
    assert again.digest == dataset.digest
    assert again.evidence is not None
    assert again.evidence.need.tolist() == [0, 0, 0, 0, 1]
    assert spans(again) == ["on the first day.", "Two keys &", "Rent", "first day", "매월"]


@pytest.mark.parametrize(
    "row",
    [
        {"passages": {"a": 2, "b": 0}},
        {"passages": {"c": 2.0}, "needs": [["b", "a", "c"], {"a": 3.0}]},
        {"needs": [["a"], ["b"]]},
        {"needs": [["b"], ["a", "b"]], "passages": {"c": 0}},
        {"needs": [["c", {"document": "d", "quote": "due"}]], "passages": {"c": 2}},
        {"needs": [["c"]], "evidence": [{"document": "d", "quote": "Rent", "grade": 0.5}]},
        {
            "evidence": [{"document": "d", "quote": "Rent"}],
            "needs": [[{"document": "d", "start": 0, "end": 4}], ["a"]],
        },
    ],
)
def test_needs_and_evidence_are_written_as_they_are_read(tmp_path: Path, row: Any) -> None:
    passages = {"a": "1", "b": "2", "c": "3"}
    rows = [{"query_id": "q1", **row}, {"query_id": "q2", "passages": {"b": 1, "c": 1}}]
    made = Dataset.from_rows(
        passages, {"q1": "?", "q2": "?"}, rows, documents={"d": "Rent is due."}
    )
    write_dataset(made, tmp_path)
    assert load_dataset(tmp_path, name=made.name).digest == made.digest


def test_documents_in_python_are_those_on_disk(tmp_path: Path) -> None:
    on_disk = load_dataset(dataset_in(tmp_path), name="dataset")
    assert on_disk.documents is not None
    rows = [GroundTruth.model_validate(row) for row in TRUTH]
    for documents in (list(on_disk.documents), [dict(row) for row in on_disk.documents]):
        made = Dataset.from_rows(None, QUESTIONS, rows, documents=documents)
        assert made.digest == on_disk.digest
    made = Dataset.from_rows(
        None,
        {"q": "When?"},
        [GroundTruth(query_id="q", evidence=[Evidence(document="a", quote="first")])],
        documents={"a": "On the first."},
    )
    assert spans(made) == ["first"]
    truth = [GroundTruth(query_id="q", evidence=[Evidence(document="a", quote="first")])]
    parts = {"queries": {"q": "When?"}, "ground_truth": truth, "documents": {"a": "On the first."}}
    assert dataset_from(parts).digest == made.digest


def test_other_formats_are_read_by_a_function(tmp_path: Path) -> None:
    def read(path: Path) -> str | Document | None:
        if path.suffix == ".png":
            return Document(id="any", text="A red door.", title="Door")
        return None if path.suffix == ".txt" else path.read_bytes().decode()

    truth = [{"query_id": "q1", "evidence": [{"document": "logo.png", "quote": "red"}]}]
    dataset = load_dataset(dataset_in(tmp_path, truth), reader=read)
    assert dataset.documents is not None
    assert list(dataset.documents.ids) == ["house/keys.html", "logo.png", "terms.md"]
    assert dataset.documents.texts[0] == PAGE
    with pytest.raises(DataError, match="the reader returned 3"):
        load_dataset(tmp_path, reader=lambda path: 3)  # type: ignore[arg-type,return-value]
    with pytest.raises(DataError, match=r"house/keys\.html: the reader failed: KeyError"):
        load_dataset(tmp_path, reader=lambda path: {}[path])
    with pytest.raises(ConfigError, match="no folder of documents"):
        load_dataset("datasets/harbour-tenancy", reader=read)


def test_documents_as_json_lines_and_elsewhere(tmp_path: Path) -> None:
    dataset_in(tmp_path / "data")
    (tmp_path / "data" / "documents").rename(tmp_path / "texts")
    dataset = load_dataset(tmp_path / "data", documents="../texts")
    assert dataset.documents is not None
    rows = [row.model_dump(exclude_defaults=True) for row in dataset.documents]
    (tmp_path / "data" / "documents.jsonl").write_text(as_lines(rows), encoding="utf-8")
    assert load_dataset(tmp_path / "data").digest == dataset.digest
    with pytest.raises(DataError, match="there is no folder or file 'text'"):
        load_dataset(tmp_path / "data", documents="../text")
    with pytest.raises(DataError, match="a file of another kind"):
        load_dataset(tmp_path / "data", documents="../texts/terms.md")


def test_a_folder_named_documents_beside_passages_is_not_read(tmp_path: Path) -> None:
    truth: list[dict[str, Any]] = [{"query_id": "q1", "passages": {"p": 1}}]
    dataset_in(tmp_path, truth)
    (tmp_path / "passages.jsonl").write_text('{"id": "p", "text": "Rent."}\n')
    assert load_dataset(tmp_path).documents is None
    assert load_dataset(tmp_path, documents="documents").documents is not None
    assert load_dataset(tmp_path, corpus=False).documents is None


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"document": "term.md", "quote": "Rent"}, "there is no document 'term.md'. Did you mean"),
    ({"document": "terms.md", "start": 3, "end": 999}, "which has 52"),
    ({"document": "terms.md", "start": 4, "end": 5}, "nothing but white space"),
    ({"document": "terms.md", "start": 0, "end": 4, "quote": "Pets"}, "is 'Rent', and the quote"),
    ({"document": "terms.md", "quote": "first"}, "stands 2 times in the document 'terms.md': at "),
    ({"document": "terms.md", "quote": "Rents are due"}, "is not in the document 'terms.md'"),
]


@pytest.mark.parametrize(("evidence", "message"), WRONG)
def test_evidence_that_has_no_certain_place(
    tmp_path: Path, evidence: dict[str, Any], message: str
) -> None:
    dataset_in(tmp_path, [TRUTH[0], {"query_id": "q2", "evidence": [evidence]}])
    with pytest.raises(DataError) as caught:
        load_dataset(tmp_path)
    assert "ground_truth.jsonl:2: " in str(caught.value)
    assert message in str(caught.value)
    assert len(caught.value.problems) == 1


def test_quotes_may_differ_in_white_space_marks_and_form(tmp_path: Path) -> None:
    quotes = [
        ("terms.md", "is due  on the\nfirst day", "is due\r\non the first day"),
        ("terms.md", 'Pets: "ask first".', "Pets: “ask first”."),
        ("ko/임대.txt", unicodedata.normalize("NFD", "임대료는 매월"), "임대료는 매월"),
    ]
    truth = [{"query_id": "q1", "evidence": [{"document": d, "quote": q} for d, q, _ in quotes]}]
    assert spans(load_dataset(dataset_in(tmp_path, truth))) == [found for *_, found in quotes]


def test_offsets_and_quote_together_agree(tmp_path: Path) -> None:
    both = {"document": "terms.md", "start": 13, "end": 25, "quote": "on  the\nfirst"}
    truth = [{"query_id": "q1", "evidence": [both]}]
    assert spans(load_dataset(dataset_in(tmp_path, truth))) == ["on the first"]


def test_evidence_needs_documents_and_answerable_queries(tmp_path: Path) -> None:
    dataset_in(tmp_path)
    with pytest.raises(DataError, match="the dataset has none"):
        load_dataset(tmp_path, corpus=False)
    rows = [GroundTruth.model_validate(row) for row in TRUTH[:1]]
    unanswerable = [{"id": "q1", "text": "When?", "answerable": False}]
    with pytest.raises(DataError, match="marked unanswerable, and has evidence"):
        Dataset.from_rows(None, unanswerable, rows, documents={"terms.md": TERMS})
    with pytest.raises(DataError, match="the query 'q1' is not among the queries"):
        Dataset.from_rows(None, {"q9": "When?"}, rows, documents={"terms.md": TERMS})


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    dataset_in(tmp_path)
    (tmp_path / "documents" / "latin.txt").write_bytes("first line\ncafé\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"latin\.txt:2: the byte 0xE9 is not UTF-8"):
        load_dataset(tmp_path)


def test_odd_files_are_named_and_never_waited_for(tmp_path: Path) -> None:
    dataset_in(tmp_path)
    os.mkfifo(tmp_path / "documents" / "pipe.md")
    with pytest.raises(DataError, match=r"pipe\.md: it cannot be read: it is a named pipe"):
        load_dataset(tmp_path)
    (tmp_path / "documents" / "pipe.md").unlink()
    Path(os.fsdecode(bytes(tmp_path / "documents") + b"/\xff.txt")).write_text("x")
    with pytest.raises(DataError, match="its name holds characters that cannot be part of an id"):
        load_dataset(tmp_path)


def test_two_names_that_differ_in_form_alone(tmp_path: Path) -> None:
    dataset_in(tmp_path)
    (tmp_path / "documents" / "ko" / "임대.txt").write_text("x")
    with pytest.raises(DataError, match="their names differ only in Unicode's form"):
        load_dataset(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="the folder of documents holds no file"):
        load_dataset(tmp_path, documents="empty")
