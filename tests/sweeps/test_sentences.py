"""The lines of a sweep: which configuration, how sure, and against the file; in both languages."""

from __future__ import annotations

import numpy as np
import pytest

from ragscore.elements import as_text
from ragscore.stats.cross_validation import choose_by_cross_validation
from ragscore.sweeps.analysis import analyze_sweep
from ragscore.sweeps.sweep_tables import sweep_elements
from tests.factories.sweeps import equal, swept

SWEPT = swept()


def said(**parts: object) -> dict[str, str]:
    return {line.kind: str(line.text) for line in analyze_sweep(swept(**parts)).lines}


def test_what_choosing_flatters_by_stands_beside_the_value() -> None:
    use = said()["use"]
    assert use.startswith("Use bm25[k1=0.9,b=0.3]: nDCG@10 0.457; on held-out queries, ")
    assert use.endswith(". Picking the best of 12 overstates it by 0.015.")


def test_how_many_are_within_noise() -> None:
    assert said()["tied"].startswith(
        "2 of the 11 others are within noise of it; the rest are worse."
    )


def test_a_faster_one_within_noise_is_named() -> None:
    latency = np.full(12, 2.0)
    latency[4] = 0.5
    noise = said(latency_ms=latency)["tied"]
    assert noise.endswith(
        "The fastest of these is bm25[k1=0.9,b=0.6]: 0.50 ms per query instead of 2.0."
    )


def test_a_smaller_index_is_named() -> None:
    sizes = np.full(12, 2e6)
    sizes[4] = 5e5
    noise = said(index_bytes=sizes)["tied"]
    assert (
        "Of these, bm25[k1=0.9,b=0.6] has the smallest index: 500.0 kB instead of 2.0 MB." in noise
    )


def test_a_tie_recommends_nothing() -> None:
    use, noise, *_ = analyze_sweep(equal(30, 60)).lines
    assert (str(use.word), use.word.text("ko")) == ("Tie", "우열 없음")
    assert " leads with nDCG@10 " in str(use.text)
    assert str(noise.text) == (
        "All 29 others are within noise of it: these queries cannot tell the settings apart."
    )


def test_configurations_that_return_the_same_or_differ_on_few_queries_claim_nothing() -> None:
    values = np.tile(SWEPT.values[0], (3, 1))
    values[2, :4] -= 0.2
    parts = {
        "values": values,
        "retrievers": ("bm25",) * 3,
        "settings": tuple({"bm25.k1": number} for number in range(3)),
        "means": {},
        "latency_ms": np.full(3, np.nan),
        "index_bytes": np.full(3, np.nan),
        "written": {"bm25": values[2]},
    }
    lines = said(**parts)
    assert "1 of these scores the same on every query." in lines["tied"]
    assert (
        "It differs from 1 of these on 5 queries or fewer, too few to show a difference."
        in lines["tied"]
    )
    assert lines["configured"] == (
        "These queries cannot decide between the choice and bm25 as configured (nDCG@10 "
        f"{values[2].mean():.3f}): only 4 of 40 queries differ."
    )


@pytest.mark.parametrize("milliseconds", [[2.0, 2.0, 2.0], [2.0, 2.0, 0.5]])
def test_configurations_that_all_score_the_same_have_no_leader(milliseconds: list[float]) -> None:
    lines = said(
        values=np.tile(SWEPT.values[0], (3, 1)),
        retrievers=("bm25",) * 3,
        settings=tuple({"bm25.k1": number} for number in range(3)),
        means={},
        latency_ms=np.array(milliseconds),
        index_bytes=np.full(3, np.nan),
        written={},
    )
    assert lines["use"] == (
        "All 3 configurations score the same on every query (nDCG@10 "
        f"{SWEPT.values[0].mean():.3f}): bm25[k1=0] is just the first of them."
    )
    assert lines.get("tied", "").startswith("The fastest of these") == (milliseconds[2] < 2)


@pytest.mark.parametrize(
    ("shift", "start"),
    [
        (-0.1, "On held-out queries, the choice beats bm25 as configured (nDCG@10 "),
        (
            0.0,
            "On held-out queries, it is not decided whether the choice beats bm25 as configured ",
        ),
        (0.1, "Keep bm25 as configured (nDCG@10 "),
    ],
)
def test_against_the_file(shift: float, start: str) -> None:
    random = np.random.default_rng(1)
    chosen = choose_by_cross_validation(SWEPT.values).out_of_fold.mean(axis=0)
    written = chosen + shift + random.normal(0, 0.02, 40)
    assert said(written={"bm25": written})["configured"].startswith(start)


def test_the_end_of_what_was_tried_is_pointed_out_where_it_matters() -> None:
    assert "edge" not in said()  # k1 = 0.9 is inside, and b does nothing
    settings = tuple({**one, "bm25.k1": abs(one["bm25.k1"] - 0.9)} for one in SWEPT.settings)
    assert said(settings=settings)["edge"] == (
        "bm25.k1 = 0 is the smallest value tried. A smaller one may be better still, if the option "
        "allows it."
    )


@pytest.mark.parametrize("language", ["en", "ko"])
def test_printing_stays_short(language: str) -> None:
    found = analyze_sweep(swept(failures={f"bm25[b={n}]": "b is above 1" for n in range(5)}))
    text = as_text([sweep_elements(found)], language=language)
    assert len(text.splitlines()) < 40
    assert "k1: 0.9  # was 1.2" in text
    assert "bm25[b=2]" in text
    assert "bm25[b=3]" not in text
