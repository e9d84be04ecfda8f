"""``ragscore compare`` of a result and of its run files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import ragscore as package
from ragscore.elements import Lines, as_markdown
from tests.factories.lexical import ROOT


def means_of(data: dict, measure: str) -> dict[str, float]:
    (dataset,) = data["datasets"]
    (found,) = (one for one in dataset["measures"] if one["measure"] == measure)
    return {name: mean["value"] for name, mean in found["means"].items()}


def test_the_verdict_comes_first(result: Path, ragscore) -> None:
    code, out, err = ragscore("compare", result)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(
        "Not decided. Use words for now: the best mean of 3 retrievers, nDCG@10 0."
    )
    assert lines[1] == "Sure: nothing yet."
    assert lines[2].startswith("Open: words or bm25: words leads by 0.")
    assert lines[3].startswith("To settle: ")
    titles = [line for line in lines if line.endswith("intervals 95 %, not adjusted)")]
    assert [title.split(";")[0] for title in titles] == [
        "nDCG@10 (primary", "R@10 (secondary", "Success@5 (secondary",
    ]  # fmt: skip
    assert "Family: all 3 pairs on each measure, corrected by Holm." in out
    assert not re.search(r"\bnan\b", out.lower())


def test_json_has_every_digit_and_no_nan(result: Path, ragscore) -> None:
    code, out, _ = ragscore("compare", result, "--format", "json", "--slices", "topic")
    assert code == 0
    data = json.loads(out, parse_constant=pytest.fail)
    _, schema, _ = ragscore("schema", "comparison")
    Draft202012Validator.check_schema(json.loads(schema))
    Draft202012Validator(json.loads(schema)).validate(data)
    scores = package.open_result(result).scores
    assert means_of(data, "nDCG@10") == pytest.approx(
        {name: scores[name].mean("nDCG@10") for name in scores.retrievers}, abs=1e-12
    )
    assert {"slices", "overlap"} <= set(data)
    assert len(data["overlap"]["harbour-tenancy"]) == 3


def test_markdown_is_the_file_of_the_folder(result: Path, ragscore) -> None:
    _, out, _ = ragscore("compare", result, "--format", "markdown")
    written = (result / "comparison.md").read_text(encoding="utf-8")
    assert written == f"# lexical: comparison\n\n{out}"
    tables = [line for line in out.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in tables if "Minus" in line}) == 1


def test_a_mark_is_no_list_in_markdown() -> None:
    lines = as_markdown([Lines(("* dense: why",), "nDCG@10")]).splitlines()
    assert lines == ["**nDCG@10**", "", "\\* dense: why"]


def test_the_folder_holds_what_the_command_says(result: Path, ragscore) -> None:
    _, out, _ = ragscore("compare", result, "--format", "json")
    assert json.loads(out) == json.loads((result / "comparison.json").read_text(encoding="utf-8"))
    manifest = json.loads((result / "manifest.json").read_text(encoding="utf-8"))
    assert {"comparison.json", "comparison.md"} <= set(manifest["files"])


def test_run_files_give_the_same(result: Path, ragscore) -> None:
    files = [result / "runs" / f"{name}.parquet" for name in ("bm25", "k1-b", "words")]
    judged = ("--qrels", ROOT / "datasets" / "harbour-tenancy")
    listed = ("-m", "nDCG@10", "-m", "R@10", "-m", "Success@5", "--format", "json")
    code, out, err = ragscore("compare", *files, *judged, *listed)
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads((result / "comparison.json").read_text(encoding="utf-8"))


def test_flags_reach_the_comparison(result: Path, ragscore) -> None:
    flags = {
        "baseline": "words", "margin": 0.05, "interval": "percentile", "test": "wilcoxon",
        "correction": "bonferroni", "resamples": 300, "seed": 7,
        "cluster": "topic", "language": "ko",
    }  # fmt: skip
    given = [text for name, value in flags.items() for text in (f"--{name}", value)]
    code, out, _ = ragscore(
        "compare", result, *given, "--all-pairs", "--slices", "topic,tags", "--format", "json"
    )
    assert code == 0
    data = json.loads(out)
    told = {**flags, "all_pairs": True, "slices": ["topic", "tags"]}
    assert {name: data["options"][name] for name in told} == told
    (dataset,) = data["datasets"]
    assert dataset["baseline"] == "words"
    assert dataset["clusters"] == 35
    assert [len(pairs) for pairs in dataset["pairs"].values()] == [3, 3, 3]
    assert [one["by"] for one in data["slices"]] == ["topic", "tags"]


def test_other_measures_come_from_the_runs(result: Path, ragscore) -> None:
    code, out, _ = ragscore("compare", result, "-m", "AP@7", "-m", "R@10")
    assert code == 0
    assert out.index("mAP@7 (primary") < out.index("R@10 (secondary")


@pytest.mark.slow
def test_comparing_imports_nothing_slow(result: Path) -> None:
    code = (
        "import sys\nfrom ragscore.cli import main\n"
        f"assert main(['compare', {str(result)!r}, '-q']) == 0\n"
        "print('scipy.stats' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.stderr.strip() == "False"
