"""join_run(path, qrels) -> JoinedRun: from a run file to judged blocks, the run never in memory.

Whatever is unusual about a file goes through the readers of :func:`~ragscore.formats.load_run`,
which are slower and exact, and say what is wrong; nothing is ever half read.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from ragscore.dataset import Qrels
from ragscore.formats.datasets.qrels_columns import QrelsColumns
from ragscore.formats.reading.lines import DamagedFileError
from ragscore.formats.reading.polars_texts import PolarsTexts
from ragscore.formats.reading.problems import shown
from ragscore.formats.reading.rows_by_query import RowsByQuery
from ragscore.formats.reading.whitespace_columns import OddTextError
from ragscore.formats.runs.detect import name_of_run, run_format
from ragscore.formats.runs.join_rows import join_rows
from ragscore.formats.runs.join_trec import trec_parts
from ragscore.formats.runs.joined_run import JoinedRun, SplitQueryError
from ragscore.paths import expanded
from ragscore.run import Run


def join_run(
    path: str | Path,
    qrels: Qrels | QrelsColumns,
    *,
    format: Literal["auto", "trec", "parquet", "csv", "json"] = "auto",
    name: str | None = None,
    strict: bool = False,
) -> JoinedRun:
    r"""Read a run file and find its judged passages: what ``load_run`` and ``Blocks`` would give.

    Memory goes with the queries, the judged passages among the returned, and the ties; a file
    where a query's lines are not together is held as a whole.

    Args:
        path, format, name, strict: see :func:`~ragscore.formats.load_run`.
        qrels: the judgments; :func:`~ragscore.formats.load_qrels_columns` reads them fast.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "bm25.run")
    ...     _ = file.write_text("q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 1.5 x\n")
    ...     run = join_run(file, Qrels.from_dict({"q1": {"d2": 3}, "q2": {"d1": 1}}))
    >>> run
    JoinedRun('bm25': 1 queries, depth 2)
    >>> from ragscore.formats.runs.joined_run import JoinedBlocks
    >>> [block().grades.tolist() for block in JoinedBlocks(run)]
    [[[0.0, 3.0], [0.0, 0.0]]]

    Raises:
        DataError: the file is not there, or its lines are no run.
    """
    from ragscore.formats.runs.load import load_run

    path = expanded(path)
    columns = qrels if isinstance(qrels, QrelsColumns) else QrelsColumns.of(qrels)
    joined: JoinedRun | None = None
    if path.is_file():
        join = JOINS.get(run_format(path) if format == "auto" else format)
        joined = join(path, columns, name, strict) if join else None
    if joined is not None:
        return joined
    return _in_memory(load_run(path, format=format, name=name, strict=strict), columns)


def _trec(path: Path, qrels: QrelsColumns, name: str | None, strict: bool) -> JoinedRun | None:
    """None where the slow reader must look."""
    name = name or name_of_run(path)
    try:
        try:
            run = JoinedRun.of(trec_parts(path, qrels), qrels, name=name)
        except SplitQueryError:
            run = JoinedRun.of(trec_parts(path, qrels, whole=True), qrels, name=name)
    except (DamagedFileError, OddTextError, OSError):
        return None
    return None if strict and run.duplicates else run


def _parquet(path: Path, qrels: QrelsColumns, name: str | None, strict: bool) -> JoinedRun | None:
    """None where the slow reader must look."""
    from ragscore.formats.runs.join_parquet import OddRowsError, ParquetRun

    qrels = qrels.of_kind(PolarsTexts)
    try:
        file = ParquetRun(path)
        name = name or file.about.name or path.stem
        try:
            run = JoinedRun.of(file.parts(qrels), qrels, name=name)
        except SplitQueryError:
            run = JoinedRun.of(file.parts(qrels, whole=True), qrels, name=name)
    except OddRowsError:
        return None
    if strict and run.duplicates:
        return None
    if file.queries is not None:
        asked = run.with_queries(file.queries)
        if len(asked) != len(file.queries):
            return None  # some row names a query that the list lacks
        run = asked
    return replace(
        run,
        depth=file.about.depth_of(run.depth, shown(path)),
        duplicates=run.duplicates + file.about.duplicates,
    )


JOINS = {"trec": _trec, "parquet": _parquet}


def _in_memory(run: Run, qrels: QrelsColumns) -> JoinedRun:
    """The same from a run that was loaded."""
    frame = run.to_polars()
    scores = None if run.scores is None else frame["score"].to_numpy()
    rows = RowsByQuery.of(PolarsTexts(frame["query"]), PolarsTexts(frame["passage"]), scores)
    joined = JoinedRun.of([join_rows(rows, qrels.of_kind(PolarsTexts))], qrels, name=run.name)
    joined = joined.with_queries(PolarsTexts.of(run.queries))
    return replace(joined, depth=run.depth, duplicates=run.duplicates)
