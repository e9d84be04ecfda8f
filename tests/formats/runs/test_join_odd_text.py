"""Odd lines of a run file: joined to the same blocks, or refused with the same error."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.errors import DataError
from ragscore.formats import load_run
from ragscore.formats.reading import file_pieces, whitespace_columns
from ragscore.formats.runs.run_loading import join_run
from tests.factories.joined_files import (
    AS_TEXT,
    GOOD,
    QRELS,
    assert_same_error,
    assert_the_same,
    load_by_line,
    pieces,
    slow_is_fine,
)
from tests.factories.thorough import examples


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


@pytest.mark.slow
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
