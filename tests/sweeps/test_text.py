"""What a sweep says: keep your settings or use others, how sure, and what is as good."""

from __future__ import annotations

import numpy as np
import pytest

from ragscore.elements import as_text
from ragscore.stats.cross_validation import choose_by_cross_validation
from ragscore.sweeps import analyze_sweep, sweep_headline
from ragscore.sweeps.model import SweptConfigurations
from tests.factories.sweeps import equal, swept

SWEPT = swept()
ELSEWHERE = "on queries that did not choose it"


def said(made: SweptConfigurations = SWEPT) -> dict[str, str]:
    """The headline's lines by the word before each; what to do as ``do``, how sure as ``why``."""
    headline = sweep_headline(analyze_sweep(made))
    lines = {str(word).rstrip(":"): str(text) for word, text in headline.lines}
    return {"do": str(headline.word), "why": str(headline.text), **lines}


def same(count: int, **parts: object) -> SweptConfigurations:
    """Configurations that all score the same on every query."""
    given = {
        "values": np.tile(SWEPT.values[0], (count, 1)),
        "retrievers": ("bm25",) * count,
        "settings": tuple({"bm25.k1": number} for number in range(count)),
        "means": {},
        "latency_ms": np.full(count, np.nan),
        "index_bytes": np.full(count, np.nan),
        "written": {},
    }
    return swept(**{**given, **parts})


def test_the_first_line_says_what_to_use_what_it_gains_and_what_is_within_noise() -> None:
    lines = said()
    assert lines["do"] == "Use bm25[k1=0.9,b=0.3]"
    assert lines["why"] == (
        f"nDCG@10 +0.089 [+0.061, +0.116] {ELSEWHERE}, against your settings; 2 of 11 others are "
        "within noise."
    )
    assert lines["Value"] == (
        "nDCG@10 0.354 with your settings. bm25[k1=0.9,b=0.3] has 0.457 on the queries that chose "
        "it, and 0.443 [0.392, 0.493] on others. Picking the best of 12 overstates it by 0.015."
    )


@pytest.mark.parametrize(
    ("shift", "do", "why"),
    [
        (-0.1, "Use bm25[k1=0.9,b=0.3]", "nDCG@10 +0.1"),
        (0.0, "Keep your settings", "The best of 12 is not decided to be better: nDCG@10 "),
        (0.1, "Keep your settings", "The best of 12 is worse: nDCG@10 -0.1"),
    ],
)
def test_what_to_do_is_decided_against_your_settings(shift: float, do: str, why: str) -> None:
    random = np.random.default_rng(1)
    chosen = choose_by_cross_validation(SWEPT.values).out_of_fold.mean(axis=0)
    lines = said(swept(written={"bm25": chosen + shift + random.normal(0, 0.02, 40)}))
    assert lines["do"] == do
    assert lines["why"].startswith(why)
    assert ELSEWHERE in lines["why"]


def test_settings_without_values_are_not_kept() -> None:
    lines = said(swept(written={}))
    assert lines["do"] == "Use bm25[k1=0.9,b=0.3]"
    assert lines["why"].startswith(
        f"nDCG@10 0.443 [0.392, 0.493] {ELSEWHERE}, and your settings have no values; "
    )


def test_too_few_queries_to_test_the_choice_keep_your_settings() -> None:
    one = {"values": SWEPT.values[:, :1], "query_ids": ("q0",)}
    lines = said(swept(**one, written={"bm25": SWEPT.written["bm25"][:1]}))
    assert lines["do"] == "Keep your settings"
    assert "too few queries to test it on others than those that chose it" in lines["why"]


def test_equal_configurations_are_all_within_noise() -> None:
    assert said(equal(30, 60))["why"].endswith("; all 29 others are within noise.")


def test_one_other_configuration_is_named_as_one() -> None:
    settings = ({"bm25.k1": 0}, {"bm25.k1": 1})
    worse = np.stack([SWEPT.values[3], SWEPT.values[3] - np.linspace(0.2, 0.4, 40)])
    assert said(same(2, values=worse, settings=settings))["why"].endswith(
        "; the other one is worse."
    )
    assert said(same(2))["why"].endswith("; the other one scores the same on every query.")


def test_the_closest_is_named_where_none_is_as_good() -> None:
    worse = np.stack([SWEPT.values[3] - shift * np.linspace(0.2, 0.4, 40) for shift in range(3)])
    lines = said(same(3, values=worse))
    assert lines["why"].endswith("; none of 2 others is within noise.")
    assert lines["Next"].startswith("The closest is bm25[k1=1] (-0.300 [")


@pytest.mark.parametrize("at", [4, 6])
def test_a_faster_one_within_noise_is_named(at: int) -> None:
    latency = np.full(12, 2.0)
    latency[at] = 0.5
    lines = said(swept(latency_ms=latency))
    fastest = "The fastest of these is bm25[k1=0.9,b=0.6]: 0.50 ms per query instead of 2.0."
    assert (lines.get("As good") == fastest) == (at == 4)


def test_a_smaller_index_is_named() -> None:
    sizes = np.full(12, 2e6)
    sizes[4] = 5e5
    assert said(swept(index_bytes=sizes))["As good"].endswith(
        "Of these, bm25[k1=0.9,b=0.6] has the smallest index: 500.0 kB instead of 2.0 MB."
    )


def test_configurations_that_return_the_same_or_differ_on_few_queries_claim_nothing() -> None:
    values = np.tile(SWEPT.values[0], (3, 1))
    values[2, :4] -= 0.2
    lines = said(same(3, values=values, written={"bm25": values[2]}))
    assert "1 of these scores the same on every query." in lines["As good"]
    assert (
        "1 of these differs from the best on 5 queries or fewer, too few to decide."
        in lines["As good"]
    )
    assert lines["do"] == "Keep your settings"
    assert lines["why"].startswith(
        "bm25[k1=0] differs from them on only 4 of 40 queries, too few to decide; "
    )


@pytest.mark.parametrize("milliseconds", [[2.0, 2.0, 2.0], [2.0, 2.0, 0.5]])
def test_configurations_that_all_score_the_same(milliseconds: list[float]) -> None:
    lines = said(same(3, latency_ms=np.array(milliseconds)))
    assert lines["why"].endswith("; all 2 others score the same on every query.")
    assert lines.get("As good", "").startswith("The fastest of these") == (milliseconds[2] < 2)


def test_the_end_of_what_was_tried_is_pointed_out_where_it_matters() -> None:
    assert "Edge" not in said()  # k1 = 0.9 is inside, and b does nothing
    settings = tuple({**one, "bm25.k1": abs(one["bm25.k1"] - 0.9)} for one in SWEPT.settings)
    assert said(swept(settings=settings))["Edge"] == (
        "bm25.k1 = 0 is the smallest value tried. A smaller one may be better still, if the option "
        "allows it."
    )


@pytest.mark.parametrize("language", ["en", "ko"])
def test_printing_stays_short(language: str) -> None:
    found = analyze_sweep(swept(failures={f"bm25[b={n}]": "b is above 1" for n in range(5)}))
    text = as_text(found.elements(), language=language)
    assert len(text.splitlines()) < 40
    assert "k1: 0.9  # was 1.2" in text
    assert "bm25[b=2]" in text
    assert "bm25[b=3]" not in text
