"""Real collections: what is said is what score() and plain Python find."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragscore import evaluate, load_dataset
from ragscore.dataset import Dataset
from ragscore.retrievers import BM25
from ragscore.run import Run
from ragscore.tuning import Budget, TuneOptions, tune
from tests.stats.one_column import wilson


def searched(folder: Path, depth: int, **options: object) -> tuple[Run, Dataset]:
    dataset = load_dataset(folder)
    result = evaluate(dataset, {"bm25": BM25(**options)}, ["R@10"], depth=depth)
    return result.runs[dataset.name, "bm25"], dataset


def test_xquad_has_one_passage_a_question(conformance: Path) -> None:
    run, dataset = searched(conformance / "collections" / "xquad-en", 20)
    tuning = tune(run, dataset, TuneOptions(rule="recall", target=0.98, confident=True))
    judged = dataset.qrels.to_dict()
    hits = [
        sum(
            bool(set(list(found)[:k]) & judged[query].keys())
            for query, found in run.to_dict().items()
        )
        for k in range(1, 21)
    ]
    lows = [wilson(count, 1190).low for count in hits]
    assert tuning.queries == 1190
    assert tuning.k == 1 + next(at for at, low in enumerate(lows) if low >= 0.98)
    band = tuning.curves[tuning.recall]
    assert band.mean == pytest.approx(np.array(hits) / 1190, abs=1e-12)
    assert band.low == pytest.approx(lows, abs=1e-12)
    precision = tuning.curves[tuning.precision]
    assert precision.low == pytest.approx(band.low / np.arange(1, 21), abs=1e-12)


def test_korean_contexts_in_characters(conformance: Path) -> None:
    folder = conformance / "collections" / "autorag-ko-finance"
    run, dataset = searched(folder, 10, tokenizer={"kind": "words"})
    budget = Budget(unit="characters", limit=3_000)
    tuning = tune(run, dataset, TuneOptions(rule="budget", budget=budget))
    assert dataset.corpus is not None
    text_of = dict(zip(dataset.corpus.ids, dataset.corpus.texts, strict=True))
    judged = dataset.qrels.to_dict()
    values = np.zeros((len(judged), 10))
    for at, (query, relevant) in enumerate(judged.items()):
        inside: list[str] = []
        for passage in run.to_dict()[query]:
            if sum(len(text_of[one]) for one in [*inside, passage]) > 3_000:
                break
            inside.append(passage)
        for k in range(1, 11):
            values[at, k - 1] = len(set(inside[:k]) & relevant.keys()) / len(relevant)
    band = tuning.curves[tuning.recall]
    assert band.mean == pytest.approx(values.mean(axis=0), abs=1e-12)
    assert tuning.k == 1 + int(np.argmax(values.mean(axis=0)))
    assert str(tuning.rule) == "smallest k with the highest recall within 3,000 characters"
