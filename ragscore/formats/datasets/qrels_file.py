"""Judgments alone, from a file: TREC's four columns, BEIR's three, a table, a JSON object."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ragscore.dataset import Qrels
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.judgments import Judgments
from ragscore.dataset.text_qrels import TextQrels
from ragscore.formats.reading.column_names import QrelsFormat, is_headed, is_headed_as_beir
from ragscore.formats.reading.json_object import JUDGMENTS, JsonObject
from ragscore.formats.reading.judged_lines import add_text, report_repeated
from ragscore.formats.reading.lines import (
    COMMENT,
    DamagedFileError,
    File,
    first_line,
    unpacked_suffix,
)
from ragscore.formats.reading.problems import collected, existing_file
from ragscore.formats.reading.table_file import AliasedTable
from ragscore.formats.reading.whitespace_columns import Column, OddTextError, read_file
from ragscore.judge.rows_by_query import RowsByQuery

READ_AS: dict[str, Column] = {
    "query": "text",
    "ignored": "ignored",
    "passage": "text",
    "grade": "number",
}


SUFFIXES = (".trec", ".txt", ".json", ".csv", ".tsv")
"""What says that a file holds judgments, and is no part of their name."""
NAMED = ", or name the format trec-subtopics if the second column names subtopics"


def qrels_format(path: Path) -> QrelsFormat:
    """The format of a file of judgments, by its suffix and its first line."""
    suffix = unpacked_suffix(path)
    if suffix == ".json":
        return "json"
    if suffix in (".csv", ".parquet"):
        return "csv"
    line = first_line(path, passing_over=COMMENT)
    # Three columns in BEIR's order stay BEIR's, with a header or without: it knows no quotes.
    if is_headed(line) and not is_headed_as_beir(line):
        return "csv"
    return "beir" if line.count("\t") == 2 else "trec"


def load_qrels(path: str | Path, *, format: QrelsFormat = "auto") -> Qrels:
    r"""Read judgments over the query and passage ids that the file names.

    Args:
        path: the file; also ``.gz``, ``.zst``, and a table in ``.parquet``.
        format: ``trec`` is query, ignored, passage, grade, with spaces or tabs between them;
            ``trec-subtopics`` is topic, subtopic, passage, grade, the subtopics being needs (which
            is never guessed); ``beir`` is query, passage, grade, with one TAB between them;
            ``csv`` is a table with named columns (``.tsv`` and ``.parquet`` too); ``json`` is
            ``{"query": {"passage": grade}}``; ``auto`` goes by the suffix and the first line.

    Raises:
        DataError: the file is not there, lines aren't valid judgments (up to 20), or a pair is
            judged twice.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "qrels.txt")
    ...     _ = file.write_text("q1 0 d1 3\nq1 0 d2 0\n")
    ...     load_qrels(file).to_dict()
    {'q1': {'d1': 3.0, 'd2': 0.0}}
    """
    read = read_qrels(path, format)
    return read.numbered() if isinstance(read, TextQrels) else read


def read_qrels(path: str | Path, format: QrelsFormat = "auto") -> Qrels | TextQrels:
    r"""The same, without numbers for passages where the format does not make them.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "qrels")
    ...     _ = file.write_text("q1 0 d1 3\nq2 0 d1 1\nq1 0 d2 0\n")
    ...     qrels = read_qrels(file)
    >>> qrels.query_ids.to_list(), qrels.indptr.tolist(), qrels.passages.to_list()
    (['q1', 'q2'], [0, 2, 3], ['d1', 'd2', 'd1'])
    """
    path = existing_file(path, "qrels")
    if format == "auto":
        format = qrels_format(path)
    if format == "json":
        return read_json_qrels(path)
    if format == "csv":
        return read_table_qrels(path)
    in_bulk = _in_bulk(path) if format == "trec" else None
    return _line_by_line(path, format) if in_bulk is None else in_bulk


def _in_bulk(path: Path) -> TextQrels | None:
    """TREC's judgments; None if some line may not be just what it should be."""
    try:
        columns = read_file(path, READ_AS)
    except (DamagedFileError, OddTextError, OSError):
        return None
    texts, grades = columns.texts, columns.numbers["grade"]
    rows = RowsByQuery.of(texts["query"], texts["passage"], grades)
    # Ids of nothing but white space of other kinds, and pairs judged twice.
    if any(map(_is_any_blank, texts.values())) or len(rows.repeated()):
        return None
    indptr = np.append(0, np.cumsum(rows.counts))
    grades = grades if rows.order is None else grades[rows.order]
    return TextQrels(rows.query_ids, indptr, rows.passages, grades)


def _is_any_blank(texts: ByteTexts) -> bool:
    return any(text.isspace() for text in texts.beyond_ascii().to_list())


def _line_by_line(path: Path, format: QrelsFormat) -> Qrels:
    from ragscore.formats.datasets import beir, trec, trec_subtopics
    from ragscore.formats.datasets.dataset_spec import DatasetSpec

    readers = {"beir": beir.read_judgments, "trec-subtopics": trec_subtopics.read_judgments}
    read = readers.get(format, trec.read_judgments)
    with collected() as problems:
        file = File(path, problems)
        judgments: Judgments = read(file, DatasetSpec(path=str(path)))
        report_repeated(judgments, file, hint=_hint(path, format))
    return judgments.qrels()


def _hint(path: Path, format: QrelsFormat) -> str:
    """What else a file may be whose pairs are judged twice."""
    from ragscore.formats.datasets.trec_subtopics import WHOLE

    columns = first_line(path, passing_over=COMMENT).split()
    whole = format != "trec" or len(columns) != 4 or columns[1] in WHOLE
    return "" if whole else NAMED


def read_json_qrels(path: Path) -> Qrels:
    """The judgments of a file; see the module for the forms.

    Raises:
        DataError: it is not JSON or no judgments, with lines; a pair is judged twice.
    """
    judged: dict[str, dict[str, float]] = {}
    with collected() as problems:
        reader = JsonObject(path, problems, "grade", JUDGMENTS)
        for query, value in reader.queries():
            judged[query] = reader.judged(query, value)
    return Qrels.from_dict(judged)


def read_table_qrels(path: Path) -> Qrels:
    """The judgments of a table, one pair to a row.

    Raises:
        DataError: rows that aren't valid judgments, with their lines; a pair is judged twice.
    """
    judgments = Judgments()
    with collected() as problems:
        file = File(path, problems)
        table = AliasedTable(file, ("query", "passage"), ("grade",))
        for line, values in table.rows():
            query, passage = table.id(values, "query", line), table.id(values, "passage", line)
            if query is None or passage is None:
                continue
            grade = table.named(values, "grade") if "grade" in table.name_of else "1"
            text = "" if grade is None else str(grade).strip()
            add_text(judgments, query, passage, text, line, file)
        report_repeated(judgments, file)
    return judgments.qrels()
