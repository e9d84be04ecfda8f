"""TREC run files: ``query Q0 passage rank score tag``, read and written.

Order: score descending, then passage id descending as text; the rank column is not looked at,
as in trec_eval. Scores are written so that the same 64-bit number is read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from ragscore.dataset import Ids
from ragscore.dataset.byte_texts import ByteTexts, numbered
from ragscore.formats.reading.decimals import finite_number
from ragscore.formats.reading.lines import (
    COMMENT,
    PACKED,
    DamagedFileError,
    File,
    plain_name,
    read_chunks,
)
from ragscore.formats.reading.problems import collected
from ragscore.formats.reading.whitespace_columns import (
    Column,
    OddTextError,
    TextColumns,
    read_file,
    trec_columns,
    wrong_count,
)
from ragscore.judge.rows_by_query import RowsByQuery
from ragscore.run import Run

if TYPE_CHECKING:
    import polars

AS_RECORDED: Literal["as recorded"] = "as recorded"
BY_RANK: Literal["depth - rank + 1"] = "depth - rank + 1"
# White space separates columns (some readers split at U+00A0 too); NUL ends a text in C; a BOM
# or # at the start of a file or line would be taken for something else.
UNSAFE = re.compile("[\\s\x00-\x1f\x7f-\x9f\ufeff]")
SUFFIXES = (".trec", ".run", ".res", ".txt")
READ_AS: dict[str, Column] = {
    "query": "text",
    "q0": "ignored",
    "passage": "text",
    "rank": "ignored",
    "score": "number",
    "tag": "ignored",
}
COLUMNS = tuple(READ_AS)
EXPECTED = (
    "Write query id, Q0, passage id, rank, score (a finite number), name, with spaces or tabs "
    "between them and none inside; a .parquet run holds ids with spaces"
)


@dataclass(frozen=True)
class TrecExport:
    """What became of an export.

    Attributes:
        written: False if the format cannot hold the run.
        reason: why it was not written, or why scores are not the recorded ones; else None.
        scores: what the score column holds; trec_eval sorts by it.
    """

    written: bool
    reason: str | None
    scores: Literal["as recorded", "depth - rank + 1"]


def read_trec_run(path: Path, *, name: str | None = None, strict: bool = False) -> Run:
    """A run from a TREC file; the arguments are those of :class:`ReadRun`.

    As in trec_eval, empty lines, lines that begin with ``#`` and words after the name are passed
    over.

    Raises:
        DataError: lines that aren't valid in a run, with their numbers.
    """
    name = name or plain_name(path, (*SUFFIXES, ".tsv"))
    columns = columns_of(path)
    grouped = by_query(columns)
    texts, passage_rows = numbered(columns.texts["passage"])
    passage_ids, query_ids = texts.to_list(), grouped.query_ids.to_list()
    counts, order, scores = grouped.counts, grouped.order, grouped.numbers
    del columns, texts, grouped  # and with them the bytes of the file
    rows = np.full((len(counts), int(counts.max(initial=0))), -1, dtype=np.int32)
    filled = np.arange(rows.shape[1]) < counts[:, None]
    rows[filled] = passage_rows if order is None else passage_rows[order]
    values = np.full(rows.shape, np.nan)
    values[filled] = scores
    return Run.make(Ids(query_ids), Ids(passage_ids), rows, values, name=name, strict=strict)


def by_query(columns: TextColumns) -> RowsByQuery:
    """The lines of each query together."""
    texts = columns.texts
    return RowsByQuery.of(texts["query"], texts["passage"], columns.numbers["score"])


def columns_of(path: Path) -> TextColumns:
    """Columns query, passage and score of a whole file: in bulk where every line is just what it
    should be, else line by line."""
    with suppress(OddTextError, DamagedFileError, OSError):
        return read_file(path, READ_AS)
    return line_by_line(path)


def line_by_line(path: Path, piece: bytes | None = None) -> TextColumns:
    """The same, slowly: what the bulk reader gives up on is either an error, named by its line,
    or one of the rarities that trec_eval reads too (words after the name, other encodings).

    Args:
        path: the file.
        piece: some of its lines, to read instead of all.
    """
    queries: list[str] = []
    passages: list[str] = []
    scores: list[float] = []
    with collected() as problems:
        for parts in good_rows(File(path, problems, piece=piece)):
            queries.append(parts[0])
            passages.append(parts[2])
            scores.append(float(parts[4]))
    texts = {"query": ByteTexts.of(queries), "passage": ByteTexts.of(passages)}
    return TextColumns(texts, {"score": np.array(scores, dtype=np.float64)})


def good_rows(file: File) -> Iterator[list[str]]:
    """The columns of every line that is a run's; the others are reported."""
    for number, line in file.rows(passing_over=COMMENT):
        parts = trec_columns(line)
        wrong = _wrong_with(parts)
        if wrong:
            file.problem(wrong, line=number, instead=EXPECTED)
        else:
            yield parts


def _wrong_with(parts: list[str]) -> str:
    """What is wrong with the columns of one line; nothing, where it is a line of a run."""
    if len(parts) < len(COLUMNS):
        return wrong_count(parts, len(COLUMNS))
    shifted = len(parts) > len(COLUMNS) and parts[-3].isdecimal()
    if shifted and finite_number(parts[-2]) is not None:
        # Rank and score stand further right: what lies before them is an id with spaces.
        return f"{wrong_count(parts, len(COLUMNS))}: an id holds white space"
    if finite_number(parts[4]) is None:
        return f"the score of passage '{parts[2]}' for query '{parts[0]}' is '{parts[4]}'"
    return ""


def tag_of(path: Path) -> str | None:
    """The name in the last column of a run, on its last line as trec_eval has it."""
    if path.suffix in PACKED:
        end = b""
        for chunk in read_chunks(path):
            end = (end + chunk)[-(1 << 16) :]
    else:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - (1 << 16)))
            end = file.read()
    for line in reversed(end.decode("utf-8", "replace").split("\n")):
        parts = trec_columns(line)
        if len(parts) >= len(COLUMNS) and not parts[0].startswith(COMMENT):
            return parts[5]
    return None


def write_trec_run(
    run: Run, path: Path | str, *, frame: polars.DataFrame | None = None
) -> TrecExport:
    """Write a run, unless an id cannot be held by the format.

    Where sorting the recorded scores would not give the recorded ranking, depth - rank + 1 is
    written for the whole run instead. Scores are compared both as 64-bit and as 32-bit floats,
    since trec_eval 9 and pytrec_eval round to 32 bits. A query without results has no line.

    Args:
        frame: ``run.to_polars()``, where the caller has made it already.
    """
    import polars

    reason = _unholdable(run)
    if reason:
        return TrecExport(False, reason, AS_RECORDED)
    reason = _reordered_by_scores(run)
    frame = (frame if frame is not None else run.to_polars()).with_columns(
        q0=polars.lit("Q0"), tag=polars.lit(UNSAFE.sub("_", run.name) or "run")
    )
    if reason:
        by_rank = (run.depth + 1 - frame["rank"]).alias("score")
        frame = frame.with_columns(by_rank)
    with Path(path).open("wb") as file:
        frame.select(COLUMNS).write_csv(
            file, include_header=False, separator=" ", line_terminator="\n", quote_style="never"
        )
    return TrecExport(True, reason, BY_RANK if reason else AS_RECORDED)


def _unholdable(run: Run) -> str | None:
    used = np.unique(run.rows)
    passages = (run.passages[row] for row in used[used >= 0].tolist())
    for of, ids in (("query", run.queries), ("passage", passages)):
        for text in ids:
            if UNSAFE.search(text) or not text or (of == "query" and text.startswith(COMMENT)):
                what = "white space" if re.search(r"\s", text) else "a character"
                return f"the {of} id {text!r} holds {what} that a TREC run cannot hold"
    return None


def _reordered_by_scores(run: Run) -> str | None:
    """Why the recorded scores would not give the recorded ranking, None if they do."""
    if run.scores is None:
        return "the run has no scores"
    present = run.rows[:, 1:] >= 0
    with np.errstate(over="ignore"):
        rounded = run.scores.astype(np.float32).astype(np.float64)
    for scores, bits in ((run.scores, "64-bit"), (rounded, "32-bit")):
        upper, lower = scores[:, :-1], scores[:, 1:]
        if ((upper < lower) & present).any():
            return f"the scores do not fall with the rank, as {bits} floats"
        tied = np.nonzero((upper == lower) & present)
        above, below = run.rows[:, :-1][tied].tolist(), run.rows[:, 1:][tied].tolist()
        if any(run.passages[a] <= run.passages[b] for a, b in zip(above, below, strict=True)):
            return f"scores that are equal as {bits} floats would be ordered by id otherwise"
    return None
