"""JSON that anybody may have written: data only, of a depth that is the same on every Python."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any

MAX_DIGITS = 20
"""Digits that a whole number may have; one of 64 bits has fewer."""
MAX_NAME = 60
"""Characters of a key that a message shows."""
MAX_NESTING = 100
"""Lists and objects within each other; an experiment has at most 50."""
TOO_DEEP = f"it is nested more than {MAX_NESTING} deep"


class Pairs(list[tuple[str, Any]]):
    """An object of JSON as it stands in the text: a key may be there twice."""


def load_json(content: str | bytes, **hooks: Any) -> Any:
    """The data of a JSON text, as :func:`json.loads` reads it with these hooks, which by itself
    stops where the interpreter's recursion ends.

    Raises:
        ValueError: it is not JSON (a JSONDecodeError), is nested more than :data:`MAX_NESTING`
            deep, or a hook refuses it.
    """
    if isinstance(content, bytes):
        content = content.decode(json.detect_encoding(content), "surrogatepass")
    try:
        value = json.loads(content, **hooks)
    except (RecursionError, ValueError) as error:
        _check_nesting(content[: getattr(error, "pos", None)])
        raise
    level, depth = _branches([value]), 1
    while level and depth <= MAX_NESTING:
        level, depth = [inside for outer in level for inside in _branches(outer)], depth + 1
    if level:
        _check_nesting(content)
    return value


def _branches(outer: Any) -> list[Any]:
    """The lists and objects that stand in one."""
    if isinstance(outer, Pairs):
        outer = [value for _, value in outer]
    elif isinstance(outer, dict):
        outer = outer.values()
    return [value for value in outer if isinstance(value, (list, dict))]


def _check_nesting(text: str) -> None:
    depth, quoted = 0, False
    for found in re.finditer(r'\\.|["{}[\]]', text, re.DOTALL):
        if found[0] == '"':
            quoted = not quoted
        elif not quoted:
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(found[0], 0)
        if depth > MAX_NESTING:
            at = found.start()
            line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
            raise ValueError(f"{TOO_DEEP} at line {line}, column {column}") from None


def parse_json(content: bytes) -> Any:
    """The data of a JSON file of a result.

    Raises:
        ValueError: it is not JSON, is nested too deep, names a key twice, or holds a number that
            no result holds.
    """
    return load_json(
        content,
        object_pairs_hook=_each_once,
        parse_int=_whole,
        parse_float=_finite,
        parse_constant=_finite,
    )


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
