"""Damaged Parquet files: an error as any other, and no word of the library on stderr."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragscore import load_run, score
from ragscore.errors import DataError
from ragscore.formats import load_dataset
from tests.factories.damaged_parquet import DAMAGED, ROWS, content, damaged, passages


def test_five_zeroed_bytes_anywhere_are_a_data_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As a dataset: every copy is read or refused, and some of them make polars panic."""
    (tmp_path / "queries.parquet").write_bytes(content(id=["q"], text=["a"]))
    (tmp_path / "ground_truth.parquet").write_bytes(content(query_id=["q"], passage_id=["p1"]))
    whole, refused = passages(), []
    for at in range(4, len(whole) - 8, 4):
        (tmp_path / "passages.parquet").write_bytes(whole[:at] + bytes(5) + whole[at + 5 :])
        try:
            load_dataset(tmp_path)
        except DataError as error:
            refused.append(str(error))
    assert any(f"it cannot be read as Parquet: {DAMAGED}" in error for error in refused)
    assert capfd.readouterr() == ("", "")


def test_a_damaged_run_is_never_taken_for_a_shorter_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where polars panics, the batches of a file end as if it held no more rows."""
    titles = ["t" if row % 3 else None for row in range(ROWS)]
    whole = content(
        query=[f"q{row // 4}" for row in range(ROWS)],
        passage=titles,
        score=[float(row) for row in range(ROWS)],
    )
    (tmp_path / "run.parquet").write_bytes(damaged(whole))
    qrels = {f"q{row}": {"t": 1} for row in range(ROWS // 4)}
    for read in (load_run, lambda path: score(path, qrels, measures=["P@1"])):
        with pytest.raises(DataError, match=f"cannot be read as a Parquet run: {DAMAGED}"):
            read(tmp_path / "run.parquet")
    assert capfd.readouterr() == ("", "")


READERS = """
import io, os, subprocess, sys, threading
from contextlib import suppress
from pathlib import Path
import polars
from ragscore.parquet_files import ParquetError, reading_parquet

broken, lines = Path("broken.parquet").read_bytes(), int(sys.argv[1])
inside, outside = threading.Barrier(5), threading.Barrier(5)

def read():
    with suppress(ParquetError), reading_parquet():
        inside.wait()
        polars.read_parquet(io.BytesIO(broken))
    outside.wait()

readers = [threading.Thread(target=read) for _ in range(4)]
for reader in readers:
    reader.start()
inside.wait()
for line in range(lines):
    os.write(2, b"line %d\\n" % line)
if lines:
    subprocess.run([sys.executable, "-c", "import os; os.write(2, b'a program\\\\n')"])
outside.wait()
for reader in readers:
    reader.join()
os.write(2, b"the end")
"""


@pytest.mark.parametrize(("backtrace", "lines"), [("0", 200), ("1", 0), ("full", 0)])
def test_what_others_write_to_stderr_meanwhile_is_passed_on(
    tmp_path: Path, backtrace: str, lines: int
) -> None:
    """Of threads and of a program that is started meanwhile; nothing of panics in any of them."""
    (tmp_path / "broken.parquet").write_bytes(damaged(passages()))
    done = subprocess.run(
        [sys.executable, "-c", READERS, str(lines)],
        cwd=tmp_path,
        env={**os.environ, "RUST_BACKTRACE": backtrace},
        check=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    written = [*(f"line {line}" for line in range(lines)), *["a program"][:lines]]
    assert done.stderr.splitlines() == [*written, "the end"]


@pytest.mark.skipif(sys.platform == "win32", reason="stderr cannot be closed there")
def test_a_process_without_stderr_reads_too(tmp_path: Path) -> None:
    (tmp_path / "whole.parquet").write_bytes(passages())
    read = (
        "import os, polars; os.close(2)\n"
        "from ragscore.parquet_files import reading_parquet\n"
        "with reading_parquet(): print(polars.read_parquet('whole.parquet').height)"
    )
    done = subprocess.run(
        [sys.executable, "-c", read], cwd=tmp_path, check=True, stdout=subprocess.PIPE, text=True
    )
    assert done.stdout == f"{ROWS}\n"
