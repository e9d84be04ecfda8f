"""Wrong files and flags of ``ragscore score``: what is said, word for word, and the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore.cli import main
from tests.factories.command import Ragscore

RUN, QRELS = b"q1 Q0 a 1 3.5 t\n", b"q1 0 a 1\n"
TREC = (
    "Write query id, Q0, passage id, rank, score (a finite number), name, with spaces or tabs "
    "between them and none inside; a .parquet run holds ids with spaces"
)
JSON_RUN = 'A run is {"query": {"passage": score}} or {"query": ["passage", ...]}, best first'
JSON_QRELS = 'Judgments are {"query": {"passage": grade}} or {"query": ["passage", ...]}'
QUERIES = "Understood: query, query_id, qid, topic, topic_id, q_id"

WRONG_RUNS: list[tuple[str, bytes, str]] = [
    # name of the run file, what it holds, what must be said behind the name
    ("r.run", b"q1 Q0 a 1 3.5\n", f":1: 5 columns where 6 are expected. {TREC}"),
    ("r.run", RUN + b"q1 Q0 my doc 2 1.5 t\n",
     f":2: 7 columns where 6 are expected: an id holds white space. {TREC}"),
    ("r.run", RUN + b"q1 Q0 b 2 nan t\n",
     f":2: the score of passage 'b' for query 'q1' is 'nan'. {TREC}"),
    ("r.run", RUN + b"\n# c\nq1 Q0 b 2 1,5 t\n",
     f":4: the score of passage 'b' for query 'q1' is '1,5'. {TREC}"),
    ("r.run", RUN + b"q1 Q0 b 2 1e999 t\n",
     f":2: the score of passage 'b' for query 'q1' is '1e999'. {TREC}"),
    ("r.run", RUN + b"q1 Q0 caf\xe9 2 1.5 t\n",
     ":2: the byte 0xE9 is not UTF-8; it looks like cp1252. Save the file as UTF-8"),
    ("r.run.gz", RUN, ": it cannot be unpacked as .gz: Error -3 while decompressing data: "
     "incorrect header check"),
    ("r.json", b'{"q1": {"a": 1.5,}}',
     f":1: not JSON: Illegal trailing comma before end of object at column 17. {JSON_RUN}"),
    ("r.json", b'[{"q1": {"a": 1.5}}]', f":1: a list where an object is expected. {JSON_RUN}"),
    ("r.json", b'{"q1": {\n"a": "1.5"}}',
     ":2: query 'q1': the text \"1.5\" where a score is expected. A score is a finite number"),
    ("r.json", b'{"q0": {}, "q1": {\n"a": 2,\n"b": NaN}}',
     ":3: query 'q1': the score of passage 'b' is nan. A score is a finite number"),
    ("r.json", b'{"q1": {"a": 1},\n"q1": {"b": 1}}',
     ":1: query 'q1': the query occurs twice. Join its entries"),
    ("r.json", b'{"q1": ["a", 7]}',
     ":1: query 'q1': a number where a passage id is expected. Write \"7\" in quotes"),
    ("r.json", b'{"q1": {"a": 1},\n"q2": ["a"]}',
     ":2: query 'q2': the query has no scores, and those before have some. Give scores for every "
     "passage or for none"),
    ("r.json", b'{"q1": "a"}',
     f":1: query 'q1': the text \"a\" where its passages are expected. {JSON_RUN}"),
    ("r.csv", b"quory,passage,score\nq1,a,1\n",
     f":1: there is no column 'query'. Found: quory, passage, score. {QUERIES}"),
    ("r.csv", b"query,passage,value\nq1,a,1\n",
     ":1: there is no column 'score'. Found: query, passage, value. Understood: score, sim, "
     "similarity, scores, rank, position"),
    ("r.csv", b"query,passage,score\nq1,a,1\nq1,b,high\n",
     ":3: the score of passage 'b' for query 'q1' is 'high'. A score is a finite number"),
    ("r.csv", b"query,passage,rank\nq1,a,1\nq1,b,1\n",
     ":3: rank 1 is given twice for query 'q1', first in line 2. Give each rank once, or scores"),
    ("r.csv", b"query,passage,rank\nq1,a,1.5\n",
     ":2: the rank of passage 'a' for query 'q1' is '1.5'. A rank is a whole number, 1 for the "
     "best"),
    ("r.csv", b"query,passage,score\nq1,a,1,2\n", ":2: 4 columns where 3 are expected"),
    ("r.csv", b"query,passage,score\n,a,1\n", ":2: the query id is empty"),
    ("r.csv", b"", ": the table has no header. Its first line names: query, passage"),
]  # fmt: skip
WRONG_QRELS: list[tuple[str, bytes, str]] = [
    ("j.qrels", b"q1 a 1\n",
     ":1: 3 columns where 4 are expected. Write query id, 0, passage id, grade; ids with spaces "
     "need another format, such as beir"),
    ("j.qrels", b"q1 0 a high\n", ":1: the grade 'high' is not a number. A grade is a finite "
     "number"),
    ("j.qrels", b"q1 0 a 1\nq1 0 a 0\n",
     ":2: the passage 'a' is judged twice for the query 'q1', first in line 1. Keep one judgment "
     "for each pair"),
    ("j.tsv", b"q1\ta\t1\nq1\tb\n",
     ":2: 2 columns where 3 are expected. Write query id, passage id, grade, with one TAB "
     "between them"),
    ("j.csv", b"query,passage,value\nq1,a,1\n",
     ":1: there is no column 'grade'. Found: query, passage, value. Understood: grade, relevance, "
     "rel, label, rating, score, judgment"),
    ("j.csv", b"query,passage,grade\nq1,a,1\nq1,a,2\n",
     ":3: the passage 'a' is judged twice for the query 'q1', first in line 2. Keep one judgment "
     "for each pair"),
    ("j.json", b'{"q1": {"a": true}}',
     ":1: query 'q1': true where a grade is expected. A grade is a finite number"),
    ("j.json", b'{"q1": ["a", "a"]}',
     ":1: query 'q1': the passage 'a' is judged twice. Keep one judgment"),
    ("j.json", b'{"q1": 1}',
     f":1: query 'q1': a number where its passages are expected. {JSON_QRELS}"),
    ("j.parquet", b"PAR1", ": it cannot be read as Parquet"),
]  # fmt: skip


def said(
    tmp_path: Path, run: tuple[str, bytes], qrels: tuple[str, bytes],
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *flags: str,
) -> str:  # fmt: skip
    """What stderr holds after the command refused; stdout holds nothing."""
    monkeypatch.chdir(tmp_path)
    for name, data in (run, qrels):
        Path(name).write_bytes(data)
    code = main(["score", run[0], "--qrels", qrels[0], *flags])
    out, err = capsys.readouterr()
    assert (code, out) == (3, "")
    return err.strip()


@pytest.mark.parametrize(("name", "data", "message"), WRONG_RUNS)
def test_wrong_runs(
    name: str,
    data: bytes,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = said(tmp_path, (name, data), ("qrels", QRELS), capsys, monkeypatch)
    if "Illegal trailing comma" in message:  # Python before 3.13 says it in other words
        assert found.startswith(f"{name}:1: not JSON: ")
        assert found.endswith(JSON_RUN)
    else:
        assert found == name + message


@pytest.mark.parametrize(("name", "data", "message"), WRONG_QRELS)
def test_wrong_judgments(
    name: str,
    data: bytes,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = said(tmp_path, ("run", RUN), (name, data), capsys, monkeypatch)
    assert found == name + message if name != "j.parquet" else found.startswith(name + message)


@pytest.mark.parametrize("name", ["r.run", "r.json", "r.csv"])
def test_strict_refuses_a_passage_that_is_named_twice(
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twice = {
        "r.run": RUN + RUN,
        "r.json": b'{"q1": ["a", "a"]}',
        "r.csv": b"query,passage,score\nq1,a,1\nq1,a,2\n",
    }
    found = said(tmp_path, (name, twice[name]), ("qrels", QRELS), capsys, monkeypatch, "--strict")
    assert found.startswith("r, query 'q1': passage 'a' is returned twice.")
    assert main(["score", name, "--qrels", "qrels", "-m", "num_ret", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1] == "r,all,NumRet,1.0"
    assert "note: r: 1 passage was returned twice for a query; the first is kept" in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("run",), 2, "Missing option '--qrels'"),
        (("--qrels", "qrels"), 2, "Missing argument 'RUN...'"),
        (("gone.run", "--qrels", "qrels"), 3, "gone.run: no such file"),
        ((".", "--qrels", "qrels"), 3, "it is not a part of a run"),
        (("run", "--qrels", "gone"), 3, "gone: no such file"),
        (("run", "--qrels", "qrels", "-m", "nDCG@0"), 2, "nDCG@0: '0' is not a cutoff."),
        (("run", "--qrels", "qrels", "-m", "nDGC@5"), 2, "Did you mean 'nDCG'?"),
        (("run", "--qrels", "qrels", "-m", "P.five"), 2, "'five' is not a parameter of P."),
        (("run", "--qrels", "qrels", "-m", "utility"), 2,
         "ragscore does not have trec_eval's utility. Use NumRet"),
        (("run", "--qrels", "qrels", "-m", "P(depth=3)@5"), 2, "P has no option 'depth'"),
        (("run", "--qrels", "qrels", "--profile", "trek"), 2, "Did you mean 'trec'?"),
        (("run", "--qrels", "qrels", "--relevant-from", "0"), 2, "--relevant-from: 0 is no"),
        (("run", "--qrels", "qrels", "--depth", "0"), 2, "'--depth'"),
        (("run", "--qrels", "qrels", "--missing", "skip"), 2, "'--missing'"),
        (("run", "--qrels", "qrels", "--format", "xml"), 2, "'--format'"),
        (("run", "--qrels", "qrels", "--bounds", "--unjudged", "remove"), 2,
         "bounds ask what the unjudged passages could change"),
        (("run", "--qrels", "qrels", "-m", "AP(empty=error)", "--relevant-from", "3"), 2,
         "1 queries have no relevant passage"),
    ],
)  # fmt: skip
def test_wrong_usage(
    arguments: tuple[str, ...],
    code: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").write_bytes(RUN)
    Path("qrels").write_bytes(QRELS)
    assert main(["score", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert "Traceback" not in err


def test_a_process_of_its_own(ragscore: Ragscore, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"q": {"a": null}}')
    (tmp_path / "qrels").write_bytes(QRELS)
    done = ragscore("score", "bad.json", "--qrels", "qrels")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "bad.json:1: query 'q': null where a score is expected. A score is a finite number\n"
    )
    assert "Traceback" in ragscore("score", "bad.json", "--qrels", "qrels", "--debug").stderr


def test_judgments_that_judge_nothing(ragscore: Ragscore, tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(RUN)
    (tmp_path / "qrels").write_bytes(b"# nothing yet\n")
    done = ragscore("score", "run", "--qrels", "qrels")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "qrels: no judgment is here\n"


def test_an_empty_run_scores_0_and_says_so(ragscore: Ragscore, tmp_path: Path) -> None:
    (tmp_path / "empty.run").write_bytes(b"")
    (tmp_path / "qrels").write_bytes(QRELS)
    done = ragscore("score", "empty.run", "--qrels", "qrels", "-m", "RR", "--format", "csv")
    assert done.returncode == 0
    assert done.stderr == "note: empty: the run is empty; all queries score 0\n"


def test_a_home_of_nobody_is_no_such_file(ragscore: Ragscore, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(QRELS)
    done = ragscore("score", "~nobody-of-that-name/run", "--qrels", "qrels")
    assert (done.returncode, done.stderr) == (3, "~nobody-of-that-name/run: no such file\n")
