"""``ragscore score`` on real runs: trec_eval's own outputs, and every other format."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from ragscore import load_qrels, load_run
from ragscore.cli import main
from ragscore.formats import write_parquet_run
from ragscore.measures.trec_names import MISSING
from tests.factories.command import Ragscore

RUN = "q1 Q0 a 1 3.5 t\nq1 Q0 b 2 2.5 t\nq1 Q0 x 3 2.5 t\nq2 Q0 b 1 1 t\nq9 Q0 a 1 1 t\n"
QRELS = "q1 0 b 2\nq1 0 c 1\nq2 0 b 1\nq3 0 a 1\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "bm25.run").write_text(RUN, encoding="utf-8", newline="\n")
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8", newline="\n")
    return tmp_path


def score(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What the command prints; it must end well."""
    code = main(["score", *map(str, arguments)])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return captured.out


def without_missing(path: Path) -> list[str]:
    """trec_eval's expected lines but for the measures that ragscore has not."""
    lines = path.read_text(encoding="utf-8").splitlines()
    # Behind the name may stand its parameters: utility_2,-1,0,0 and relstring_20.
    return [line for line in lines if re.sub(r"_2[\d,-]*$", "", line.split()[0]) not in MISSING]


ALL = ("-m", "all_trec", "--per-query")
PARAMETERS = (
    *("-m", "iprec_at_recall.0.10,.20,.25,.75,.50", "-m", "P.5,7,3", "-m", "recall.20,2000"),
    *("-m", "Rprec_mult.5.0,0.2,0.35", "-m", "11pt_avg..25,.5,.75", "-m", "ndcg.1=3,2=9,4=4.5"),
    *("-m", "ndcg_cut.10,20,23", "-m", "success.2,5,20", "--per-query"),
)


@pytest.mark.parametrize(
    ("run", "qrels", "expected", "flags"),
    [
        ("results.test", "qrels.test", "out.test", ()),
        ("results.test", "qrels.test", "out.test", ("-m", "official")),
        ("results.test", "qrels.test", "out.test.a", ("-m", "all_trec")),
        ("results.test", "qrels.test", "out.test.aq", ALL),
        ("results.trunc", "qrels.test", "out.test.aqc", ALL),
        ("results.trunc", "qrels.test", "out.test.aqcM", (*ALL, "--depth", "100")),
        ("results.test", "qrels.rel_level", "out.test.aql", (*ALL, "--relevant-from", "2")),
        ("results.test", "qrels.test", "out.test.meas_params", PARAMETERS),
        ("results.comment.test.gz", "qrels.comment.test", "out.comment.test", ()),
        ("results.test", "qrels.test.with-comments", "out.test", ()),
    ],
)
def test_what_trec_eval_prints_line_for_line(
    run: str,
    qrels: str,
    expected: str,
    flags: tuple[str, ...],
    conformance: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = conformance / "runs" / "trec_eval"
    printed = score(
        capsys, folder / run, "--qrels", folder / qrels, "--format", "trec", "--quiet", *flags
    )
    found, wanted = printed.splitlines(), without_missing(folder / expected)
    if expected == "out.test.aql":  # trec_eval 10 reads uninitialised memory for rbp there
        found, wanted = ([li for li in ls if not li.startswith("rbp ")] for ls in (found, wanted))
    assert found == wanted


def test_the_table(files: Path, ragscore: Ragscore) -> None:
    (files / "dense.json").write_text('{"q1": ["b", "c"], "q2": [], "q3": ["a"]}')
    done = ragscore("score", "bm25.run", "dense.json", "--qrels", "qrels", "-m", "P@2", "-m", "AP")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "qrels: 3 queries averaged",
        "run      P@2    mAP  Judged@2",
        "bm25   0.167  0.389     0.333",
        "dense  0.500  0.667     0.667",
    ]
    assert done.stderr.splitlines() == [
        "note: bm25: 1 of 3 judged queries are not in the run; they score 0 (--missing drop "
        "leaves them out)",
        "note: bm25: 1 query of the run has no judgments and is ignored",
        "note: bm25: queries with a tie across a cutoff: 1 (33.3 %) at 2, 1 (33.3 %) at 3",
        "note: dense: 1 of 3 judged queries got nothing; they score 0",
    ]


def test_csv_is_tidy_and_not_rounded(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = (files / "bm25.run", "--qrels", files / "qrels", "-m", "AP", "-m", "MR")
    assert score(capsys, *common, "--format", "csv") == (
        "run,query,measure,value\nbm25,all,AP,0.3888888888888889\nbm25,all,MR,2.0\n"
    )
    rows = list(csv.reader(io.StringIO(score(capsys, *common, "--format", "csv", "--per-query"))))
    assert rows[1:] == [
        ["bm25", "q1", "AP", "0.16666666666666666"],
        ["bm25", "q1", "MR", "3.0"],
        ["bm25", "q2", "AP", "1.0"],
        ["bm25", "q2", "MR", "1.0"],
        ["bm25", "q3", "AP", "0.0"],
        ["bm25", "q3", "MR", ""],
        ["bm25", "all", "AP", "0.3888888888888889"],
        ["bm25", "all", "MR", "2.0"],
    ]


def test_no_id_in_csv_is_a_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.run").write_text("=1+1 Q0 p 1 1 x\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("=1+1 0 p 1\n", encoding="utf-8")
    common = (tmp_path / "r.run", "--qrels", tmp_path / "qrels", "-m", "RR", "--format", "csv")
    header, row, _ = csv.reader(io.StringIO(score(capsys, *common, "--per-query")))
    assert row[header.index("query")] == "'=1+1"


@pytest.mark.parametrize("more", [(), ("--per-query",), ("--bounds", "--per-query")])
def test_json_keeps_to_its_schema(more: tuple[str, ...], files: Path, ragscore: Ragscore) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(ragscore("schema", "score").stdout)
    asked = ("-m", "P@2", "-m", "MR", "--missing", "drop", "--format", "json")
    done = ragscore("score", "bm25.run", "--qrels", "qrels", *asked, *more)
    printed = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema).validate(printed)
    (counts,) = printed["counts"]
    assert (counts["queries"], counts["missing"], counts["dropped"]) == (2, 0, 1)
    assert counts["without_judgments"] == 1
    assert counts["tied"] == {"2": 1, "3": 1}
    assert (printed["per_query"] is not None) == ("--per-query" in more)
    assert (printed["results"][0]["low"] is not None) == ("--bounds" in more)
    assert printed["notes"] == [line.removeprefix("note: ") for line in done.stderr.splitlines()]


def test_bounds(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """q1 got x (tied with b, and before it) and a, both unjudged; q2 and q3 have nothing open."""
    common = (files / "bm25.run", "--qrels", files / "qrels", "-m", "P@2", "-m", "nDCG@2")
    printed = score(capsys, *common, "--bounds").splitlines()[-1]
    assert re.search(r"0\.167 \[0\.167, 0\.500\]", printed)
    assert printed.count(" outer") == 1
    header, *rows = csv.reader(
        io.StringIO(score(capsys, *common, "--bounds", "--format", "csv", "--per-query"))
    )
    assert header == ["run", "query", "measure", "value", "low", "high", "bounds"]
    assert ["bm25", "q1", "P@2", "0.0", "0.0", "1.0", "exact"] in rows
    code = main(["score", *map(str, common), "--bounds", "--format", "trec"])
    assert (code, "no place for bounds" in capsys.readouterr().err) == (2, True)


def test_latex_escapes_everything(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = files / "50%_of&co#{x}.run"
    odd.write_text(RUN, encoding="utf-8", newline="\n")
    gains = "nDCG(gain={1:3,2:9})@2"
    printed = score(capsys, odd, "--qrels", files / "qrels", "-m", gains, "--format", "latex")
    assert [line.strip() for line in printed.splitlines()][5:12] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"run & nDCG(gain=\{1:3,2:9\})@2 & Judged@2 \\",
        r"\midrule",
        r"50\%\_of\&co\#\{x\} & 0.333 & 0.333 \\",
        r"\bottomrule",
        r"\end{tabular}}",
    ]


def test_every_kind_of_file_gives_the_same(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, qrels = load_run(files / "bm25.run"), load_qrels(files / "qrels")
    rows = [(q, p, s) for q, scores in run.to_dict().items() for p, s in scores.items()]
    graded = [(q, p, g) for q, grades in qrels.to_dict().items() for p, g in grades.items()]
    write_parquet_run(run, files / "1.parquet")
    (files / "2.json").write_text(json.dumps(run.to_dict()))
    (files / "3.csv").write_text(
        "qid,docno,score\n" + "".join(f"{q},{p},{s}\n" for q, p, s in rows)
    )
    (files / "4.tsv").write_text(
        "Query\tDoc-ID\tsim\n" + "".join(f"{q}\t{p}\t{s}\n" for q, p, s in rows)
    )
    (files / "5.run.gz").write_bytes(gzip.compress(RUN.replace(" ", "\t \t").encode()))
    (files / "6.run.zst").write_bytes(zstandard.compress(b"# comment\n\n" + RUN.encode()))
    (files / "7.json.gz").write_bytes(gzip.compress(json.dumps(run.to_dict()).encode()))
    (files / "8.txt").write_text("".join(reversed(RUN.splitlines(keepends=True))))
    (files / "q.json").write_text(json.dumps(qrels.to_dict()))
    (files / "q.csv").write_text(
        "query_id,passage_id,grade\n" + "".join(f"{q},{p},{g}\n" for q, p, g in graded)
    )
    (files / "q.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{p}\t{g}\n" for q, p, g in graded)
    )
    (files / "r.tsv").write_text(
        "grade\tquery\tpassage\n" + "".join(f"{g}\t{q}\t{p}\n" for q, p, g in graded)
    )
    runs = [path for path in sorted(files.iterdir()) if path.name[0].isdigit()]
    assert len(runs) == 8
    wanted = ("-m", "nDCG@10", "-m", "AP", "-m", "RR", "-m", "num_ret", "--format", "csv")
    for name in ("qrels", "q.json", "q.csv", "q.tsv", "r.tsv"):
        printed = score(capsys, *runs, "--qrels", files / name, *wanted).splitlines()[1:]
        values = [line.split(",", 1)[1] for line in printed]
        assert values == values[:4] * 8, name


def test_a_dataset_knows_more_than_a_file(root: Path, tmp_path: Path, ragscore: Ragscore) -> None:
    """Unanswerable queries are left out, and AUC has its number of passages."""
    folder = root / "datasets" / "harbour-tenancy"
    truth = (folder / "ground_truth.jsonl").read_text(encoding="utf-8").splitlines()
    run = {row["query_id"]: row["passages"] for row in map(json.loads, truth)}
    queries = map(json.loads, (folder / "queries.jsonl").read_text("utf-8").splitlines())
    unanswerable = [row["id"] for row in queries if row.get("answerable") is False]
    (tmp_path / "truth.json").write_text(json.dumps(run | {unanswerable[0]: {"x": 1}}))
    done = ragscore("score", "truth.json", "--qrels", folder, "-m", "nDCG", "-m", "AUC")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].split()[:2] == ["truth", "1.000"]
    needs = ragscore("score", "truth.json", "--qrels", tmp_path / "truth.json", "-m", "AUC")
    assert (needs.returncode, "--passages N" in needs.stderr) == (2, True)
    given = ("--passages", "185")
    done = ragscore("score", "truth.json", "--qrels", "truth.json", "-m", "AUC", *given)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("flags", "value"),
    [
        ((), "0.167"),
        (("--missing", "drop"), "0.250"),
        (("--profile", "trec9"), "0.250"),
        (("--profile", "trec9", "--missing", "zero"), "0.167"),
        (("--unjudged", "remove"), "0.333"),
        (("--depth", "1"), "0.167"),
        (("--relevant-from", "2"), "0.000"),
        (("--relevant-from", "2", "--unjudged", "remove"), "0.167"),
        (("-m", "P(relevant_from=1)@2", "--relevant-from", "2"), "0.167"),
    ],
)
def test_flags(
    flags: tuple[str, ...], value: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = () if "-m" in flags else ("-m", "P@2")
    printed = score(capsys, files / "bm25.run", "--qrels", files / "qrels", *asked, *flags)
    assert printed.splitlines()[-1].split()[1] == value


def test_names_of_runs_are_unlike(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = files / "bm25.run"
    wanted = ("-m", "AP", "--format", "csv")
    printed = score(capsys, run, run, "--qrels", files / "qrels", *wanted).splitlines()[1:]
    assert [line.split(",")[0] for line in printed] == [run.as_posix(), f"{run.as_posix()} (2)"]


def test_quiet_says_nothing_and_a_wrong_run_prints_nothing(files: Path, ragscore: Ragscore) -> None:
    done = ragscore("score", "bm25.run", "--qrels", "qrels", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    (files / "bad.run").write_text(RUN + "q2 Q0 z 1 high t\n")
    done = ragscore("score", "bm25.run", "bad.run", "--qrels", "qrels", "--quiet")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("bad.run:6: the score of passage 'z' for query 'q2' is 'high'")


def test_start_up_imports_only_what_is_used(files: Path) -> None:
    """Neither the experiment's models nor what draws progress is loaded to print a table."""
    code = (
        "import sys; from ragscore.cli import main\n"
        f"main(['score', {str(files / 'bm25.run')!r}, '--qrels', {str(files / 'qrels')!r}])\n"
        "heavy = ('ragscore.experiment', 'ragscore.retrievers', 'rich', 'faiss', 'scipy.stats')\n"
        "sys.exit(' '.join(name for name in heavy if name in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
