"""The mean of Leak has the exact interval of a share; that of Success keeps Wilson's."""

from __future__ import annotations

import pytest

from ragscore import Dataset, Run, compare, score


@pytest.mark.parametrize("interval", ["default", "percentile"])
def test_leak_is_exact_and_success_is_wilsons(interval: str) -> None:
    numbers = range(40)
    truth = [
        {"query_id": f"q{at}", "passages": {f"p{at}": 1}, "forbidden": [f"x{at}"]} for at in numbers
    ]
    passages = {f"{letter}{at}": "text" for letter in "px" for at in numbers}
    data = Dataset.from_rows(passages, {f"q{at}": "text" for at in numbers}, truth)
    clean = {f"q{at}": [f"p{at}"] for at in numbers}
    leaking = {f"q{at}": [f"x{at}" if at < 4 else f"p{at}"] for at in numbers}
    runs = [Run.from_dict(clean, name="clean"), Run.from_dict(leaking, name="leaking")]
    scores = score(runs, data, ["Leak@1", "Success@1"])
    (found,) = compare(scores, interval=interval, resamples=100).datasets  # type: ignore[arg-type]
    leak, success = found.measures
    methods = [[mean.method for mean in of.means.values()] for of in (leak, success)]
    if interval == "default":
        assert methods == [["clopper-pearson"] * 2, ["wilson"] * 2]
        assert leak.means["clean"].high == pytest.approx(1 - 0.025 ** (1 / 40), abs=1e-12)
    else:  # what is asked for is done
        assert methods[0][1] == "percentile"
    # A leak is worse: the difference is that of the better minus the other.
    assert [mean.value for mean in leak.means.values()] == [0, 0.1]
