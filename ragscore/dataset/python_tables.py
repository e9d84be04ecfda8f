"""Rows of passages, queries and judgments from what Python programs hold them in.

Lists of dicts; tables of pandas, polars, pyarrow and Hugging Face's datasets; mappings of column
name to column; documents of LangChain and Haystack, nodes of LlamaIndex. None of those libraries
is imported to read them: a table is what names its columns and gives each by its name, or what
speaks Arrow's C interface. :func:`to_pandas` is the way back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from ragscore.dataset.columns import (
    DocumentColumns,
    GroundTruthColumns,
    IdsAs,
    PassageColumns,
    QueryColumns,
    answerable_of,
    is_missing,
    is_whole,
    tags_of,
    text_of,
)
from ragscore.dataset.mappings import TAKE_WHOLE_NUMBERS, kind_of
from ragscore.errors import MAX_PROBLEMS, DataError, MissingPackageError, Problem, did_you_mean
from ragscore.models import Document, GroundTruth, Passage, Query, Row
from ragscore.validation.findings import error_findings, show_path

if TYPE_CHECKING:
    import polars

AnyRow = TypeVar("AnyRow", bound=Row)
Table = dict[str, list[Any]]
REQUIRED = {
    Passage: ("id", "text"),
    Query: ("id", "text"),
    Document: ("id", "text"),
    GroundTruth: ("query_id",),
}
ID_FIELDS = ("id", "query_id")
ACCEPTED = (
    "Give a list of dicts or of ragscore's rows, a mapping, or a table of pandas, polars, pyarrow "
    "or datasets"
)


class TextIds:
    """Whole numbers as ids where that is asked for; ``count`` is how many were taken so."""

    def __init__(self, ids: IdsAs) -> None:
        self.wanted, self.count = ids == "text", 0

    def of(self, value: Any) -> Any:
        """An id as text, ids of a list or of the keys of a mapping; anything else as it is."""
        if not self.wanted:
            return value
        if is_whole(value):
            self.count += 1
            return str(value)
        if isinstance(value, Mapping):
            return {
                self.of(key): self.of(inside) if isinstance(inside, Mapping | list) else inside
                for key, inside in value.items()
            }
        return [self.of(item) for item in value] if isinstance(value, list | tuple) else value


def rows_of(
    given: Any,
    model: type[AnyRow],
    what: str,
    names: PassageColumns | QueryColumns | DocumentColumns | GroundTruthColumns,
    ids: TextIds,
) -> list[AnyRow]:
    """Rows of a model from any of the forms that hold one row each.

    Args:
        given: rows, dicts or a table.
        model: Passage, Query, Document or GroundTruth.
        what: what messages call them.
        names: of the columns.
        ids: how ids that are numbers are taken; columns of whole numbers are always.

    Raises:
        DataError: it is none of the forms, or rows are not what they should be: up to 20 problems.
    """
    field_of: dict[Any, str] = {
        name: field for field, name in names.model_dump(exclude={"metadata"}).items()
    }
    kept = getattr(names, "metadata", ())
    table = table_of(given)
    if table is not None:
        wanted = [getattr(names, field) for field in REQUIRED[model]]
        rows: Iterable[Any] = _cells(table, [*field_of, *kept], wanted, what)
    else:
        rows = _iterated(given, what)
    problems: list[Problem] = []
    made: list[AnyRow] = []
    for number, row in enumerate(rows, 1):
        where = f"{what}, row {number}"
        foreign = model in (Passage, Document) and not isinstance(row, Mapping | model)
        row = foreign_passage(row) if foreign else row
        if isinstance(row, model):
            made.append(row)
        elif not isinstance(row, Mapping):
            problems.append(Problem(f"{kind_of(row)} where a row is expected", where, ACCEPTED))
        else:
            values: dict[str, Any] = {
                str(field_of.get(key, key)): value for key, value in row.items()
            }
            if kept and not foreign:
                values["metadata"] = {name: values.pop(name, None) for name in kept}
            values = _cells_as_values(values) if table is not None else values
            for field in {*ID_FIELDS, "passages"} & values.keys():
                values[field] = ids.of(values[field])
            try:
                made.append(model.model_validate(values))
            except ValidationError as error:
                problems += _problems(model, values, error, where)
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise DataError(problems[:MAX_PROBLEMS])
    return made


def foreign_passage(given: Any) -> Any:
    """The id, text and metadata of a document of LangChain or Haystack, or of a node of LlamaIndex
    with or without a score, told by the names of their attributes; anything else as it is."""
    given = given if getattr(given, "node", None) is None else given.node
    if isinstance(getattr(given, "page_content", None), str):
        found = {"id": getattr(given, "id", None), "text": given.page_content}
    elif hasattr(given, "node_id") and callable(getattr(given, "get_content", None)):
        text = getattr(given, "text", None)
        text = text if isinstance(text, str) else given.get_content()
        found = {"id": given.node_id, "text": text}
    elif isinstance(getattr(given, "meta", None), Mapping) and hasattr(given, "content"):
        found = {"id": getattr(given, "id", None), "text": given.content}
    else:
        return given
    metadata = getattr(given, "metadata", None) or getattr(given, "meta", None) or {}
    return {**({} if found["id"] is None else {"id": found["id"]}), "text": found["text"],
            "metadata": dict(metadata)}  # fmt: skip


def ground_truth_of(given: Any, names: GroundTruthColumns, ids: TextIds) -> list[GroundTruth]:
    """Judgments from any of the forms: one row to a query, or one to a pair.

    Raises:
        DataError: as :func:`rows_of`; or a pair is judged twice.
    """
    what = "ground truth"
    table = table_of(given)
    if table is not None:
        wanted = [names.query_id, names.passage_id]
        rows: list[Any] = list(_cells(table, [*wanted, names.grade], wanted, what))
    else:
        rows = list(_iterated(given, what))
    if not any(isinstance(row, Mapping) and names.passage_id in row for row in rows):
        return rows_of(rows, GroundTruth, what, names, ids)
    graded: dict[str, dict[str, Any]] = {}
    problems: list[Problem] = []
    for number, row in enumerate(rows, 1):
        where = f"{what}, row {number}"
        if not isinstance(row, Mapping) or names.query_id not in row:
            problems.append(Problem(f"the key '{names.query_id}' is missing", where))
            continue
        pair = []
        for name in (names.query_id, names.passage_id):
            value = row.get(name)
            text = text_of(value) if table is not None else ids.of(value)
            if isinstance(text, str) and text.strip():
                pair.append(text)
            else:
                problems.append(_no_id(name, value, where))
        if len(pair) < 2:
            continue
        query_id, passage_id = pair
        judged = graded.setdefault(query_id, {})
        if passage_id in judged:
            twice = f"the passage '{passage_id}' is judged twice for the query '{query_id}'"
            problems.append(Problem(twice, where, "Keep one judgment for each pair"))
        judged[passage_id] = row.get(names.grade, 1)
    if problems:
        raise DataError(problems[:MAX_PROBLEMS])
    by_query = [{"query_id": query, "passages": judged} for query, judged in graded.items()]
    return rows_of(by_query, GroundTruth, what, GroundTruthColumns(), ids)


def is_plain(given: Any, column: str) -> bool:
    """Whether a mapping is one of ids, and not a table with a column of that name."""
    return isinstance(given, Mapping) and not (column in given and table_of(given))


def table_of(given: Any) -> Table | None:
    """The columns of a table as lists, by name; None if it is not a table."""
    names: Iterable[Any] | None = None
    if isinstance(given, Mapping):
        if any(isinstance(column, str | bytes | Mapping) for column in given.values()):
            return None
        names = list(given)
    elif hasattr(type(given), "__getitem__") and hasattr(type(given), "__len__"):
        names = getattr(given, "column_names", None) or getattr(given, "columns", None)
    if names is not None:
        columns = {str(name): _listed(given[name]) for name in names}
        return {name: column for name, column in columns.items() if column is not None}
    if hasattr(given, "__arrow_c_stream__"):
        import polars

        with suppress(polars.exceptions.PolarsError):  # a column alone speaks Arrow too
            frame = polars.DataFrame(given)
            return {name: frame[name].to_list() for name in frame.columns}
    return None


def _listed(column: Any) -> list[Any] | None:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column) if isinstance(column, Iterable) else None


def _cells(
    table: Table, names: Iterable[str], wanted: Iterable[str], what: str
) -> Iterator[dict[str, Any]]:
    """The rows of a table, of some columns.

    Raises:
        DataError: a wanted column is not there, or columns have different lengths.
    """
    lacking = [name for name in wanted if name not in table]
    if lacking:
        role = what.replace(" ", "_")
        raise DataError(
            f"there is no column '{lacking[0]}'",
            where=what,
            instead=f"{did_you_mean(lacking[0], table)}. Name it: "
            f'columns={{"{role}": {{"{lacking[0]}": ...}}}}',
        )
    if len({len(column) for column in table.values()}) > 1:
        raise DataError("the columns have different lengths", where=what)
    columns = {name: table[name] for name in names if name in table}
    for cells in zip(*columns.values(), strict=True):
        yield dict(zip(columns, cells, strict=True))


def _cells_as_values(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Cells of a table as fields of a row: as tables in files are read."""
    values = {name: cell for name, cell in cells.items() if not is_missing(cell)}
    for field in {*ID_FIELDS, "text", "title"} & cells.keys():
        text = text_of(cells[field])
        values[field] = cells[field] if text is None else text
    if "tags" in values:
        values["tags"] = tags_of(values["tags"])
    if "answerable" in values:
        answerable = answerable_of(values["answerable"])
        values["answerable"] = values["answerable"] if answerable is None else answerable
    return values


def _iterated(given: Any, what: str) -> Iterable[Any]:
    if isinstance(given, str | bytes | Mapping | BaseModel) or not isinstance(given, Iterable):
        accepted = "Call collect() on it first" if hasattr(given, "collect") else ACCEPTED
        if isinstance(given, str | bytes) or hasattr(given, "__fspath__"):
            accepted = "Files are read by load_dataset"
        found = f"{kind_of(given)} where the rows of {what} are expected"
        raise DataError(found, where=what, instead=accepted)
    return given


def _problems(
    model: type[Row], values: dict[str, Any], error: ValidationError, where: str
) -> Iterator[Problem]:
    for finding in islice(error_findings(model, values, error), MAX_PROBLEMS):
        path, instead = show_path(finding.path), finding.instead
        value = values.get(str(finding.path[0])) if finding.path else None
        if is_whole(value) and finding.path[0] in ID_FIELDS:
            instead = f'Write "{value}" in quotes, or {TAKE_WHOLE_NUMBERS}'
        yield Problem(f"{path}: {finding.what}" if path else finding.what, where, instead)


def _no_id(name: str, value: Any, where: str) -> Problem:
    if is_missing(value) or isinstance(value, str):
        return Problem(f"{name}: the id is empty", where, "Every row needs an id of its own")
    instead = f"Write it in quotes, or {TAKE_WHOLE_NUMBERS}" if is_whole(value) else ""
    return Problem(f"{name}: {value!r} where an id is expected", where, instead)


def to_pandas(frame: polars.DataFrame) -> Any:
    """A table of polars as a pandas.DataFrame; polars' own conversion needs pyarrow besides pandas.

    Raises:
        MissingPackageError: pandas is not installed.
    """
    try:
        import pandas
    except ModuleNotFoundError:
        raise MissingPackageError("pandas", "to_pandas()") from None
    columns = {
        column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
        for column in frame.iter_columns()
    }
    return pandas.DataFrame(columns)
