"""Runs written and read back: the same ranking, the same scores, for us and for trec_eval."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
import zstandard

from ragscore.errors import DataError
from ragscore.formats import load_run, read_parquet_run, write_parquet_run, write_trec_run
from ragscore.run import Returned, Run

AS_RECORDED, BY_RANK = "as recorded", "depth - rank + 1"
TENTH = 0.1 + 0.2
CASES: dict[str, tuple[dict[str, Returned], str]] = {
    "plain": ({"q1": {"a": 2.5, "b": TENTH}, "q2": {"a": 5e-324, "c": -1e300}}, AS_RECORDED),
    "ties that fall by id": ({"q": {"b": 1.0, "a": 1.0}}, AS_RECORDED),
    "a query without results": ({"q1": {"a": 1.0}, "q2": {}}, AS_RECORDED),
    "no scores": ({"q": ["a", "b", "c"]}, BY_RANK),
    "ties as 32-bit floats": ({"q": {"a": 1.00000001, "b": 1.0}}, BY_RANK),
    "32-bit ties that fall by id": ({"q": {"b": 1.00000001, "a": 1.0}}, AS_RECORDED),
    "32-bit infinity": ({"q": {"a": 1e300, "b": 1e299}}, BY_RANK),
    "nothing at all": ({"q": {}}, BY_RANK),
}


def ranking_of_trec_eval(path: Path, run: Run) -> dict[str, list[str]]:
    """The order in which pytrec_eval (32-bit floats) sees each query's passages."""
    with path.open(encoding="utf-8") as file:
        read = pytrec_eval.parse_run(file)
    ranking: dict[str, list[str]] = {}
    for query, scores in read.items():
        place = {}
        for passage in scores:
            evaluator = pytrec_eval.RelevanceEvaluator({query: {passage: 1}}, {"recip_rank"})
            place[passage] = evaluator.evaluate({query: scores})[query]["recip_rank"]
        ranking[query] = sorted(place, key=lambda passage: -place[passage])
    return ranking


def rankings(run: Run) -> dict[str, list[str]]:
    return {query: list(scores) for query, scores in run.to_dict().items() if scores}


@pytest.mark.parametrize("case", CASES)
def test_trec_keeps_the_ranking_for_everyone(case: str, tmp_path: Path) -> None:
    returned, scores = CASES[case]
    run = Run.from_dict(returned, name="my run")
    export = write_trec_run(run, tmp_path / "run.trec")
    assert export.written
    assert export.scores == scores
    assert (export.reason is None) == (scores == AS_RECORDED)
    again = load_run(tmp_path / "run.trec")
    assert rankings(again) == rankings(run)
    assert ranking_of_trec_eval(tmp_path / "run.trec", run) == rankings(run)
    if scores == AS_RECORDED:
        assert {q: s for q, s in run.to_dict().items() if s} == again.to_dict()
        assert b"\r" not in (tmp_path / "run.trec").read_bytes()
        assert (tmp_path / "run.trec").read_text().split("\n")[0].endswith(" my_run")


def test_trec_scores_round_trip_exactly(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    bits = generator.integers(0, 2**64, 4000, dtype=np.uint64).view(np.float64)
    bits = np.sort(bits[np.isfinite(bits) & (np.abs(bits) < 1e38) & (np.abs(bits) > 1e-37)])[::-1]
    run = Run.from_dict({"q": {f"d{at}": score for at, score in enumerate(bits.tolist())}})
    assert write_trec_run(run, tmp_path / "run.trec").scores == AS_RECORDED
    assert load_run(tmp_path / "run.trec").to_dict() == run.to_dict()


@pytest.mark.parametrize("near", [0.0, 1e-9, 1e-7])
def test_trec_keeps_rankings_full_of_near_ties(near: float, tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    returned = {
        f"q{q}": {
            f"d{at}": 7.0 + near * float(step)
            for at, step in enumerate(generator.integers(0, 4, 12))
        }
        for q in range(3)
    }
    run = Run.from_dict(returned)
    assert write_trec_run(run, tmp_path / "run.trec").written
    assert rankings(load_run(tmp_path / "run.trec")) == rankings(run)
    assert ranking_of_trec_eval(tmp_path / "run.trec", run) == rankings(run)


@pytest.mark.parametrize(
    ("query", "passage", "reason"),
    [
        ("q", "지방은행.pdf - 4", "the passage id '지방은행.pdf - 4' holds white space"),
        ("q 1", "a", "the query id 'q 1' holds white space"),
        ("q", "a\u00a0b", "holds white space"),
        ("q", "a\u2028b", "holds white space"),
        ("q", "a\x00b", "holds a character"),
        ("\ufeffq", "a", "holds a character"),
        ("#q", "a", "holds a character"),
    ],
)
def test_ids_that_trec_cannot_hold(query: str, passage: str, reason: str, tmp_path: Path) -> None:
    run = Run.from_dict({query: {passage: 1.0, "b": 0.5}})
    export = write_trec_run(run, tmp_path / "run.trec")
    assert not export.written
    assert export.reason is not None
    assert reason in export.reason
    assert not (tmp_path / "run.trec").exists()
    write_parquet_run(run, tmp_path / "run.parquet")
    assert read_parquet_run(tmp_path / "run.parquet").to_dict() == run.to_dict()


def test_unused_ids_of_a_corpus_do_not_matter(tmp_path: Path) -> None:
    run = Run.from_dict({"q": {"a": 1.0}}, passages=Run.from_dict({"q": ["b c"]}).passages)
    assert write_trec_run(run, tmp_path / "run.trec").written


@pytest.mark.parametrize("case", CASES)
def test_parquet_gives_everything_back(case: str, tmp_path: Path) -> None:
    run = Run.from_dict(CASES[case][0], name="나의 run")
    write_parquet_run(run, tmp_path / "x.parquet")
    again = load_run(tmp_path / "x.parquet")
    assert again.name == run.name
    assert again.queries == run.queries
    assert again.depth == run.depth
    assert again.to_dict() == run.to_dict()
    assert (again.scores is None) == (run.scores is None)
    assert load_run(tmp_path / "x.parquet", name="other").name == "other"


def test_parquet_keeps_depth_and_duplicates(tmp_path: Path) -> None:
    queries, passages = Run.from_dict({"q": ["a"]}).queries, Run.from_dict({"q": ["a"]}).passages
    run = Run.make(queries, passages, [[0, 0, -1, -1]], name="r")
    write_parquet_run(run, tmp_path / "x.parquet")
    again = read_parquet_run(tmp_path / "x.parquet")
    assert (again.depth, again.duplicates) == (4, 1)


def test_lines_need_no_order_and_any_blanks(tmp_path: Path) -> None:
    path = tmp_path / "r.run"
    path.write_bytes(b" q1\tQ0 a  9 1.0 t\nq2 Q0 a 1 1 t \n\n# note\n\tq1 Q0 b 1 2e0 t more\n")
    expected = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
    assert load_run(path).to_dict() == expected
    path.write_bytes(b" q1\tQ0 a  9 1.0 t\n\nq2 Q0 a 1 1 t \n\tq1 Q0 b 1 2e0 t")
    assert load_run(path).to_dict() == expected
    assert load_run(path).name == "r"


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_packed_runs(suffix: str, tmp_path: Path) -> None:
    pack = gzip.compress if suffix == ".gz" else zstandard.compress
    path = tmp_path / f"bm25.trec{suffix}"
    path.write_bytes(pack(b"q Q0 a 1 1.5 t\n"))
    assert load_run(path).to_dict() == {"q": {"a": 1.5}}
    assert load_run(path).name == "bm25"
    path.write_bytes(pack(b"q Q0 a 1 1.5 t\n")[:-3])
    with pytest.raises(DataError, match="it ends in the middle"):
        load_run(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"q", ":2: 1 column where 6 are expected"),
        (b"q Q0 a 1 1.5", ":2: 5 columns where 6 are expected"),
        (b"q Q0 a b.pdf 1 1.5 t", ":2: 7 columns where 6 are expected: an id holds white space"),
        (b"q Q0 a 1 nan t", ":2: the score of passage 'a' for query 'q' is 'nan'"),
        (b"q Q0 a 1 inf t", ":2: the score of passage 'a' for query 'q' is 'inf'"),
        (b"q Q0 a 1 1e999 t", ":2: the score of passage 'a' for query 'q' is '1e999'"),
        (b"q Q0 a 1 high t", ":2: the score of passage 'a' for query 'q' is 'high'"),
        ("q Q0 a 1 \uff11 t".encode(), ":2: the score of passage 'a' for query 'q' is '\uff11'"),
        (b"q Q0 a 1 %s t" % (b"9" * 100_000), ":2: the score of passage 'a' for query 'q' is '99"),
        (b"q Q0 \xe9 1 1.5 t", ":2: the byte 0xE9 is not UTF-8"),
    ],
)
def test_broken_lines_are_named_and_nothing_is_loaded(
    line: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "r.trec"
    path.write_bytes(b"q Q0 z 1 9.5 t\n" + line + b"\nq Q0 y 1 0.5 t\n")
    with pytest.raises(DataError) as caught:
        load_run(path)
    (problem,) = caught.value.problems
    assert f"r.trec{said}" in str(problem)
    assert len(str(problem)) < 2_000


def test_a_bom_and_many_broken_lines(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    path.write_bytes(b"\xef\xbb\xbfq Q0 z 1 9.5 t\n" + b"x\n" * 40)
    with pytest.raises(DataError, match=r"r\.trec:2: 1 column") as caught:
        load_run(path)
    (problem,) = caught.value.problems
    assert "1 column where 6 are expected (the same in 40 rows)" in problem.what


def test_a_passage_named_twice(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    path.write_bytes(b"q Q0 a 1 2 t\nq Q0 b 2 1 t\nq Q0 a 3 0 t\n")
    run = load_run(path)
    assert run.to_dict() == {"q": {"a": 2.0, "b": 1.0}}
    assert run.duplicates == 1
    with pytest.raises(DataError, match="passage 'a' is returned twice"):
        load_run(path, strict=True)


def test_paths_that_are_no_runs(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_run(tmp_path / "none.trec")
    with pytest.raises(DataError, match="the folder holds no part of a run"):
        load_run(tmp_path)
    (tmp_path / "x.parquet").write_bytes(b"no")
    with pytest.raises(DataError, match="cannot be read as a Parquet run"):
        load_run(tmp_path / "x.parquet")


@pytest.mark.parametrize(
    ("name", "queries", "depth"),
    [
        ("trec_eval/results.test", 3, 500),
        ("trec_eval/results.trunc", 2, 500),
        ("trec_eval/results.comment.test.gz", 301, 100),
        ("anserini-cacm/run.cacm-bm25.txt", 64, 30),
        ("ir_measures/cwl.run", 3, 10),
        ("bm25s/cranfield.bm25s-lucene-k1.5-b0.75.top100.run", 225, 100),
    ],
)
def test_the_real_runs(name: str, queries: int, depth: int, conformance: Path) -> None:
    run = load_run(conformance / "runs" / name)
    assert (len(run), run.depth) == (queries, depth)


def test_a_real_run_whose_ids_hold_spaces_is_refused(conformance: Path) -> None:
    name = "autorag-ko-finance.bm25s-lucene-k1.5-b0.75.top100.run"
    with pytest.raises(DataError, match="an id holds white space"):
        load_run(conformance / "runs/bm25s" / name)
