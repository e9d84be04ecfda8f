"""How the libraries that measure beside their work are asked: for RAG, and recommenders.

Like :mod:`benchmarks.oracles.tools`: a function from a run and judgments to numbers by measure.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.oracles.tools import K, Numbers, Qrels, Run, by_query, ranking, relevant


@cache
def _autorag() -> tuple[ModuleType, ModuleType]:
    """AutoRAG's metrics without its package's own start, which imports every model there is."""
    from importlib import import_module, util

    found = util.find_spec("autorag")
    assert found is not None
    assert found.submodule_search_locations is not None
    root = Path(found.submodule_search_locations[0])
    for name in ("autorag", "autorag.evaluation", "autorag.evaluation.metric"):
        if name not in sys.modules:
            shell = ModuleType(name)
            shell.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
            shell.__spec__ = util.spec_from_loader(name, None, is_package=True)
            sys.modules[name] = shell
    return (
        import_module("autorag.evaluation.metric.retrieval"),
        import_module("autorag.schema.metricinput"),
    )


def _ask_autorag(run: Run, qrels: Qrels, names: dict[str, str], *, one_group: bool) -> Numbers:
    metric, schema = _autorag()

    def one(returned: dict[str, float], judged: dict[str, float]) -> dict[str, float]:
        ids = relevant(judged)
        truth = [ids] if one_group else [[passage] for passage in ids]
        given = schema.MetricInput(retrieval_gt=truth, retrieved_ids=ranking(returned)[:K])
        return {
            ours: getattr(metric, f"retrieval_{theirs}")([given])[0]
            for theirs, ours in names.items()
        }

    return by_query(run, qrels, one)


def ask_autorag(run: Run, qrels: Qrels) -> Numbers:
    names = {"precision": "P@5", "map": "AP@5", "mrr": "RR@5", "recall": "Success@5"}
    return _ask_autorag(run, qrels, names, one_group=True)


def ask_autorag_groups(run: Run, qrels: Qrels) -> Numbers:
    names = {"precision": "P@5", "recall": "R@5", "f1": "F1@5", "ndcg": "nDCG@5"}
    return _ask_autorag(run, qrels, names, one_group=False)


def ask_llamaindex(run: Run, qrels: Qrels) -> Numbers:
    from llama_index.core.evaluation.retrieval import metrics

    names = {
        "HitRate": "Success@5", "MRR": "RR@5", "Precision": "P@5", "Recall": "R@5",
        "AveragePrecision": "AP@5", "NDCG": "nDCG@5",
    }  # fmt: skip

    def one(returned: dict[str, float], judged: dict[str, float]) -> dict[str, float]:
        ids = {"expected_ids": relevant(judged), "retrieved_ids": ranking(returned)[:K]}
        return {
            ours: getattr(metrics, theirs)().compute(**ids).score for theirs, ours in names.items()
        }

    return by_query(run, qrels, one)


def ask_implicit(run: Run, qrels: Qrels) -> Numbers:
    import numpy as np
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    queries = list(qrels)
    vocabulary = sorted({p for table in (run, qrels) for ids in table.values() for p in ids})
    number = {passage: at for at, passage in enumerate(vocabulary)}
    liked = np.zeros((len(queries), len(vocabulary)))
    for at, query in enumerate(queries):
        liked[at, [number[passage] for passage in relevant(qrels[query])]] = 1
    tested = csr_matrix(liked)

    class Recorded:
        """Recommends what the run holds."""

        def recommend(self, users: Any, _: Any, **options: Any) -> Any:
            ids = [
                [number[passage] for passage in ranking(run[queries[user]])[: options["N"]]]
                for user in users
            ]
            return np.array(ids, dtype=np.int32), np.ones((len(ids), options["N"]))

    found = ranking_metrics_at_k(Recorded(), tested, tested, K=K, show_progress=False)
    names = {"precision": "P@5", "map": "AP@5", "ndcg": "nDCG@5"}
    return {ours: float(found[theirs]) for theirs, ours in names.items()}


def _recommenders(run: Run, qrels: Qrels, names: dict[str, str]) -> Numbers:
    import pandas
    from recommenders.evaluation import python_evaluation

    truth = [(q, p, g) for q, judged in qrels.items() for p, g in judged.items() if g >= 1]
    found = [(q, p, s) for q, returned in run.items() for p, s in returned.items()]
    options = {"col_user": "q", "col_item": "p", "col_rating": "g", "col_prediction": "s", "k": K}
    tables = [
        pandas.DataFrame(rows, columns=columns)
        for rows, columns in ((truth, list("qpg")), (found, list("qps")))
    ]
    return {
        ours: float(getattr(python_evaluation, theirs)(*tables, **options))
        for theirs, ours in names.items()
    }


def ask_recommenders(run: Run, qrels: Qrels) -> Numbers:
    names = {"precision_at_k": "P@5", "recall_at_k": "R@5", "map_at_k": "AP@5"}
    return _recommenders(run, qrels, names)


def ask_recommenders_ndcg(run: Run, qrels: Qrels) -> Numbers:
    return _recommenders(run, qrels, {"ndcg_at_k": "nDCG@5", "map": "AP(denominator=R)@5"})
