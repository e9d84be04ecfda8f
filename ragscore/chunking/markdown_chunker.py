"""markdown: sections of Markdown, one for each heading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ragscore.chunking.packed_pieces import Level
from ragscore.chunking.paragraph_chunker import paragraph_level, sentence_level
from ragscore.chunking.section_chunker import Heading, SectionChunker
from ragscore.chunking.text_layout import Layout

_LINE = re.compile(
    r"""^[ ]{0,3}(?:
        (?P<fence>`{3,}(?=[^`\n]*$)|~{3,})
        |(?P<hashes>\#{1,6})(?=[ \t\r]|$)[^\n]*
        |(?P<under>=+|-+)[ \t]*\r?$
    )""",
    re.VERBOSE | re.MULTILINE,
)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)")
_NO_TEXT_LINE = re.compile(
    r"[ \t]*\r?\Z|[ ]{0,3}(?:>|\#{1,6}(?:[ \t\r]|\Z)|[-*+][ \t]|\d{1,9}[.)][ \t]|`{3}|~{3}|\||<"
    r"|(?:-[ \t]*){3,}+\r?\Z|(?:\*[ \t]*){3,}+\r?\Z|(?:_[ \t]*){3,}+\r?\Z)"
)
"""A line that is not text of a paragraph, so that what underlines it makes no heading of it."""
_CODE_LINE = re.compile(r"[ ]{4}|[ ]{0,3}\t")
"""A line that is code, but where it goes on with a paragraph."""


class MarkdownChunker(SectionChunker):
    r"""Sections of Markdown: a heading and what stands below it, up to the next.

    Headings are lines that begin with `#`, or that `===` or `---` underlines; those in code are
    none. A section longer than the size is cut at paragraphs, then at sentences and words.

    >>> text = "# Rent\n\nIt is due monthly.\n\n# Pets\n\nOne cat."
    >>> [text[start:end] for start, end in MarkdownChunker().spans(text)]
    ['# Rent\n\nIt is due monthly.', '# Pets\n\nOne cat.']
    """

    kind: Literal["markdown"] = "markdown"

    def headings(self, text: str) -> Sequence[Heading]:
        found: list[Heading] = []
        fence = ""
        front = _FRONT_MATTER.match(text)
        for line in _LINE.finditer(text, front.end() if front else 0):
            if line["fence"]:
                if not fence:
                    fence = line["fence"]
                elif _closes(text, line, fence):
                    fence = ""
            elif fence:
                continue
            elif line["hashes"]:
                found.append(Heading(line.start(), line.end(), len(line["hashes"])))
            else:
                floor = found[-1].end if found else (front.end() if front else 0)
                start = _paragraph_start(text, line.start(), floor)
                if start < line.start():
                    level = 1 if line["under"][0] == "=" else 2
                    found.append(Heading(start, line.end(), level))
        return found

    def levels(self, layout: Layout, words: Level) -> list[Level]:
        return [paragraph_level(layout), sentence_level(layout)]

    def visible(self, part: str) -> bool:
        return bool(part.strip())


def _closes(text: str, line: re.Match[str], fence: str) -> bool:
    """Whether a line ends the code that a fence began."""
    end = text.find("\n", line.end())
    rest = text[line.end() : len(text) if end < 0 else end]
    mark = line["fence"]
    return mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip()


def _paragraph_start(text: str, place: int, floor: int) -> int:
    """Where the lines of text right above a place begin; the place itself if there are none."""
    lines: list[int] = []
    top = place
    while top > floor:
        start = max(text.rfind("\n", 0, top - 1) + 1, floor)
        if _NO_TEXT_LINE.match(text[start : top - 1]):
            break
        lines.append(start)
        top = start
    while lines and _CODE_LINE.match(text, lines[-1]):
        lines.pop()
    return lines[-1] if lines else place
