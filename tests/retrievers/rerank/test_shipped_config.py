"""The reranker of configs/rerank.yaml brings up what a query names by number."""

from __future__ import annotations

from pathlib import Path

from ragscore import load_experiment, run_experiment

CONFIG = Path(__file__).resolve().parents[3] / "configs" / "rerank.yaml"


def test_named_sections_come_first(tmp_path: Path) -> None:
    experiment = load_experiment(CONFIG)
    numbers = experiment.retrievers["numbers"].changed(retriever="bm25")  # which needs no model
    retrievers = {"bm25": experiment.retrievers["bm25"], "numbers": numbers}
    update = {"latency": False, "report": False, "retrievers": retrievers}
    result = run_experiment(experiment.model_copy(update=update), output=tmp_path / "result")
    assert not result.failures
    (panel,) = result
    assert panel.losses["numbers"].counts()["lost"] == 0
    means = result.to_dict()["harbour-tenancy"]
    assert means["numbers"]["R@50"] == means["bm25"]["R@50"]
    ranked = result.runs["harbour-tenancy", "numbers"].to_dict()
    assert panel.data is not None
    queries = panel.data.queries
    texts = dict(zip(queries.ids, queries.texts, strict=True))
    named = next(query for query, text in texts.items() if "TC0603" in text)
    assert next(iter(ranked[named])) == "TC-6.3"
