"""``ragscore compare`` of several inputs, and what it is asked wrongly."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.factories.lexical import ROOT
from tests.factories.manifests import write_manifest


def test_two_results(result: Path, tmp_path: Path, ragscore) -> None:
    other = shutil.copytree(result, tmp_path / "other")
    code, out, _ = ragscore("compare", result, other, "-m", "nDCG@10")
    assert code == 0
    assert "lexical/bm25" in out
    assert "other/words" in out
    code, _, err = ragscore("compare", result, result)
    assert (code, "the same result is named twice" in err) == (2, True)
    manifest = json.loads((other / "manifest.json").read_text(encoding="utf-8"))
    manifest["datasets"][0] |= {"digest": "0" * 64, "queries": 86}
    write_manifest(other, manifest)
    code, _, err = ragscore("compare", result, other)
    assert code == 3
    assert "has 87 queries and 395 judgments" in err
    assert "has 86 queries and 395 judgments" in err
    code, _, err = ragscore("compare", result, other, "--allow-intersect")
    assert code == 0
    assert "read the comparison with care" in err


def test_two_results_keep_the_options_that_both_share(
    result: Path, tmp_path: Path, ragscore
) -> None:
    places = [shutil.copytree(result, tmp_path / name) for name in ("one", "two")]
    for place in places:
        manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        manifest["compare"] |= {"cluster": "topic", "margin": 0.03, "baseline": "words"}
        write_manifest(place, manifest)
    _, out, err = ragscore("compare", *places, "-m", "nDCG@10")
    assert "in 35 clusters, compared with one/bm25" in out
    assert "Margin 0.03" in out
    assert err == ""
    _, out, err = ragscore("compare", places[0], result, "-m", "nDCG@10")
    assert "clusters, compared" not in out
    assert "not all experiments cluster their queries by 'topic'; choose with --cluster" in err


def test_runs_of_other_queries_are_refused_with_counts(files: Path, ragscore) -> None:
    command = ("compare", files / "all.run", files / "some.run", "--qrels", files / "qrels")
    code, out, err = ragscore(*command, "-m", "P@1")
    assert (code, out) == (3, "")
    assert "all lacks 0, some lacks 3" in err
    assert "--allow-intersect" in err
    code, out, err = ragscore(*command, "-m", "P@1", "--allow-intersect")
    assert code == 0
    assert "qrels: 9 queries" in out
    assert "some lacks 3" in err
    assert ragscore(*command, "-m", "P@1", "--allow-intersect", "-q")[2] == ""


def test_tags_need_a_dataset(files: Path, ragscore) -> None:
    command = ("compare", files / "all.run", files / "all.run", "--qrels", files / "qrels")
    code, out, err = ragscore(*command, "-m", "P@1", "--slices", "kind")
    assert (code, out) == (3, "")
    assert "Give the dataset's folder as --qrels" in err


def test_scores_that_never_differ(files: Path, ragscore) -> None:
    shutil.copy(files / "all.run", files / "same.run")
    code, out, _ = ragscore(
        "compare", files / "all.run", files / "same.run", "--qrels", files / "qrels", "-m", "P@1"
    )
    assert code == 0
    assert "none of the 12 queries differ" in out
    assert not re.search(r"\bnan\b", out.lower())


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["{result}", "--baseline", "bm52"], 2, "Did you mean 'bm25'?"),
        (
            ["{result}", "--margin", "-1"],
            2,
            "--margin: the number -1.0 is too small. It must be",
        ),
        (["{result}", "--resamples", "3"], 2, "--resamples: the number 3 is too small"),
        (["{result}", "--test", "chi"], 2, "--test"),
        (["{result}", "--cluster", "topc"], 2, "no query has a tag or metadata 'topc'"),
        (["{result}", "--slices", "topc"], 2, "Did you mean 'topic'?"),
        (["{result}", "--qrels", "x"], 2, "a result folder has its own judgments"),
        (["{result}", "-m", "nDCG@300"], 2, "above the depth of 100"),
        (["{result}", "-m", "nDGC@3"], 2, "Did you mean 'nDCG'?"),
        (["{result}", "{result}/runs/bm25.trec"], 2, "result folders and other paths are mixed"),
        (["{result}/runs/bm25.trec"], 2, "--qrels: run files do not say what is relevant"),
        (["nowhere"], 3, "no such file or folder"),
        (["{root}/docs"], 3, "this folder holds no result"),
    ],
)
def test_wrong_asks(arguments: list[str], code: int, told: str, result: Path, ragscore) -> None:
    given = [text.format(result=result, root=ROOT) for text in arguments]
    found, out, err = ragscore("compare", *given)
    assert (found, out) == (code, "")
    assert told in err
    assert "Traceback" not in err
