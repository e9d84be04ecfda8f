"""reconcile finds the convention behind a number: each tool's own, and small cases by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.oracles.record import TOOLS
from ragscore.dataset import Qrels
from ragscore.errors import ConfigError
from ragscore.reconcile import Reconciled, Reported, reconcile
from ragscore.run import Run
from ragscore.scoring import score

RECORDED = Path(__file__).parents[1] / "oracles" / "recorded"


def found(run: dict[str, object], qrels: dict[str, object], measure: str, value: str) -> Reconciled:
    read = Run.from_dict(run)  # type: ignore[arg-type]
    return reconcile(read, Qrels.from_dict(qrels), measure, value)  # type: ignore[arg-type]


def printed(result: Reconciled) -> list[str]:
    return [
        " ".join([str(setting.measure), *setting.reading.changes()]) for setting in result.matches
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", TOOLS)
def test_the_numbers_of_every_tool_lead_to_its_profile(name: str) -> None:
    record = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    digits = 6 if record["within"] < 1e-8 else 4
    run, qrels = Run.from_dict(record["run"]), Qrels.from_dict(record["qrels"])
    measures = [text for text in record["numbers"] if "@" in text and "(" not in text]
    for text in measures[:3]:
        mean = score(run, qrels, [text], profile=record["profile"], n_passages=10).entries[0]
        result = reconcile(run, qrels, text, f"{mean.means[0]:.{digits}f}", n_passages=10)
        profiles = {profile for setting in result.matches for profile in setting.profiles}
        assert record["profile"] in profiles, text
        assert result.tried > 3


@pytest.mark.parametrize(
    ("measure", "value", "expected"),
    [
        # Three relevant, hits at 1 and 3 of 5.
        ("nDCG@5", "0.7039", "nDCG@5"),
        ("nDCG@5", "70.39%", "nDCG@5"),
        ("nDCG@5", "0.5087", "nDCG(ideal=slots)@5"),
        ("nDCG@5", "0.9197", "nDCG(ideal=returned)@5"),
        ("nDCG@2", "1.0000", "nDCG(ideal=top)@2"),
        ("AP@2", "0.5", "AP(denominator=min)@2"),
        ("AP@3", "0.833", "AP(denominator=found)@3"),
        ("AP@3", "0.556", "AP@3"),
        ("P@5", "0.667", "P(denominator=min)@5"),
        ("F1@5", "0.4348", "F(beta=0.5)@5"),
        ("RBP", "0.328", "RBP(p=0.8)"),
        # iprec has no cutoff and its level stays.
        ("iprec@0.5", "0.6667", "iprec@0.5"),
    ],
)
def test_small_cases_by_hand(measure: str, value: str, expected: str) -> None:
    result = found({"q": ["a", "x", "b", "y", "z"]}, {"q": ["a", "b", "c"]}, measure, value)
    assert printed(result)[0] == expected
    assert all(setting.value != result.matches[0].value for setting in result.misses)


def test_an_ideal_of_as_many_as_came_back() -> None:
    # Two of four came back: 1 + 1 / log2(3) is the best that two places can hold.
    result = found({"q": ["x", "a"]}, {"q": ["a", "b", "c", "d"]}, "nDCG@5", "0.3869")
    assert "nDCG(ideal=as_many)@5" in printed(result)


def test_what_is_read_counts_too() -> None:
    run = {"q": {"q": 3.0, "a": 2.0, "b": 1.0}, "r": {"a": 1.00000001, "b": 1.0}}
    qrels = {"q": {"a": 1}, "r": {"a": 2, "b": -1, "c": 1}, "lost": {"a": 1}}
    assert printed(found(run, qrels, "RR", "0.5"))[0] == "RR"
    assert "RR drop_self=true missing=drop" in printed(found(run, qrels, "RR", "1.0"))
    assert "RR score_bits=32" in printed(found(run, qrels, "RR", "0.3333"))
    dropped = found(run, qrels, "RR", "0.75").matches
    assert [(setting.changes, setting.profiles) for setting in dropped] == [
        (("missing=drop",), ("recommenders",)),
        (("score_bits=32", "drop_self=true", "missing=drop"), ("beir",)),
    ]
    assert "trec" in found(run, qrels, "RR", "0.5").matches[0].profiles
    assert found(run, qrels, "RR", "0.3333").matches[0].profiles == ("ir_measures",)


def test_a_threshold_and_queries_without_anything_relevant() -> None:
    run = {"q": ["a", "b"], "none": ["a"]}
    qrels = {"q": {"a": 1, "b": 2}, "none": {"a": 0}}
    assert printed(found(run, qrels, "P@1", "0.5"))[0] == "P@1"
    assert {"P(empty=1)@1", "P(empty=skip)@1"} <= set(printed(found(run, qrels, "P@1", "1.0")))
    assert "RR(relevant_from=2)" in printed(found(run, qrels, "RR", "0.25"))


def test_an_order_of_tied_passages() -> None:
    result = found({"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": ["a"]}, "RR", "0.41")
    assert result.matches == ()
    assert result.between_ties
    assert {setting.changes for setting in result.misses} == {("tie=expected",), (), ("tie=max",)}


def test_a_shorter_list_of_a_measure_without_cutoff() -> None:
    ids = [f"p{number:03}" for number in range(60)]
    result = found({"q": ids}, {"q": [ids[3], ids[30]]}, "AP", "0.125")
    assert printed(result)[0] == "AP@5"


def test_few_digits_match_by_chance() -> None:
    record = json.loads((RECORDED / "trec9.json").read_text(encoding="utf-8"))
    assert found(record["run"], record["qrels"], "nDCG@5", "0.5").chance > 1
    assert found(record["run"], record["qrels"], "nDCG@5", "0.512345").chance < 0.01


@pytest.mark.parametrize(
    ("text", "value", "half"),
    [("0.4312", 0.4312, 5e-5), ("43.1%", 0.431, 5e-4), ("1", 1.0, 0.5), ("4.3e-1", 0.43, 5e-3)],
)
def test_a_number_says_how_precise_it_is(text: str, value: float, half: float) -> None:
    reported = Reported.parsed(text)
    assert (reported.value, reported.half) == (pytest.approx(value), pytest.approx(half))


@pytest.mark.parametrize("text", ["", "a", "nan", "0,43", "1e", ".", "--1"])
def test_no_number(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a number"):
        Reported.parsed(text)


def test_several_measures_at_once() -> None:
    with pytest.raises(ConfigError, match="several measures"):
        found({"q": ["a"]}, {"q": ["a"]}, "iprec", "0.5")
