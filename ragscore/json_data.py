"""JSON of files that anybody may have written: data only, and no number that we never write."""

from __future__ import annotations

import json
import math
from typing import Any

MAX_DIGITS = 20
"""Digits that a whole number may have; one of 64 bits has fewer."""


def parse_json(content: bytes) -> Any:
    """The data of a JSON file of a result.

    Raises:
        ValueError: it is not JSON, is nested too deep, or holds a number that no result holds.
    """
    try:
        return json.loads(content, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"{text[:MAX_DIGITS]}... is too large a number")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:MAX_DIGITS]} is not a number that ragscore writes")
    return number
