"""How each evaluator is asked: a function from a run and judgments to the numbers it gives.

A number is under the name of the measure that it is; :mod:`ragscore.scoring.profiles` says with
which options. Nothing here imports a tool before it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.oracles.inputs import Feature

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, float]]
Numbers = dict[str, dict[str, float] | float]
"""By measure: a value by query, or the mean where a tool gives no more."""
K = 5


@dataclass(frozen=True)
class Tool:
    """One way to ask a tool.

    Attributes:
        profile: the profile that must give the same numbers.
        package: the distribution, for its version.
        module: what must be importable.
        ask: the run and the judgments to the tool's numbers.
        cannot: features of inputs that are left out, and why.
        within: how near the numbers must be.
        beside: distributions that the tool can be installed without, and that are asked here.
    """

    profile: str
    package: str
    module: str
    ask: Callable[[Run, Qrels], Numbers]
    cannot: dict[Feature, str]
    within: float = 1e-9
    beside: tuple[str, ...] = ()


def ranking(returned: dict[str, float]) -> list[str]:
    return sorted(returned, key=lambda passage: -returned[passage])


def relevant(judged: dict[str, float]) -> list[str]:
    return [passage for passage, grade in judged.items() if grade >= 1]


def by_query(
    run: Run, qrels: Qrels, one: Callable[[dict[str, float], dict[str, float]], dict[str, float]]
) -> Numbers:
    """What a function of one query says of all."""
    numbers: dict[str, dict[str, float]] = {}
    for query, judged in qrels.items():
        for measure, value in one(run[query], judged).items():
            numbers.setdefault(measure, {})[query] = float(value)
    return dict(numbers)


def _whole_grades(qrels: Qrels) -> dict[str, dict[str, int]]:
    return {q: {p: int(grade) for p, grade in judged.items()} for q, judged in qrels.items()}


def ask_pytrec_eval(run: Run, qrels: Qrels) -> Numbers:
    import pytrec_eval

    names = {
        "map": "AP", "map_cut_5": "AP@5", "recip_rank": "RR", "P_5": "P@5", "recall_5": "R@5",
        "ndcg": "nDCG", "ndcg_cut_5": "nDCG@5", "success_5": "Success@5", "Rprec": "Rprec",
        "bpref": "bpref", "infAP": "infAP", "num_rel_ret": "NumRelRet", "set_P": "SetP",
        "set_recall": "SetR", **{f"iprec_at_recall_0.{n}0": f"iprec@0.{n}" for n in range(1, 10)},
        "11pt_avg": "11pt", "set_F": "SetF", "set_relative_P": "SetP(denominator=min)",
        "relative_P_5": "P(denominator=min)@5", "Rprec_mult_0.40": "Rprec(multiple=0.4)",
        "num_ret": "NumRet", "num_rel": "NumRel", "map_cut_50": "AP@50", "P_50": "P@50",
        "recall_50": "R@50", "ndcg_cut_50": "nDCG@50",
    }  # fmt: skip
    asked = {"map", "map_cut.5,50", "recip_rank", "P.5,50", "recall.5,50", "ndcg", "Rprec", "bpref"}
    asked |= {"ndcg_cut.5,50", "success.5", "infAP", "num_ret", "num_rel", "num_rel_ret", "set_P"}
    asked |= {"set_recall", "set_F", "set_relative_P", "relative_P.5", "Rprec_mult", "11pt_avg"}
    evaluator = pytrec_eval.RelevanceEvaluator(_whole_grades(qrels), asked | {"iprec_at_recall"})
    found = evaluator.evaluate(run)
    return {
        ours: {query: float(values[theirs]) for query, values in found.items()}
        for theirs, ours in names.items()
    }


def _ask_ir_measures(run: Run, qrels: Qrels, names: Mapping[str, str]) -> Numbers:
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in names]
    numbers: dict[str, dict[str, float]] = {name: {} for name in names.values()}
    wanted = dict(zip(map(str, measures), names.values(), strict=True))
    for metric in ir_measures.iter_calc(measures, _whole_grades(qrels), run):
        numbers[wanted[str(metric.measure)]][metric.query_id] = float(metric.value)
    return dict(numbers)


def ask_ir_measures(run: Run, qrels: Qrels) -> Numbers:
    same = ("nDCG", "nDCG@5", "nDCG@50", "AP", "AP@5", "RR", "P@5", "P@50", "R@5", "Success@5")
    names = {
        **{name: name for name in (*same, "Rprec", "infAP", "SetP", "SetR", "SetF", "NumRet")},
        **{f"IPrec@0.{n}": f"iprec@0.{n}" for n in range(1, 10)}, "Bpref": "bpref",
        "AP(rel=2)": "AP(relevant_from=2)", "P(rel=2)@5": "P(relevant_from=2)@5",
        "NumRet(rel=1)": "NumRelRet", "SetP(relative=True)": "SetP(denominator=min)",
    }  # fmt: skip
    return _ask_ir_measures(run, qrels, names)


def ask_ir_measures_64(run: Run, qrels: Qrels) -> Numbers:
    names = {"RR@5": "RR@5", "Judged@5": "Judged@5", "Judged@50": "Judged@50"}
    rbp = {"RBP(rel=1)": "RBP", "RBP(rel=2)": "RBP(relevant_from=2)"}
    return _ask_ir_measures(run, qrels, names | rbp | {"RBP(p=0.5,rel=1)": "RBP(p=0.5)"})


def ask_ranx(run: Run, qrels: Qrels) -> Numbers:
    import ranx

    names = {
        "ndcg": "nDCG", "ndcg@5": "nDCG@5", "ndcg-l2@5": "nDCG(relevant_from=2)@5",
        "ndcg_burges@5": "nDCG(gain=exp)@5", "dcg@5": "DCG@5", "map": "AP", "map@5": "AP@5",
        "map-l2": "AP(relevant_from=2)", "mrr": "RR", "mrr@5": "RR@5", "precision@5": "P@5",
        "recall@5": "R@5", "f1@5": "F1@5", "hit_rate@5": "Success@5", "r-precision": "Rprec",
        "ndcg@50": "nDCG@50", "map@50": "AP@50", "precision@50": "P@50", "f1@50": "F1@50",
        "dcg_burges@5": "DCG(gain=exp)@5", "precision": "SetP", "recall": "SetR", "f1": "SetF",
    }  # fmt: skip
    theirs = ranx.Run(run)
    # ranx splits "-l2@5" as level "2@5": the level stands last.
    asked = [name.replace("-l2@5", "@5-l2") for name in names]
    ranx.evaluate(ranx.Qrels(_whole_grades(qrels)), theirs, asked, make_comparable=True)
    theirs.make_comparable(ranx.Qrels(_whole_grades(qrels)))
    return {
        ours: {query: float(value) for query, value in theirs.scores[name].items()}
        for name, ours in zip(asked, names.values(), strict=True)
    }


def ask_beir(run: Run, qrels: Qrels) -> Numbers:
    from beir.retrieval.evaluation import EvaluateRetrieval

    copied = {query: dict(returned) for query, returned in run.items()}
    found = EvaluateRetrieval.evaluate(_whole_grades(qrels), copied, [K, 10])
    names = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P"}
    numbers: Numbers = {}
    for table in found:
        for name, value in table.items():
            family, _, cutoff = name.partition("@")
            numbers[f"{names[family]}@{cutoff}"] = float(value)
    return numbers


def ask_beir_custom(run: Run, qrels: Qrels) -> Numbers:
    from beir.retrieval.evaluation import EvaluateRetrieval

    names = {"mrr": "RR@5", "r_cap": "R(denominator=min)@5", "acc": "Success@5"}
    return {
        ours: float(next(iter(EvaluateRetrieval.evaluate_custom(qrels, run, [K], theirs).values())))
        for theirs, ours in names.items()
    }


def _ask_torchmetrics(run: Run, qrels: Qrels, names: dict[str, str]) -> Numbers:
    import torch
    from torchmetrics.functional import retrieval

    def one(returned: dict[str, float], judged: dict[str, float]) -> dict[str, float]:
        # What did not come back has a score of 0, which torchmetrics takes for "not retrieved".
        passages = list(returned) + [passage for passage in judged if passage not in returned]
        scores = torch.tensor([returned.get(passage, 0.0) for passage in passages])
        grades = torch.tensor([int(judged.get(passage, 0)) for passage in passages])
        numbers = {}
        for theirs, ours in names.items():
            target = grades if "dcg" in theirs else (grades > 0).int()
            value = getattr(retrieval, f"retrieval_{theirs}")(scores, target, top_k=K)
            numbers[ours] = float(value)
        return numbers

    return by_query(run, qrels, one)


def ask_torchmetrics(run: Run, qrels: Qrels) -> Numbers:
    names = {
        "average_precision": "AP@5", "reciprocal_rank": "RR@5", "precision": "P@5",
        "recall": "R@5", "hit_rate": "Success@5", "normalized_dcg": "nDCG@5",
    }  # fmt: skip
    return _ask_torchmetrics(run, qrels, names)


def ask_torchmetrics_ties(run: Run, qrels: Qrels) -> Numbers:
    return _ask_torchmetrics(run, qrels, {"normalized_dcg": "nDCG@5"})


def _ask_sklearn(run: Run, qrels: Qrels, *, ties: bool) -> Numbers:
    from sklearn.metrics import average_precision_score, dcg_score, ndcg_score, roc_auc_score

    def one(returned: dict[str, float], judged: dict[str, float]) -> dict[str, float]:
        grades = [judged.get(passage, 0.0) for passage in returned]
        scores = list(returned.values())
        numbers = {f"nDCG@{k}": ndcg_score([grades], [scores], k=k) for k in (1, K, 10, 50)}
        if not ties:
            relevant_ones = [grade >= 1 for grade in grades]
            numbers["DCG@5"] = dcg_score([grades], [scores], k=K)
            numbers["AP"] = average_precision_score(relevant_ones, scores)
            numbers["AUC"] = roc_auc_score(relevant_ones, scores)
        return numbers

    return by_query(run, qrels, one)


def ask_sklearn(run: Run, qrels: Qrels) -> Numbers:
    return _ask_sklearn(run, qrels, ties=False)


def ask_sklearn_ties(run: Run, qrels: Qrels) -> Numbers:
    return _ask_sklearn(run, qrels, ties=True)
