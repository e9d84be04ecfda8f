"""load_run: a run from a file of any format."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ragscore.errors import DataError
from ragscore.files import odd_kind
from ragscore.formats.reading.problems import shown
from ragscore.formats.runs.detect import RunFormat, name_of_run, run_format
from ragscore.paths import expanded
from ragscore.run import Run


def load_run(
    path: str | Path,
    *,
    format: RunFormat | Literal["auto"] = "auto",
    name: str | None = None,
    strict: bool = False,
) -> Run:
    r"""Read a run over the passage ids that its file names.

    Args:
        path: a TREC run, a table with named columns (``.csv``, ``.tsv``), a JSON object
            (``.json``), all also ``.gz`` and ``.zst``, or a run that ragscore recorded
            (``.parquet``).
        format: ``auto`` goes by the suffix.
        name: name of the run; by default the recorded one, else the file's.
        strict: a passage that is named twice for a query is an error; otherwise the first is
            kept and ``Run.duplicates`` counts the others.

    Raises:
        DataError: the file is not there, or its lines are no run.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "bm25.trec")
    ...     _ = file.write_text("q1 Q0 d1 1 12.5 bm25\nq1 Q0 d2 2 11.0 bm25\n")
    ...     load_run(file).to_dict()
    {'q1': {'d1': 12.5, 'd2': 11.0}}
    """
    path = expanded(path)
    if not path.is_file():
        if path.is_dir():
            raise DataError("a run file is expected and this is a folder", where=shown(path))
        raise DataError(odd_kind(path) or "no such file", where=shown(path))
    format = run_format(path) if format == "auto" else format
    if format == "parquet":
        from ragscore.formats.runs.parquet import read_parquet_run

        return read_parquet_run(path, name=name, strict=strict)
    from ragscore.formats.runs.trec import read_trec_run

    name = name or name_of_run(path)
    if format == "json":
        from ragscore.formats.runs.json_object import read_json_run

        return read_json_run(path, name=name, strict=strict)
    if format == "csv":
        from ragscore.formats.runs.tables import read_table_run

        return read_table_run(path, name=name, strict=strict)
    return read_trec_run(path, name=name, strict=strict)
