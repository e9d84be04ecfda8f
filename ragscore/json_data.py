"""JSON of files that anybody may have written: data only, and no number that we never write."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

MAX_DIGITS = 20
"""Digits that a whole number may have; one of 64 bits has fewer."""
MAX_NAME = 60
"""Characters of a key that a message shows."""


def parse_json(content: bytes) -> Any:
    """The data of a JSON file of a result.

    Raises:
        ValueError: it is not JSON, is nested too deep, names a key twice, or holds a number that
            no result holds.
    """
    try:
        return json.loads(
            content,
            object_pairs_hook=_each_once,
            parse_int=_whole,
            parse_float=_finite,
            parse_constant=_finite,
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _), *_] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"it has '{twice[:MAX_NAME]}' twice")
    return found


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"{text[:MAX_DIGITS]}... is too large a number")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:MAX_DIGITS]} is not a number that ragscore writes")
    return number
