"""Judgments read as columns: the same as those read line by line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.text_qrels import TextQrels
from ragscore.errors import DataError
from ragscore.formats.reading import file_pieces, whitespace_columns
from ragscore.judge.join import JoinTo, join_rows
from ragscore.judge.rows_by_query import RowsByQuery
from tests.factories.joined_files import (
    QRELS,
    assert_columns_of,
    assert_same_error,
    pieces,
    qrels_by_line,
    read_as_text,
    slow_is_fine,
)
from tests.factories.thorough import examples


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
    part = join_rows(rows, JoinTo(qrels))
    assert part.unknown.to_list() == ["nobody"]
    assert sorted(zip(part.hits.place, part.hits.value, strict=True)) == [
        (0, 1.0),
        (1, 2.0),
    ]


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
