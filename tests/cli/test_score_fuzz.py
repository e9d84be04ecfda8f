"""Whatever stands in a file: an error of ours with its place, or the right number."""

from __future__ import annotations

import codecs
import json

from hypothesis import example, given
from hypothesis import strategies as st

from tests.factories.fuzzed_files import (
    CSV_RUN,
    FUZZ,
    JSON_RUN,
    QRELS,
    RUN,
    any_file,
    assert_right,
    assert_told,
    rows_of,
    scored,
)


@FUZZ
@given(any_file(RUN))
@example(codecs.BOM_UTF8)
@example(codecs.BOM_UTF8 + RUN)
def test_any_run_file(run: bytes) -> None:
    code, out, err = scored(run, QRELS, "any.run", "any.qrels")
    if code:
        assert_told(code, out, err)
        return
    rows = rows_of(run, columns=6, exactly=False, passage=2, number=4)
    assert rows is not None
    judged = rows_of(QRELS, columns=4, exactly=True, passage=2, number=3)
    assert judged is not None
    assert_right(out, rows, judged)


@FUZZ
@given(any_file(QRELS))
@example(codecs.BOM_UTF8 + QRELS)
def test_any_qrels_file(qrels: bytes) -> None:
    code, out, err = scored(RUN, qrels, "any.run", "any.qrels")
    if code:
        assert_told(code, out, err)
        return
    judged = rows_of(qrels, columns=4, exactly=True, passage=2, number=3)
    run = rows_of(RUN, columns=6, exactly=False, passage=2, number=4)
    assert run is not None
    if judged is None:  # three columns with TAB between them: BEIR's form
        assert qrels.count(b"\t") >= 2
        return
    assert_right(out, run, judged)


@FUZZ
@given(any_file(JSON_RUN))
def test_any_json_run(run: bytes) -> None:
    code, out, err = scored(run, QRELS, "any.json", "any.qrels")
    if code:
        assert_told(code, out, err)
    else:
        judged = rows_of(QRELS, columns=4, exactly=True, passage=2, number=3)
        value = json.loads(run)
        assert judged is not None
        if all(isinstance(passages, dict) for passages in value.values()):
            assert_right(out, value, judged)


@FUZZ
@given(any_file(CSV_RUN), st.sampled_from(["any.csv", "any.tsv"]))
def test_any_table_run(run: bytes, name: str) -> None:
    if name == "any.tsv":
        run = run.replace(b",", b"\t")
    code, out, err = scored(run, QRELS, name, "any.qrels")
    if code:
        assert_told(code, out, err)
    else:
        assert json.loads(out)["results"]


@FUZZ
@given(any_file(JSON_RUN) | any_file(CSV_RUN), st.sampled_from(["any.json", "any.csv", "any.tsv"]))
def test_any_qrels_of_other_kinds(qrels: bytes, name: str) -> None:
    code, out, err = scored(RUN, qrels, "any.run", name)
    if code:
        assert_told(code, out, err)
    else:
        assert json.loads(out)["results"]


@FUZZ
@given(st.binary(max_size=300), st.sampled_from(["gz", "zst", "parquet"]))
def test_damaged_packed_files(data: bytes, suffix: str) -> None:
    name = f"any.run.{suffix}" if suffix != "parquet" else "any.parquet"
    for run_name, qrels_name in ((name, "any.qrels"), ("any.run", name)):
        good = QRELS if run_name == name else RUN
        pair = (data, good) if run_name == name else (good, data)
        code, out, err = scored(*pair, run_name, qrels_name)
        if code:
            assert_told(code, out, err)
        else:
            assert data.strip(b"\0") == b""
