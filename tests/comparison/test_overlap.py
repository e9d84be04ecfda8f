"""Overlap of runs against plain Python written from the paper, and values by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ragscore.comparison.overlap import overlaps
from ragscore.dataset import Chunks, Dataset, Ids, Qrels
from ragscore.errors import ConfigError, DataError
from ragscore.run import Run
from ragscore.run.rank_overlap import Places, rank_biased_overlap
from ragscore.scoring import Scores, score


def rbo(first: Run, second: Run, p: float = 0.9) -> np.ndarray:
    depth = max(first.depth, second.depth)
    places = [Places.of(run, slice(None), depth) for run in (first, second)]
    return rank_biased_overlap(places[0].shared(places[1]), p)


def equation_32(one: list[str], other: list[str], p: float) -> float:
    """RBO_ext of Webber, Moffat and Zobel (2010), equation (32), term by term; no ties."""
    short, long = sorted((one, other), key=len)
    s, n = len(short), len(long)
    overlap = {d: len(set(short[:d]) & set(long[:d])) for d in range(1, n + 1)}
    total = sum(overlap[d] / d * p**d for d in range(1, n + 1))
    total += sum(overlap[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    tail = ((overlap[n] - overlap[s]) / n + overlap[s] / s) * p**n
    return (1 - p) / p * total + tail


def by_definition(one: dict[str, float], other: dict[str, float], p: float) -> float:
    """With ties: all tied items stand at the first rank of their group; summed to rank 2000."""

    def rank(scores: dict[str, float]) -> dict[str, int]:
        return {i: 1 + sum(other > s for other in scores.values()) for i, s in scores.items()}

    ranks = [rank(one), rank(other)]
    short, long = sorted((len(one), len(other)))

    def agreement(d: int) -> float:
        sets = [{item for item, place in listed.items() if place <= d} for listed in ranks]
        overlap = float(len(sets[0] & sets[1]))
        sizes = sum(max(len(found), d) for found in sets)
        if d > short:
            overlap += (d - short) * (agreement(short) if short else 0.0)
        return 2 * overlap / sizes

    return sum((1 - p) * p ** (d - 1) * agreement(min(d, long)) for d in range(1, 2001))


def one_query(*ids: str) -> Run:
    return Run.from_dict({"q": list(ids)}, passages=Ids("abcdefghij"))


@pytest.mark.parametrize(
    ("first", "second", "p", "value"),
    [
        ("abc", "abc", 0.9, 1.0),
        ("abc", "def", 0.9, 0.0),
        # Agreement 1, 1/2, 1: .1 (1 + .45 + .81) + .729.
        ("abc", "acb", 0.9, 0.955),
        # Agreement 0, 1, 1 ...: all but the first rank's weight.
        ("ab", "ba", 0.5, 0.5),
        # The short list's one item agrees, so its unseen ones are taken to.
        ("a", "abcd", 0.9, 1.0),
        # Agreement 0, then (0 + 0) / 2 and (1 + 0) / 3: .5 * .25 / 3 + .125 / 3.
        ("c", "abc", 0.5, 0.5 * 0.25 / 3 + 0.125 / 3),
        ("", "abc", 0.9, 0.0),
    ],
)
def test_rbo_by_hand(first: str, second: str, p: float, value: float) -> None:
    assert rbo(one_query(*first), one_query(*second), p)[0] == pytest.approx(value, abs=1e-12)
    assert rbo(one_query(*second), one_query(*first), p)[0] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("p", [0.5, 0.9, 0.98])
def test_rbo_is_the_papers_equation(p: float) -> None:
    rng = np.random.default_rng(5)
    ids = [f"p{number}" for number in range(40)]
    lists = [
        {f"q{q}": rng.permutation(ids)[: rng.integers(1, 30)].tolist() for q in range(60)}
        for _ in range(2)
    ]
    runs = [Run.from_dict(returned, passages=Ids(ids)) for returned in lists]
    expected = [equation_32(lists[0][q], lists[1][q], p) for q in lists[0]]
    np.testing.assert_allclose(rbo(runs[0], runs[1], p), expected, atol=1e-12)


@pytest.mark.slow
def test_rbo_with_ties_is_its_definition() -> None:
    rng = np.random.default_rng(6)
    ids = [f"p{number}" for number in range(30)]

    def scores() -> dict[str, float]:
        chosen = rng.permutation(ids)[: rng.integers(0, 20)].tolist()
        return {item: float(rng.integers(0, 6)) for item in chosen}

    dicts = [{f"q{q}": scores() for q in range(60)} for _ in range(2)]
    runs = [Run.from_dict(returned, passages=Ids(ids)) for returned in dicts]
    expected = [
        by_definition(dicts[0][q], dicts[1][q], 0.9) if dicts[0][q] or dicts[1][q] else np.nan
        for q in dicts[0]
    ]
    np.testing.assert_allclose(rbo(runs[0], runs[1]), expected, atol=1e-12)


def test_the_first_ten_ranks_carry_86_percent() -> None:
    # Webber, Moffat and Zobel, section 4.4: the same ten on top, nothing in common below.
    top, others = [f"top{number}" for number in range(10)], [f"p{number}" for number in range(980)]
    vocabulary = Ids([*top, *others])
    one, other = (
        Run.from_dict({"q": [*top, *others[part::2]]}, passages=vocabulary) for part in (0, 1)
    )
    assert rbo(one, other)[0] == pytest.approx(0.8556, abs=5e-5)


def test_ties_listed_by_id_do_not_make_rankings_alike() -> None:
    tied = Run.from_dict({"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}})
    same = rbo(tied, tied)
    ordered = Run.from_dict({"q": ["d", "c", "b", "a"]}, passages=tied.passages)
    assert same[0] == pytest.approx(1.0)
    assert rbo(tied, ordered)[0] < 1.0


def test_a_query_for_which_neither_returned_anything_is_not_compared() -> None:
    runs = [
        Run.from_dict({"q1": ["a"], "q2": []}, name="one"),
        Run.from_dict({"q1": ["a"], "q2": []}, name="other"),
    ]
    (pair,) = overlaps(runs)
    assert (pair.queries, pair.compared, pair.jaccard, pair.rbo) == (2, 1, 1.0, 1.0)
    assert pair.union_recall is None
    (nothing,) = overlaps([run.for_queries(Ids(["q2"])) for run in runs])
    assert (nothing.compared, nothing.jaccard, nothing.rbo) == (0, None, None)


def random_runs(n_queries: int = 40) -> tuple[list[Run], Qrels]:
    """Three runs over vocabularies of their own, of different queries and lengths; judgments."""
    rng = np.random.default_rng(7)
    ids = [f"p{number}" for number in range(50)]
    runs = []
    for name in ("one", "two", "three"):
        returned = {
            f"q{q}": {
                item: float(rng.integers(0, 30))
                for item in rng.permutation(ids)[: rng.integers(0, 25)].tolist()
            }
            for q in rng.permutation(n_queries)[: n_queries - 3].tolist()
        }
        runs.append(Run.from_dict(returned, name=name))
    judged = {
        f"q{q}": {
            item: float(rng.integers(0, 3))
            for item in rng.permutation(ids)[: rng.integers(1, 15)].tolist()
        }
        for q in range(2, n_queries + 2)
    }
    return runs, Qrels.from_dict(judged)


def joined(runs: list[Run], qrels: Qrels, measures: list[str]) -> Scores:
    return Scores.joined(score(run, qrels, measures) for run in runs)


def test_recalls_jaccard_and_oracle_against_plain_python() -> None:
    runs, qrels = random_runs()
    scores = joined(runs, qrels, ["R@5", "nDCG@10", "RR"])
    result = overlaps(runs, qrels, scores, k=5)
    assert [(pair.first, pair.second) for pair in result] == [
        ("one", "two"), ("one", "three"), ("two", "three"),
    ]  # fmt: skip
    judged = {
        q: {item for item, grade in grades.items() if grade >= 1}
        for q, grades in qrels.to_dict().items()
    }
    tops = {run.name: {q: list(found)[:5] for q, found in run.to_dict().items()} for run in runs}
    for pair in result:
        union, alike = [], []
        for q, relevant in judged.items():
            one, other = (set(tops[name].get(q, ())) for name in (pair.first, pair.second))
            union.append(len(relevant & (one | other)) / len(relevant) if relevant else 0.0)
            if one or other:
                alike.append(len(one & other) / len(one | other))
        assert pair.queries == len(judged)
        assert pair.compared == len(alike)
        assert pair.union_recall == pytest.approx(np.mean(union), abs=1e-12)
        assert pair.jaccard == pytest.approx(np.mean(alike), abs=1e-12)
        # The recalls are R@5's.
        assert pair.recall_first == pytest.approx(scores[pair.first].mean("R@5"), abs=1e-12)
        assert pair.recall_second == pytest.approx(scores[pair.second].mean("R@5"), abs=1e-12)
        for best in pair.best_of:
            values = [scores[name].per_query(best.measure) for name in (pair.first, pair.second)]
            expected = np.mean([max(values[0][q], values[1][q]) for q in values[0]])
            assert best.oracle == pytest.approx(expected, abs=1e-12)
            assert best.n == len(judged)


def test_recalls_count_needs_where_passages_share_them() -> None:
    """Of alternatives that two runs return one counts, and a passage may cover several needs."""
    drawn, passages = np.random.default_rng(7), [f"p{at}" for at in range(12)]
    needs = {
        f"q{query}": [
            {str(passage): 1.0 for passage in drawn.choice(passages, 3, replace=False)}
            for _ in range(drawn.integers(1, 5))
        ]
        for query in range(20)
    }
    rows = [{"query_id": query, "needs": wanted} for query, wanted in needs.items()]
    data = Dataset.from_rows(dict.fromkeys(passages, "text"), dict.fromkeys(needs, "text"), rows)
    runs = [
        Run.from_dict(
            {query: list(map(str, drawn.permutation(passages)[:6])) for query in needs}, name=name
        )
        for name in ("one", "two")
    ]
    (pair,) = overlaps(runs, data.qrels, joined(runs, data.qrels, ["R@4"]), k=4)
    tops = [{query: set(list(found)[:4]) for query, found in run.to_dict().items()} for run in runs]
    tops.append({query: tops[0][query] | tops[1][query] for query in needs})
    wanted = [
        np.mean(
            [np.mean([bool(top[query] & set(need)) for need in needs[query]]) for query in needs]
        )
        for top in tops
    ]
    found = [pair.recall_first, pair.recall_second, pair.union_recall]
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_chunks_of_two_runs_may_cover_a_need_together() -> None:
    rows = [{"query_id": "q", "evidence": [{"document": "d", "quote": "Rent is due monthly."}]}]
    documents = {"d": "Rent is due monthly."}
    chunks = Chunks.of_spans([[(0, 11), (11, 20)]])
    data = Dataset.from_rows(None, {"q": "?"}, rows, documents=documents, together=True)
    ids = chunks.ids(data.documents.ids)
    runs = [Run.from_dict({"q": [id]}, name=id) for id in ids]
    (pair,) = overlaps(runs, data.chunked({"halves": chunks}).qrels, k=1)
    assert (pair.recall_first, pair.recall_second, pair.union_recall) == (0.0, 0.0, 1.0)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, qrels = random_runs()
    whole = overlaps(runs, qrels, k=5)
    monkeypatch.setattr("ragscore.comparison.overlap.BLOCK", 50)
    for pair, again in zip(whole, overlaps(runs, qrels, k=5), strict=True):
        assert again.rbo == pytest.approx(pair.rbo, abs=1e-12)
        assert again.union_recall == pair.union_recall


def test_the_oracle_of_a_measure_whose_lowest_is_best_is_the_lower() -> None:
    runs = [Run.from_dict({"q": ["a", "b"]}, name="one"), Run.from_dict({"q": ["b"]}, name="two")]
    qrels = Qrels.from_dict({"q": ["b"]})
    (pair,) = overlaps(runs, qrels, joined(runs, qrels, ["MR"]))
    assert [(best.first, best.second, best.oracle) for best in pair.best_of] == [(2.0, 1.0, 1.0)]


def test_wrong_asks() -> None:
    runs = [Run.from_dict({"q": ["a"]}, name="one"), Run.from_dict({"q": ["b"]}, name="one")]
    with pytest.raises(ConfigError, match="two runs are called 'one'"):
        overlaps(runs)
    runs[1] = runs[1].renamed("other")
    with pytest.raises(ConfigError, match="k: 0 is below 1"):
        overlaps(runs, k=0)
    with pytest.raises(ConfigError, match="p: 1 does not lie"):
        overlaps(runs, p=1.0)
    qrels = Qrels.from_dict({"q": ["a"]})
    with pytest.raises(DataError, match="'other' has no scores"):
        overlaps(runs, qrels, score(runs[0], qrels, ["RR"]))
    scores = Scores.joined([
        score(runs[0], Qrels.from_dict({"q": ["a"]}), ["RR"]),
        score(runs[1], Qrels.from_dict({"x": ["a"]}), ["RR"]),
    ])  # fmt: skip
    with pytest.raises(DataError, match="no query in common"):
        overlaps(runs, qrels, scores)
    assert overlaps(runs[:1]) == ()
