"""A result whose files say odd things: one line says what, and others are not hidden."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

from ragscore import open_result
from ragscore import parquet_files as parquet_rows
from ragscore.cli import main
from ragscore.errors import DataError
from tests.factories.hostile_results import changed_json, huge_count, huge_mean, no_measure
from tests.factories.manifests import resealed


def test_a_summary_of_other_shape_is_described_in_our_own_words(result: Path) -> None:
    changed_json(result, "summary.json", lambda summary: summary["counts"][0].update(retriever=3))
    with pytest.raises(DataError) as caught:
        _ = open_result(result).scores
    said = "it is not a valid summary: counts[0].retriever: the number 3 where text is expected"
    assert said in str(caught.value)


# Parquet files that promise more than they can hold.


def bomb(rows: int) -> bytes:
    """A run of so many rows, all alike but for what compresses to nothing."""
    frame = polars.select(
        query=polars.repeat("q1", rows),
        passage=polars.repeat("rent", rows),
        rank=polars.repeat(1, rows, dtype=polars.Int64),
        score=polars.repeat(1.0, rows),
    )
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["runs/bm25.parquet", "scores.parquet"])
def test_a_table_of_a_result_holds_what_was_recorded(result: Path, name: str) -> None:
    (result / name).write_bytes(bomb(1_000))
    resealed(result, name)
    opened = open_result(result)
    with pytest.raises(DataError, match="it holds 1,000 rows, and at most 16 were recorded"):
        _ = opened.run("data", "bm25") if name.startswith("runs") else opened.scores


def test_a_loose_run_holds_what_its_size_allows(
    original: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parquet_rows, "ALWAYS_READ", 10_000)
    (tmp_path / "bomb.parquet").write_bytes(bomb(200_001))
    data = original.parents[1] / "data"
    assert main(["score", "--qrels", str(data), str(tmp_path / "bomb.parquet")]) == 3
    assert "it holds 200,001 rows in " in capsys.readouterr().err


@pytest.mark.parametrize("key", ["resamples"])
def test_a_result_cannot_ask_for_endless_work(
    result: Path, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    compare = json.loads((result / "manifest.json").read_text(encoding="utf-8"))["compare"]
    resealed(result, compare={**compare, key: 10**15, "all_pairs": True})
    assert main(["show", str(result)]) == 0
    shown = capsys.readouterr().out
    assert "The recorded options of 'compare' cannot be read by this version" in shown


@pytest.mark.parametrize("change", [huge_count, huge_mean, no_measure])
def test_one_odd_result_does_not_hide_the_others(
    original: Path,
    result: Path,
    change: Callable[[Any], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(original, result.with_name("other"))
    changed_json(result, "summary.json", change)
    assert main(["list", "results", str(result.parent)]) == 0
    shown = capsys.readouterr().out
    (odd,) = (line for line in shown.splitlines() if "unreadable: summary.json: " in line)
    assert "\x1b" not in odd
    assert "other" in shown


@pytest.mark.parametrize("change", [huge_count, huge_mean])
def test_a_number_that_none_has_is_an_error_of_one_line(
    result: Path, change: Callable[[Any], None], capsys: pytest.CaptureFixture[str]
) -> None:
    changed_json(result, "summary.json", change)
    assert main(["show", str(result)]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "it is not a valid summary: 1000000" in line
    assert "is too large a number" in line


@pytest.mark.parametrize("command", ["show", "compare", "report"])
@pytest.mark.parametrize("key", ["datasets", "retrievers"])
def test_names_that_do_not_fit_are_an_error_of_one_line(
    result: Path, key: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = json.loads((result / "manifest.json").read_text(encoding="utf-8"))[key]
    entries[0]["name"] = "another"
    resealed(result, **{key: entries})
    assert main([command, str(result)]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "does not" in line or "no dataset is named" in line


def test_odd_options_of_a_result_are_left_out(
    result: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compare = json.loads((result / "manifest.json").read_text(encoding="utf-8"))["compare"]
    resealed(result, compare={**compare, "test": "os:system"})
    assert main(["compare", str(result)]) == 0
    assert "The recorded options of 'compare' cannot be read" in capsys.readouterr().err
