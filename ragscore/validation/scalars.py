"""Plain YAML scalars: the core schema of YAML 1.2, where YAML 1.1 agrees with it.

A scalar that the two versions read differently (``no``, ``010``, ``1:30``, ``2024-01-01``)
means one thing to one tool and another to the next: it has no value here, only a message.
"""

from __future__ import annotations

import re

Scalar = str | int | float | bool | None

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NAN = re.compile(r"\.(nan|NaN|NAN)")
_DIGITS = 300

_AMBIGUOUS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?i:yes|on)"), "true"),
    (re.compile(r"(?i:no|off)"), "false"),
    (re.compile(r"[-+]?0[0-9]+|[-+]?0o[0-7]+"), "an octal number"),
    (re.compile(r"[-+]?0b[01_]+"), "a binary number"),
    (re.compile(r"[-+]?(0x)?[0-9][0-9a-fA-F]*_[0-9a-fA-F_]*"), "a number"),
    (re.compile(r"[-+]?[0-9][0-9_]*\.[0-9_]*_[0-9_]*([eE][-+]?[0-9]+)?"), "a number"),
    (re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?"), "a number to base 60"),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?"), "a date"),
    (re.compile(r"="), "a default value"),
)


class AmbiguousError(ValueError):
    """A plain scalar without one meaning; the message says what it may be read as, if anything."""

    def __init__(self, what: str, instead: str) -> None:
        self.what, self.instead = what, instead
        super().__init__(what)


def resolve(text: str) -> Scalar:
    """The value of a plain scalar.

    >>> resolve("0.9"), resolve("1e-3"), resolve("true"), resolve("~"), resolve("bm25")
    (0.9, 0.001, True, None, 'bm25')

    Raises:
        AmbiguousError: YAML 1.1 and 1.2 read it differently, or it is a number too long to read.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    for pattern, reading in _AMBIGUOUS:
        if pattern.fullmatch(text):
            also = f"{reading}, or " if reading in ("true", "false") else ""
            if "number" in reading:
                also = "a number in plain digits, or "
            quoted = "'" + text + "'"
            raise AmbiguousError(
                f"{text} without quotes is read as {reading} by some YAML tools",
                f"Write {also}{quoted} with quotes for the text",
            )
    if len(text) > _DIGITS and (_INT.fullmatch(text) or _HEX.fullmatch(text)):
        raise AmbiguousError(
            f"a whole number of {len(text):,} digits", "Write a smaller one, or quotes for the text"
        )
    if _INT.fullmatch(text):
        return int(text)
    if _HEX.fullmatch(text):
        return int(text, 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITY.fullmatch(text):
        return float(text.replace(".", ""))
    return float("nan") if _NAN.fullmatch(text) else text


def number_in(text: str) -> int | float | bool | None:
    """The number, or true or false, that a text would be without quotes; None if it is neither.

    >>> number_in("0.9"), number_in("true"), number_in("high"), number_in("010")
    (0.9, True, None, None)
    """
    try:
        value = resolve(text)
    except AmbiguousError:
        return None
    return None if isinstance(value, str) else value


def is_plain_text(text: str) -> bool:
    """True if YAML reads the text without quotes as a string."""
    try:
        return isinstance(resolve(text), str)
    except AmbiguousError:
        return False
