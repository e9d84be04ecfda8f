"""squad: one JSON file as SQuAD, XQuAD, KorQuAD 1 and KLUE-MRC have it; paragraphs are passages.

::

    {"data": [{"title": "Rent", "paragraphs": [{"context": "Rent is due on the first.",
      "qas": [{"id": "q1", "question": "When?", "answers": [{"text": "on the first",
      "answer_start": 12}]}]}]}]}

A paragraph's id is the number of its article and its own, from 0: ``0-3``. A question has grade 1
for its paragraph, or is unanswerable (``is_impossible``); the texts of its answers are kept as
metadata. Where a dataset names the file as its ``documents``, too, paragraphs are documents, and
the answers are evidence in them: several answers to a question are alternatives.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragscore.dataset import Dataset
from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets.base import Format, Writer, Written
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.rows import AnyRow, made_row
from ragscore.formats.reading.json_object import UNREAD, parsed
from ragscore.formats.reading.judged_lines import add_row
from ragscore.formats.reading.lines import File
from ragscore.json_data import Pairs
from ragscore.models import Document, Evidence, GroundTruth, Passage, Query

ANSWER = 'Write {"text": "on the first", "answer_start": 12}'
EXPECTED = 'SQuAD is {"data": [{"title": ..., "paragraphs": [{"context": ..., "qas": [...]}]}]}'


@dataclass(frozen=True)
class SquadParagraph:
    """One paragraph and its questions, each an object of JSON."""

    id: str
    title: Any
    fields: dict[str, Any]
    questions: list[dict[str, Any]]


def read_passages(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Passage]]:
    """Place from 1 and passage of each paragraph."""
    return _paragraph_rows(Passage, file)


def read_queries(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Query]]:
    """Place from 1 and query of each question."""
    for number, _, question in _questions(file):
        lacks = _lacks(question, ("id", "question"), file, number)
        answers = [dict(item).get("text") for item in question.get("answers") or []
                   if isinstance(item, Pairs)]  # fmt: skip
        texts = list(dict.fromkeys(item for item in answers if isinstance(item, str)))
        fields = {
            "id": question.get("id", "none"),
            "text": question.get("question", ""),
            "answerable": not question.get("is_impossible", False),
            # Where they are evidence, they are said once.
            "metadata": {"answers": texts} if texts and spec.documents is None else {},
        }
        if (row := made_row(Query, fields, file, number)) is not None and not lacks:
            yield number, row


def read_documents(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Document]]:
    """Place from 1 and document of each paragraph."""
    return _paragraph_rows(Document, file)


def read_judgments(file: File, spec: DatasetSpec) -> Judgments:
    """Grade 1 of each answerable question for its paragraph, or its answers as evidence."""
    judgments = Judgments()
    for number, paragraph, question in _questions(file):
        query_id = question.get("id")
        if not isinstance(query_id, str) or question.get("is_impossible", False):
            continue
        if spec.documents is None:
            judgments.add(query_id, paragraph.id, 1.0, number)
        else:
            _add_answers(judgments, query_id, paragraph.id, question, file, number)
    return judgments


def _add_answers(
    judgments: Judgments,
    query_id: str,
    document: str,
    question: dict[str, Any],
    file: File,
    number: int,
) -> None:
    """The answers as evidence: each place once."""
    places: dict[tuple[int, str], Evidence] = {}
    for item in question.get("answers") or []:
        answer = dict(item) if isinstance(item, Pairs) else {}
        start, text = answer.get("answer_start"), answer.get("text")
        if not (isinstance(start, int) and isinstance(text, str) and start >= 0 and text):
            what = f"the question '{query_id}': an answer without text and answer_start"
            file.problem(what, line=number, instead=ANSWER)
        elif not text.isspace():
            end = start + len(text)
            spot = Evidence(document=document, start=start, end=end, quote=text)
            places.setdefault((start, text), spot)
    if places:
        row = GroundTruth(query_id=query_id, needs=[list(places.values())])
        add_row(judgments, row, number, file)


def _paragraph_rows(model: type[AnyRow], file: File) -> Iterator[tuple[int, AnyRow]]:
    for number, paragraph in enumerate(_paragraphs(file), 1):
        file.unit = "paragraph "
        lacks = _lacks(paragraph.fields, ("context",), file, number)
        text = paragraph.fields.get("context", "")
        fields = {"id": paragraph.id, "text": text, "title": paragraph.title}
        if (row := made_row(model, fields, file, number)) is not None and not lacks:
            yield number, row


def _questions(file: File) -> Iterator[tuple[int, SquadParagraph, dict[str, Any]]]:
    """Number from 1, paragraph and object of each question."""
    number = 0
    for paragraph in _paragraphs(file):
        for question in paragraph.questions:
            number += 1
            file.unit = "question "
            yield number, paragraph, question


def _lacks(given: Mapping[str, Any], keys: Sequence[str], file: File, number: int) -> bool:
    """Whether any of the keys is missing, which is reported."""
    missing = [key for key in keys if key not in given]
    for key in missing:
        instead = f"Found: {', '.join(given)}" if given else ""
        file.problem(f"the key '{key}' is missing", line=number, instead=instead)
    return bool(missing)


def _paragraphs(file: File) -> Iterator[SquadParagraph]:
    text = file.text()
    value = UNREAD if text is None else parsed(text, file, EXPECTED)
    if value is UNREAD:
        return
    for article, of_article in enumerate(_objects(value, "data", file, "")):
        where = f"data.{article}"
        for number, inside in enumerate(_objects(of_article, "paragraphs", file, where)):
            fields = dict(inside)
            place = f"{where}.paragraphs.{number}"
            questions = [dict(one) for one in _objects(inside, "qas", file, place)]
            title = dict(of_article).get("title", "")
            yield SquadParagraph(f"{article}-{number}", title, fields, questions)


def _objects(holder: Any, key: str, file: File, where: str) -> list[Pairs]:
    """The objects in a list of an object; what is none is reported."""
    found = dict(holder).get(key) if isinstance(holder, Pairs) else None
    if not isinstance(found, list) or isinstance(found, Pairs):
        file.problem(f"{where}{'.' if where else ''}{key}: a list is expected", instead=EXPECTED)
        return []
    odd = [number for number, item in enumerate(found) if not isinstance(item, Pairs)]
    for number in odd[:1]:
        place = f"{where}{'.' if where else ''}{key}.{number}"
        file.problem(f"{place}: an object is expected", instead=EXPECTED)
    return [item for item in found if isinstance(item, Pairs)]


@dataclass(frozen=True)
class _Laid:
    """A dataset laid out as SQuAD has it.

    Attributes:
        paragraphs: (id, title, text) of each document, or passage.
        articles: the article of each paragraph, and its number there.
        questions: by row of the query, the paragraph that it stands in and its answers.
        lost: what finds no place.
    """

    paragraphs: Sequence[tuple[str, str, str]]
    articles: Sequence[tuple[int, int]]
    questions: Mapping[int, tuple[int, list[dict[str, Any]]]]
    lost: Mapping[str, int]


def _laid(dataset: Dataset) -> _Laid:
    if dataset.documents is not None and dataset.evidence is not None:
        documents = dataset.documents
        titles = documents.titles or [""] * len(documents)
        paragraphs = list(zip(documents.ids, titles, documents.texts, strict=True))
        placed, lost = _answers(dataset)
        lost["passage_metadata"] = len(documents.metadata)
    else:
        corpus = dataset.corpus if dataset.corpus is not None else ()
        paragraphs = [(row.id, row.title, row.text) for row in corpus]
        placed, lost = _judged(dataset, [text for _, _, text in paragraphs])
    articles: list[tuple[int, int]] = []
    for number, (id, title, _) in enumerate(paragraphs):
        article, place = articles[-1] if articles else (-1, -1)
        fresh = number == 0 or title != paragraphs[number - 1][1] or id == f"{article + 1}-0"
        articles.append((article + 1, 0) if fresh else (article, place + 1))
    lost["ids"] = sum(
        id != f"{article}-{place}"
        for (id, _, _), (article, place) in zip(paragraphs, articles, strict=True)
    )
    unanswerable = dataset.queries.unanswerable
    for row, query_id in enumerate(dataset.queries.ids):
        if query_id in unanswerable and paragraphs:
            placed[row] = (0, [])
    lost["unplaced"] = len(dataset.queries) - len(placed)
    by_paragraph = sorted(placed, key=lambda row: (placed[row][0], row))
    lost["order"] = sum(a != b for a, b in zip(by_paragraph, sorted(placed), strict=True))
    return _Laid(paragraphs, articles, placed, lost)


def _answers(
    dataset: Dataset,
) -> tuple[dict[int, tuple[int, list[dict[str, Any]]]], dict[str, int]]:
    """Each question below the document of its first evidence, with the evidence there that covers
    the same need as its answers."""
    assert dataset.documents is not None
    assert dataset.evidence is not None
    found = dataset.evidence.rows(dataset.documents)
    placed: dict[int, tuple[int, list[dict[str, Any]]]] = {}
    kept = 0
    for query_id, needs in found.items():
        spans = next(iter(needs.values()))
        at = dataset.documents.ids.row(spans[0].document)
        text, answers = dataset.documents.texts[at], []
        for span in spans:
            if span.document == spans[0].document:
                answers.append({"text": text[span.start : span.end], "answer_start": span.start})
        kept += len(answers)
        placed[dataset.queries.ids.row(query_id)] = (at, answers)
    lost = {
        "evidence": len(dataset.evidence) - kept,
        "grades": int((dataset.evidence.grade != 1).sum()),
        "needs": sum(len(needs) > 1 for needs in found.values()),
        "query_metadata": len(dataset.queries.metadata),
    }
    return placed, lost


def _judged(
    dataset: Dataset, texts: Sequence[str]
) -> tuple[dict[int, tuple[int, list[dict[str, Any]]]], dict[str, int]]:
    """Each question below its most relevant passage, with the texts of its answers that stand
    there."""
    placed: dict[int, tuple[int, list[dict[str, Any]]]] = {}
    others = metadata = 0
    known = dataset.corpus.ids if dataset.corpus is not None else ()
    for query_id, grades in dataset.qrels.to_dict().items():
        relevant = [id for id, grade in grades.items() if grade > 0 and id in known]
        if not relevant or dataset.corpus is None:
            continue
        best = max(relevant, key=grades.__getitem__)
        others += len(relevant) - 1
        row, at = dataset.queries.ids.row(query_id), dataset.corpus.ids.row(best)
        told = dataset.queries.metadata.get(row, {}).get("answers", [])
        there = [one for one in told if isinstance(one, str) and one in texts[at]]
        answers = [{"text": one, "answer_start": texts[at].index(one)} for one in there]
        placed[row] = (at, answers)
    for row, own in dataset.queries.metadata.items():
        answers = placed.get(row, (0, []))[1]
        metadata += own != {"answers": [answer["text"] for answer in answers]}
    return placed, {"other_passages": others, "query_metadata": metadata}


def written(dataset: Dataset) -> Written:
    """One file: an article for each run of paragraphs with the same title."""
    laid = _laid(dataset)
    unanswerable = dataset.queries.unanswerable
    data: list[dict[str, Any]] = []
    made: list[list[dict[str, Any]]] = [[] for _ in laid.paragraphs]
    for row, (at, answers) in sorted(laid.questions.items()):
        question = {
            "id": dataset.queries.ids[row],
            "question": dataset.queries.texts[row],
            "answers": answers,
        }
        impossible = {"is_impossible": True} if question["id"] in unanswerable else {}
        made[at].append(question | impossible)
    for (_, title, text), (article, _), questions in zip(
        laid.paragraphs, laid.articles, made, strict=True
    ):
        if article == len(data):
            data.append({"title": title, "paragraphs": []})
        data[-1]["paragraphs"].append({"context": text, "qas": questions})
    yield "squad.json", json.dumps({"version": "1.1", "data": data}, ensure_ascii=False).encode()


NAMES = ("squad.json", "train-v1.1.json", "train-v2.0.json", "dev-v1.1.json", "dev-v2.0.json")
FORMAT = Format(
    reads=frozenset({"encoding"}),
    description="one JSON file (squad.json) as SQuAD and XQuAD have it; paragraphs are passages",
    names={"passages": NAMES, "queries": NAMES, "ground_truth": NAMES},
    read_passages=read_passages,
    read_queries=read_queries,
    read_judgments=read_judgments,
    read_documents=read_documents,
    writer=Writer(
        written,
        frozenset({"titles", "line_breaks", "unanswerable", "documents", "evidence"}),
        lambda dataset: _laid(dataset).lost,
    ),
)
