"""A measure as an experiment file names it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from ragscore.errors import ConfigError, Problem
from ragscore.measures import load_named, parse_measure
from ragscore.validation.findings import carried


def _canonical_measure(text: str) -> str:
    try:
        load_named(text)
        return str(parse_measure(text))
    except ConfigError as error:
        first = error.problems[0]
        where = f" in '{text}'" if first.where and text not in first.what else ""
        raise carried(Problem(first.what + where, instead=first.instead)) from None


MeasureText = Annotated[str, AfterValidator(_canonical_measure)]
"""Parsed and printed again, so that one measure is always the same text."""


def resolved_measure(text: str, base: Path) -> str:
    """The same measure with every path in it absolute, taken from a folder."""
    return str(parse_measure(text).resolved(base))
