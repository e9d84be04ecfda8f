"""beir: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv (or qrels.tsv), as BEIR publishes them.

::

    {"_id": "d1", "title": "Rent", "text": "Rent is due on the first day.", "metadata": {}}
    {"_id": "q1", "text": "When is rent due?"}
    query-id <TAB> corpus-id <TAB> score

Keys that BEIR does not define are kept as metadata. The header of the qrels is optional.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from pydantic import ConfigDict, Field

from ragscore.dataset import Dataset
from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets.base import Format, Writer, Written
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.rows import json_rows
from ragscore.formats.datasets.written import grade_text, json_line, judged_pairs, refuse_ids
from ragscore.formats.reading.judged_lines import add_text
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.whitespace_columns import wrong_count
from ragscore.models import Id, Passage, Query, Row

GRADE_HEADERS = frozenset(
    {"score", "grade", "relevance", "rel", "label", "rating", "judgment", "code"}
)


class BeirRow(Row):
    """A line of corpus.jsonl or queries.jsonl."""

    model_config = ConfigDict(extra="allow")

    id: Id = Field(alias="_id")
    """Unique in the file; text, not empty."""
    text: str
    """Passage or question."""
    title: str | None = None
    """A heading; only in corpus.jsonl."""
    metadata: Any = None
    """Anything else."""

    def everything_else(self) -> dict[str, Any]:
        """Metadata and the keys that BEIR does not define."""
        known = self.metadata or {}
        if not isinstance(known, dict):
            known = {"metadata": known}
        return {**known, **(self.model_extra or {})}


def read_passages(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Passage]]:
    """Line number and passage of each good line."""
    for number, row in json_rows(file, BeirRow, spec.ids):
        yield (
            number,
            Passage(
                id=row.id, text=row.text, title=row.title or "", metadata=row.everything_else()
            ),
        )


def read_queries(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Query]]:
    """Line number and query of each good line."""
    for number, row in json_rows(file, BeirRow, spec.ids):
        metadata = row.everything_else()
        if row.title:
            metadata["title"] = row.title
        yield number, Query(id=row.id, text=row.text, metadata=metadata)


def read_judgments(file: File, spec: DatasetSpec) -> Judgments:
    """The judgments of a qrels file: three columns, TAB between them (ids may hold spaces)."""
    judgments = Judgments()
    for number, line in file.rows():
        parts = line.split("\t")
        if len(parts) != 3:
            file.problem(
                wrong_count(parts, 3),
                line=number,
                instead="Write query id, passage id, grade, with one TAB between them",
            )
            continue
        query_id, passage_id, grade = parts
        if number == 1 and grade.strip().lower() in GRADE_HEADERS:
            continue
        add_text(judgments, query_id, passage_id, grade.strip(), number, file)
    return judgments


def written(dataset: Dataset) -> Written:
    """The files of a dataset; its judgments are the split ``test``."""
    refuse_ids(dataset, "beir")
    if dataset.corpus is not None:
        yield (
            "corpus.jsonl",
            (
                json_line({"_id": row.id, "title": row.title, "text": row.text,
                           "metadata": row.metadata})
                for row in dataset.corpus
            ),
        )  # fmt: skip
    yield (
        "queries.jsonl",
        (
            json_line({"_id": row.id, "text": row.text, "metadata": row.metadata})
            for row in dataset.queries
        ),
    )
    yield (
        "qrels/test.tsv",
        chain(
            [b"query-id\tcorpus-id\tscore\n"],
            (
                f"{query_id}\t{passage_id}\t{grade_text(grade)}\n".encode()
                for query_id, passage_id, grade in judged_pairs(dataset)
            ),
        ),
    )


HELD = frozenset(
    {
        *("titles", "passage_metadata", "query_metadata", "odd_tags", "line_breaks"),
        *("grades", "not_relevant"),
    }
)
FORMAT = Format(
    reads=frozenset({"encoding", "ids"}),
    description="corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv or qrels.tsv, as BEIR has them",
    names={
        "passages": ("corpus.jsonl",),
        "queries": ("queries.jsonl",),
        "ground_truth": ("qrels/", "qrels.tsv"),
    },
    read_passages=read_passages,
    read_queries=read_queries,
    read_judgments=read_judgments,
    writer=Writer(written, HELD),
)
