"""Slices against plain Python, scipy, and queries whose answer is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import ragscore
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.query_slices import Slices, sliced
from ragscore.comparison.score_matrix import single_retriever
from ragscore.dataset import Queries
from ragscore.dataset.labels import clusters_of, label_names, labels
from ragscore.errors import ConfigError
from ragscore.models import Query
from ragscore.scoring import Scores, score
from tests.factories.scores import slices_of
from tests.stats.one_column import mean_interval, wilson

QUICK = CompareOptions(resamples=400)


def asked(rows: Sequence[Mapping[str, object]]) -> Queries:
    return Queries.from_rows(
        Query.model_validate({"id": f"q{number}", "text": "?", **row})
        for number, row in enumerate(rows)
    )


def scored(ranks: Mapping[str, Sequence[int]], measures: Sequence[str] = ("RR",)) -> Scores:
    """Scores of retrievers that find the one relevant passage of query n at ranks[n]; 0: never."""
    qrels = {f"q{number}": ["right"] for number in range(len(next(iter(ranks.values()))))}
    parts = []
    for name, places in ranks.items():
        run = {
            f"q{number}": [f"wrong{rank}" for rank in range(1, place or 4)]
            + (["right"] if place else [])
            for number, place in enumerate(places)
        }
        parts.append(score(run, qrels, measures, retriever=name))
    return Scores.joined(parts)


# Names and values.


def test_a_name_is_a_metadata_key_or_a_tag_prefix_or_all_tags() -> None:
    queries = asked(
        [
            {"tags": ["kind=exact", "rent"], "metadata": {"language": "en", "hard": True}},
            {"tags": ["kind:numeric", "kind:exact"], "metadata": {"language": ["en", "ko"]}},
            {"tags": ["rent"], "metadata": {"language": None, "year": 2024}},
            {},
        ]
    )
    assert labels(queries, "kind") == {"q0": ("exact",), "q1": ("numeric", "exact")}
    assert labels(queries, "kind:") == labels(queries, "kind=") == labels(queries, "kind")
    assert labels(queries, "language") == {"q0": ("en",), "q1": ("en", "ko")}
    assert labels(queries, "hard") == {"q0": ("true",)}
    assert labels(queries, "year") == {"q2": ("2024",)}
    assert labels(queries, "tags")["q2"] == ("rent",)
    assert label_names(queries) == ["language", "hard", "year", "kind", "tags"]


def test_a_name_that_no_query_has_says_what_there_is() -> None:
    queries = asked([{"metadata": {"language": "en"}}])
    with pytest.raises(ConfigError, match=r"'langage'. Did you mean 'language'\?"):
        labels(queries, "langage")
    with pytest.raises(ConfigError, match="neither tags nor metadata"):
        labels(asked([{}]), "kind")


# Means, intervals, order.


def test_means_intervals_and_n_are_those_of_the_queries_inside() -> None:
    rng = np.random.default_rng(1)
    places = {name: rng.integers(0, 4, 60).tolist() for name in ("one", "two")}
    kinds = rng.choice(["numeric", "exact", "rare"], 60, p=[0.6, 0.35, 0.05]).tolist()
    queries = asked([{"metadata": {"kind": kind}} for kind in kinds])
    scores = scored(places, ["RR", "Success@1"])
    (found,) = slices_of(scores, queries, ["kind"], QUICK)
    assert (found.n, found.without, found.overlapping, found.baseline) == (60, 0, False, "one")
    assert [one.n for one in found.slices] == sorted((one.n for one in found.slices), reverse=True)
    assert sum(one.n for one in found.slices) == 60
    for one in found.slices:
        assert one.small == (one.n < 10)
        for measure in one.measures:
            for name, mean in measure.means.items():
                values = scores[name].per_query(measure.measure)
                inside = [values[f"q{n}"] for n, kind in enumerate(kinds) if kind == one.value]
                assert mean.value == pytest.approx(np.mean(inside), abs=1e-12)
                assert mean.n == len(inside)
                if measure.measure == "Success@1":
                    expected = wilson(sum(inside), len(inside))
                    assert (mean.low, mean.high) == (expected.low, expected.high)
                    assert mean.method == "wilson"
                else:
                    wanted = mean_interval(inside, resamples=400, binary=False)
                    assert (mean.low, mean.high, mean.method, mean.note) == (
                        wanted.low, wanted.high, wanted.method, wanted.note,
                    )  # fmt: skip


def test_one_retriever_has_the_means_it_has_beside_others() -> None:
    places = {name: list(range(30)) for name in ("one", "two")}
    queries = asked([{"metadata": {"part": str(n // 3), "kind": "ab"[n % 2]}} for n in range(30)])
    scores = scored(places, ["RR", "Success@1"])
    options = QUICK.model_copy(update={"slices": ("kind",)})
    for clusters in (None, clusters_of(queries, "part")):
        (both,) = slices_of(scores, queries, ["kind"], options, clusters)
        ((single,),) = sliced(
            single_retriever(scores.entries[0], clusters), queries, options
        ).values()
        assert (single.by, single.baseline, len(single.slices)) == ("kind", "one", 2)
        for one, of_both in zip(single.slices, both.slices, strict=True):
            for measure, same in zip(one.measures, of_both.measures, strict=True):
                assert measure.means == {"one": same.means["one"]}
                assert (measure.swaps, measure.gaps) == ((), ())


def test_retrievers_that_change_places_are_named() -> None:
    # "new" is better where the question is numeric, and worse over all.
    kinds = ["numeric"] * 4 + ["exact"] * 12
    queries = asked([{"tags": [f"kind:{kind}"]} for kind in kinds])
    scores = scored({"old": [2] * 4 + [1] * 12, "new": [1] * 4 + [2] * 12})
    (found,) = slices_of(scores, queries, ["kind"], QUICK)
    swapped = [one for one in found.slices if one.measures[0].swaps]
    assert [one.value for one in swapped] == ["numeric"]
    (swap,) = swapped[0].measures[0].swaps
    assert (swap.ahead, swap.behind, swap.inside) == ("new", "old", 0.5)
    assert swap.overall == pytest.approx(-0.25)
    assert swapped[0].small


def test_equal_means_are_in_no_order() -> None:
    queries = asked([{"tags": ["a"]}, {"tags": ["b"]}])
    (found,) = slices_of(scored({"old": [2, 1], "new": [2, 2]}), queries, ["tags"], QUICK)
    assert not any(one.measures[0].swaps for one in found.slices)


def test_queries_with_several_tags_are_in_several_slices() -> None:
    queries = asked([{"tags": ["a", "b"]}, {"tags": ["a"]}, {}])
    (found,) = slices_of(scored({"old": [1, 2, 1], "new": [1, 1, 1]}), queries, ["tags"], QUICK)
    assert [(one.value, one.n) for one in found.slices] == [("a", 2), ("b", 1)]
    assert (found.overlapping, found.without) == (True, 1)


def test_undefined_values_are_left_out_and_counted() -> None:
    queries = asked([{"tags": ["a"]}] * 3)
    (found,) = slices_of(
        scored({"old": [1, 2, 0], "new": [0, 0, 0]}, ["MR"]), queries, ["tags"], QUICK
    )
    old, new = found.slices[0].measures[0].means.values()
    assert (old.value, old.n) == (1.5, 2)
    assert new.n == 0
    assert str(new.note) == "not estimable"


def test_constant_scores_get_wilson_or_not_estimable() -> None:
    queries = asked([{"tags": ["a"]}] * 12)
    scores = scored({"old": [2] * 12, "new": [2] * 12}, ["RR", "Success@2"])
    (found,) = slices_of(scores, queries, ["tags"], QUICK)
    reciprocal, success = found.slices[0].measures
    assert str(reciprocal.means["old"].note) == "not estimable"
    assert success.means["old"].low == pytest.approx(wilson(12, 12).low)


def test_a_geometric_mean_is_one_in_a_slice_too() -> None:
    queries = asked([{"tags": ["a"]}] * 2 + [{"tags": ["b"]}])
    (found,) = slices_of(
        scored({"old": [1, 4, 1], "new": [1, 1, 1]}, ["gmAP"]), queries, ["tags"], QUICK
    )
    mean = found.slices[0].measures[0].means["old"]
    assert mean.value == pytest.approx(0.5)
    assert mean.low == pytest.approx(0.25)


def test_a_micro_average_is_left_out_and_named() -> None:
    queries = asked([{"tags": ["a"]}] * 2)
    scores = scored({"old": [1, 2], "new": [1, 1]}, ["P(average=micro)@2", "RR"])
    (found,) = slices_of(scores, queries, ["tags"], QUICK)
    assert found.left_out == ("P(average=micro)@2",)
    assert [measure.measure for measure in found.slices[0].measures] == ["RR"]


# Gap tests.


def test_gaps_are_corrected_for_all_slices_and_pairs_of_a_measure() -> None:
    rng = np.random.default_rng(9)
    kinds = np.repeat(["a", "b", "c"], 20)
    queries = asked([{"metadata": {"kind": kind}} for kind in kinds.tolist()])
    places = {name: rng.integers(1, 4, 60) for name in ("base", "one", "two")}
    places["one"][:20] = 1
    places["base"][:20] = 3
    scores = scored({name: ranks.tolist() for name, ranks in places.items()}, ["RR", "MR"])
    (found,) = slices_of(scores, queries, ["kind"], QUICK)
    gaps = [gap for one in found.slices for gap in one.measures[0].gaps]
    assert len(gaps) == 6
    assert {gap.m for gap in gaps} == {6}
    assert all(gap.p_adjusted >= gap.p for gap in gaps)
    first = gaps[0]
    assert (first.retriever, first.baseline, first.n_inside, first.n_outside) == (
        "one", "base", 20, 40,
    )  # fmt: skip
    assert first.p_adjusted < 0.05
    assert first.value == pytest.approx(first.inside - first.outside)
    # The lowest mean rank is the best: better is positive for it too.
    assert found.slices[0].measures[1].gaps[0].inside == pytest.approx(2.0)


def test_the_same_seed_gives_the_same_digits() -> None:
    rng = np.random.default_rng(10)
    queries = asked([{"tags": [f"kind:{n % 2}"]} for n in range(40)])
    scores = scored({name: rng.integers(1, 4, 40).tolist() for name in ("one", "two")})
    first, again = (slices_of(scores, queries, ["kind"], QUICK) for _ in range(2))
    assert first == again


def test_wrong_asks() -> None:
    queries = asked([{"tags": ["a"]}] * 2)
    scores = scored({"old": [1, 2], "new": [1, 1]})
    with pytest.raises(ConfigError, match=r"baseline 'odl' is not among.*Did you mean 'old'"):
        slices_of(scores, queries, ["tags"], CompareOptions(baseline="odl"))
    with pytest.raises(ConfigError, match="no query has a tag or metadata 'kind'"):
        slices_of(scores, queries, ["kind"], QUICK)
    assert slices_of(scores, queries, [], QUICK) == ()


# A real dataset.


def of_harbour(root: Path, by: list[str]) -> tuple[Slices, ...]:
    dataset = ragscore.load_dataset(root / "datasets" / "harbour-tenancy")
    rng = np.random.default_rng(11)
    judged = dataset.qrels.to_dict()
    parts = [
        score(
            {
                query: [*rng.permutation(list(dataset.corpus.ids))[:5].tolist(), *found][place:]
                for query, found in judged.items()
            },
            judged,
            ["nDCG@10", "R@10"],
            unanswerable=dataset.queries.unanswerable,
            retriever=f"skips {place}",
        )
        for place in (0, 4)
    ]
    return slices_of(Scores.joined(parts), dataset.queries, by, QUICK)


def test_the_shipped_dataset_slices_by_tags_and_topic(root: Path) -> None:
    tags, topic = of_harbour(root, ["tags", "topic"])
    assert (tags.n, tags.without) == (74, 0)
    assert tags.overlapping
    named = {one.value: one for one in tags.slices}
    assert (named["paraphrase"].n, named["paraphrase"].small) == (17, False)
    assert named["deposits"].small
    tested = sum(gap.p is not None for one in tags.slices for gap in one.measures[0].gaps)
    assert tested == 5
    assert {gap.m for one in topic.slices for gap in one.measures[0].gaps} == {tested}
