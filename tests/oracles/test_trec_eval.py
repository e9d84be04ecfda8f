"""trec_eval's own expected outputs, line for line, and pytrec_eval on real collections."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragscore import load_dataset, load_run
from ragscore.dataset import Qrels
from ragscore.formats import load_qrels
from ragscore.measures.trec_names import MISSING, Line, lines
from ragscore.run import Run
from ragscore.scoring import score

pytrec_eval = pytest.importorskip("pytrec_eval")

PARAMETERS = (
    *("iprec_at_recall..10,.20,.25,.75,.50", "P.5,7,3", "recall.20,2000"),
    *("Rprec_mult.5.0,0.2,0.35", "11pt_avg..25,.5,.75", "ndcg.1=3,2=9,4=4.5"),
    *("ndcg_cut.10,20,23.4", "success.2,5,20"),
)


def lacking(name: str) -> bool:
    """A line of a measure that ragscore does not have."""
    return any(name == other or name.startswith(f"{other}_") for other in MISSING)


def printed(
    run: Run, qrels: Qrels, asked: tuple[Line, ...], *, per_query: bool, relevant_from: float = 1
) -> list[tuple[str, ...]]:
    """What trec_eval prints, as (name, query, number)."""
    measures = {
        line: line.measure.with_relevant_from(relevant_from)
        for line in asked
        if line.measure is not None
    }
    entry = score(run, qrels, measures.values()).entries[0]
    told = {"runid": "STANDARD", "num_q": str(len(entry.query_ids))}
    found = [
        (line.name, query, line.printed(entry.per_query(measures[line])[query]))
        for query in (entry.query_ids if per_query else ())
        for line in asked
        if not line.summary_only
    ]
    return found + [
        (line.name, "all", line.printed(entry.mean(measures[line])))
        if line.measure is not None
        else (line.name, "all", told[line.name])
        for line in asked
    ]


@pytest.mark.parametrize(
    ("wanted_name", "run_name", "asked", "depth", "at_least"),
    [
        ("out.test", "results.test", ("official",), None, 30),
        ("out.test.a", "results.test", ("all_trec",), None, 89),
        ("out.test.aq", "results.test", ("all_trec",), None, 347),
        ("out.test.aqc", "results.trunc", ("all_trec",), None, 347),
        ("out.test.aqcM", "results.trunc", ("all_trec",), 100, 347),
        ("out.test.meas_params", "results.test", PARAMETERS, None, 84),
    ],
)
def test_expected_output_line_for_line(
    conformance: Path,
    wanted_name: str,
    run_name: str,
    asked: tuple[str, ...],
    depth: int | None,
    at_least: int,
) -> None:
    folder = conformance / "runs" / "trec_eval"
    run = load_run(folder / run_name, format="trec")
    run = run if depth is None else run.cut(depth)
    qrels = load_qrels(folder / "qrels.test")
    text = (folder / wanted_name).read_text(encoding="utf-8")
    wanted = [tuple(line.split()) for line in text.splitlines() if line]
    wanted = [fields for fields in wanted if not lacking(fields[0])]
    per_query = len({query for _, query, _ in wanted}) > 1
    found = printed(run, qrels, lines(asked), per_query=per_query)
    assert found == wanted
    assert len(found) >= at_least


def test_expected_output_with_a_higher_relevance_level(conformance: Path) -> None:
    folder = conformance / "runs" / "trec_eval"
    run = load_run(folder / "results.test", format="trec")
    qrels = load_qrels(folder / "qrels.rel_level")
    text = (folder / "out.test.aql").read_text(encoding="utf-8")
    wanted = [tuple(line.split()) for line in text.splitlines() if line]
    # Its rbp lines read uninitialised memory: no reference.
    wanted = [f for f in wanted if not lacking(f[0]) and f[0] != "rbp"]
    asked = tuple(line for line in lines(["all_trec"]) if line.name != "rbp")
    found = printed(run, qrels, asked, per_query=True, relevant_from=2)
    assert found == wanted
    assert len(found) > 340


def test_a_commented_run_and_qrels(conformance: Path) -> None:
    folder = conformance / "runs" / "trec_eval"
    text = (folder / "out.comment.test").read_text(encoding="utf-8")
    wanted = [tuple(line.split()) for line in text.splitlines() if line][1:]
    run = load_run(folder / "results.comment.test.gz", format="trec")
    qrels = load_qrels(folder / "qrels.comment.test")
    found = printed(run, qrels, lines(), per_query=False)[1:]
    assert found == wanted


def test_several_judges_are_the_mean_of_each_by_itself(conformance: Path) -> None:
    folder = conformance / "runs" / "trec_eval"
    run = load_run(folder / "results.test", format="trec")
    judges: dict[str, dict[str, dict[str, float]]] = {}
    for line in (folder / "qrels.123").read_text(encoding="utf-8").splitlines():
        query, judge, passage, grade = line.split()
        judges.setdefault(judge, {}).setdefault(query, {})[passage] = float(grade)
    assert len(judges) == 3
    asked = lines(["map", "P", "Rprec_mult"])
    measures = [line.measure for line in asked if line.measure is not None]
    parts = [score(run, graded, measures).entries[0] for graded in judges.values()]
    text = (folder / "out.test.qrels_jg").read_text(encoding="utf-8")
    compared = 0
    for name, query, number in (line.split() for line in text.splitlines() if line):
        if "_avgjg" in name:
            at = [line.name for line in asked].index(name.replace("_avgjg", ""))
            by_judge = [part.per_query(measures[at]) for part in parts]
            means = {q: np.mean([values[q] for values in by_judge]) for q in by_judge[0]}
            value = np.mean(list(means.values())) if query == "all" else means[query]
            assert f"{value:.4f}" == number, (name, query)
            compared += 1
    assert compared == 80


SHARED = (
    *("map", "gm_map", "Rprec", "bpref", "recip_rank", "infAP", "gm_bpref", "ndcg", "ndcg_cut"),
    *("P", "recall", "map_cut", "relative_P", "success", "set_P", "set_recall", "set_F"),
    *("set_relative_P", "Rprec_mult", "num_ret", "num_rel", "num_rel_ret", "iprec_at_recall"),
    *("11pt_avg", "ndcg_cut.1,2,3,50", "P.1,2,3,50", "recall.1,2,3", "map_cut.1,2,3"),
)


@pytest.mark.parametrize(
    ("run_path", "qrels_path"),
    [
        ("bm25s/cranfield.bm25s-lucene-k1.5-b0.75.top100.run", "collections/cranfield"),
        ("anserini-cacm/run.cacm-bm25.txt", "anserini-cacm/qrels.cacm.raw.txt"),
    ],
)
@pytest.mark.parametrize("relevant_from", [1, 2])
def test_pytrec_eval(conformance: Path, run_path: str, qrels_path: str, relevant_from: int) -> None:
    run = load_run(conformance / "runs" / run_path, format="trec")
    folder = conformance / qrels_path
    if folder.is_dir():
        qrels = load_dataset(folder).qrels
    else:
        qrels = load_qrels(conformance / "runs" / qrels_path)
    if relevant_from > float(qrels.grades.max()):
        pytest.skip("the collection has no such grade")
    judged = {
        query: {passage: int(grade) for passage, grade in graded.items()}
        for query, graded in qrels.to_dict().items()
    }
    asked = {
        line.name: line.measure.with_relevant_from(relevant_from)
        for line in lines(SHARED)
        if line.measure is not None
    }
    older = {
        # pytrec_eval holds trec_eval 9, which rounds in another way.
        name: measure.model_copy(update={"rounding": "trec9"})
        if hasattr(measure, "rounding")
        else measure
        for name, measure in asked.items()
    }
    evaluator = pytrec_eval.RelevanceEvaluator(judged, set(SHARED), relevance_level=relevant_from)
    theirs = evaluator.evaluate(run.to_dict())
    assert len(theirs) > 30
    entry = score(run, qrels, older.values()).entries[0]
    for name, measure in older.items():
        ours = entry.per_query(measure)
        found = np.array([ours[query] for query in theirs])
        wanted = np.array([values[name] for values in theirs.values()])
        if name.startswith("gm_"):
            wanted = np.maximum(np.exp(wanted), 0.00001)
            found = np.maximum(found, 0.00001)
        np.testing.assert_allclose(found, wanted, atol=1e-9, rtol=0, err_msg=name)


def test_anserini_cacm(conformance: Path) -> None:
    folder = conformance / "runs" / "anserini-cacm"
    run = load_run(folder / "run.cacm-bm25.txt", format="trec")
    scores = score(run, load_qrels(folder / "qrels.cacm.raw.txt"), ["P@30"])
    assert f"{scores.entries[0].means[0]:.4f}" == "0.1942"
