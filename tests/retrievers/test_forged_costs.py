"""What entries of the cache say of costs is read with care: one that cannot be is damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ragscore.encoders import EncodingCost, Truncation
from ragscore.encoders.truncation import read_truncation, write_truncation
from ragscore.errors import DataError
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.encoded_block import EncodedBlock

COST = BuildCost(1.5, EncodingCost(3, 0.5, 1, "cpu"))
KNOWN = EncodedBlock(True, 12, COST, Truncation("a", "passage", 3, 1, 8, 20, 12))


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("cost.json", "seconds", -7),
        ("cost.json", "seconds", None),
        ("cost.json", "seconds", "x"),
        ("cost.json", "encoding", {"texts": 1, "seconds": float("inf")}),
        ("cost.json", "encoding", [1, 2]),
        ("truncation.json", "tokens", "many"),
        ("truncation.json", "cut", -1),
        ("truncation.json", "role", "other"),
    ],
)
def test_a_forged_cost_is_damaged(tmp_path: Path, name: str, key: str, value: Any) -> None:
    KNOWN.write(tmp_path)
    whole = EncodedBlock.read(tmp_path)
    assert (whole.cost, whole.truncation) == (KNOWN.cost, KNOWN.truncation)
    path = tmp_path / name
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    with pytest.raises(ValidationError):
        EncodedBlock.read(tmp_path)


def test_a_size_is_not_negative(tmp_path: Path) -> None:
    KNOWN.write(tmp_path)
    (tmp_path / "size.txt").write_text("-5")
    with pytest.raises(DataError, match="its size is negative"):
        EncodedBlock.read(tmp_path)


def test_an_encoder_that_does_not_say_is_kept_as_that(tmp_path: Path) -> None:
    write_truncation(None, tmp_path)
    assert read_truncation(tmp_path) is None
