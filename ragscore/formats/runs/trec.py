"""TREC run files: ``query Q0 passage rank score tag``, read and written.

Order: score descending, then passage id descending as text; the rank column is not looked at,
as in trec_eval. Scores are written so that the same 64-bit number is read back.
"""

from __future__ import annotations

import io
import math
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Ids
from ragscore.errors import DataError
from ragscore.formats.reading.encodings import BOM
from ragscore.formats.reading.lines import COMMENT, DamagedFileError, File, read_chunks
from ragscore.formats.reading.problems import Problems, TooManyError, shown
from ragscore.run import Run

if TYPE_CHECKING:
    import polars

AS_RECORDED: Literal["as recorded"] = "as recorded"
BY_RANK: Literal["depth - rank + 1"] = "depth - rank + 1"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# White space separates columns (some readers split at U+00A0 too); NUL ends a text in C; a BOM
# or # at the start of a file or line would be taken for something else.
UNSAFE = re.compile("[\\s\x00-\x1f\x7f-\x9f\ufeff]")
COLUMNS = ("query", "q0", "passage", "rank", "score", "tag")
EXPECTED = (
    "Write query id, Q0, passage id, rank, score (a finite number), name, with spaces or tabs "
    "between them and none inside; a .parquet run holds ids with spaces"
)


@dataclass(frozen=True)
class TrecExport:
    """What became of an export.

    Attributes:
        written: False where the format cannot hold the run.
        reason: why it was not written, or why scores are not the recorded ones; else None.
        scores: what the score column holds; trec_eval sorts by it.
    """

    written: bool
    reason: str | None
    scores: Literal["as recorded", "depth - rank + 1"]


def read_trec_run(path: Path, *, name: str, strict: bool = False) -> Run:
    """A run over the passage ids that its file names; ``.gz`` and ``.zst`` are unpacked.

    Args:
        path: the file; as in trec_eval, empty lines, lines that begin with ``#`` and words
            after the name are passed over.
        strict: a passage that is named twice for a query is an error.

    Raises:
        DataError: lines that are no run, with their numbers.
    """
    try:
        frame = _in_bulk(b"".join(read_chunks(path)))
    except DamagedFileError as error:
        raise DataError(str(error), where=shown(path)) from error
    return _run_of(_line_by_line(path) if frame is None else frame, name, strict)


def _in_bulk(data: bytes) -> polars.DataFrame | None:
    """Columns query, passage, score; None where any line is not quite what it should be."""
    import polars

    data = data.removeprefix(BOM).replace(b"\r\n", b"\n")
    if data.startswith(BOM) or b"\r" in data:
        return None
    data = data.replace(b"\t", b" ").strip(b" \n")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    if b" \n" in data or b"\n " in data:
        data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    prefix = COMMENT.encode()
    commented = data.startswith(prefix) or b"\n" + prefix in data
    if not data or commented:
        return None
    try:
        frame = polars.read_csv(
            io.BytesIO(data),
            separator=" ",
            has_header=False,
            schema=dict.fromkeys(COLUMNS, polars.String),
            columns=[0, 2, 4, 5],
            quote_char=None,
        )
    except polars.exceptions.PolarsError:
        return None
    score = frame["score"].cast(polars.Float64, strict=False)
    if score.null_count() or not score.is_finite().all() or frame["tag"].null_count():
        return None
    # Polars does not look behind the last column it is asked for. No line has less than five
    # spaces here, so none has more where their sum fits.
    if data.count(b" ") != (len(COLUMNS) - 1) * frame.height:
        return None
    return frame.select("query", "passage", score)


def _line_by_line(path: Path) -> polars.DataFrame:
    """The same columns, read slowly: what the fast way gave up on is either said, by line, or
    one of the rarities that trec_eval reads too (comments, words after the name)."""
    import polars

    problems = Problems()
    file = File(path, problems)
    queries: list[str] = []
    passages: list[str] = []
    scores: list[float] = []
    with suppress(TooManyError):
        for number, line in file.rows(passing_over=COMMENT):
            parts = [part for part in line.replace("\t", " ").split(" ") if part]
            wrong = _wrong_with(parts)
            if wrong:
                file.problem(wrong, line=number, instead=EXPECTED)
                continue
            queries.append(parts[0])
            passages.append(parts[2])
            scores.append(float(parts[4]))
    if problems.found:
        raise problems.error()
    return polars.DataFrame(
        {"query": queries, "passage": passages, "score": scores},
        schema={"query": polars.String, "passage": polars.String, "score": polars.Float64},
    )


def _wrong_with(parts: list[str]) -> str:
    """What is wrong with the columns of one line; nothing, where it is a line of a run."""
    if len(parts) < len(COLUMNS):
        return f"{len(parts)} column{'s' * (len(parts) > 1)} where 6 are expected"
    if len(parts) > len(COLUMNS) and parts[-3].isdecimal() and NUMBER.fullmatch(parts[-2]):
        # Rank and score stand further right: what lies before them is an id with spaces.
        return f"{len(parts)} columns where 6 are expected: an id holds white space"
    if not NUMBER.fullmatch(parts[4]) or not math.isfinite(float(parts[4])):
        return f"the score of passage '{parts[2]}' for query '{parts[0]}' is '{parts[4]}'"
    return ""


def _run_of(frame: polars.DataFrame, name: str, strict: bool) -> Run:
    queries, query_rows = _encoded(frame["query"])
    passages, passage_rows = _encoded(frame["passage"])
    scores = frame["score"].to_numpy()
    # Lines of one query need not stand together; a stable sort keeps their order.
    order = np.argsort(query_rows, kind="stable")
    counts = np.bincount(query_rows, minlength=len(queries))
    starts = np.cumsum(counts) - counts
    in_order = query_rows[order]
    places = np.arange(len(order)) - starts[in_order]
    depth = int(counts.max()) if len(counts) else 0
    rows = np.full((len(queries), depth), -1, dtype=np.int32)
    values = np.full(rows.shape, np.nan)
    rows[in_order, places] = passage_rows[order]
    values[in_order, places] = scores[order]
    return Run.make(queries, passages, rows, values, name=name, strict=strict)


def _encoded(texts: polars.Series) -> tuple[Ids, NDArray[np.int32]]:
    """Distinct texts in order of appearance, and the row of each text among them."""
    import polars

    distinct = texts.unique(maintain_order=True)
    rows = texts.cast(polars.Enum(distinct)).to_physical().to_numpy().astype(np.int32)
    return Ids(distinct.to_list()), rows


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
    """Why the recorded scores would not give the recorded ranking, None where they do."""
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
