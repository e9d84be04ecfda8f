"""trec: a qrels file of four columns, queries as ``id TAB text``, a corpus as JSONL or TSV.

::

    q1 0 d1 3                                    qrels: query, ignored, passage, grade
    q1 <TAB> When is rent due?                   queries.tsv
    d1 <TAB> Rent is due on the first. <TAB> Rent    corpus.tsv: id, text, title if there is one

Without a corpus the dataset can judge runs, and nothing can be retrieved from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ragscore.dataset import Dataset
from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets import beir, jsonl, tables
from ragscore.formats.datasets.base import Format, Writer, Written
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.held_parts import BREAK
from ragscore.formats.datasets.rows import first_keys, made_row
from ragscore.formats.datasets.written import grade_text, judged_pairs, refuse_ids
from ragscore.formats.reading.judged_lines import add_text
from ragscore.formats.reading.lines import (
    COMMENT,
    File,
    unpacked_suffix,
)
from ragscore.formats.reading.whitespace_columns import trec_columns, wrong_count
from ragscore.models import Passage, Query

ID_HEADERS = frozenset(
    {"id", "_id", "qid", "query_id", "query-id", "docid", "doc_id", "passage_id"}
)
TEXT_HEADERS = frozenset({"text", "query", "passage", "contents"})


def read_passages(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Passage]]:
    """Line number and passage of each good line."""
    if unpacked_suffix(file.path) == ".jsonl":
        named = spec.columns.passages != tables.DEFAULT.passages
        module = beir if "_id" in first_keys(file) and not named else jsonl
        yield from module.read_passages(file, spec)
        return
    for number, parts in _tab_separated(file, "id TAB text, or id TAB text TAB title", 3):
        title = parts[2] if len(parts) == 3 else ""
        values = {"id": parts[0], "text": parts[1], "title": title}
        passage = made_row(Passage, values, file, number)
        if passage is not None:
            yield number, passage


def read_queries(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Query]]:
    """Line number and query of each good line."""
    for number, parts in _tab_separated(file, "id TAB text", 2):
        query = made_row(Query, {"id": parts[0], "text": parts[1]}, file, number)
        if query is not None:
            yield number, query


def read_judgments(file: File, spec: DatasetSpec) -> Judgments:
    """The judgments: four columns, any spaces or tabs between them; empty lines and lines that
    begin with ``#`` are passed over."""
    judgments = Judgments()
    for number, line in file.rows(passing_over=COMMENT):
        parts = trec_columns(line)
        if len(parts) != 4:
            file.problem(
                wrong_count(parts, 4),
                line=number,
                instead="Write query id, 0, passage id, grade; ids with spaces need another "
                "format, such as beir",
            )
            continue
        add_text(judgments, parts[0], parts[2], parts[3], number, file)
    return judgments


def _tab_separated(file: File, expected: str, most: int) -> Iterator[tuple[int, list[str]]]:
    for number, line in file.rows():
        parts = line.split("\t")
        if not 2 <= len(parts) <= most:
            columns = "1 column" if len(parts) == 1 else f"{len(parts)} columns"
            file.problem(f"{columns}, separated by TAB, where {expected} is expected", line=number)
            continue
        if number == 1 and parts[0].lower() in ID_HEADERS and parts[1].lower() in TEXT_HEADERS:
            continue
        yield number, parts


def written(dataset: Dataset) -> Written:
    """The files of a dataset, whose passages are ragscore's own rows."""
    yield from texts_written(dataset)
    yield (
        "qrels.txt",
        (
            f"{query_id} 0 {passage_id} {grade_text(grade)}\n".encode()
            for query_id, passage_id, grade in judged_pairs(dataset)
        ),
    )


def texts_written(dataset: Dataset) -> Written:
    """Passages and queries; TAB and line ends in a question become spaces."""
    refuse_ids(dataset, "trec", blanks=True)
    if dataset.corpus is not None:
        yield "passages.jsonl", jsonl.lines_of(dataset.corpus)
    yield (
        "queries.tsv",
        chain(
            [b"id\ttext\n"],
            (f"{row.id}\t{BREAK.sub(' ', row.text)}\n".encode() for row in dataset.queries),
        ),
    )


HELD = frozenset(
    {"titles", "passage_tags", "odd_tags", "passage_metadata", "grades", "not_relevant"}
)
FORMAT = Format(
    reads=frozenset({"encoding"}),
    description="TREC qrels, queries.tsv (id TAB text), corpus as .jsonl or .tsv, or none",
    names={
        "passages": (
            *("corpus.jsonl", "passages.jsonl", "collection.jsonl"),
            *("corpus.tsv", "passages.tsv", "collection.tsv"),
        ),
        "queries": ("queries.tsv", "topics.tsv"),
        "ground_truth": ("qrels", "qrels.txt", "qrels.trec", "qrels.tsv"),
    },
    read_passages=read_passages,
    read_queries=read_queries,
    read_judgments=read_judgments,
    needs_corpus=False,
    writer=Writer(written, HELD),
)
