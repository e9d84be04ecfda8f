"""Wrong configs: one clear message for each fault, at its place, with the remedy."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import Write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragscore.errors import ConfigError
from ragscore.experiment import load_experiment, validate_experiment

GOOD = "dataset: statutes\nretrievers:\n  bm25: {kind: bm25}\n"

PYDANTIC = re.compile(r"Input should|input_type|type=|pydantic|validation error|For further", re.I)


def bm25(*lines: str, dataset: str = "statutes") -> str:
    """An experiment of one retriever with lines of options; they begin in line 5, column 5."""
    options = "".join(f"    {line}\n" for line in lines)
    return f"dataset: {dataset}\nretrievers:\n  bm25:\n    kind: bm25\n{options}"


# A config, and the message it gets.
CASES: dict[str, tuple[str | bytes, str]] = {}
