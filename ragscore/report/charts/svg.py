"""SVG elements as text: everything that is not our own markup is escaped here."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from ragscore.elements.plain import one_line

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def escape(text: str) -> str:
    """Text as it may stand in an element or in an attribute in double quotes.

    >>> escape('<a href="x">')
    '&lt;a href=&quot;x&quot;&gt;'
    """
    return one_line(text).translate(_ESCAPES)


def number(value: float) -> str:
    """A coordinate with one decimal at most.

    >>> number(3.0), number(2.46), number(-0.04)
    ('3', '2.5', '0')
    """
    text = f"{value:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")


def element(name: str, *inside: str, **attributes: str | float | None) -> str:
    """An element; attributes that are None are left out, ``class_`` is class, ``data_r`` data-r.

    Args:
        name: such as ``g``.
        inside: markup, already escaped.
        attributes: values, escaped here; numbers with one decimal.
    """
    parts = [name]
    for key, value in attributes.items():
        if value is None:
            continue
        written = escape(value) if isinstance(value, str) else number(value)
        parts.append(f'{key.rstrip("_").replace("_", "-")}="{written}"')
    head = " ".join(parts)
    content = "".join(inside)
    return f"<{head}>{content}</{name}>" if content else f"<{head}/>"


def text(x: float, y: float, line: str, role: str = "label", anchor: str | None = None) -> str:
    """A line of text whose baseline is at y."""
    return element("text", escape(line), class_=role, x=x, y=y, text_anchor=anchor)


def title(hint: str) -> str:
    """What a browser shows on hover and a screen reader says."""
    return element("title", escape(hint))


def link(href: str | None, *inside: str) -> str:
    """A link to an address, or a group without one. The keyboard skips it."""
    if href is None:
        return element("g", *inside)
    return element("a", *inside, href=href, tabindex="-1")


def line(x1: float, y1: float, x2: float, y2: float, role: str) -> str:
    """A straight line."""
    return element("path", class_=role, d=f"M{_at(x1, y1)}L{_at(x2, y2)}")


def rectangle(x: float, y: float, width: float, height: float, role: str) -> str:
    """A rectangle; nothing where it has no width."""
    if width <= 0 or height <= 0:
        return ""
    return element("rect", class_=role, x=x, y=y, width=width, height=height)


def polyline(points: Iterable[Sequence[float]]) -> str:
    """Path data through points; a point that is not finite leaves a gap.

    Steps are relative to the point before, in tenths of a pixel, so that nothing drifts.

    >>> polyline([(0, 0), (1.52, -2), (3, 4)])
    'M0,0l1.5-2 1.5,6'
    """
    parts: list[str] = []
    before: tuple[int, int] | None = None
    for x, y in points:
        if not (math.isfinite(x) and math.isfinite(y)):
            before = None
            continue
        now = round(x * 10), round(y * 10)
        if before is None:
            parts.append(f"M{_pair(*now)}l")
        else:
            step = _pair(now[0] - before[0], now[1] - before[1])
            parts.append(step if parts[-1].endswith("l") or step[0] == "-" else f" {step}")
        before = now
    # A point alone has no line.
    return re.sub(r"l(?=M|$)", "", "".join(parts))


def _pair(x: int, y: int) -> str:
    across, down = number(x / 10), number(y / 10)
    return across + (down if down[0] == "-" else f",{down}")


def _at(x: float, y: float) -> str:
    return f"{number(x)},{number(y)}"
