"""What a sweep says: keep your settings or use others, how sure, and what is as good."""

from __future__ import annotations

import numpy as np
import pytest

from ragscore.elements import as_text
from ragscore.stats.cross_validation import choose_by_cross_validation
from ragscore.sweeps import analyze_sweep, sweep_headline
from ragscore.sweeps.model import SweptConfigurations
from ragscore.sweeps.text import sweep_notes
from tests.factories.sweeps import equal, swept

SWEPT = swept()
ELSEWHERE = "on questions not used to choose it"


def said(made: SweptConfigurations = SWEPT) -> dict[str, str]:
    """The headline's lines by the word before each, what to do as ``do``, what was tried as
    ``tried``; the smaller print as ``notes``."""
    found = analyze_sweep(made)
    headline = sweep_headline(found)
    lines = {str(word).rstrip(":"): str(text) for word, text in headline.lines}
    notes = "\n".join(map(str, sweep_notes(found)))
    return {"do": str(headline.word), "tried": str(headline.text), **lines, "notes": notes}


def words(card: dict[str, str]) -> int:
    """How many words it has, but for the two names that are not printed."""
    return len(" ".join([*card, *card.values()]).split()) - 2


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


def test_the_card_says_what_to_use_what_is_sure_what_is_open_and_what_settles_it() -> None:
    lines = said()
    assert lines.pop("notes").startswith(
        "Your settings have nDCG@10 0.354. bm25[k1=0.9,b=0.3] has nDCG@10 0.457 on the questions "
        "used to choose it, and 0.443 [0.392, 0.493] on others. Picking the best of 12 overstates "
        "it by 0.015."
    )
    assert lines == {
        "do": "Use bm25[k1=0.9,b=0.3]",
        "tried": "The best of 12 settings tried.",
        "Sure": f"it beats your settings: nDCG@10 +0.089 [+0.061, +0.116] {ELSEWHERE}.",
        "Open": "2 of 11 others are within noise of it, and may be as good.",
        "To settle": "use the cheapest of these, or tell them apart with more questions.",
    }
    assert words(lines) <= 60


@pytest.mark.parametrize(
    ("shift", "do", "tried", "line", "starts"),
    [
        (-0.1, "Use bm25[k1=0.9,b=0.3]", "The best of 12", "Sure", "it beats your settings: "),
        (0.0, "Keep your settings", "Of 12", "Open", "the best, bm25[k1=0.9,b=0.3], instead"),
        (0.1, "Keep your settings", "The best of 12", "Sure", "bm25[k1=0.9,b=0.3] instead of "),
    ],
)
def test_what_to_do_is_decided_against_your_settings(
    shift: float, do: str, tried: str, line: str, starts: str
) -> None:
    random = np.random.default_rng(1)
    chosen = choose_by_cross_validation(SWEPT.values).out_of_fold.mean(axis=0)
    lines = said(swept(written={"bm25": chosen + shift + random.normal(0, 0.02, 40)}))
    assert lines["do"] == do
    assert lines["tried"].startswith(tried)
    assert lines[line].startswith(starts)
    assert lines[line].endswith(f"{ELSEWHERE}.")
    assert lines["tried"].endswith("is worse.") == (shift > 0)


@pytest.mark.parametrize("gain", [-0.002, 0.01])
def test_settings_that_are_kept_say_what_was_tried_and_what_is_missed(gain: float) -> None:
    random = np.random.default_rng(1)
    chosen = choose_by_cross_validation(SWEPT.values).out_of_fold.mean(axis=0)
    noise = random.normal(0, 0.06, 40)
    lines = said(swept(written={"bm25": chosen - gain + noise - noise.mean()}))
    assert lines["tried"] == (
        "Of 12 settings tried (bm25.k1 and bm25.b), none is decided to be better."
    )
    assert lines["Sure"] == "9 of 12 are worse than bm25[k1=0.9,b=0.3]."
    low, high = lines["Open"].split("[")[-1].split("]")[0].split(", ")
    assert float(low) < gain < float(high)
    missed = float(lines["To settle"].split("miss at most ")[1].split(",")[0].rstrip("."))
    assert missed == pytest.approx(float(high), abs=1.1e-3)
    assert lines["To settle"].startswith("about ") == (gain > 0)
    del lines["notes"]
    assert words(lines) <= 60


def test_how_many_more_questions_is_what_the_interval_says() -> None:
    random = np.random.default_rng(2)
    noise = random.normal(0, 0.06, 40)
    chosen = choose_by_cross_validation(SWEPT.values).out_of_fold.mean(axis=0)
    found = analyze_sweep(swept(written={"bm25": chosen - 0.01 + noise - noise.mean()}))
    assert found.more is not None
    error = np.diff([found.gain.interval.low, found.gain.interval.high]).item() / 2 / 1.96
    # 80 % power at .05 takes a difference of 2.8 errors.
    wanted = 40 * (2.8 * error / found.gain.difference) ** 2 - 40
    assert found.more == pytest.approx(wanted, rel=0.02)


def test_settings_without_values_are_not_kept() -> None:
    lines = said(swept(written={}))
    assert lines["do"] == "Use bm25[k1=0.9,b=0.3]"
    assert lines["Sure"] == "9 of 12 are worse than bm25[k1=0.9,b=0.3]."
    assert "Your settings" not in lines["notes"]


def test_too_few_questions_to_test_the_choice_keep_your_settings() -> None:
    one = {"values": SWEPT.values[:, :1], "query_ids": ("q0",)}
    lines = said(swept(**one, written={"bm25": SWEPT.written["bm25"][:1]}))
    assert lines["do"] == "Keep your settings"
    assert lines["Open"].endswith("]: too few questions to hold any back for testing it.")
    assert lines["To settle"] == "more questions."


def test_equal_configurations_are_all_within_noise() -> None:
    made = equal(30, 60)
    lines = said(swept(**{**vars(made), "written": {"bm25": made.values.mean(axis=0)}}))
    assert lines["Sure"] == "nothing yet; all 30 are within noise."


def test_one_other_configuration_is_named_as_one() -> None:
    settings = ({"bm25.k1": 0}, {"bm25.k1": 1})
    worse = np.stack([SWEPT.values[3], SWEPT.values[3] - np.linspace(0.2, 0.4, 40)])
    assert said(same(2, values=worse, settings=settings))["Sure"] == (
        "1 of 2 is worse than bm25[k1=0]."
    )
    assert said(same(2))["tried"] == "All 2 settings tried (bm25.k1) score the same."


def test_a_single_configuration_is_named() -> None:
    kept = said(same(1, written={"bm25": SWEPT.values[1]}))
    assert (kept["do"], kept["tried"]) == (
        "Keep your settings",
        "Of 1 setting tried (bm25.k1), none is decided to be better.",
    )
    used = said(same(1, written={"bm25": SWEPT.values[0] - np.linspace(0.2, 0.4, 40)}))
    assert (used["do"], used["tried"]) == ("Use bm25[k1=0]", "The best of 1 setting tried.")


def test_the_closest_is_named_where_none_is_as_good() -> None:
    worse = np.stack([SWEPT.values[3] - shift * np.linspace(0.2, 0.4, 40) for shift in range(3)])
    lines = said(same(3, values=worse))
    assert not {"Open", "To settle"} & set(lines)
    assert "The closest to the best is bm25[k1=1] (-0.300 [" in lines["notes"]


@pytest.mark.parametrize("at", [4, 6])
def test_a_faster_one_within_noise_is_named(at: int) -> None:
    latency = np.full(12, 2.0)
    latency[at] = 0.5
    notes = said(swept(latency_ms=latency))["notes"]
    fastest = (
        "Within noise of the best: bm25[k1=0.9,b=0.6], which takes 0.50 ms per query instead of"
    )
    assert (fastest in notes) == (at == 4)
    assert ("which takes" in notes) == (at == 4)


def test_a_smaller_index_is_named() -> None:
    sizes = np.full(12, 2e6)
    sizes[4] = 5e5
    assert said(swept(index_bytes=sizes))["notes"].endswith(
        "Within noise of the best: bm25[k1=0.9,b=0.6], whose index is 500.0 kB instead of 2.0 MB."
    )


def test_configurations_that_return_the_same_or_differ_on_few_queries_claim_nothing() -> None:
    values = np.tile(SWEPT.values[0], (3, 1))
    values[2, :4] -= 0.2
    lines = said(same(3, values=values, written={"bm25": values[2]}))
    assert lines["notes"].endswith(
        "Within noise of the best: 1 with the same score on every question; 1 differing on 5 "
        "questions or fewer, too few to decide."
    )
    assert lines["do"] == "Keep your settings"
    assert lines["Open"].startswith("the best, bm25[k1=0], instead of yours: nDCG@10 +0.02")
    assert lines["Open"].endswith("; 4 of 40 questions differ.")
    assert lines["To settle"] == "more questions; too few differ to say how many."


def test_your_own_settings_as_the_best_leave_nothing_open() -> None:
    lines = said(same(3, written={"bm25": SWEPT.values[0]}))
    assert lines["do"] == "Keep your settings"
    assert lines["Sure"].startswith("bm25[k1=0] instead of your settings: nDCG@10 0.000")
    assert not {"Open", "To settle"} & set(lines)


@pytest.mark.parametrize("milliseconds", [[2.0, 2.0, 2.0], [2.0, 2.0, 0.5]])
def test_configurations_that_all_score_the_same(milliseconds: list[float]) -> None:
    lines = said(same(3, latency_ms=np.array(milliseconds)))
    assert lines["tried"] == "All 3 settings tried (bm25.k1) score the same."
    assert ("which takes" in lines["notes"]) == (milliseconds[2] < 2)
    assert not {"Sure", "Open", "To settle"} & set(lines)


def test_the_end_of_what_was_tried_is_pointed_out_where_it_matters() -> None:
    assert "But" not in said()  # k1 = 0.9 is inside, and b does nothing
    settings = tuple({**one, "bm25.k1": abs(one["bm25.k1"] - 0.9)} for one in SWEPT.settings)
    assert said(swept(settings=settings))["But"] == (
        "bm25.k1 = 0 is the smallest value tried; a smaller one may be better."
    )


@pytest.mark.parametrize("language", ["en", "ko"])
def test_printing_stays_short(language: str) -> None:
    found = analyze_sweep(swept(failures={f"bm25[b={n}]": "b is above 1" for n in range(5)}))
    text = as_text(found.elements(), language=language)
    assert len(text.splitlines()) < 40
    assert "k1: 0.9  # was 1.2" in text
    assert "bm25[b=2]" in text
    assert "bm25[b=3]" not in text
