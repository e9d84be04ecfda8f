"""Names of the columns of tables, in files and in Python, and what their cells may hold."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, Literal

from ragscore.spec import Spec

IdsAs = Literal["strict", "text"]
YES, NO = frozenset({"true", "yes", "1", ""}), frozenset({"false", "no", "0"})
MISSING_TYPES = frozenset({"NAType", "NaTType"})


class PassageColumns(Spec):
    """Names of the columns in a table of passages."""

    id: str = "id"
    """Column of ids; whole numbers are read as text."""
    text: str = "text"
    """Column of the texts to search."""
    title: str = "title"
    """Column of headings; a table without a column ``title`` has none."""
    tags: str = "tags"
    """Column of labels (``a;b``); a table without a column ``tags`` has none."""
    metadata: tuple[str, ...] = ()
    """Columns to keep as metadata; all others are ignored."""


class DocumentColumns(Spec):
    """Names of the columns in a table of documents in Python."""

    id: str = "id"
    """Column of ids; whole numbers are read as text."""
    text: str = "text"
    """Column of the whole texts."""
    title: str = "title"
    """Column of headings; a table without a column ``title`` has none."""
    metadata: tuple[str, ...] = ()
    """Columns to keep as metadata; all others are ignored."""


class QueryColumns(Spec):
    """Names of the columns in a table of queries."""

    id: str = "id"
    """Column of ids; whole numbers are read as text."""
    text: str = "text"
    """Column of the questions."""
    tags: str = "tags"
    """Column of labels (``a;b``); a table without a column ``tags`` has none."""
    answerable: str = "answerable"
    """Column of true or false; a table without a column ``answerable`` is all true."""
    metadata: tuple[str, ...] = ()
    """Columns to keep as metadata; all others are ignored."""


class GroundTruthColumns(Spec):
    """Names of the columns in a table of judgments, one pair to a row."""

    query_id: str = "query_id"
    """Column of query ids."""
    passage_id: str = "passage_id"
    """Column of passage ids; in JSON lines and Parquet also of lists of them, or of grades by
    id."""
    grade: str = "grade"
    """Column of grades; a table of two columns, without it, means grade 1 for each pair."""


class Columns(Spec):
    """Names of the columns of tables (csv, tsv, parquet), and of the keys of JSON lines (jsonl),
    where ``metadata.id`` is a key inside of another."""

    passages: PassageColumns = PassageColumns()
    """Columns of the passages' table."""
    queries: QueryColumns = QueryColumns()
    """Columns of the queries' table."""
    ground_truth: GroundTruthColumns = GroundTruthColumns()
    """Columns of the judgments' table."""


def is_missing(cell: Any) -> bool:
    """Whether a cell is empty: None, or what tables in Python write for it (NaN, NA)."""
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or type(cell).__name__ in MISSING_TYPES


def is_whole(value: object) -> bool:
    """Whether a value is a whole number, as ids may be that are taken as text."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def text_of(cell: Any) -> str | None:
    """A cell as text: an empty one is empty, whole numbers are written out; None for others."""
    if isinstance(cell, str):
        return cell
    if is_missing(cell):
        return ""
    return str(cell) if is_whole(cell) else None


def tags_of(cell: Any) -> list[Any]:
    """Labels: a list of them, or a text with ``;`` between them."""
    if isinstance(cell, str):
        return [tag.strip() for tag in cell.split(";") if tag.strip()]
    return [] if is_missing(cell) else list(cell)


def answerable_of(cell: Any) -> bool | None:
    """True or false, also as a word; an empty cell is true. None for anything else."""
    word = "" if is_missing(cell) else str(cell).strip().lower()
    return word in YES if word in YES | NO else None
