"""Whether a command prints what a page shows under it."""

from __future__ import annotations

import difflib
import re

import pytest

ELLIPSIS = "..."
TIME = re.compile(r" +\d[\d,.]*\n$")
COST = re.compile(r"\b\d[\d,.]* ms\b")
DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def missing_line(shown: str, printed: str) -> str | None:
    """The first line of a page's block that the output lacks; None where it has them all.

    Lines follow each other as they do in the output; a line ``...`` stands for any lines.
    """
    lines = _without_times(printed).splitlines()
    start = 0
    for chunk in _chunks(_without_times(shown)):
        places = (
            at
            for at in range(start, len(lines) - len(chunk) + 1)
            if all(_same(*pair) for pair in zip(chunk, lines[at:], strict=False))
        )
        place = next(places, None)
        if place is None:
            return _first_strange(chunk, lines[start:])
        start = place + len(chunk)
    return None


def refreshed(shown: str, printed: str) -> str:
    """The block with the lines that are printed now, cut by ``...`` where it was cut before."""
    lines = printed.splitlines()
    parts, start = [], 0
    for chunk in _chunks(shown):
        filled = [at for at, line in enumerate(chunk) if line]
        first = _nearest(chunk[filled[0]], lines, start, start + filled[0])
        last = _nearest(chunk[filled[-1]], lines, first, first + filled[-1] - filled[0])
        start = min(len(lines), last + len(chunk) - filled[-1])
        parts.append("\n".join(lines[max(0, first - filled[0]) : start]))
    text = f"\n{ELLIPSIS}\n".join(parts)
    head = f"{ELLIPSIS}\n" if shown.startswith(f"{ELLIPSIS}\n") else ""
    tail = f"\n{ELLIPSIS}" if shown.endswith(f"\n{ELLIPSIS}\n") else ""
    return f"{head}{text}{tail}\n"


def _chunks(shown: str) -> list[list[str]]:
    parts = re.split(rf"^{re.escape(ELLIPSIS)}\n", shown, flags=re.MULTILINE)
    return [part.splitlines() for part in parts if part]


def _without_times(text: str) -> str:
    """The text without the values of a last column ``p50 (ms)``, and without ``12 ms`` and the day
    in a sentence: they differ with each run."""
    lines, timed = [], False
    for line in DAY.sub("DAY", text).splitlines(keepends=True):
        timed = line.endswith("p50 (ms)\n") or (timed and bool(TIME.search(line)))
        lines.append(TIME.sub("\n", line) if timed else COST.sub("ms", line))
    return "".join(lines)


def _same(shown: str, printed: str) -> bool:
    """The same words; numbers may move in the third digit with the processor."""
    if shown == printed:
        return True
    words = [NUMBER.split(" ".join(line.split())) for line in (shown, printed)]
    if words[0] != words[1]:
        return False
    shown_numbers, numbers = (
        [float(number.replace(",", "")) for number in NUMBER.findall(line)]
        for line in (shown, printed)
    )
    return numbers == pytest.approx(shown_numbers, rel=0.01, abs=0.003)


def _first_strange(chunk: list[str], lines: list[str]) -> str:
    for line in chunk:
        if not any(_same(line, printed) for printed in lines):
            return line
    return f"{chunk[0]} (and what follows, in this order)"


def _nearest(line: str, lines: list[str], start: int, expected: int) -> int:
    """The place of the most similar line from ``start`` on; of equals the nearest to a place."""

    def fit(at: int) -> tuple[float, int]:
        words = [NUMBER.sub("#", text).split() for text in (line, lines[at])]
        likeness = difflib.SequenceMatcher(None, *words, autojunk=False).ratio()
        return likeness, -abs(at - expected)

    return max(range(start, len(lines)), key=fit)
