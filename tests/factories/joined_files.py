"""Run files and judgments of any kind, and the slow reader that a join is held against."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ragscore.dataset import Qrels
from ragscore.dataset.text_qrels import TextQrels
from ragscore.errors import DataError
from ragscore.formats import load_qrels, load_run
from ragscore.formats.datasets.qrels_file import read_qrels
from ragscore.formats.reading import whitespace_columns
from ragscore.formats.runs import trec
from ragscore.formats.runs.run_loading import join_run
from ragscore.judge import PAD, Blocks, Found, JoinedRun, JoinTo, ties_across
from ragscore.run import Run
from tests.factories.thorough import examples

QUERIES = ["q1", "q2", "q10", "7", "물음", "unjudged"]
PASSAGES = ["a", "b", "ab", "B", "é", "e\u0301", "지방은행", "10", "9", "z", "more-than-12-bytes-é"]
SCORES = ["1", "1.0", "1.00000001", "1.0000000000000001", "2", "0.5", "-3", "1e-3", "-0", "+2"]
lines = st.lists(
    st.tuples(st.sampled_from(QUERIES), st.sampled_from(PASSAGES), st.sampled_from(SCORES)),
    max_size=60,
)
judgments = st.dictionaries(
    st.sampled_from([*QUERIES[:-1], "missing"]),
    st.dictionaries(
        st.sampled_from([*PASSAGES, "never returned"]),
        st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0, 0.5, 3.0]),
        min_size=1,
    ),
    max_size=6,
)
grouped_lines = lines.map(lambda rows: sorted(rows, key=lambda row: QUERIES.index(row[0])))
falling_lines = grouped_lines.map(
    lambda rows: sorted(rows, key=lambda row: (QUERIES.index(row[0]), -float(row[2])))
)
any_lines = st.one_of(lines, grouped_lines, falling_lines)
slow_is_fine = settings(
    deadline=None,
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def text_of(rows: list[tuple[str, str, str]], between: str = " ") -> bytes:
    text = "".join(between.join((q, "Q0", p, "1", s, "t")) + "\n" for q, p, s in rows)
    return text.encode()


LINE_BY_LINE = trec.line_by_line


def load_by_line(path: Path) -> Run:
    """A TREC run by the reader that gives up on nothing; another run as it is loaded."""

    def give_up(*_: object) -> None:
        raise whitespace_columns.OddTextError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "read_file", give_up)
        patch.setattr(trec, "line_by_line", LINE_BY_LINE)
        return load_run(path)


def assert_the_same(
    path: Path, qrels: Qrels, *, depths: tuple[int | None, ...] = (None, 2, 70)
) -> JoinedRun | Run:
    """The joined run, the run loaded in bulk, and the run loaded line by line give the same, for
    several depths and options."""
    loaded, by_line = load_run(path), load_by_line(path)
    assert (loaded.queries, loaded.passages) == (by_line.queries, by_line.passages)
    assert np.array_equal(loaded.rows, by_line.rows)
    assert (loaded.scores is None) == (by_line.scores is None)
    if loaded.scores is not None and by_line.scores is not None:
        assert np.array_equal(loaded.scores, by_line.scores, equal_nan=True)
    vocabulary = by_line.passages.extended(qrels.passages)
    run, numbered = by_line.onto(vocabulary), qrels.onto(vocabulary)
    as_text = TextQrels.of(qrels)
    joined = join_run(path, JoinTo(as_text))
    assert (joined.name, joined.depth, len(joined)) == (run.name, run.depth, len(run))
    if not isinstance(joined, JoinedRun):
        return joined
    for depth in depths:
        for leave_out in ((), ("q1", "unjudged", "nobody's")):
            for missing in ("zero", "drop"):
                for places in (None, 25):
                    options = {"leave_out": leave_out, "missing": missing, "places": places}
                    slow = Blocks(run, numbered, depth=depth, **options)
                    quick = Blocks(joined, as_text, depth=depth, **options)
                    assert_same_elements(quick, slow)
    return joined


def assert_same_elements(quick: Blocks, slow: Blocks) -> None:
    assert quick.query_counts == slow.query_counts
    assert quick.query_ids == slow.query_ids
    assert (quick.recorded, quick.depth) == (slow.recorded, slow.depth)
    for ours, theirs in zip(quick, slow, strict=True):
        one, other = ours(), theirs()
        assert type(one) is type(other)
        if isinstance(one, Found) and isinstance(other, Found):
            for name in ("ranks", "grades", "state", "tied", "returned"):
                assert np.array_equal(getattr(one, name), getattr(other, name)), name
        a, b = one.dense(), other.dense()
        assert np.array_equal(ties_across(a, quick.recorded), ties_across(b, slow.recorded))
        if isinstance(one, Found):
            assert np.array_equal(one.tied, ties_across(a, quick.recorded))
        there = b.state != PAD
        assert np.array_equal(np.where(there, a.tie_start, 0), np.where(there, b.tie_start, 0))
        for name in ("query_rows", "grades", "state", "ideal_indptr", "ideal_grades", "returned"):
            left, right = getattr(a, name), getattr(b, name)
            assert left.dtype == right.dtype, name
            assert np.array_equal(left, right), name
        assert (a.largest_grade, a.n_passages) == (b.largest_grade, b.n_passages)


QRELS = Qrels.from_dict({"q": {"a": 1, "y": 2, "b": -1}, "r": {"a": 1}, "other": {"z": 1}})
AS_TEXT = JoinTo(TextQrels.of(QRELS))
GOOD = b"q Q0 z 1 9.5 t\n"


def assert_same_error(slow: Callable[[], object], fast: Callable[[], object]) -> None:
    with pytest.raises(DataError) as expected:
        slow()
    with pytest.raises(DataError) as caught:
        fast()
    assert caught.value.problems == expected.value.problems


def read_as_text(path: Path) -> TextQrels:
    read = read_qrels(path)
    return read if isinstance(read, TextQrels) else TextQrels.of(read)


def qrels_by_line(path: Path) -> Qrels:
    """Judgments by the reader that gives up on nothing."""

    def give_up(*_: object) -> None:
        raise whitespace_columns.OddTextError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragscore.formats.datasets.qrels_file.read_file", give_up)
        return load_qrels(path)


def assert_columns_of(columns: TextQrels, qrels: Qrels) -> None:
    assert columns.query_ids.to_list() == list(qrels.queries)
    passages = columns.passages.to_list()
    of_query = {
        query: dict(zip(passages[a:b], columns.grades[a:b].tolist(), strict=True))
        for query, a, b in zip(
            columns.query_ids.to_list(), columns.indptr[:-1], columns.indptr[1:], strict=True
        )
    }
    assert {query: judged for query, judged in of_query.items() if judged} == qrels.to_dict()
    assert np.array_equal(columns.ideal[0], qrels.ideal[0])
    assert np.array_equal(columns.ideal[1], qrels.ideal[1])
    assert columns.numbered().to_dict() == qrels.to_dict()


pieces = st.sampled_from(
    [
        *(b"q", b"r", b"Q0", b"a", b"y", b"1", b"2.5", b"t", b"-0", b"1e999", b"nan", b"#", b'"'),
        *(
            b" ",
            b" ",
            b" ",
            b"  ",
            b"\t",
            b"\n",
            b"\n\n",
            b"\r",
            b"\x00",
            b"\x0b",
            b"\x1c",
            b"\xff",
        ),
        *("\u00a0".encode(), "\u2028".encode(), "\ufeff".encode(), "é".encode(), b","),
        *(GOOD, b"q Q0 a 2 1 t\n", b"r Q0 a 1 1 t\n", b"q Q0 y 2 1 t", b"\nq Q0 a 2 1 t\n"),
    ]
)
