"""Run files joined with the qrels while they are read: the same as loading and judging them."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragscore.dataset import Qrels
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.text_qrels import TextQrels
from ragscore.errors import DataError
from ragscore.formats import load_qrels, load_run, write_parquet_run
from ragscore.formats.datasets.qrels import read_qrels
from ragscore.formats.reading import file_pieces, whitespace_columns
from ragscore.formats.runs import parquet_join, trec
from ragscore.formats.runs.load import join_run
from ragscore.judge import PAD, Blocks, Found, JoinedRun, ties_across
from ragscore.judge.join import join_rows
from ragscore.judge.rows_by_query import RowsByQuery
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


LINE_BY_LINE = trec._line_by_line


def load_by_line(path: Path) -> Run:
    """A TREC run by the reader that gives up on nothing; another run as it is loaded."""

    def give_up(*_: object) -> None:
        raise whitespace_columns.OddTextError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "read_file", give_up)
        patch.setattr(trec, "_line_by_line", LINE_BY_LINE)
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
    joined = join_run(path, as_text)
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
                    assert_same_blocks(quick, slow)
    return joined


def assert_same_blocks(quick: Blocks, slow: Blocks) -> None:
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


@pytest.fixture
def only_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow reader may be used by the test, and not by the join."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the slow reader was asked")

    monkeypatch.setattr(trec, "_line_by_line", refuse)


@pytest.mark.usefixtures("only_fast")
@pytest.mark.parametrize(
    ("between", "piece"), [(" ", 1), ("\t", 64), ("  \t ", 64), ("  \t ", 1 << 23)]
)
def test_text(between: str, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", piece)
    monkeypatch.setattr(whitespace_columns, "TILE", piece)

    @slow_is_fine
    @given(any_lines, judgments)
    def check(rows: list[tuple[str, str, str]], judged: dict[str, dict[str, float]]) -> None:
        path = tmp_path / "bm25.run"
        path.write_bytes(text_of(rows, between))
        assert_the_same(path, Qrels.from_dict(judged))

    check()


@pytest.mark.usefixtures("only_fast")
@pytest.mark.parametrize("batch", [1, 5, 1 << 19])
def test_recorded(batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_join, "BATCH_ROWS", batch)

    @slow_is_fine
    @given(any_lines, judgments, st.booleans())
    def check(
        rows: list[tuple[str, str, str]], judged: dict[str, dict[str, float]], scored: bool
    ) -> None:
        returned: dict[str, dict[str, float]] = {"empty": {}, "q10": {}}
        for query, passage, score in rows:
            returned.setdefault(query, {})[passage] = float(score)
        run = Run.from_dict(
            returned if scored else {query: list(scores) for query, scores in returned.items()},
            name="recorded",
        )
        write_parquet_run(run, tmp_path / "x.parquet")
        joined = assert_the_same(tmp_path / "x.parquet", Qrels.from_dict(judged))
        assert isinstance(joined, JoinedRun)

    check()


@pytest.mark.parametrize("columns", [["score"], ["rank"], ["score", "rank"]])
def test_any_parquet(columns: list[str], tmp_path: Path) -> None:
    @slow_is_fine
    @given(any_lines, judgments, st.booleans())
    def check(
        rows: list[tuple[str, str, str]], judged: dict[str, dict[str, float]], backwards: bool
    ) -> None:
        ranks = list(range(len(rows)))
        frame = polars.DataFrame(
            {
                "query": [row[0] for row in rows],
                "passage": [row[1] for row in rows],
                "rank": ranks[::-1] if backwards else ranks,
                "score": [float(row[2]) for row in rows],
            },
            schema={
                "query": polars.String,
                "passage": polars.String,
                "rank": polars.UInt8,
                "score": polars.Float32,
            },
        )
        frame.select("query", "passage", *columns).write_parquet(tmp_path / "x.parquet")
        assert_the_same(tmp_path / "x.parquet", Qrels.from_dict(judged))

    check()


@pytest.mark.usefixtures("only_fast")
def test_colliding_hashes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = ByteTexts.hashes

    def poor(texts: ByteTexts) -> np.ndarray:
        return good(texts) % np.uint64(3) << np.uint64(60)

    monkeypatch.setattr(ByteTexts, "hashes", poor)

    @slow_is_fine
    @given(any_lines, judgments)
    def check(rows: list[tuple[str, str, str]], judged: dict[str, dict[str, float]]) -> None:
        (tmp_path / "bm25.run").write_bytes(text_of(rows))
        assert_the_same(tmp_path / "bm25.run", Qrels.from_dict(judged))

    check()


QRELS = Qrels.from_dict({"q": {"a": 1, "y": 2, "b": -1}, "r": {"a": 1}, "other": {"z": 1}})
AS_TEXT = TextQrels.of(QRELS)
GOOD = b"q Q0 z 1 9.5 t\n"


@pytest.mark.usefixtures("only_fast")
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b" \t \n\n",
        b"# only a comment",
        b"# a\n" + GOOD + b"#\n  # b c d e f\n\n \nq Q0 a 1 2 t",
        b"# Q0 a 1 2 t\n" + GOOD,
        b" q\tQ0 a  9 1.0 t\nr Q0 a 1 1 t \n\tq Q0 b 1 2e0 t\t",
        GOOD + b"q Q0 a 2 1e-400 t\nq Q0 b 3 -0.0 t\nq Q0 y 3 0 t\n",
        GOOD + b'q Q0 "a 2 1.5 t\nq Q0 a" 2 1.5 t\nq Q0 a 2 1.5 "t"\n',
        GOOD + b"q Q0 a\xc2\xa0b 2 1.5 t\nq Q0 null 2 1.5 NULL\n",
    ],
)
def test_unusual_lines_that_are_read_fast(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "r.run").write_bytes(text)
    assert_the_same(tmp_path / "r.run", QRELS)


@pytest.mark.parametrize(
    "text",
    [
        GOOD + b"q Q0 a 1 2 t and more\nq Q0 b 1 2 t\n",
        GOOD + b"q Q0 a 1 2 t more\nq Q0 b 1 2 t\n",
        GOOD + b"q Q0 a\rb 1 2 t\nq Q0 a 1 3 t\n",
        GOOD + b"q Q0 a\x00b 1 2 t\nq Q0 a 1 3 t\n",
        GOOD + b"q Q0 a\x0bb 1 2 t\n\x0b\nq Q0 a 1 3 t\n",
        GOOD + "\u00a0\nq Q0 a 1 3 t\n\u3000# a note\n".encode(),
        GOOD.replace(b"\n", b"\r\n") + b"\r\n# a note\r\nq Q0 a 1 3 t\r",
        b"\xef\xbb\xbf" + GOOD,
        b"\xef\xbb\xbf\xef\xbb\xbf" + GOOD,
        GOOD.decode().encode("utf-16"),
        "# a note\n\ufeffq Q0 a 1 3 t\n".encode(),
        " \ufeffq Q0 a 1 3 t\n".encode(),
    ],
)
def test_unusual_lines_that_the_slow_reader_takes(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "r.run").write_bytes(text)
    assert_the_same(tmp_path / "r.run", QRELS)


@pytest.mark.parametrize(
    "line",
    [
        *(b"q Q0 a 1 1.5", b"q  Q0 a 1 1.5", b"q Q0 a b.pdf 1 1.5 t", b"q", b"x y z"),
        *(b"q Q0 a 1 1.5\nq Q0 a 1 1.5 t t", b"q  a 1 1.5 t", b"q Q0 a  1.5 t"),
        *(b"q Q0 a 1 %s t" % score for score in (b"nan", b"inf", b"-Infinity", b"1e999", b"high")),
        *(b"q Q0 a 1 %s t" % score for score in (b"1_0", b"0x1", b"1e", b"1,5", b"1.5f", b"--1")),
        *(
            b"q Q0 a 1 1.5\r",
            b"\xef\xbb\xbfq Q0 a",
            b"q Q0 \xe9 1 1.5 t",
            b"q Q0 a 1 1.5 \xff",
            b"q \xe9 a 1 1.5 t",
        ),
        *(b"\x00", b"q Q0 a 1 1.5\x00 t u", b"q Q0 a 1 . t", b"q Q0 a 1 - t", b"q,Q0,a,1,2,t"),
        "q Q0 a 1 ٣ t".encode(),
        *(b"# \xff", b"x" * 100_000),
    ],
)
@pytest.mark.parametrize("piece", [1, 1 << 23])
def test_errors_are_those_of_the_slow_reader(
    line: bytes, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", piece)
    monkeypatch.setattr(whitespace_columns, "TILE", piece)
    path = tmp_path / "r.trec"
    for text in (GOOD + line + b"\nr Q0 y 1 0.5 t\n", line + b"\n" + GOOD, line):
        path.write_bytes(text)
        assert_same_error(lambda: load_by_line(path), lambda: load_run(path))
        assert_same_error(lambda: load_by_line(path), lambda: join_run(path, AS_TEXT))


def assert_same_error(slow: Callable[[], object], fast: Callable[[], object]) -> None:
    with pytest.raises(DataError) as expected:
        slow()
    with pytest.raises(DataError) as caught:
        fast()
    assert caught.value.problems == expected.value.problems


NAN, INF = float("nan"), float("inf")
WRONG_PARQUET: list[tuple[dict[str, list[Any]], str]] = [
    ({"rank": [3, None, 1]}, ":row 2: the rank of passage 'b' for query 'q' is null."),
    ({"rank": [2.5, 2.2, 2.9]}, ":row 1: the rank of passage 'a' for query 'q' is 2.5."),
    ({"rank": [2, 1, 2]}, ":row 3: rank 2 is given twice for query 'q'."),
    ({"rank": [1, 1, 2]}, ":row 2: rank 1 is given twice for query 'q'."),
    ({"score": [1.5, None, 2.0]}, ":row 2: the score of passage 'b' for query 'q' is null."),
    ({"score": [1.5, NAN, 2.0]}, ":row 2: the score of passage 'b' for query 'q' is nan."),
    ({"score": [1.5, 1.0, -INF]}, ":row 3: the score of passage 'c' for query 'q' is -inf."),
    ({"rank": [1, 2, 3], "score": [None, 1.0, 2.0]}, ":row 1: the score of passage 'a'"),
    ({"passage": ["a", None, "c"], "rank": [1, 2, 3]}, ":row 2: the passage id is null"),
    ({"passage": [1.0, 2.0, 3.0], "rank": [1, 2, 3]}, ": its column 'passage' holds Float64,"),
]


@pytest.mark.parametrize(("columns", "message"), WRONG_PARQUET)
def test_wrong_parquet_rows_are_named(
    columns: dict[str, list[Any]], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.parquet"
    rows = {"query": ["q", "q", "q"], "passage": ["a", "b", "c"], **columns}
    polars.DataFrame(rows).write_parquet(path)
    assert_same_error(lambda: load_run(path), lambda: join_run(path, AS_TEXT))
    with pytest.raises(DataError, match=re.escape(f"{path}{message}")):
        load_run(path)


def test_ranks_that_are_written_as_floats(tmp_path: Path) -> None:
    rows = {"query": ["q", "q"], "passage": ["x", "a"], "rank": [2.0, 1.0]}
    polars.DataFrame(rows).write_parquet(tmp_path / "x.parquet")
    assert_the_same(tmp_path / "x.parquet", QRELS)
    assert list(load_run(tmp_path / "x.parquet").to_dict()["q"]) == ["a", "x"]


def test_paths_that_are_no_runs(tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"no")
    (tmp_path / "bad.run.gz").write_bytes(gzip.compress(GOOD)[:-3])
    (tmp_path / "bad.run.zst").write_bytes(b"no")
    polars.DataFrame({"query": ["q"], "passage": ["p"]}).write_parquet(tmp_path / "few.parquet")
    frame = polars.DataFrame({"query": ["q"], "passage": ["p"], "score": [float("nan")]})
    frame.write_parquet(tmp_path / "nan.parquet")
    frame.with_columns(score=polars.lit("x")).write_parquet(tmp_path / "text.parquet")
    frame.with_columns(query=polars.lit(None)).write_parquet(tmp_path / "null.parquet")
    unlisted = {"ragscore": '{"queries": [], "scored": true}'}
    frame.with_columns(score=1.0).write_parquet(tmp_path / "unlisted.parquet", metadata=unlisted)
    strange = ["[1]", '{"depth": "x"}', '{"depth": 1000000000000}', '{"depth": -1}', "{", "null"]
    strange += ['{"queries": [1]}', '{"queries": "q"}', '{"duplicates": []}', '{"name": 3}']
    for at, text in enumerate(strange):
        metadata = {"ragscore": text}
        frame.with_columns(score=1.0).write_parquet(tmp_path / f"{at}.parquet", metadata=metadata)
    for name in ("none.run", ".", *(path.name for path in list(tmp_path.iterdir()))):
        path = tmp_path / name
        assert_same_error(lambda p=path: load_run(p), lambda p=path: join_run(p, AS_TEXT))


@pytest.mark.usefixtures("only_fast")
@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_packed(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", 50)
    pack = gzip.compress if suffix == ".gz" else zstandard.compress
    rows = [(query, passage, "1") for query in ("q", "r", "other") for passage in "abcyz"]
    path = tmp_path / f"bm25.trec{suffix}"
    path.write_bytes(pack(text_of(rows[:8])) + pack(text_of(rows[8:])))
    assert assert_the_same(path, QRELS).name == "bm25"


def test_a_passage_named_twice(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    path.write_bytes(b"q Q0 a 1 2 t\nq Q0 b 2 1 t\nq Q0 a 3 5 t\nx Q0 a 1 1 t\nx Q0 a 1 2 t\n")
    assert assert_the_same(path, QRELS).duplicates == 2
    assert_same_error(
        lambda: load_run(path, strict=True), lambda: join_run(path, AS_TEXT, strict=True)
    )
    run = Run.from_dict({"q": ["a", "b"]})
    write_parquet_run(
        Run.make(run.queries, run.passages, [[0, 0, 1]]), tmp_path / "recorded.parquet"
    )
    joined = join_run(tmp_path / "recorded.parquet", AS_TEXT, strict=True)
    assert (joined.duplicates, joined.depth) == (1, 3)


def test_a_query_in_far_apart_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", 100)
    monkeypatch.setattr(parquet_join, "BATCH_ROWS", 7)
    rows = [(q, f"{p}{n}", str(n % 7)) for n in range(30) for q in ("q", "x", "r") for p in "ay"]
    (tmp_path / "r.run").write_bytes(text_of([*rows, ("q", "a", "3"), ("r", "y", "3")]))
    assert_the_same(tmp_path / "r.run", QRELS)
    (tmp_path / "r.run.gz").write_bytes(gzip.compress((tmp_path / "r.run").read_bytes()))
    assert_the_same(tmp_path / "r.run.gz", QRELS)
    frame = polars.DataFrame(rows, schema=["query", "passage", "score"], orient="row")
    frame.write_parquet(tmp_path / "r.parquet")
    assert_the_same(tmp_path / "r.parquet", QRELS)


@pytest.mark.usefixtures("only_fast")
def test_scores_to_the_last_bit(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    bits = generator.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    texts = [repr(score) for score in bits[np.isfinite(bits)].tolist()]
    texts += [f"{score:.25e}" for score in bits[np.isfinite(bits)][:2000].tolist()]
    read = whitespace_columns.read_columns(
        "".join(f"q {text}\n" for text in texts).encode(), {"query": "text", "score": "number"}
    )
    assert read.numbers["score"].tolist() == [float(text) for text in texts]


REAL = [
    ("trec_eval/results.test", "trec_eval/qrels.test"),
    ("trec_eval/results.trunc", "trec_eval/qrels.test"),
    ("trec_eval/results.test", "trec_eval/qrels.rel_level"),
    ("trec_eval/results.comment.test.gz", "trec_eval/qrels.test"),
    ("anserini-cacm/run.cacm-bm25.txt", "anserini-cacm/qrels.cacm.raw.txt"),
    ("ir_measures/cwl.run", "trec_eval/qrels.test"),
]


@pytest.mark.parametrize(("run", "qrels"), REAL)
def test_the_real_runs(run: str, qrels: str, conformance: Path) -> None:
    folder = conformance / "runs"
    judged = qrels_by_line(folder / qrels)
    assert_the_same(folder / run, judged)
    assert_columns_of(read_as_text(folder / qrels), judged)


def read_as_text(path: Path) -> TextQrels:
    read = read_qrels(path)
    return read if isinstance(read, TextQrels) else TextQrels.of(read)


def qrels_by_line(path: Path) -> Qrels:
    """Judgments by the reader that gives up on nothing."""

    def give_up(*_: object) -> None:
        raise whitespace_columns.OddTextError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragscore.formats.datasets.qrels.read_file", give_up)
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


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"q 0 a 1\nr 0 a 0.5\nq 0 b -2\n",
        b"q\t0\ta\t1\n# note\n\nr 0  a 2 \n",
        b"q\ta\t1\nr\ta\t2\n",
        b"query-id\tcorpus-id\tscore\nq\ta\t1\n",
        b"q 0 a 1e3\nq 0 b 1.\nq 0 c .5\nq 0 d +5",
        b"#" * 100_000 + b"\nq 0 a 1\n",
    ],
)
def test_judgments_as_columns(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(text)
    assert_columns_of(read_as_text(path), qrels_by_line(path))


@pytest.mark.parametrize(
    "text",
    [
        *(b"q 0 a 1\nq 0 a 2\n", b"q 0 a nan\n", b"q 0 a 1_0\n", b"q 0 a x\n", b"q 0 a\n"),
        *(b"q 0 a 1 5\n", b"q 0 \xff 1\n", b"\x00\n"),
        *("q 0 \u00a0 1\n".encode(), "\u3000 0 a 1\n".encode(), b"q 0 \x1c 1\n", b"q 0 a 1e400\n"),
    ],
)
def test_errors_in_judgments(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(text)
    assert_same_error(lambda: qrels_by_line(path), lambda: read_as_text(path))


def test_one_judgment_for_each_returned_passage() -> None:
    qrels = TextQrels.of(QRELS)
    rows = RowsByQuery.of(
        ByteTexts.of(["q", "q", "nobody"]), ByteTexts.of(["y", "a", "a"]), np.array([1.0, 2, 3])
    )
    part = join_rows(rows, qrels)
    assert part.unknown == ["nobody"]
    assert sorted(zip(part.hit_place, qrels.grades[part.hit_judgment], strict=True)) == [
        (0, 1.0),
        (1, 2.0),
    ]


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


@pytest.mark.parametrize("piece", [1, 1 << 23])
def test_any_bytes(piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same blocks or the same error, whatever a file holds."""
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", piece)
    monkeypatch.setattr(whitespace_columns, "TILE", piece)

    @settings(slow_is_fine, max_examples=examples(200))
    @given(st.one_of(st.lists(pieces, max_size=40).map(b"".join), st.binary(max_size=60)))
    def check(text: bytes) -> None:
        path = tmp_path / "r.run"
        path.write_bytes(text)
        try:
            load_by_line(path)
        except DataError:
            assert_same_error(lambda: load_by_line(path), lambda: load_run(path))
            assert_same_error(lambda: load_by_line(path), lambda: join_run(path, AS_TEXT))
        else:
            assert_the_same(path, QRELS, depths=(None,))

    check()


@pytest.mark.parametrize("piece", [1, 1 << 23])
def test_any_bytes_as_judgments(
    piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", piece)
    monkeypatch.setattr(whitespace_columns, "TILE", piece)
    lines = st.lists(st.sampled_from([b"q 0 a 1\n", b"q 0 b 0.5\n", b"r 0 a -1\n"]) | pieces)

    @settings(slow_is_fine, max_examples=examples(200))
    @given(st.one_of(lines.map(b"".join), st.binary(max_size=60)))
    def check(text: bytes) -> None:
        path = tmp_path / "qrels"
        path.write_bytes(text)
        try:
            qrels = qrels_by_line(path)
        except DataError:
            assert_same_error(lambda: qrels_by_line(path), lambda: read_as_text(path))
        else:
            assert_columns_of(read_as_text(path), qrels)

    check()
