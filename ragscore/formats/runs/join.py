"""join_run(path, qrels): a run file and its judgments, brought together while it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ragscore.dataset.text_qrels import TextQrels
from ragscore.formats.runs.detect import name_of_run, run_format
from ragscore.formats.runs.join_parquet import join_parquet_run
from ragscore.formats.runs.load import load_run
from ragscore.formats.runs.trec import join_trec_run
from ragscore.judge import JoinedRun
from ragscore.paths import expanded
from ragscore.run import Run


def join_run(
    path: str | Path,
    qrels: TextQrels,
    *,
    format: Literal["auto", "trec", "parquet", "csv", "json"] = "auto",
    name: str | None = None,
    strict: bool = False,
) -> JoinedRun | Run:
    r"""Read a run file and find its judged passages, or load it where its format cannot do that.

    Memory goes with the queries, the judged passages among the returned, and the ties; a file
    where a query's lines are not together is held as a whole.

    Args:
        path, format, name, strict: see :func:`~ragscore.formats.load_run`.
        qrels: the judgments; :func:`~ragscore.formats.datasets.qrels.load_text_qrels` reads them.

    >>> import tempfile
    >>> from ragscore.dataset import Qrels
    >>> from ragscore.judge import Blocks
    >>> qrels = TextQrels.of(Qrels.from_dict({"q1": {"d2": 3}, "q2": {"d1": 1}}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "bm25.run")
    ...     _ = file.write_text("q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 1.5 x\n")
    ...     run = join_run(file, qrels)
    >>> run
    JoinedRun('bm25': 1 queries, depth 2)
    >>> [block().grades.tolist() for block in Blocks(run, qrels)]
    [[[0.0, 3.0], [0.0, 0.0]]]

    Raises:
        DataError: the file is not there, or its lines are no run.
    """
    path = expanded(path)
    if path.is_file():
        chosen = run_format(path) if format == "auto" else format
        if chosen == "trec":
            return join_trec_run(path, qrels, name=name or name_of_run(path), strict=strict)
        if chosen == "parquet":
            joined = join_parquet_run(path, qrels, name=name, strict=strict)
            if joined is not None:
                return joined
    return load_run(path, format=format, name=name, strict=strict)
