"""A table of a run with bytes put in or taken out: the right numbers, or an error of ours.

What is right is read once more by Python's own csv.
"""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from tests.factories.fuzzed_files import (
    CSV_RUN,
    FUZZ,
    QRELS,
    Rows,
    any_file,
    assert_right,
    assert_told,
    rows_of,
    scored,
)


def table_rows(data: bytes, delimiter: str) -> Rows | None:
    """Query to passage to score, the first of equal passages kept; None where the header is not
    the plain one, so that other columns may be meant."""
    text = io.StringIO(data.decode("utf-8-sig"), newline="")
    lines = [line for line in csv.reader(text, delimiter=delimiter) if line]
    if lines and lines[0] != ["query", "passage", "score"]:
        return None
    rows: Rows = {}
    for query, passage, score in lines[1:]:
        rows.setdefault(query, {}).setdefault(passage, float(score))
    return rows


@FUZZ
@given(any_file(CSV_RUN), st.sampled_from([("any.csv", ","), ("any.tsv", "\t")]))
def test_any_table_is_right_or_told(run: bytes, kind: tuple[str, str]) -> None:
    name, delimiter = kind
    run = run.replace(b",", delimiter.encode())
    code, out, err = scored(run, QRELS, name, "any.qrels")
    if code:
        assert_told(code, out, err)
        return
    rows = table_rows(run, delimiter)
    judged = rows_of(QRELS, columns=4, exactly=True, passage=2, number=3)
    assert judged is not None
    if rows is not None:
        assert_right(out, rows, judged)
