"""Experiments whose ground truth names units: scored, recorded, opened again, reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import BM25, Fusion, compare, evaluate, make_report, open_result, tune
from ragscore.chunking import CharacterChunker
from ragscore.dataset import Dataset
from ragscore.names import Language
from ragscore.report.explorer.rankings import rankings
from ragscore.results import Result
from ragscore.scoring import score
from tests.factories.harbour_documents import DOCUMENTS, QUESTIONS

WORDS = ("rent", "cat", "key", "quay", "noon", "fee")
MEASURES = ["nDCG@3", "R@3", "P@3", "AP"]


def rows() -> list[dict[str, Any]]:
    made = np.random.default_rng(3)
    return [
        {
            "id": f"p{row:02}",
            "text": " ".join(made.choice(WORDS, size=4)),
            "metadata": {"page": f"page-{row % 8}"},
        }
        for row in range(24)
    ]


QUERIES = {f"q{at}": f"{word} {WORDS[at - 1]}" for at, word in enumerate(WORDS)}
TRUTH = {query: {f"page-{at}": 2, f"page-{at + 1}": 1} for at, query in enumerate(QUERIES)}
RETRIEVERS = {
    "bm25": BM25(),
    "flat": BM25(b=0.0),
    "both": Fusion(retrievers=("bm25", "flat")),
}


def best(returned: dict[str, float], unit_of: Callable[[str], str]) -> dict[str, float]:
    """The best score of any passage of each unit."""
    found: dict[str, float] = {}
    for passage, value in returned.items():
        found[unit_of(passage)] = max(value, found.get(unit_of(passage), -np.inf))
    return found


def result_of(cutoff: str) -> Result:
    unit = {"field": "page", "cutoff": cutoff}
    data = Dataset.from_rows(rows(), QUERIES, TRUTH, unit=unit, name="pages")
    return evaluate(data, RETRIEVERS, MEASURES, depth=20)


@pytest.fixture(scope="module", params=["units", "passages"])
def result(request: pytest.FixtureRequest) -> Result:
    return result_of(request.param)


def test_scores_are_those_of_the_recorded_runs(result: Result) -> None:
    data = result.dataset("pages")
    for name in RETRIEVERS:
        run = result.run("pages", name)
        (entry,) = score(run, data, MEASURES, depth=20).entries
        np.testing.assert_array_equal(entry.values, result.scores["pages", name].values)
    if data.qrels.units.unit.cutoff == "units":
        page = {row["id"]: row["metadata"]["page"] for row in rows()}
        found = result.run("pages", "bm25").to_dict()
        by_hand = {query: best(returned, page.__getitem__) for query, returned in found.items()}
        (entry,) = score(by_hand, TRUTH, ["R@3"]).entries
        assert entry.per_query("R@3") == result.scores["pages", "bm25"].per_query("R@3")


def test_the_choice_is_noted_and_the_result_opens_again(result: Result, tmp_path: Path) -> None:
    cutoff = result.dataset("pages").qrels.units.unit.cutoff
    assert any(f"cutoff: {cutoff}" in str(note) for note in result.manifest.notes)
    result.save(tmp_path / "folder")
    opened = open_result(tmp_path / "folder")
    units = opened.dataset("pages").qrels.units
    assert units is not None
    assert units.unit.cutoff == cutoff
    assert opened.dataset("pages").digest == result.dataset("pages").digest
    assert opened["pages"].causes.counts("bm25") == result["pages"].causes.counts("bm25")


def test_the_explorer_ranks_units_and_shows_their_passages(result: Result) -> None:
    panel = result["pages"]
    made = rankings(panel)
    page = {row["id"]: row["metadata"]["page"] for row in rows()}
    corpus = panel.data.corpus
    for row, unit in enumerate(made.vocabulary):
        for passage in made.texts_of(row):
            assert unit in (page[corpus.ids[passage]], corpus.ids[passage])
    for name, run in made.runs.items():
        assert all(len(set(ids)) == len(ids) for ids in run.to_dict().values()), name
        found = result.scores["pages", name].per_query("R@3")
        for at, query in enumerate(made.queries):
            here = slice(made.indptr[at], made.indptr[at + 1])
            ranks = made.ranks[name][here]
            assert ((ranks > 0) & (ranks <= 3)).sum() / len(ranks) == found[query]


@pytest.mark.parametrize("cutoff", ["units", "passages"])
def test_a_unit_that_is_the_passage_is_compared_and_tuned_alike(cutoff: str) -> None:
    passages = [{**row, "metadata": {"page": row["id"]}} for row in rows()]
    truth = {query: {f"p{at:02}": 2, f"p{at + 8:02}": 1} for at, query in enumerate(QUERIES)}
    flat = Dataset.from_rows(passages, QUERIES, truth, name="pages")
    unit = {"field": "page", "cutoff": cutoff}
    same = Dataset.from_rows(passages, QUERIES, truth, name="pages", unit=unit)
    found = []
    for data in (flat, same):
        result = evaluate(data, RETRIEVERS, MEASURES, depth=20)
        panel = result["pages"]
        compared = compare(result).to_dict()
        tuned = [tuning.to_dict() for tuning in result.tune(rule="best_f")]
        outcomes = {name: lost.counts() for name, lost in panel.losses.items()}
        causes = {name: panel.causes.counts(name) for name in RETRIEVERS}
        found.append((compared["datasets"], tuned, outcomes, panel.overlap, panel.ceilings, causes))
    for one, other in zip(*found, strict=True):
        np.testing.assert_equal(one, other)


def test_overlap_losses_tuning_and_comparison_count_units(result: Result) -> None:
    panel = result["pages"]
    mean = {name: result.scores["pages", name].per_query("R@3") for name in RETRIEVERS}
    for pair in panel.overlap:
        assert 0 <= pair.jaccard <= 1
        assert pair.union_recall >= max(pair.recall_first, pair.recall_second)
    lost = panel.losses["both"]
    assert set(lost.passages) <= {f"page-{at}" for at in range(8)}
    kept = np.bincount(lost.query, weights=(lost.rank > 0) & (lost.rank <= 3), minlength=6) / 2
    if lost.k == 3:
        np.testing.assert_allclose(kept, list(mean["both"].values()))
    tuned = tune(result.run("pages", "bm25"), result.dataset("pages"), rule="best_f")
    assert tuned is not None
    assert compare(result) is not None


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_report_names_what_is_judged_and_what_cutoffs_count(
    result: Result, language: Language
) -> None:
    cutoff = result.dataset("pages").qrels.units.unit.cutoff
    text = make_report(result, language=language).text(width=400)
    says = {
        ("en", "units"): ("relevant units (page)", "returned units (page)", "count units (page)"),
        ("en", "passages"): ("relevant units (page)", "returned passages", "count passages"),
        ("ko", "units"): (
            "적합한 page 단위",
            "검색된 page 단위",
            "page 단위를 셉니다",
        ),
        ("ko", "passages"): ("적합한 page 단위", "검색된 패시지", "에서는 패시지를 셉니다"),
    }
    for part in (*says[language, cutoff], f"(cutoff: {cutoff})"):
        assert part in text


def test_ground_truth_of_documents_holds_for_every_chunker() -> None:
    ids = [document["id"] for document in DOCUMENTS]
    truth = {query: [ids[at % len(ids)]] for at, query in enumerate(QUESTIONS)}
    data = Dataset.from_rows(
        None, QUESTIONS, truth, documents=DOCUMENTS, unit="metadata.document", name="harbour"
    )
    retrievers = {
        str(size): BM25(chunk=CharacterChunker(size=size, overlap=10)) for size in (60, 150)
    }
    found = evaluate(data, retrievers, ["RR", "R@2"], depth=10)
    for name in retrievers:
        chunks = found.run("harbour", name).to_dict()
        by_hand = {
            query: best(returned, lambda chunk: chunk.rsplit(":", 1)[0])
            for query, returned in chunks.items()
        }
        (entry,) = score(by_hand, truth, ["RR"]).entries
        assert entry.per_query("RR") == found.scores["harbour", name].per_query("RR")
