"""The names of the columns of runs and judgments, and what a header looks like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

QrelsFormat = Literal["auto", "trec", "trec-subtopics", "beir", "csv", "json"]
"""How a file lays out judgments; ``auto`` goes by its suffix and its first line."""

NAMES: dict[str, tuple[str, ...]] = {
    "query": ("query", "query_id", "qid", "topic", "topic_id", "q_id"),
    "passage": (
        *("passage", "passage_id", "pid", "doc_id", "docid", "docno", "document", "document_id"),
        *("doc", "corpus_id"),
    ),
    "score": ("score", "sim", "similarity", "scores"),
    "rank": ("rank", "position"),
    "grade": ("grade", "relevance", "rel", "label", "rating", "score", "judgment"),
}
"""The names of each column, the one to prefer first; ``-`` and ``_`` are the same."""


def is_headed(first_line: str) -> bool:
    """True if a line separated by tabs is the header of such a table."""
    found = set(map(normal_name, first_line.split("\t")))
    return all(found & set(NAMES[column]) for column in ("query", "passage"))


def is_headed_as_beir(first_line: str) -> bool:
    """True for a header of three columns in the order query, passage, grade."""
    columns = tuple(map(normal_name, first_line.split("\t")))
    return len(columns) == 3 and columns[0] in NAMES["query"] and columns[1] in NAMES["passage"]


def column_of(wanted: str, columns: Sequence[str]) -> str | None:
    """The column that has one of the names of a wanted one; None if there is none.

    >>> column_of("passage", ["q_id", "doc_id", "score"])
    'doc_id'
    """
    by_name = {normal_name(column): column for column in reversed(columns)}
    return next((by_name[name] for name in NAMES[wanted] if name in by_name), None)


def normal_name(column: str) -> str:
    """A column's name without case; ``-`` and blanks are ``_``."""
    return column.strip().lower().replace("-", "_").replace(" ", "_")
