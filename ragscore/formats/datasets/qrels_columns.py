"""Judgments as columns for the join with a run file: no Python object for each passage.

:class:`~ragscore.dataset.Qrels` numbers passages; a join compares texts and needs no numbers.
Order of queries, grades and errors are those of :func:`~ragscore.formats.load_qrels`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct
from ragscore.dataset import Qrels
from ragscore.formats.reading.byte_texts import ByteTexts
from ragscore.formats.reading.file_pieces import on_all_cores, pieces
from ragscore.formats.reading.lines import DamagedFileError
from ragscore.formats.reading.polars_texts import PolarsTexts
from ragscore.formats.reading.rows_by_query import RowsByQuery
from ragscore.formats.reading.texts import Lookup, Texts
from ragscore.formats.reading.whitespace_columns import (
    Column,
    Columns,
    OddTextError,
    concatenated,
    read_columns,
)
from ragscore.formats.runs.detect import QrelsFormat, qrels_format
from ragscore.paths import expanded

COLUMNS: dict[str, Column] = {
    "query": "text",
    "ignored": "ignored",
    "passage": "text",
    "grade": "number",
}


@dataclass(frozen=True, eq=False)
class QrelsColumns:
    """Grades of (query, passage) pairs, the pairs of each query together.

    Attributes:
        query_ids: the queries in order of appearance (that is their row).
        indptr: int64[Q + 1], where the judgments of each query begin.
        passages: n passage ids.
        grades: float64[n]. Negative: in the pool, but not judged.
    """

    query_ids: Texts
    indptr: NDArray[np.int64]
    passages: Texts
    grades: NDArray[np.float64]

    @classmethod
    def of(cls, qrels: Qrels) -> QrelsColumns:
        """The columns of qrels; queries keep their rows, also those without judgments."""
        passages = ByteTexts.of(qrels.passages).take(qrels.rows.astype(np.int64))
        return cls(ByteTexts.of(qrels.queries), qrels.indptr, passages, qrels.grades)

    def __len__(self) -> int:
        return len(self.grades)

    def of_kind(self, kind: type[Texts]) -> QrelsColumns:
        """The same with texts that can be held against others of that kind."""
        if isinstance(self.passages, kind):
            return self
        if kind not in self._of_other_kinds:
            queries, passages = (
                _converted(texts, kind) for texts in (self.query_ids, self.passages)
            )
            self._of_other_kinds[kind] = replace(self, query_ids=queries, passages=passages)
        return self._of_other_kinds[kind]

    @cached_property
    def _of_other_kinds(self) -> dict[type[Texts], QrelsColumns]:
        return {}

    @cached_property
    def _lookup(self) -> Lookup[Texts]:
        return Lookup(self.query_ids)

    def rows_of(self, query_ids: Texts) -> NDArray[np.int64]:
        """The row of each query, -1 where there is none: int64[n]."""
        return self._lookup.rows(query_ids)

    def rows_of_ids(self, query_ids: Iterable[str]) -> NDArray[np.int64]:
        """The rows of those of these queries that there are, each once: int64[n]."""
        rows = self.rows_of(self.query_ids.of(query_ids))
        return distinct(rows[rows >= 0])

    @cached_property
    def judgments(self) -> NDArray[np.int64]:
        """Number of judgments of each query: int64[Q]."""
        return np.diff(self.indptr)

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """A 64-bit hash of each passage id: uint64[n]."""
        return self.passages.hashes()

    @cached_property
    def ideal(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """As :attr:`ragscore.dataset.Qrels.ideal`: judged grades, best first, by query."""
        query_of = np.repeat(np.arange(len(self.query_ids)), self.judgments)
        order = np.lexsort((-self.grades, query_of))
        grades, query_of = self.grades[order], query_of[order]
        judged = grades >= 0
        indptr = np.zeros(len(self.query_ids) + 1, dtype=np.int64)
        np.cumsum(np.bincount(query_of[judged], minlength=len(self.query_ids)), out=indptr[1:])
        return indptr, grades[judged]


def _converted(texts: Texts, kind: type[Texts]) -> Texts:
    found = None
    if kind is PolarsTexts and isinstance(texts, ByteTexts):
        found = PolarsTexts.of_lines(texts.lines(), len(texts))
    return kind.of(texts.to_list()) if found is None else found


def load_qrels_columns(path: str | Path, *, format: QrelsFormat = "auto") -> QrelsColumns:
    r"""Read judgments: in bulk where every line is just what it should be, else with
    :func:`~ragscore.formats.load_qrels`, whose arguments and errors these are.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "qrels")
    ...     _ = file.write_text("q1 0 d1 3\nq2 0 d1 1\nq1 0 d2 0\n")
    ...     columns = load_qrels_columns(file)
    >>> columns.query_ids.to_list(), columns.indptr.tolist(), columns.passages.to_list()
    (['q1', 'q2'], [0, 2, 3], ['d1', 'd2', 'd1'])
    """
    path = expanded(path)
    if path.is_file() and (qrels_format(path) if format == "auto" else format) == "trec":
        in_bulk = _in_bulk(path)
        if in_bulk is not None:
            return in_bulk
    from ragscore.formats.datasets.qrels import load_qrels

    return QrelsColumns.of(load_qrels(path, format=format))


def _in_bulk(path: Path) -> QrelsColumns | None:
    """None where the slow reader must look."""
    try:
        read = list(on_all_cores(partial(_read, piece) for piece in pieces(path)))
    except (DamagedFileError, OddTextError, OSError):
        return None
    columns = concatenated(read) if read else read_columns(b"", COLUMNS)
    rows = RowsByQuery.of(
        columns.texts["query"], columns.texts["passage"], columns.numbers["grade"]
    )
    # Ids of nothing but white space of other kinds, and pairs judged twice.
    if any(map(_is_any_blank, columns.texts.values())) or len(rows.repeated()):
        return None
    indptr = np.append(0, np.cumsum(rows.counts))
    grades = rows.numbers if rows.numbers is not None else np.empty(0)
    return QrelsColumns(rows.query_ids, indptr, rows.passages, grades)


def _read(piece: Callable[[], bytearray]) -> Columns:
    return read_columns(piece(), COLUMNS)


def _is_any_blank(texts: ByteTexts) -> bool:
    return any(text.isspace() for text in texts.beyond_ascii().to_list())
