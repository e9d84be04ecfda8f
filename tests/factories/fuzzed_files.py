"""Run files and judgments with bytes put in or taken out, and what is right of them.

What is right is worked out here once more, in plain Python and from the bytes.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ragscore.cli import main
from tests.factories.thorough import examples

FUZZ = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
RUN = b"q1 Q0 a 1 3.5 t\nq1 Q0 b 2 2.5 t\nq1 Q0 c 3 2.5 t\nq2\tQ0\tb\t1\t1e2\tt\nq2 Q0 a 2 1 t\n"
QRELS = b"q1 0 b 1\nq1 0 c 0\nq2 0 b 2\nq2 0 z -1\nq3 0 a 1\n"
ODD = [
    *(b"\0", b"\t", b" ", b"\n", b"\r\n", b"\r", b"#", b"nan", b"inf", b"-", b"1e999", b"\xff"),
    *(b"\xc2\xa0", b"\xe2\x80\xa8", b"\xc2\x85", b"\xef\xbb\xbf", b'"', b",", b"_", b"0x1", b"q1"),
    *(b"\x0b", b"\x0c", b"\x1c", b" Q0 a 1 2 t\n", b"q1 Q0 a 1 2 t\n", b"x" * 70_000),
]
JSON_RUN = b'{"q1": {"a": 3.5, "b": 2.5},\n "q2": {"b": 1e2, "a": 1}, "q3": {}}'
CSV_RUN = b'query,passage,score\nq1,a,3.5\nq1,b,2.5\n"q2",b,1e2\n'

Rows = dict[str, dict[str, float]]


@st.composite
def mutated(draw: st.DrawFn, good: bytes) -> bytes:
    """A good file with some bytes put in, taken out or doubled."""
    data = good
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        until = at + draw(st.integers(0, 6))
        put = draw(st.sampled_from(ODD) | st.binary(max_size=4) | st.just(data[at:until]))
        data = data[:at] + put + data[until if draw(st.booleans()) else at :]
    return data[: draw(st.integers(0, len(data)))] if draw(st.integers(0, 4)) == 0 else data


def any_file(good: bytes) -> st.SearchStrategy[bytes]:
    return mutated(good) | st.binary(max_size=200) | st.just(good)


def scored(run: bytes, qrels: bytes, run_name: str, qrels_name: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command."""
    out, err = io.StringIO(), io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        run_path, qrels_path = Path(folder, run_name), Path(folder, qrels_name)
        run_path.write_bytes(run)
        qrels_path.write_bytes(qrels)
        wanted = ("-m", "P@2", "-m", "RR", "-m", "NumRet", "--format", "json", "--per-query")
        code = main(["score", str(run_path), "--qrels", str(qrels_path), *wanted])
    return code, out.getvalue(), err.getvalue()


def rows_of(data: bytes, *, columns: int, exactly: bool, passage: int, number: int) -> Rows | None:
    """A file as trec_eval would read it, but for a BOM at its beginning, which is no part of an id;
    the first of equal passages kept; None where it is no file of its kind."""
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        return None
    rows: Rows = {}
    for line in lines:
        parts = [part for part in re.split("[ \t]", line) if part]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if len(parts) < columns or (exactly and len(parts) > columns):
            return None
        if not NUMBER.fullmatch(parts[number].strip()) or not math.isfinite(float(parts[number])):
            return None
        rows.setdefault(parts[0], {}).setdefault(parts[passage], float(parts[number]))
    return rows


def assert_right(printed: str, run: Rows, qrels: Rows) -> None:
    found = json.loads(printed)
    values: dict[str, dict[str, float]] = {}
    for row in found["per_query"]:
        values.setdefault(row["query"], {})[row["measure"]] = row["value"]
    assert set(values) == set(qrels)
    for query, judged in qrels.items():
        ranking = sorted(run.get(query, {}).items(), key=lambda pair: (pair[1], pair[0]))[::-1]
        relevant = [judged.get(passage, 0) >= 1 for passage, _ in ranking]
        assert values[query]["P@2"] == sum(relevant[:2]) / 2
        assert values[query]["RR"] == (1 / (relevant.index(True) + 1) if any(relevant) else 0)
        assert values[query]["NumRet"] == len(ranking)


def assert_told(code: int, out: str, err: str) -> None:
    assert code == 3, err
    assert out == ""
    assert err
    assert "(unexpected; --debug" not in err
    assert "Traceback" not in err
