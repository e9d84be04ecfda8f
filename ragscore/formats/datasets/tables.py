"""csv, tsv, parquet: tables of passages, queries and judgments with named columns.

::

    id,text,title                    passages.csv
    id,text                          queries.csv
    query_id,passage_id,grade        ground_truth.csv

The names can be changed (``columns:``), and so can the character between columns
(``delimiter:``). Everything in CSV and TSV is read as text, so that the id 007 stays 007; whole
numbers in Parquet are read as text too. Quotes are CSV's: ``"`` around a field, ``""`` for one
inside. A CR LF inside quotes is part of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from ragscore.dataset import Corpus, Dataset, Queries
from ragscore.dataset.byte_ids import ByteIds
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.columns import (
    Columns,
    PassageColumns,
    QueryColumns,
    answerable_of,
    tags_of,
    text_of,
)
from ragscore.dataset.judgments import Judgments
from ragscore.errors import did_you_mean
from ragscore.formats.datasets.base import Format, Writer, Written
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.rows import JsonTable, made_row, unique_rows
from ragscore.formats.datasets.written import grade_text, judged_pairs, parquet, separated
from ragscore.formats.reading.judged_lines import add_row, add_text
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.table_file import TableFile, Values
from ragscore.models import GroundTruth, Passage, Query

if TYPE_CHECKING:
    import polars

DEFAULT = Columns()
AnyRow = TypeVar("AnyRow", Passage, Query)
RowColumns = PassageColumns | QueryColumns


def read_passages(
    file: File, spec: DatasetSpec, *, json: bool = False
) -> Iterator[tuple[int, Passage]]:
    """Line number and passage of each good row of a table, or of JSON lines."""
    table = _table(file, spec, spec.columns.passages, DEFAULT.passages, json=json)
    return _good_rows(table, Passage, spec.columns.passages, table.rows())


def read_queries(
    file: File, spec: DatasetSpec, *, json: bool = False
) -> Iterator[tuple[int, Query]]:
    """Line number and query of each good row of a table, or of JSON lines."""
    table = _table(file, spec, spec.columns.queries, DEFAULT.queries, json=json)
    return _good_rows(table, Query, spec.columns.queries, table.rows())


def read_corpora(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Corpus]]:
    """The passages of a Parquet file, a corpus for each block that the file is read in, with the
    number of its first row: the same as its rows, but made of whole columns where these hold ids
    and texts and nothing else."""
    names = spec.columns.passages
    table = _table(file, spec, names, DEFAULT.passages)
    for first, frame in table.frames():
        corpus = None if names.metadata or names.tags in table.at else _columns_of(frame, names)
        if corpus is None:
            rows = enumerate(frame.iter_rows(), first)
            found = _good_rows(table, Passage, names, rows)
            corpus = Corpus.from_passages(unique_rows(found, file))
        yield first, corpus


def _columns_of(frame: polars.DataFrame, names: PassageColumns) -> Corpus | None:
    """Columns of texts as a corpus; None if there is anything that a row may be wrong in."""
    import polars

    for name in (names.id, names.text):
        if frame[name].dtype != polars.String or frame[name].null_count():
            return None
    if frame[names.id].str.strip_chars().str.len_bytes().min() == 0:
        return None
    titles = None
    if names.title in frame.columns:
        if frame[names.title].dtype != polars.String:
            return None
        titles = frame[names.title].fill_null("").to_list()
    ids = ByteIds(ByteTexts.of(frame[names.id].to_list()))
    texts = frame[names.text].to_list()
    return Corpus(ids, texts, titles if titles is not None and any(titles) else None)


def _table(
    file: File, spec: DatasetSpec, names: RowColumns, usual: RowColumns, *, json: bool = False
) -> TableFile:
    optional = [
        (getattr(names, field), getattr(usual, field))
        for field in ("title", "answerable", "tags")
        if hasattr(names, field)
    ]
    if json:
        optional += [(name, "") for name in names.metadata]
        return JsonTable(file, (names.id, names.text), optional, spec.ids)
    return TableFile(file, (names.id, names.text, *names.metadata), optional, spec.delimiter)


def _good_rows(
    table: TableFile, model: type[AnyRow], names: RowColumns, rows: Iterable[tuple[int, Values]]
) -> Iterator[tuple[int, AnyRow]]:
    for line, values in rows:
        fields = _fields(table, names, values, line)
        row = None if fields is None else made_row(model, fields, table.file, line)
        if row is not None:
            yield line, row


def read_judgments(file: File, spec: DatasetSpec, *, json: bool = False) -> Judgments:
    """The judgments, one pair to a row, or a list of passages, or grades by passage; without a
    grade column each pair has grade 1."""
    names, usual = spec.columns.ground_truth, DEFAULT.ground_truth
    wanted, optional = (names.query_id, names.passage_id), ((names.grade, usual.grade),)
    table = TableFile(file, wanted, optional, spec.delimiter)
    if json:
        table = JsonTable(file, wanted, optional, spec.ids)
    judgments = Judgments()
    for line, values in table.rows():
        listed = table.value(values, names.passage_id)
        if isinstance(listed, list | dict):
            query_id = table.id(values, names.query_id, line)
            fields = {"query_id": query_id, "passages": listed}
            row = None if query_id is None else made_row(GroundTruth, fields, file, line)
            if row is not None:
                add_row(judgments, row, line, file)
            continue
        graded = names.grade in table.at or names.grade in table.columns
        if not graded and len(table.columns) > 2:
            file.problem(
                f"there is no column '{names.grade}'",
                line=line if json else 0,
                instead=f"{did_you_mean(names.grade, table.columns)}. Name the right "
                "column under columns.ground_truth.grade",
            )
            return judgments
        ids = [table.id(values, name, line) for name in (names.query_id, names.passage_id)]
        if ids[0] is None or ids[1] is None:
            continue
        grade = table.value(values, names.grade)
        text = "1" if not graded else "" if grade is None else str(grade)
        add_text(judgments, ids[0], ids[1], text.strip(), line, file)
    return judgments


def _fields(
    table: TableFile, names: RowColumns, values: Values, line: int
) -> dict[str, Any] | None:
    """The fields of a row; None if one is reported instead."""
    row_id = table.id(values, names.id, line)
    text = text_of(table.value(values, names.text))
    if text is None:
        found = table.value(values, names.text)
        table.file.problem(f"{names.text}: {found!r} where text is expected", line=line)
    if row_id is None or text is None:
        return None
    tags = tags_of(table.value(values, names.tags))
    metadata = {name: table.value(values, name) for name in names.metadata}
    if isinstance(table, JsonTable):
        inside = table.value(values, "metadata") if not names.metadata else None
        metadata = {name: value for name, value in metadata.items() if value is not None}
        metadata = inside if isinstance(inside, dict) else metadata
    fields: dict[str, Any] = {"id": row_id, "text": text, "tags": tags, "metadata": metadata}
    if isinstance(names, PassageColumns):
        return {**fields, "title": text_of(table.value(values, names.title)) or ""}
    given = table.value(values, names.answerable)
    answerable = answerable_of(given)
    if answerable is None:
        what = f"{names.answerable}: '{given}' where true or false is expected"
        table.file.problem(what, line=line)
        return None
    return {**fields, "answerable": answerable}


def _columns(dataset: Dataset) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """The columns of each table, by its name; those that nothing stands in are left out."""
    corpus, queries = dataset.corpus, dataset.queries
    if corpus is not None:
        passages: dict[str, list[Any]] = {"id": list(corpus.ids), "text": list(corpus.texts)}
        if corpus.titles is not None:
            passages["title"] = list(corpus.titles)
        yield "passages", {**passages, **_tags(corpus)}
    asked: dict[str, list[Any]] = {"id": list(queries.ids), "text": list(queries.texts)}
    if not queries.answerable.all():
        asked["answerable"] = queries.answerable.tolist()
    yield "queries", {**asked, **_tags(queries)}
    query_ids, passage_ids, grades = list[str](), list[str](), list[float]()
    for query_id, passage_id, grade in judged_pairs(dataset):
        query_ids.append(query_id)
        passage_ids.append(passage_id)
        grades.append(grade)
    yield "ground_truth", {"query_id": query_ids, "passage_id": passage_ids, "grade": grades}


def _tags(part: Corpus | Queries) -> dict[str, list[Any]]:
    if not part.tags:
        return {}
    return {"tags": [list(part.tags.get(row, ())) for row in range(len(part))]}


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ";".join(value)
    if isinstance(value, float):
        return grade_text(value)
    return value if isinstance(value, str) else str(value).lower()


def _written(suffix: str) -> Callable[[Dataset], Written]:
    def written(dataset: Dataset) -> Written:
        for name, columns in _columns(dataset):
            if suffix == "parquet":
                yield f"{name}.{suffix}", parquet(columns)
                continue
            rows = (list(map(_cell, row)) for row in zip(*columns.values(), strict=True))
            delimiter = "\t" if suffix == "tsv" else ","
            yield f"{name}.{suffix}", separated(list(columns), rows, delimiter)

    return written


READS = {
    ".csv": frozenset({"columns", "delimiter", "encoding"}),
    ".tsv": frozenset({"columns", "delimiter", "encoding"}),
    ".parquet": frozenset({"columns"}),
}
HELD = frozenset(
    {
        *("titles", "passage_tags", "query_tags", "line_breaks", "unanswerable"),
        *("grades", "not_relevant"),
    }
)


def _tables(suffix: str) -> Format:
    files = f"passages.{suffix}, queries.{suffix}, ground_truth.{suffix}"
    return Format(
        description=f"{files} with named columns",
        names={
            "passages": (f"passages.{suffix}", f"corpus.{suffix}"),
            "queries": (f"queries.{suffix}",),
            "ground_truth": (f"ground_truth.{suffix}",),
        },
        read_passages=read_passages,
        read_queries=read_queries,
        read_judgments=read_judgments,
        reads=READS[f".{suffix}"],
        writer=Writer(_written(suffix), HELD | {"odd_tags"} if suffix == "parquet" else HELD),
    )


CSV, TSV, PARQUET = map(_tables, ("csv", "tsv", "parquet"))
