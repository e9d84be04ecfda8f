"""jsonl: passages.jsonl, queries.jsonl and ground_truth.jsonl, rows of :mod:`ragscore.models`.

::

    {"id": "TC-1", "text": "Rent is due on the first day.", "title": "Rent"}
    {"id": "q1", "text": "When is rent due?", "tags": ["numeric"]}
    {"query_id": "q1", "passages": {"TC-1": 3}}
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ragscore.dataset import Dataset
from ragscore.dataset.ground_truth_rows import ground_truth_rows
from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets import tables
from ragscore.formats.datasets.base import Format, Writer, Written
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.held_parts import EVERYTHING
from ragscore.formats.datasets.rows import first_keys, json_lines, json_row, json_rows
from ragscore.formats.datasets.written import json_line, write_files
from ragscore.formats.reading.judged_lines import add_row
from ragscore.formats.reading.lines import File
from ragscore.models import GroundTruth, Passage, Query


def read_passages(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Passage]]:
    """Line number and passage of each good line."""
    if spec.columns.passages != tables.DEFAULT.passages:
        return tables.read_passages(file, spec, json=True)
    return json_rows(file, Passage, spec.ids)


def read_queries(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Query]]:
    """Line number and query of each good line."""
    if spec.columns.queries != tables.DEFAULT.queries:
        return tables.read_queries(file, spec, json=True)
    return json_rows(file, Query, spec.ids)


def read_judgments(file: File, spec: DatasetSpec) -> Judgments:
    """All judgments; each has the line of its query's row."""
    names = spec.columns.ground_truth
    if names != tables.DEFAULT.ground_truth or names.passage_id in first_keys(file):
        return tables.read_judgments(file, spec, json=True)
    judgments = Judgments()
    line_of: dict[str, int] = {}
    for number, line in json_lines(file):
        row = json_row(line, GroundTruth, file, number, spec.ids)
        if row is None:
            continue
        first = line_of.setdefault(row.query_id, number)
        if first != number:
            file.problem(
                f"the query '{row.query_id}' already has a row of ground truth, line {first}",
                line=number,
                instead="Put all its passages into one row",
            )
            continue
        for twice in _named_twice(line, row):
            file.problem(
                f"passages: '{twice}' is named twice",
                line=number,
                instead="Keep one judgment for each pair",
            )
        add_row(judgments, row, number, file)
    return judgments


def written(dataset: Dataset) -> Written:
    """The files of a dataset; needs are written as needs, evidence with its offsets."""
    files: dict[str, Iterable[BaseModel]] = {
        "queries.jsonl": dataset.queries,
        "ground_truth.jsonl": ground_truth_rows(dataset.qrels, dataset.evidence, dataset.documents),
    }
    if dataset.corpus is not None:
        files["passages.jsonl"] = dataset.corpus
    if dataset.documents is not None:
        files["documents.jsonl"] = dataset.documents
    return ((name, lines_of(rows)) for name, rows in files.items())


def write_dataset(dataset: Dataset, folder: str | Path) -> None:
    """Write a dataset as this format into a folder, which is made where it does not exist; one
    without a corpus as queries and judgments alone. Documents become ``documents.jsonl``, and
    evidence is written with its offsets; needs are written as needs.

    Raises:
        DiskError: it cannot be written.
    """
    write_files(written(dataset), Path(folder))


def lines_of(rows: Iterable[BaseModel]) -> Iterator[bytes]:
    """Rows as JSON lines, without what has its default."""
    return (json_line(row.model_dump(exclude_defaults=True)) for row in rows)


def _named_twice(line: str, row: GroundTruth) -> list[str]:
    """Passages of a list, or keys of a JSON object, that occur twice: JSON itself keeps the
    last grade and says nothing."""
    if isinstance(row.passages, list):
        return [name for name, count in Counter(row.passages).items() if count > 1]
    twice: list[str] = []

    def keys(pairs: list[tuple[str, Any]]) -> None:
        names = Counter(name for name, _ in pairs)
        twice.extend(name for name, count in names.items() if count > 1)

    json.loads(line, object_pairs_hook=keys)
    return twice


FORMAT = Format(
    reads=frozenset({"columns", "encoding", "ids"}),
    description="passages.jsonl, queries.jsonl, ground_truth.jsonl: ragscore's own rows",
    names={
        "passages": ("passages.jsonl",),
        "queries": ("queries.jsonl",),
        "ground_truth": ("ground_truth.jsonl",),
    },
    read_passages=read_passages,
    read_queries=read_queries,
    read_judgments=read_judgments,
    writer=Writer(written, EVERYTHING),
)
