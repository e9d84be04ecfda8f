"""load_run and join_run: a run from a file of any format, alone or together with judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from ragscore.described import in_short
from ragscore.errors import DataError
from ragscore.formats.reading.file_pieces import on_all_cores
from ragscore.formats.reading.problems import shown
from ragscore.formats.runs.base import RunFormat
from ragscore.formats.runs.loaded_parts import run_of_parts
from ragscore.formats.runs.run_formats import RUN_FORMATS, name_of_run, run_format
from ragscore.formats.runs.run_parts import RunParts
from ragscore.judge import JoinedPart, JoinedRun, JoinTo, SplitQueryError
from ragscore.judge.rows_by_query import RepeatedRankError
from ragscore.run import Run
from ragscore.run.order import returned_twice

SMALL_PART = 1 << 24
"""Parts of fewer bytes are read two at once, each on all cores: while the last pieces of one are
joined, the next one is begun. For larger ones that only takes memory."""


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
            (``.parquet``). Or a folder of parts of one run, TREC files or Parquet.
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
    parts = RunParts.of(path, format)
    if parts.folder is None:
        return _read(parts.format, parts.files[0], name, strict=strict)
    assert parts.format.rows is not None
    named = name or name_of_run(parts.folder)
    with _explained(parts):
        return run_of_parts(list(map(parts.format.rows, parts.files)), named, strict=strict)


@contextmanager
def _explained(parts: RunParts) -> Iterator[None]:
    """What is wrong where parts do not fit together, as DataError."""
    try:
        yield
    except SplitQueryError as error:
        raise _comes_back(parts, error) from error
    except RepeatedRankError as error:
        raise DataError(
            f"rank {error.rank:g} is given twice for query '{error.query}', which stands in "
            "several parts",
            where=shown(parts.path),
            instead="Give each rank once, or scores",
        ) from error


def join_run(
    path: str | Path,
    to: JoinTo,
    *,
    name: str | None = None,
    strict: bool = False,
    join_parts: Callable[[RunParts, JoinTo], Iterable[JoinedPart]] | None = None,
) -> JoinedRun | Run:
    r"""Read a run file, or a folder of parts, and find its judged passages; or load a file whose
    format cannot do that.

    Memory goes with the queries, the judged passages among the returned, and the ties that ``to``
    asks for; a file where a query's lines are not together is held as a whole.

    Args:
        path, name, strict: see :func:`~ragscore.formats.load_run`.
        to: the judgments; :func:`~ragscore.formats.datasets.qrels_file.read_qrels` reads them.
        join_parts: joins the parts of a folder; by default this process does.

    >>> import tempfile
    >>> from ragscore.dataset import Qrels
    >>> from ragscore.dataset.text_qrels import TextQrels
    >>> from ragscore.judge import Blocks
    >>> qrels = TextQrels.of(Qrels.from_dict({"q1": {"d2": 3}, "q2": {"d1": 1}}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "bm25.run")
    ...     _ = file.write_text("q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 1.5 x\n")
    ...     run = join_run(file, JoinTo(qrels))
    >>> run
    JoinedRun('bm25': 1 queries, depth 2)
    >>> [block().grades.tolist() for block in Blocks(run, qrels)]
    [[[0.0, 3.0], [0.0, 0.0]]]

    Raises:
        DataError: the file is not there, or its lines aren't a valid run; a folder holds other
            files than parts of one run, or lines of a query stand far from each other in it.
    """
    parts = RunParts.of(path)
    if parts.format.join is None:
        return _read(parts.format, parts.files[0], name, strict=strict)
    if parts.folder is None:
        part = join_part(parts.files[0], to)
        if part is None:
            return _read(parts.format, parts.files[0], name, strict=strict)
        joined: Iterator[JoinedPart] = iter([part])
        name = name or part.name
    else:
        joined = iter((join_parts or _in_this_process)(parts, to))
    name = name or name_of_run(parts.path)
    with _explained(parts):
        run = JoinedRun.of(joined, to, name=name)
    if strict and run.first_duplicate:
        passage, query = run.first_duplicate
        raise returned_twice(passage, query, name)
    return run if parts.folder is None else replace(run, gaps=parts.gaps(run.empty_parts))


def _in_this_process(parts: RunParts, to: JoinTo) -> Iterator[JoinedPart]:
    size = sum(file.stat().st_size for file in parts.files) / len(parts.files)
    at_once = 2 if size < SMALL_PART else 1
    return on_all_cores((partial(joined_part, file, to) for file in parts.files), at_once)


def join_part(path: Path, to: JoinTo) -> JoinedPart | None:
    """One file joined with judgments: a run, or one part of one; None if it has to be loaded.

    Args:
        path: an existing file of a format that has ``join``.
        to: the judgments.

    Raises:
        DataError: its lines aren't a valid run.
    """
    join = RUN_FORMATS.load(run_format(path)).join
    return None if join is None else join(path, to)


def joined_part(path: Path, to: JoinTo) -> JoinedPart:
    """One part of several, joined with judgments.

    Raises:
        DataError: its lines aren't valid in a run.
    """
    part = join_part(path, to)
    if part is not None:
        return part
    chosen = RUN_FORMATS.load(run_format(path))
    chosen.read(path)  # whose error says what is wrong
    if chosen.rows is not None:
        chosen.rows(path)  # or this one's
    raise DataError(
        "it cannot be read in pieces",
        where=shown(path),
        instead="Write it anew, each query's rows together",
    )


def _comes_back(parts: RunParts, error: SplitQueryError) -> DataError:
    """That rows of a query stand in parts that are far from each other, with their places."""
    earlier, later = parts.files[error.first], parts.files[error.second]
    places = parts.format.places
    before = after = ""
    if places is not None:
        before = f":{places(earlier, error.query)[1]}"
        after = f":{places(later, error.query)[0]}"
    return DataError(
        f"query '{error.query}' comes back, after {shown(earlier)}{before}",
        where=f"{shown(later)}{after}",
        instead="Write all rows of a query into one part, or to the end of a part and on from the "
        "beginning of the next; two runs belong in two folders",
    )


def _read(chosen: RunFormat, path: Path, name: str | None, *, strict: bool) -> Run:
    run: object = chosen.read(path, name=name, strict=strict)
    if not isinstance(run, Run):
        raise DataError(
            f"the reader of its format ({chosen.description}) returned {in_short(run)}",
            where=str(path),
            instead="A reader returns a ragscore.Run: Run.from_dict makes one",
        )
    return run
