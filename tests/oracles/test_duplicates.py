"""A passage that a run names twice for a query: the first line counts, wherever it is read."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest

from ragscore.dataset import Qrels
from ragscore.dataset.text_qrels import TextQrels
from ragscore.errors import DataError
from ragscore.formats import load_run
from ragscore.formats.runs.run_loading import join_run
from ragscore.judge import JoinTo
from ragscore.scoring import score

LINES = [("a", 1.0), ("b", 5.0), ("a", 9.0)]
"""The second line of a has the better score."""


def write(folder: Path, suffix: str) -> Path:
    path = folder / f"run{suffix}"
    if suffix == ".parquet":
        rows = {
            "query": ["q"] * 3,
            "passage": [p for p, _ in LINES],
            "score": [s for _, s in LINES],
        }
        polars.DataFrame(rows).write_parquet(path)
    elif suffix == ".csv":
        path.write_text("query,passage,score\n" + "".join(f"q,{p},{s}\n" for p, s in LINES))
    elif suffix == ".json":
        listed = ", ".join(f'["{passage}", {value}]' for passage, value in LINES)
        path.write_text(f'{{"q": [{listed}]}}')
    else:
        path.write_text("".join(f"q Q0 {p} 1 {s} t\n" for p, s in LINES))
    return path


@pytest.mark.parametrize("suffix", [".run", ".csv", ".json", ".parquet"])
def test_the_first_line_counts_not_the_better_score(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path, suffix)
    run, qrels = load_run(path), Qrels.from_dict({"q": ["a"]})
    assert run.to_dict() == {"q": {"b": 5.0, "a": 1.0}}
    assert (run.duplicates, join_run(path, JoinTo(TextQrels.of(qrels))).duplicates) == (1, 1)
    assert score(run, qrels, ["RR"]).to_dict() == {"dataset": {"run": {"RR": 0.5}}}
    with pytest.raises(DataError, match="passage 'a' is returned twice"):
        load_run(path, strict=True)


def test_pytrec_eval_refuses_such_a_file(tmp_path: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    with write(tmp_path, ".run").open() as file, pytest.raises(AssertionError):
        pytrec_eval.parse_run(file)


def test_ir_measures_takes_the_last_line(tmp_path: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    read = list(ir_measures.read_trec_run(str(write(tmp_path, ".run"))))
    judged = [ir_measures.Qrel("q", "a", 1)]
    for lines, expected in ((read, 1.0), ([read[2], read[1], read[0]], 0.5)):
        assert (
            ir_measures.calc_aggregate([ir_measures.RR], judged, lines)[ir_measures.RR] == expected
        )
