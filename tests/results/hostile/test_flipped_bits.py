"""A result whose files were changed is noticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragscore import open_result
from ragscore.cli import main
from ragscore.errors import DataError
from ragscore.results.manifest_file import DIGEST, METHOD, read_manifest

# Flipped bits.


@pytest.mark.parametrize("name", ["manifest.json", "summary.json", "comparison.json"])
def test_a_flipped_bit_is_noticed(
    result: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = result / name
    content = bytearray(path.read_bytes())
    at = content.index(b"0.") + 2  # a digit of a number
    content[at] ^= 1
    path.write_bytes(content)
    assert main(["report", str(result)]) == 3
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith(f"{path}: its content is not what was ")
    assert main(["list", "results", str(result.parent)]) == 0
    assert f"{name}: its content is not what was " in capsys.readouterr().out


@pytest.mark.parametrize("name", ["scores.parquet", "runs/bm25.parquet", "experiment.yaml"])
def test_a_flipped_bit_anywhere_else_is_noticed(result: Path, name: str) -> None:
    path = result / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    path.write_bytes(content)
    assert main(["report", str(result)]) == 3


@pytest.mark.parametrize("key", [DIGEST, METHOD])
def test_a_flipped_bit_does_not_hide_the_digest(result: Path, key: str) -> None:
    path = result / "manifest.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f'"{key}"', f'"{key[:-1]}{chr(ord(key[-1]) ^ 1)}"'), "utf-8")
    with pytest.raises(DataError, match="its content is not what was written"):
        open_result(result)


def test_a_manifest_of_an_earlier_version_has_no_digest(result: Path) -> None:
    path = result / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    del manifest[DIGEST], manifest[METHOD]
    path.write_text(json.dumps(manifest), encoding="utf-8")
    assert read_manifest(result).experiment == "house"
    assert open_result(result).primary == "nDCG@3"
