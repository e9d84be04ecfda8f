"""load_run and join_run: a run from a file of any format, alone or together with judgments."""

from __future__ import annotations

from pathlib import Path

from ragscore.dataset.text_qrels import TextQrels
from ragscore.described import in_short
from ragscore.errors import DataError
from ragscore.formats.reading.problems import existing_file
from ragscore.formats.runs.base import RunFormat
from ragscore.formats.runs.run_formats import RUN_FORMATS, run_format
from ragscore.judge import JoinedRun
from ragscore.run import Run


def load_run(
    path: str | Path,
    *,
    format: str = "auto",
    name: str | None = None,
    strict: bool = False,
) -> Run:
    r"""Read a run over the passage ids that its file names.

    Args:
        path: the file: a TREC run, a table with named columns (``.csv``, ``.tsv``), a JSON object
            (``.json``), all also ``.gz`` and ``.zst``, or a run that ragscore recorded
            (``.parquet``).
        format: a name in :data:`~ragscore.formats.RUN_FORMATS`, or that of an installed format;
            ``auto`` goes by the suffix and the first line.
        name: name of the run; by default the recorded one, else the file's.
        strict: a passage that is named twice for a query is an error; otherwise the first is
            kept and ``Run.duplicates`` counts the others.

    Raises:
        DataError: the file is not there, or its lines aren't a valid run.
        ConfigError: there is no such format.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "bm25.trec")
    ...     _ = file.write_text("q1 Q0 d1 1 12.5 bm25\nq1 Q0 d2 2 11.0 bm25\n")
    ...     load_run(file).to_dict()
    {'q1': {'d1': 12.5, 'd2': 11.0}}
    """
    path, chosen = _chosen(path, format)
    return _read(chosen, path, name, strict=strict)


def join_run(
    path: str | Path,
    qrels: TextQrels,
    *,
    name: str | None = None,
    strict: bool = False,
) -> JoinedRun | Run:
    r"""Read a run file and find its judged passages, or load it where its format cannot do that.

    Memory goes with the queries, the judged passages among the returned, and the ties; a file
    where a query's lines are not together is held as a whole.

    Args:
        path, name, strict: see :func:`~ragscore.formats.load_run`.
        qrels: the judgments; :func:`~ragscore.formats.datasets.qrels_file.read_qrels` reads them.

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
        DataError: the file is not there, or its lines aren't a valid run.
    """
    path, chosen = _chosen(path, "auto")
    joined = chosen.join(path, qrels, name=name, strict=strict) if chosen.join else None
    return _read(chosen, path, name, strict=strict) if joined is None else joined


def _read(chosen: RunFormat, path: Path, name: str | None, *, strict: bool) -> Run:
    run: object = chosen.read(path, name=name, strict=strict)
    if not isinstance(run, Run):
        raise DataError(
            f"the reader of its format ({chosen.description}) returned {in_short(run)}",
            where=str(path),
            instead="A reader returns a ragscore.Run: Run.from_dict makes one",
        )
    return run


def _chosen(path: str | Path, format: str) -> tuple[Path, RunFormat]:
    path = existing_file(path, "run")
    return path, RUN_FORMATS.load(run_format(path) if format == "auto" else format)
