"""squad: one JSON file as SQuAD, XQuAD, KorQuAD 1 and KLUE-MRC have it; paragraphs are passages.

::

    {"data": [{"title": "Rent", "paragraphs": [{"context": "Rent is due on the first.",
      "qas": [{"id": "q1", "question": "When?", "answers": [{"text": "on the first",
      "answer_start": 12}]}]}]}]}

A paragraph's id is the number of its article and its own, from 0: ``0-3``. A question has grade 1
for its paragraph, or is unanswerable (``is_impossible``); the texts of its answers are kept as
metadata. The format is only read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets.base import Format
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.rows import made_row
from ragscore.formats.reading.json_object import UNREAD, Pairs, parsed
from ragscore.formats.reading.lines import File
from ragscore.models import Passage, Query

EXPECTED = 'SQuAD is {"data": [{"title": ..., "paragraphs": [{"context": ..., "qas": [...]}]}]}'


@dataclass(frozen=True)
class SquadParagraph:
    """One paragraph and its questions, each an object of JSON."""

    id: str
    title: Any
    context: Any
    questions: list[dict[str, Any]]


def read_passages(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Passage]]:
    """Place from 1 and passage of each paragraph."""
    for number, paragraph in enumerate(_paragraphs(file), 1):
        fields = {"id": paragraph.id, "text": paragraph.context, "title": paragraph.title}
        if (row := made_row(Passage, fields, file, 0)) is not None:
            yield number, row


def read_queries(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Query]]:
    """Place from 1 and query of each question."""
    number = 0
    for paragraph in _paragraphs(file):
        for question in paragraph.questions:
            number += 1
            answers = [dict(item).get("text") for item in question.get("answers") or []
                       if isinstance(item, Pairs)]  # fmt: skip
            texts = list(dict.fromkeys(item for item in answers if isinstance(item, str)))
            fields = {
                "id": question.get("id"),
                "text": question.get("question"),
                "answerable": not question.get("is_impossible", False),
                "metadata": {"answers": texts} if texts else {},
            }
            if (row := made_row(Query, fields, file, 0)) is not None:
                yield number, row


def read_judgments(file: File, spec: DatasetSpec) -> Judgments:
    """Grade 1 of each answerable question for its paragraph."""
    judgments = Judgments()
    for paragraph in _paragraphs(file):
        for question in paragraph.questions:
            query_id = question.get("id")
            if isinstance(query_id, str) and not question.get("is_impossible", False):
                judgments.add(query_id, paragraph.id, 1.0, 0)
    return judgments


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
            yield SquadParagraph(f"{article}-{number}", title, fields.get("context"), questions)


def _objects(holder: Any, key: str, file: File, where: str) -> list[Pairs]:
    """The objects in a list of an object; what is none is reported."""
    found = dict(holder).get(key) if isinstance(holder, Pairs) else None
    if not isinstance(found, list) or isinstance(found, Pairs):
        file.problem(f"{where}{'.' if where else ''}{key}: no list is there", instead=EXPECTED)
        return []
    odd = [number for number, item in enumerate(found) if not isinstance(item, Pairs)]
    for number in odd[:1]:
        place = f"{where}{'.' if where else ''}{key}.{number}"
        file.problem(f"{place}: no object is there", instead=EXPECTED)
    return [item for item in found if isinstance(item, Pairs)]


NAMES = ("squad.json", "train-v1.1.json", "train-v2.0.json", "dev-v1.1.json", "dev-v2.0.json")
FORMAT = Format(
    description="one JSON file (squad.json) as SQuAD and XQuAD have it; paragraphs are passages",
    description_ko="SQuAD, XQuAD, KorQuAD의 JSON 파일 하나(squad.json). 단락이 문단",
    names={"passages": NAMES, "queries": NAMES, "ground_truth": NAMES},
    read_passages=read_passages,
    read_queries=read_queries,
    read_judgments=read_judgments,
)
