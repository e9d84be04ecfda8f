"""A sweep in a result folder: it reopens to the same findings, and damage to it is noticed."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from ragscore import open_result
from ragscore.cli import main
from ragscore.errors import DataError
from ragscore.results.result import Result
from ragscore.sweeps import sweep_headline
from ragscore.sweeps.model import MAX_CONFIGURATIONS
from tests.factories.hostile_results import changed_json
from tests.factories.manifests import resealed
from tests.factories.sweeps import swept_result

NAME = "worked-examples"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return swept_result(tmp_path_factory.mktemp("swept"), clusters=None)


@pytest.fixture
def folder(saved: Result, tmp_path: Path) -> Path:
    """A copy that may be harmed."""
    assert saved.folder is not None
    return Path(shutil.copytree(saved.folder, tmp_path / "swept"))


def test_it_reopens_to_the_same_findings(saved: Result) -> None:
    assert saved.folder is not None
    opened = open_result(saved.folder)
    found = opened[NAME].sweep
    assert found is not None
    assert found.to_dict() == saved[NAME].sweep.to_dict()
    assert found.swept.values.tobytes() == saved[NAME].sweep.swept.values.tobytes()
    assert found.yaml == saved[NAME].sweep.yaml
    assert json.loads((saved.folder / "sweep.json").read_text("utf-8"))["datasets"] == [
        found.to_dict()
    ]
    assert str(opened) == str(saved)
    assert str(sweep_headline(found).text) in str(opened).replace("\n", " ")


def test_a_result_without_a_sweep_has_none(saved: Result) -> None:
    assert saved.folder is not None
    without = open_result(saved.folder.parent / "without")
    assert without[NAME].sweep is None
    assert without.sweeps == ()
    assert "sweep.json" not in without.manifest.files


def test_clusters_and_undefined_values_come_back(saved: Result, tmp_path: Path) -> None:
    values, count = saved[NAME].sweep.swept.values.copy(), saved[NAME].sweep.queries
    values[4, 2] = np.nan
    clusters = np.arange(count) // 2
    again = swept_result(tmp_path, clusters=clusters, values=values)
    swept = open_result(again.folder)[NAME].sweep.swept
    assert swept.clusters.tolist() == clusters.tolist()
    assert swept.values.tobytes() == values.tobytes()


@pytest.mark.parametrize("name", ["sweep.json", "sweep.parquet"])
def test_a_flipped_bit_is_noticed(folder: Path, name: str) -> None:
    path = folder / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    path.write_bytes(content)
    assert main(["show", str(folder), "--section", "sweep"]) == 3
    with pytest.raises(DataError, match=f"{name}: its content is not what was recorded"):
        _ = open_result(folder)[NAME].sweep


@pytest.mark.parametrize("name", ["sweep.json", "sweep.parquet"])
def test_a_missing_file_is_noticed(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(DataError, match="the file is missing"):
        open_result(folder)


def first(document: Any) -> Any:
    return document["datasets"][0]


def deep(document: Any) -> None:
    value: Any = 1
    for _ in range(400):
        value = [value]
    first(document)["specs"]["bm25"]["k1"] = value


def many(document: Any) -> None:
    first(document)["configurations"] *= MAX_CONFIGURATIONS


ODD: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no configuration": (lambda all_: first(all_)["configurations"].clear(), "valid sweep"),
    "too many": (many, "valid sweep"),
    "a measure that is none": (lambda all_: first(all_).update(measure="rm -rf"), "valid sweep"),
    "a mean over weights": (lambda all_: first(all_).update(measure="gmAP"), "do not count alike"),
    "a huge number": (lambda all_: first(all_).update(queries=10**30), "too large a number"),
    "other queries": (lambda all_: first(all_).update(queries=3), "rows for 12 configurations"),
    "no queries": (lambda all_: first(all_).update(queries=0, dropped=0), "12 configurations on 0"),
    "nested options": (deep, "nested more than 100 deep"),
    "a place twice": (
        lambda all_: first(all_)["configurations"][0].update(place=1),
        "do not follow one another",
    ),
    "another setting": (
        lambda all_: first(all_)["configurations"][0]["settings"].update({"bm25.k1": 99}),
        "not those of sweep.json",
    ),
    "other measures": (
        lambda all_: first(all_)["configurations"][0]["means"].update({"P@3": 1.0}),
        "different measures",
    ),
    "a dataset twice": (lambda all_: all_["datasets"].append(first(all_)), "occurs twice"),
    "another dataset": (lambda all_: first(all_).update(dataset="x"), "at most 0 were recorded"),
}


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD, ids=str)
def test_odd_content_is_an_error_of_one_line(folder: Path, odd: str) -> None:
    change, said = ODD[odd]
    changed_json(folder, "sweep.json", change)
    with pytest.raises(DataError, match=said) as caught:
        _ = open_result(folder)[NAME].sweep
    assert len(str(caught.value).splitlines()) == 1


def test_a_circle_of_inputs_and_odd_names_are_shown_as_they_are(folder: Path) -> None:
    def change(document: Any) -> None:
        first(document)["inputs"] = {"bm25": ["words"], "words": ["bm25"]}
        first(document)["specs"]["bm25"]["k1"] = "\n  evil:\n    kind: custom"

    changed_json(folder, "sweep.json", change)
    found = open_result(folder)[NAME].sweep
    assert "\n  evil" not in found.yaml
    assert found.yaml.startswith("retrievers:\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frame: frame.head(len(frame) - 38), "rows for 12 configurations on 19 queries"),
        (lambda frame: frame.reverse(), "order of its configurations"),
        (lambda frame: polars.concat([frame] * 3), "at most"),
        (lambda frame: frame.with_columns(value=polars.lit(float("inf"))), "order"),
        (lambda frame: frame.with_columns(query=polars.lit("q")), "order"),
        (lambda frame: frame.with_columns(configuration=polars.lit(None, polars.String)), "name"),
        (lambda frame: frame.drop("value"), "not a table of the values"),
    ],
)
def test_odd_values_are_an_error_of_one_line(folder: Path, change: Any, said: str) -> None:
    path = folder / "sweep.parquet"
    buffer = io.BytesIO()
    change(polars.read_parquet(path)).write_parquet(buffer)
    path.write_bytes(buffer.getvalue())
    resealed(folder, "sweep.parquet")
    with pytest.raises(DataError, match=said) as caught:
        _ = open_result(folder)[NAME].sweep
    assert len(str(caught.value).splitlines()) == 1
