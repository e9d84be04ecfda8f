"""A run in several files: the scores of one file, however it is cut; and folders that are none."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.cli import main, score_documents
from ragscore.errors import DataError
from ragscore.formats import load_run
from ragscore.formats.reading import file_pieces
from ragscore.formats.runs import parquet_join, trec_join
from ragscore.formats.runs.run_parts import RunParts
from ragscore.retrievers import Recorded
from ragscore.scoring import many_queries, score
from tests.factories.joined_files import any_lines, judgments, slow_is_fine, text_of
from tests.factories.run_parts import COUNTED, MEASURES, Rows, assert_same, write_part, written

QUERIES = ["q1", "q2", "q10", "7", "물음", "unjudged"]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "piece"), [("trec", 60), ("trec.gz", 1 << 22), ("parquet", 4)])
def test_any_cut_gives_the_scores_of_one_file(
    kind: str, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", piece)
    monkeypatch.setattr(parquet_join, "BATCH_ROWS", piece)

    @slow_is_fine
    @given(any_lines, judgments, st.lists(st.integers(0, 60), max_size=5), st.booleans())
    def check(rows: Rows, judged: dict[str, dict[str, float]], cuts: list[int], tie: bool) -> None:
        rows = sorted(rows, key=lambda row: QUERIES.index(row[0]))
        edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
        parts = [rows[start:end] for start, end in itertools.pairwise(edges)]
        whole = written(tmp_path / "whole", [rows], kind)
        folder = written(tmp_path / "parts", parts, kind)
        judged = judged or {"q1": {"a": 1.0}}
        options: dict[str, Any] = {"unanswerable": ["q2", "7"], "retriever": "run"}
        options["measures"] = MEASURES if tie else COUNTED
        (file,) = whole.iterdir()
        assert_same(score(folder, judged, **options), score(file, judged, **options))
        assert_same(score(load_run(folder), judged, **options), score(file, judged, **options))

    check()


def test_parts_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """A query goes on from part 9 in part 10, and a passage that is named again is dropped."""
    for number in range(12):
        rows = [(f"q{number // 2}", f"d{number % 2}", "2"), (f"q{number // 2}", "x", str(number))]
        write_part(tmp_path, number + 1, rows, "trec")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".part-1.trec.crc").write_bytes(b"\0")
    assert [path.name for path in RunParts.of(tmp_path).files][-3:] == [
        "part-10.trec",
        "part-11.trec",
        "part-12.trec",
    ]
    judged = {f"q{number}": {"x": 1} for number in range(6)}
    (entry,) = score(tmp_path, judged, ["RR"]).entries
    assert (entry.retriever, entry.counts.duplicates) == (tmp_path.name, 6)
    # The score of x is that of its first line: 0, 2, 4, ...
    assert entry.values[0].tolist() == [1 / 3, 1.0, 1.0, 1.0, 1.0, 1.0]
    with pytest.raises(DataError, match=rf"{tmp_path.name}, query 'q0': passage 'x' is returned"):
        score(tmp_path, judged, ["RR"], strict=True)


def test_ranks_go_on_in_the_next_part(tmp_path: Path) -> None:
    for number, ranks in enumerate([[1, 2], [4, 3], [5, 6]]):
        passages = [f"d{rank}" for rank in ranks]
        frame = polars.DataFrame({"query": ["q", "q"], "passage": passages, "rank": ranks})
        frame.write_parquet(tmp_path / f"{number}.parquet")
    assert score(tmp_path, {"q": {"d3": 1}}, ["RR"]).entries[0].mean("RR") == 1 / 3
    assert [*load_run(tmp_path).to_dict()["q"]] == [f"d{rank}" for rank in range(1, 7)]
    frame.write_parquet(tmp_path / "3.parquet")
    for read in (lambda: score(tmp_path, {"q": {"d3": 1}}, ["RR"]), lambda: load_run(tmp_path)):
        with pytest.raises(DataError, match=r"rank 5 is given twice for query 'q', which stands"):
            read()


GOOD: Rows = [("q1", "a", "2"), ("q1", "b", "1"), ("q2", "a", "2")]
BACK: Rows = [("q3", "a", "1"), ("q1", "c", "1"), ("q4", "a", "1")]


@pytest.mark.parametrize(
    ("kind", "first", "last"),
    [
        ("trec", "part-1.trec:2", "part-2.trec:2"),
        ("trec.gz", "part-1.trec.gz:2", "part-2.trec.gz:2"),
        ("parquet", "part-1.parquet:row 2", "part-2.parquet:row 2"),
    ],
)
@pytest.mark.parametrize("judged", ["q1", "other"])
def test_a_query_that_comes_back_is_an_error(
    kind: str, first: str, last: str, judged: str, tmp_path: Path
) -> None:
    for number, rows in enumerate([[], GOOD, BACK]):
        write_part(tmp_path, number, rows, kind)
    with pytest.raises(DataError) as caught:
        score(tmp_path, {judged: {"a": 1}}, ["RR"])
    with pytest.raises(DataError) as loading:
        load_run(tmp_path)
    assert loading.value.problems == caught.value.problems
    message = f"{tmp_path}/{last}: query 'q1' comes back, after {tmp_path}/{first}. "
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "the folder holds no part of a run. Put its parts there"),
        (["_SUCCESS"], "the folder holds no part of a run"),
        (["part-0.trec", "README.md"], "/README.md: it is not a part of a run. A folder"),
        (["part-0.trec", "notes"], "/notes: it is not a part of a run"),
        (["part-0.trec", "sub/part-1.trec"], "/sub: it is a folder, not a file"),
        (["0.csv", "1.csv"], "/0.csv: it is not a part of a run"),
        (["0.parquet.gz"], "/0.parquet.gz: it is not a part of a run"),
        (["bm25.trec", "dense.trec"], "differ in more than numbers: bm25.trec and dense.trec"),
        (["part-0.trec", "part-1.parquet"], "more than numbers: part-0.trec and part-1.parquet"),
        (["part-1.trec", "part-01.trec"], "two parts have the same number: part-"),
        (["part-1.trec", "part-1.trec.gz"], "two parts have the same number: part-"),
        (["part-0.trec", "manifest.json"], "it is the folder of a result, and not of one run"),
    ],
)
def test_folders_that_are_no_run(names: list[str], message: str, tmp_path: Path) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text_of(GOOD))
    with pytest.raises(DataError, match=re.escape(message)):
        score(tmp_path, {"q1": {"a": 1}}, ["RR"])


@pytest.mark.skipif(os.name != "posix", reason="pipes, devices and links of POSIX")
@pytest.mark.parametrize(
    ("put", "message"),
    [
        (os.mkfifo, "it is a named pipe, not a file"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
        (lambda path: path.symlink_to(path.name), "it is not a part of a run"),
        (lambda path: path.symlink_to(path.parent), "it is a folder, not a file"),
        (lambda path: path.symlink_to("/gone"), "it is not a part of a run"),
    ],
)
def test_what_is_no_file_is_no_part(
    put: Callable[[Path], None], message: str, tmp_path: Path
) -> None:
    (tmp_path / "part-0.trec").write_bytes(text_of(GOOD))
    put(tmp_path / "part-1.trec")
    with pytest.raises(DataError, match=f"part-1.trec: {message}"):
        score(tmp_path, {"q1": {"a": 1}}, ["RR"])


def test_a_wrong_part_is_named(tmp_path: Path) -> None:
    good = tmp_path / "part-0.trec.gz"
    good.write_bytes(gzip.compress(text_of(GOOD)))
    for content, message in (
        (gzip.compress(b"q3 Q0 a 1 1 t\nq3 Q0 b 2 high t\n"), r":2: the score of passage 'b' for"),
        (gzip.compress(text_of(BACK))[:-5], ": it ends in the middle of its .gz data"),
    ):
        (tmp_path / "part-1.trec.gz").write_bytes(content)
        for read in (lambda: score(tmp_path, {"q1": {"a": 1}}), lambda: load_run(tmp_path)):
            with pytest.raises(DataError, match=re.escape(f"{tmp_path}/part-1.trec.gz{message}")):
                read()
    folder = tmp_path / "parquet"
    folder.mkdir()
    write_part(folder, 0, GOOD, "parquet")
    (folder / "part-1.parquet").write_bytes(b"no")
    with pytest.raises(DataError, match=r"part-1\.parquet: it cannot be read as a Parquet run"):
        score(folder, {"q1": {"a": 1}}, ["RR"])
    ranked = {"query": ["q3", "q3"], "passage": ["a", "b"], "rank": [1, None]}
    polars.DataFrame(ranked).write_parquet(folder / "part-1.parquet")
    with pytest.raises(
        DataError,
        match=r"part-1\.parquet: of the columns of a run it has passage, query, rank, and "
        r"part-0\.parquet has passage, query, score\. ",
    ):
        score(folder, {"q1": {"a": 1}}, ["RR"])
    polars.DataFrame(ranked).write_parquet(folder / "part-0.parquet")
    with pytest.raises(DataError, match=r"part-0\.parquet:row 2: the rank of passage 'b'"):
        score(folder, {"q1": {"a": 1}}, ["RR"])
    both = {**ranked, "score": [2.0, 1.0]}
    for number in (0, 1):
        polars.DataFrame(both).write_parquet(folder / f"part-{number}.parquet")
    for read in (lambda: score(folder, {"q1": {"a": 1}}), lambda: load_run(folder)):
        with pytest.raises(DataError, match=r"part-0\.parquet: some of its rows have a rank and "):
            read()


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (["part-0.trec", "part-1.trec"], ()),
        (["part-1.trec", "part-2.trec"], ()),
        (["part-00002.trec", "part-00005.trec"], (3, "part-00001.trec", "part-00003.trec")),
        (["p3.trec.gz", "p0.trec.gz"], (2, "p1.trec.gz", "p2.trec.gz")),
        (["part-0-of-4", "part-1-of-4"], (2, "part-2-of-4", "part-3-of-4")),
        (["part-1-of-2"], (1, "part-2-of-2")),
        (["run-2026-00", "run-2026-02"], (1, "run-2026-01")),
        (["1-1.trec", "2-3.trec"], ()),
        (["only.trec"], ()),
        (["part-0.trec", "part-1000000000000.trec"], (999_999_999_999, "part-1.trec")),
    ],
)
def test_what_is_missing_by_the_numbers(
    names: list[str], missing: tuple[Any, ...], tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"")
    parts = RunParts.of(tmp_path)
    assert parts.missing == (missing[0] if missing else 0)
    assert parts.missing_names[: len(missing) - 1] == missing[1:]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "bm25"
    folder.mkdir()
    for number, rows in ((1, GOOD), (3, [("q2", "b", "1"), ("q3", "a", "1")]), (4, [])):
        write_part(folder, number, rows, "trec")
    (tmp_path / "qrels.txt").write_text("q1 0 b 1\nq2 0 b 1\n")
    arguments = ["score", str(folder), "--qrels", str(tmp_path / "qrels.txt"), "-m", "RR"]
    assert not main(arguments)
    shown = capsys.readouterr()
    assert re.search(r"^bm25 +0\.500", shown.out, re.MULTILINE)
    assert "missing, by the numbers in the file names: 1 (part-2.trec)" in shown.err
    assert "empty parts of the run: 1 (part-4.trec)" in shown.err
    assert not main([*arguments, "--language", "ko"])
    assert "빠진 부분: 1개(part-2.trec)" in capsys.readouterr().err
    assert not main([*arguments, "-m", "runid", "--format", "trec", "--quiet"])
    assert "runid                 \tall\tbm25\n" in capsys.readouterr().out


def test_of_very_many_queries_a_sample_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    queries = [f"q{number}" for number in range(400)]
    rows = [(query, "a", "1") for query in queries]
    written(tmp_path / "run", [rows[:150], rows[150:]], "trec")
    lines = [f"{q} 0 {'a' if at % 4 else 'b'} 1\n" for at, q in enumerate(queries)]
    (tmp_path / "qrels").write_text("".join(lines))
    monkeypatch.setattr(many_queries, "MANY_QUERIES", 400)
    monkeypatch.setattr(many_queries, "SAMPLE", 100)
    arguments = ["score", f"{tmp_path}/run", "--qrels", f"{tmp_path}/qrels", "-m", "RR"]
    assert not main(arguments)
    # 300 of 400 are found: 1.966 * sqrt(0.75 * 0.25 / 399) = 0.0426, and twice that of a quarter.
    note = (
        "with 400 queries, mRR is known to ±0.043 (95 %); a random 100 of them would give ±0.085\n"
    )
    assert note in capsys.readouterr().err
    whole = []
    for lines_at_a_time in (7, 10_000):
        monkeypatch.setattr(score_documents, "LINES_AT_A_TIME", lines_at_a_time)
        assert not main([*arguments, "--per-query", "--format", "csv", "--quiet"])
        whole.append(capsys.readouterr().out)
    assert whole[0] == whole[1]
    assert whole[0].count("\n") == 402


def test_odd_lines_are_read_where_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words after the name, in a file that is too large to be held as a whole."""
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", 50)
    monkeypatch.setattr(file_pieces, "MIN_PIECE_BYTES", 50)
    rows = [(f"q{number}", "a", "1") for number in range(30)]
    text = text_of(rows).replace(b"q7 Q0 a 1 1 t\n", b"q7 Q0 a 1 1 t and more\n")
    path = tmp_path / "run.trec"
    path.write_bytes(b"\xef\xbb\xbf" + text)
    judged = {f"q{number}": {"a": 1} for number in range(30)}
    whole = score(path, judged, ["RR"])
    monkeypatch.setattr(trec_join, "MAX_WHOLE_BYTES", 0)
    assert_same(score(path, judged, ["RR"]), whole)
    for wrong, message in (
        (text + b"q Q0 a 1 high t\n", r":31: the score of passage 'a' for query 'q' is 'high'"),
        (text + text_of(rows[3:4]), r": the lines of query 'q3' are not together, and the file "),
        (text.decode().encode("utf-16"), r": it is not in UTF-8, and too large to be held as a "),
    ):
        path.write_bytes(wrong)
        with pytest.raises(DataError, match=re.escape(f"{path}{message}")):
            score(path, judged, ["RR"])


def test_where_a_run_is_loaded_its_parts_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """compare, and a recorded run of an experiment."""
    folder = written(tmp_path / "cut", [GOOD[:1], GOOD[1:]], "trec")
    (tmp_path / "whole.trec").write_bytes(text_of(GOOD))
    (tmp_path / "qrels").write_text("q1 0 b 1\nq2 0 a 1\n")
    arguments = [str(folder), f"{tmp_path}/whole.trec", "--qrels", f"{tmp_path}/qrels"]
    assert not main(["compare", *arguments, "--format", "json", "-m", "RR"])
    (overlap,) = json.loads(capsys.readouterr().out)["overlap"]["qrels"]
    assert (overlap["first"], overlap["rbo"]) == ("cut", 1.0)
    assert score([folder, tmp_path / "whole.trec"], {"q1": {"b": 1}}, ["RR"], profile="trec9")
    recorded = Recorded(run=str(folder))
    assert recorded.check() == []
    before = recorded.content()
    write_part(folder, 2, BACK[:1], "trec")
    assert Recorded(run=str(folder)).content() != before
    (folder / "notes").write_text("x")
    (problem,) = recorded.check()
    assert (problem.where, problem.what) == ("run", f"{folder}/notes: it is not a part of a run")
