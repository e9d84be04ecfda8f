"""autorag: corpus.parquet and qa.parquet, as AutoRAG writes them.

::

    doc_id, contents, metadata                      corpus.parquet
    qid, query, retrieval_gt, generation_gt         qa.parquet

``retrieval_gt`` is a list of lists: one passage of each inner list is needed, so inner lists of
several passages are needs. Answers (``generation_gt``) are kept as metadata of the query. Null in
metadata is what Parquet writes for a key that a row does not have; it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragscore.dataset import Dataset
from ragscore.dataset.columns import text_of
from ragscore.dataset.ground_truth_rows import passages_of_needs
from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets.base import Format, Writer, Written
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.rows import made_row
from ragscore.formats.datasets.written import parquet
from ragscore.formats.reading.judged_lines import add_row
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.table_file import TableFile
from ragscore.models import GroundTruth, Passage, Query

ANSWERS = "generation_gt"
EXPECTED = 'Write a list of lists of doc_ids: [["a", "b"], ["c"]] is a or b, and c'


def read_passages(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Passage]]:
    """Row number and passage of each good row."""
    table = TableFile(file, ("doc_id", "contents"), [("metadata", "metadata")])
    for line, values in table.rows():
        row_id, text = table.id(values, "doc_id", line), _text(table, values, "contents", line)
        if row_id is None or text is None:
            continue
        given = table.value(values, "metadata")
        if given is not None and not isinstance(given, Mapping):
            what = f"metadata: {type(given).__name__} where an object is expected"
            file.problem(what, line=line)
            continue
        metadata = {key: value for key, value in (given or {}).items() if value is not None}
        fields = {"id": row_id, "text": text, "metadata": metadata}
        if (row := made_row(Passage, fields, file, line)) is not None:
            yield line, row


def read_queries(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Query]]:
    """Row number and query of each good row."""
    table = TableFile(file, ("qid", "query"), [(ANSWERS, ANSWERS)])
    for line, values in table.rows():
        row_id, text = table.id(values, "qid", line), _text(table, values, "query", line)
        if row_id is None or text is None:
            continue
        answers = table.value(values, ANSWERS)
        metadata = {ANSWERS: answers} if answers else {}
        fields = {"id": row_id, "text": text, "metadata": metadata}
        if (row := made_row(Query, fields, file, line)) is not None:
            yield line, row


def _text(table: TableFile, values: Any, column: str, line: int) -> str | None:
    given = table.value(values, column)
    text = text_of(given)
    if text is None:
        what = f"{column}: {type(given).__name__} where text is expected"
        table.file.problem(what, line=line)
    return text


def read_judgments(file: File, spec: DatasetSpec) -> Judgments:
    """The judgments, each of grade 1; inner lists of several passages are needs."""
    table = TableFile(file, ("qid", "retrieval_gt"))
    judgments = Judgments()
    line_of: dict[str, int] = {}
    for line, values in table.rows():
        query_id = table.id(values, "qid", line)
        needs = _needs(table.value(values, "retrieval_gt"))
        if needs is None:
            file.problem("retrieval_gt: not a list of lists of ids", line=line, instead=EXPECTED)
        if query_id is None or needs is None or line_of.setdefault(query_id, line) != line:
            continue  # an id that occurs twice is reported by who reads the queries
        ids = [passage_id for need in needs for passage_id in need]
        shared = len(ids) > len(needs) or len(set(ids)) < len(ids)
        fields = {"query_id": query_id, "needs" if shared else "passages": needs if shared else ids}
        if ids and (row := made_row(GroundTruth, fields, file, line)) is not None:
            add_row(judgments, row, line, file)
    return judgments


def _needs(given: Any) -> list[list[str]] | None:
    """Lists of ids without empty ones; None if it is anything else."""
    if given is None:
        return []
    if not isinstance(given, list):
        return None
    needs = [
        [text_of(item) for item in need] if isinstance(need, list) else [text_of(need)]
        for need in given
        if need is not None and need != []
    ]
    if any(not isinstance(item, str) for need in needs for item in need):
        return None
    return [[item for item in need if item is not None] for need in needs]


def written(dataset: Dataset) -> Written:
    """The files of a dataset. Every corpus of AutoRAG has metadata, and every question answers,
    also where they are empty."""
    import polars

    corpus, queries = dataset.corpus, dataset.queries
    if corpus is not None:
        kept = _uniform(corpus.metadata)
        rows = [
            {key: corpus.metadata.get(row, {}).get(key) for key in kept} or {"prev_id": None}
            for row in range(len(corpus))
        ]
        struct = polars.Struct(kept or {"prev_id": polars.String})
        columns = {
            "doc_id": polars.Series(list(corpus.ids), dtype=polars.String),
            "contents": polars.Series(list(corpus.texts), dtype=polars.String),
            "metadata": polars.Series(rows, dtype=struct),
        }
        yield "corpus.parquet", parquet(columns)
    covered, judged = passages_of_needs(dataset.qrels), dataset.qrels.to_dict()
    truth = [
        [list(need) for need in covered.get(query_id, ()) if need]
        or [[one] for one, grade in judged.get(query_id, {}).items() if grade > 0]
        for query_id in queries.ids
    ]
    texts = polars.List(polars.String)
    answers = [_answers(queries.metadata.get(row, {})) for row in range(len(queries))]
    columns = {
        "qid": polars.Series(list(queries.ids), dtype=polars.String),
        "query": polars.Series(list(queries.texts), dtype=polars.String),
        "retrieval_gt": polars.Series(truth, dtype=polars.List(texts)),
        ANSWERS: polars.Series(answers, dtype=texts),
    }
    yield "qa.parquet", parquet(columns)


def _answers(metadata: Mapping[str, Any]) -> list[str]:
    given = metadata.get(ANSWERS)
    if not isinstance(given, list):
        return []
    return given if all(isinstance(answer, str) for answer in given) else []


def _uniform(metadata: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """The keys whose values are of one kind in all rows, with the type of their column."""
    import polars

    types = {str: polars.String, bool: polars.Boolean, int: polars.Int64, float: polars.Float64}
    kinds: dict[str, set[type]] = {}
    for of_row in metadata.values():
        for key, value in of_row.items():
            fits = type(value) in types and not (type(value) is int and abs(value) >= 2**63)
            kinds.setdefault(key, set()).add(type(value) if fits else object)
    return {
        key: types[next(iter(kind))] for key, kind in kinds.items() if kind.issubset(types) and
        len(kind) == 1
    }  # fmt: skip


def _lost(dataset: Dataset) -> Mapping[str, int]:
    passages = {} if dataset.corpus is None else dataset.corpus.metadata
    kept = _uniform(passages)
    return {
        "passage_metadata": sum(bool(of_row.keys() - kept.keys()) for of_row in passages.values()),
        "query_metadata": sum(
            bool(of_row.keys() - {ANSWERS}) or not _answers(of_row)
            for of_row in dataset.queries.metadata.values()
        ),
    }


FORMAT = Format(
    reads=frozenset(),
    description="corpus.parquet and qa.parquet, as AutoRAG writes them",
    names={
        "passages": ("corpus.parquet",),
        "queries": ("qa.parquet",),
        "ground_truth": ("qa.parquet",),
    },
    read_passages=read_passages,
    read_queries=read_queries,
    read_judgments=read_judgments,
    writer=Writer(written, frozenset({"odd_tags", "line_breaks", "needs"}), _lost),
)
