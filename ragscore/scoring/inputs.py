"""What :func:`~ragscore.scoring.score` takes: runs, dicts, other libraries' objects, arrays.

Arrays of integers are numbers of passages, as FAISS returns them: row q is query number q. They
are judged a block of queries at a time straight from the array, so that measuring begins at
once and no second copy of it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Literal, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import NumberedIds, Qrels
from ragscore.errors import DataError
from ragscore.judge import BLOCK, Blocks, LeftOut, QueryCounts, Ranked
from ragscore.run import Returned, Run


@runtime_checkable
class AsDict(Protocol):
    """Another library's run or judgments, such as those of ranx."""

    def to_dict(self) -> Any:
        """``{query id: {passage id: number}}``."""


PassageNumbers = NDArray[np.integer[Any]]
AnyRun = Run | Mapping[str, Returned] | AsDict | PassageNumbers
ArrayQrels = (
    Qrels
    | Mapping[int, Mapping[int, float] | Sequence[int]]
    | PassageNumbers
    | tuple[PassageNumbers, PassageNumbers, NDArray[Any]]
)
AnyQrels = Mapping[str, Mapping[str, float] | Sequence[str]] | AsDict | ArrayQrels


def run_of(given: AnyRun) -> Run:
    """A Run from anything but an array.

    Raises:
        DataError: it is nothing of the kind.
    """
    if isinstance(given, Run):
        return given
    name = getattr(given, "name", None)
    if isinstance(given, AsDict):
        given = given.to_dict()
    if not isinstance(given, Mapping):
        raise DataError(
            f"a {type(given).__name__} is not a run",
            instead="Give the path of a run file, a Run, {query id: {passage id: score} or [ids]}, "
            "or an array of passage numbers [queries, depth]",
        )
    return Run.from_dict(given, name=name if isinstance(name, str) and name else "run")


def qrels_of(given: AnyQrels) -> Qrels:
    """Qrels from anything but arrays.

    Raises:
        DataError: it is nothing of the kind.
    """
    if isinstance(given, Qrels):
        return given
    if isinstance(given, AsDict):
        given = given.to_dict()
    if not isinstance(given, Mapping):
        raise DataError(
            f"a {type(given).__name__} is not judgments of a run of text ids",
            instead="Give the path of a file of judgments or of a dataset, a Dataset, Qrels, or "
            "{query id: {passage id: grade} or [ids]}",
        )
    return Qrels.from_dict(cast(Mapping[str, Mapping[str, float]], given))


def numbered_qrels(given: AnyQrels, queries: int, passages: int) -> Qrels:
    """Judgments of numbered queries and passages, over at least this many of each.

    Args:
        given: ``{query number: {passage number: grade} or [numbers]}``; an integer array
            [Q, m] whose row q holds the relevant passages of query q (grade 1 each, -1 is an
            empty place); three arrays of query numbers, passage numbers and grades; or Qrels
            over :class:`~ragscore.dataset.NumberedIds`, which are taken as they are.

    Raises:
        DataError: a number is negative, a grade is not finite, a pair is judged twice.
    """
    if isinstance(given, Qrels):
        if not isinstance(given.passages, NumberedIds) or not isinstance(
            given.queries, NumberedIds
        ):
            raise DataError(
                "the run is an array of numbers and the judgments name text ids",
                instead="Give judgments as {query number: {passage number: grade}}, or make the "
                "run with Run.make(queries, passages, rows)",
            )
        return given
    query_rows, passage_rows, grades = _columns(given)
    for what, numbers in (("query", query_rows), ("passage", passage_rows)):
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= np.iinfo(np.int32).max):
            raise DataError(f"a judgment names a {what} number outside 0..2147483646")
    if not np.isfinite(grades).all():
        at = int(np.flatnonzero(~np.isfinite(grades))[0])
        raise DataError(
            f"the grade of passage '{passage_rows[at]}' is {grades[at]}",
            where=f"query '{query_rows[at]}'",
            instead="A grade is a finite number",
        )
    return Qrels.from_rows(
        query_rows,
        passage_rows,
        grades,
        NumberedIds(max(queries, int(query_rows.max(initial=-1)) + 1)),
        NumberedIds(max(passages, int(passage_rows.max(initial=-1)) + 1)),
    )


def _columns(
    given: AnyQrels,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Query numbers, passage numbers and grades of judgments, in any order."""
    if isinstance(given, tuple) and len(given) == 3:
        columns = [np.asarray(column) for column in given]
        if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
            raise DataError("the three arrays of the judgments differ in length")
        _whole("judgments", columns[0])
        _whole("judgments", columns[1])
        return (
            columns[0].astype(np.int64),
            columns[1].astype(np.int64),
            columns[2].astype(np.float64),
        )
    if isinstance(given, np.ndarray):
        if given.ndim != 2:
            raise DataError(
                f"the judgments have shape {given.shape}",
                instead="Expected passage numbers [queries, most]",
            )
        _whole("judgments", given)
        query_rows, places = np.nonzero(given >= 0)
        return query_rows, given[query_rows, places].astype(np.int64), np.ones(len(places))
    if not isinstance(given, Mapping):
        raise DataError(
            f"a {type(given).__name__} is not judgments of numbered passages",
            instead="Give {query number: {passage number: grade}}, or arrays",
        )
    # Asking a dict whether it is a Mapping takes longer than reading it.
    graded = [
        judged
        if type(judged) is dict or isinstance(judged, Mapping)
        else dict.fromkeys(judged, 1.0)
        for judged in given.values()
    ]
    queries = np.array(list(given), dtype=None if given else np.int64)
    passages = np.array(list(chain.from_iterable(graded)) or np.empty(0, dtype=np.int64))
    for numbers in (queries, passages):
        _whole("judgments", numbers)
    return (
        np.repeat(queries.astype(np.int64), list(map(len, graded))),
        passages.astype(np.int64),
        np.fromiter(chain.from_iterable(judged.values() for judged in graded), dtype=np.float64),
    )


def _whole(what: str, numbers: NDArray[Any]) -> None:
    if not np.issubdtype(numbers.dtype, np.integer):
        raise DataError(
            f"the {what} hold {numbers.dtype}, where whole numbers are expected",
            instead="The run is an array: queries and passages are named by their numbers",
        )


class NumberedBlocks:
    """A JudgedBlocks over arrays: each block of queries becomes a Run when its turn comes.

    Args:
        rows: whole numbers [Q, depth], best first; -1 is an empty place.
        scores: floats [Q, depth], higher is better, or None if the order is all there is.
        qrels: see :func:`numbered_qrels`.
        name: the run's name, for messages.
        cut: look at this many passages of each query only; by default all.
        n_passages, leave_out, missing: as for :class:`~ragscore.judge.Blocks`.

    ``depth`` is the number of ranks to judge; it may be raised above the run's own before the
    blocks are iterated.

    Raises:
        DataError: shapes or types do not fit.
    """

    def __init__(
        self,
        rows: PassageNumbers,
        scores: NDArray[Any] | None,
        qrels: AnyQrels,
        *,
        name: str = "run",
        cut: int | None = None,
        n_passages: int | None = None,
        leave_out: Collection[str] = (),
        missing: Literal["zero", "drop"] = "zero",
    ) -> None:
        if rows.ndim != 2:
            raise DataError(
                f"the ranking has shape {rows.shape}",
                where=name,
                instead="Expected passage numbers [queries, depth]",
            )
        _whole("rankings", rows)
        if scores is not None and scores.shape != rows.shape:
            raise DataError(f"{scores.shape} scores for {rows.shape} passages", where=name)
        most = int(rows.max()) + 1 if rows.size else 0
        if most > np.iinfo(np.int32).max:
            raise DataError(f"the passage number {most - 1} is too large", where=name)
        self._qrels = numbered_qrels(qrels, len(rows), max(most, n_passages or 0))
        self._passages = cast(NumberedIds, self._qrels.passages)
        if len(self._passages) < most:
            self._passages = NumberedIds(most)
        self._rows, self._scores = rows, scores
        self._name, self._n_passages = name, n_passages
        known = self._qrels.queries.rows(map(str, leave_out))
        self._leave_out = np.sort(known[known >= 0])
        self._missing = missing
        self.recorded: int = rows.shape[1] if cut is None else min(cut, rows.shape[1])
        self.depth = self.recorded
        self._largest = float(self._qrels.grades.max(initial=0.0))
        self._done: dict[int, Blocks] = {}

    @property
    def tied(self) -> NDArray[np.int64] | None:
        """None: each block says it."""
        return None

    @property
    def whole(self) -> bool:
        """False: arrays name the passages that are judged."""
        return False

    @property
    def grades(self) -> NDArray[np.float64]:
        """The grades of all judgments."""
        return self._qrels.grades

    @property
    def query_counts(self) -> QueryCounts:
        """Which queries were judged or missing; known once all blocks were judged."""
        parts = [blocks.query_counts for blocks in self._done.values()]
        names = QueryCounts.__dataclass_fields__
        return QueryCounts(**{name: sum(getattr(part, name) for part in parts) for name in names})

    @property
    def query_ids(self) -> list[str]:
        """The numbers of the queries as text, in the order of the blocks; known then too."""
        return [text for start in sorted(self._done) for text in self._done[start].query_ids]

    @property
    def left_out(self) -> LeftOut | None:
        """None: arrays do not say which queries failed."""
        return None

    def __iter__(self) -> Iterator[Callable[[], Ranked]]:
        self._done.clear()
        step = max(1, BLOCK // max(self.depth, 1))
        count = max(len(self._rows), len(self._qrels.queries), 1)
        for start in range(0, count, step):
            yield partial(self._judge, start, min(start + step, count))

    def _judge(self, start: int, stop: int) -> Ranked:
        rows = self._rows[start:stop]
        scores = None if self._scores is None else self._scores[start:stop]
        queries = NumberedIds(len(rows), start)
        run = Run.make(queries, self._passages, rows, scores, name=self._name)
        run = run.cut(self.recorded)
        inside = slice(*np.searchsorted(self._leave_out, (start, stop)))
        blocks = Blocks(
            run,
            self._judgments(start, stop),
            depth=self.depth,
            leave_out=[str(row) for row in self._leave_out[inside].tolist()],
            missing=self._missing,
            n_passages=self._n_passages,
            places=None,
        )
        (only,) = blocks
        judged = only()
        self._done[start] = blocks
        return replace(judged, query_rows=judged.query_rows + start, largest_grade=self._largest)

    def _judgments(self, start: int, stop: int) -> Qrels:
        """The judgments of some queries, nothing copied."""
        indptr = self._qrels.indptr[start : stop + 1]
        if not len(indptr):
            indptr = np.zeros(1, dtype=np.int64)
        inside = slice(int(indptr[0]), int(indptr[-1]))
        return Qrels(
            NumberedIds(len(indptr) - 1, start),
            self._passages,
            indptr - indptr[0],
            self._qrels.rows[inside],
            self._qrels.grades[inside],
        )
