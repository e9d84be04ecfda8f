"""Judgments alone, from a file: TREC's four columns, BEIR's three, a table, a JSON object."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ragscore.dataset import Qrels
from ragscore.errors import DataError
from ragscore.files import odd_kind
from ragscore.formats.datasets.judgments import Judgments
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.problems import Problems, TooManyError, shown
from ragscore.formats.runs.detect import QrelsFormat, qrels_format
from ragscore.paths import expanded


def load_qrels(path: str | Path, *, format: QrelsFormat = "auto") -> Qrels:
    """Read judgments over the query and passage ids that the file names.

    Args:
        path: the file; also ``.gz``, ``.zst``, and a table in ``.parquet``.
        format: ``trec`` is query, ignored, passage, grade, with spaces or tabs between them;
            ``beir`` is query, passage, grade, with one TAB between them; ``csv`` is a table
            with named columns (``.tsv`` and ``.parquet`` too); ``json`` is
            ``{"query": {"passage": grade}}``; ``auto`` goes by the suffix and the first line.

    Raises:
        DataError: the file is not there, or lines that are no judgments, up to 20; a pair that
            is judged twice.
    """
    path = expanded(path)
    if not path.is_file():
        if path.is_dir():
            raise DataError("a qrels file is expected and this is a folder", where=shown(path))
        raise DataError(odd_kind(path) or "no such file", where=shown(path))
    if format == "auto":
        format = qrels_format(path)
    if format == "json":
        from ragscore.formats.runs.json_object import read_json_qrels

        return read_json_qrels(path)
    if format == "csv":
        from ragscore.formats.runs.tables import read_table_qrels

        return read_table_qrels(path)
    from ragscore.formats.datasets import beir, trec
    from ragscore.formats.datasets.spec import DatasetSpec

    reader = beir if format == "beir" else trec
    problems = Problems()
    judgments = Judgments()
    with suppress(TooManyError):
        judgments = reader.read_judgments(File(path, problems), DatasetSpec(path=str(path)))
    if problems.found:
        raise problems.error()
    try:
        return Qrels.from_columns(judgments.query_ids, judgments.passage_ids, judgments.grades)
    except DataError as error:
        raise DataError(str(error), where=shown(path)) from error
