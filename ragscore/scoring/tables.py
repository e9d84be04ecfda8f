"""Tables of texts as people read them: in a terminal, a file, Markdown."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Collection, Sequence

GAP = "  "


def aligned(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    style: str = "table",
    *,
    left: Collection[str] = (),
) -> list[str]:
    """The lines of a table of texts: the first column to the left, the others to the right.

    Args:
        style: ``table``, or ``markdown``.
        left: headers of other columns that stand to the left.
    """
    if style == "markdown":
        rule = ["---", *["---:"] * (len(header) - 1)]
        lines = [f"| {' | '.join(cells)} |" for cells in (header, rule, *rows)]
        return ["", *lines]
    widths = [max(map(_width, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for columns in _fitting(widths):
        lines += [
            GAP.join(
                _padded(cells[at], widths[at], left=at == 0 or header[at] in left) for at in columns
            ).rstrip()
            for cells in (header, *rows)
        ]
    return lines


def _fitting(widths: Sequence[int]) -> list[list[int]]:
    """The columns to print side by side; what a terminal has no room for comes underneath,
    with the names again. A file or pipe gets one wide table."""
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else sum(widths) * 2 + 100
    groups: list[list[int]] = [[0]]
    taken = widths[0]
    for at in range(1, len(widths)):
        taken += len(GAP) + widths[at]
        if taken > room and len(groups[-1]) > 1:
            groups.append([0])
            taken = widths[0] + len(GAP) + widths[at]
        groups[-1].append(at)
    return groups


def _width(text: str) -> int:
    """Cells of a terminal that a text takes: two for a wide character such as a Hangul one."""
    return sum(
        2 if unicodedata.east_asian_width(letter) in "WF" else not unicodedata.combining(letter)
        for letter in text
    )


def _padded(text: str, width: int, *, left: bool) -> str:
    space = " " * (width - _width(text))
    return text + space if left else space + text
