"""json: the dicts that ranx, pytrec_eval and BEIR's loader keep, each as one JSON object.

::

    {"d1": {"title": "Rent", "text": "Rent is due."}, "d2": "No pets."}     corpus.json
    {"q1": "When is rent due?"}                                             queries.json
    {"q1": {"d1": 1, "d2": 0}, "q2": ["d2"]}                                qrels.json
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ragscore.dataset import Dataset
from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets.base import Format, Writer, Written
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.reading.json_object import JUDGMENTS, JsonObject
from ragscore.formats.reading.lines import File
from ragscore.json_data import Pairs
from ragscore.models import Passage, Query

PASSAGES = 'Write {"id": "text"}, or {"id": {"title": "...", "text": "..."}}'
QUERIES = 'Write {"id": "question"}'


def read_passages(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Passage]]:
    """Place from 1 and passage of each good entry."""
    for number, row_id, value in _entries(file, PASSAGES, "passage"):
        fields: dict[str, Any] = dict(value) if isinstance(value, Pairs) else {"text": value}
        text, title = fields.pop("text", None), fields.pop("title", "") or ""
        if not isinstance(text, str) or not isinstance(title, str):
            file.problem(f"the passage '{row_id}': text is expected", instead=PASSAGES)
            continue
        metadata = {key: _plain(inside) for key, inside in fields.items()}
        yield number, Passage(id=row_id, text=text, title=title, metadata=metadata)


def read_queries(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Query]]:
    """Place from 1 and query of each good entry."""
    for number, row_id, value in _entries(file, QUERIES, "query"):
        if isinstance(value, str):
            yield number, Query(id=row_id, text=value)
        else:
            file.problem(f"the query '{row_id}': text is expected", instead=QUERIES)


def read_judgments(file: File, spec: DatasetSpec) -> Judgments:
    """All judgments; a list of passages means grade 1 each."""
    judgments = Judgments()
    reader = JsonObject(file.path, file.problems, "grade", JUDGMENTS)
    for query_id, value in reader.queries():
        for passage_id, grade in reader.judged(query_id, value).items():
            judgments.add(query_id, passage_id, grade, 0)
    file.intact &= reader.file.intact
    return judgments


def _entries(file: File, instead: str, noun: str) -> Iterator[tuple[int, str, Any]]:
    reader = JsonObject(file.path, file.problems, "text", instead, noun)
    for number, (row_id, value) in enumerate(reader.queries(), 1):
        yield number, row_id, value
    file.intact &= reader.file.intact


def _plain(value: Any) -> Any:
    """A value with dicts in place of pairs."""
    if isinstance(value, Pairs):
        return {key: _plain(inside) for key, inside in value}
    return [_plain(inside) for inside in value] if isinstance(value, list) else value


def written(dataset: Dataset) -> Written:
    """The files of a dataset, an entry to a line."""
    if dataset.corpus is not None:
        yield (
            "corpus.json",
            _object((row.id, {"title": row.title, "text": row.text}) for row in dataset.corpus),
        )
    yield "queries.json", _object((row.id, row.text) for row in dataset.queries)
    yield "qrels.json", _object(iter(dataset.qrels.to_dict().items()))


def _object(entries: Iterator[tuple[str, Any]]) -> Iterator[bytes]:
    before = "{\n"
    for key, value in entries:
        yield (before + f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}").encode()
        before = ",\n"
    yield b"{}\n" if before == "{\n" else b"\n}\n"


FORMAT = Format(
    reads=frozenset(),
    description="corpus.json, queries.json, qrels.json: the dicts of ranx, pytrec_eval and BEIR",
    names={
        "passages": ("corpus.json", "passages.json"),
        "queries": ("queries.json",),
        "ground_truth": ("qrels.json", "ground_truth.json"),
    },
    read_passages=read_passages,
    read_queries=read_queries,
    read_judgments=read_judgments,
    writer=Writer(
        written, frozenset({"titles", "odd_tags", "line_breaks", "grades", "not_relevant"})
    ),
)
