"""html: sections of HTML source, one for each heading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, Literal

import numpy as np

from ragscore.chunking.packed_pieces import Level
from ragscore.chunking.paragraph_chunker import sentence_level
from ragscore.chunking.section_chunker import Heading, SectionChunker
from ragscore.chunking.text_layout import Layout, Places
from ragscore.formats.document_formats.html_text import LINES, PARAGRAPHS
from ragscore.formats.document_formats.html_tokens import Token, html_tokens

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_BLOCKS: Final = PARAGRAPHS | LINES
_NO_TEXT: Final = frozenset({"script", "style", "title", "iframe", "noembed", "noframes"})
"""Elements whose text no reader sees on the page."""


class HtmlChunker(SectionChunker):
    """Sections of HTML source: h1 to h6 and what stands below, up to the next.

    It is for documents whose text is HTML source, tags and all; chunks are source too. A section
    longer than the size is cut where blocks begin (p, li, tr, div), then at sentences and words,
    and never inside a tag unless it is longer than the size itself.

    >>> text = "<h1>Rent</h1><p>It is due monthly.</p><h1>Pets</h1><p>One cat.</p>"
    >>> [text[start:end] for start, end in HtmlChunker().spans(text)]
    ['<h1>Rent</h1><p>It is due monthly.</p>', '<h1>Pets</h1><p>One cat.</p>']
    """

    kind: Literal["html"] = "html"

    def headings(self, text: str) -> Sequence[Heading]:
        found: list[Heading] = []
        for token in html_tokens(text):
            level = 0 if token.kind == "text" else _HEADINGS.get(token.value, 0)
            if level and token.kind == "start":
                found.append(Heading(token.start, token.end, level))
            elif level and found and found[-1].level == level:
                found[-1] = found[-1]._replace(end=token.end)
        return found

    def visible(self, part: str) -> bool:
        return any(token.value.strip() for token in _shown(html_tokens(part)))

    def levels(self, layout: Layout, words: Level) -> list[Level]:
        @cache
        def tags() -> list[Token]:
            return [token for token in html_tokens(layout.text) if token.kind != "text"]

        def blocks(start: Places, end: Places) -> Places:
            begun = (tag.start for tag in tags() if tag.kind == "start" and tag.value in _BLOCKS)
            return np.fromiter(begun, dtype=np.int64)

        def outside_tags(level: Level) -> Level:
            def places(start: Places, end: Places) -> Places:
                spans = [(tag.start, tag.end) for tag in tags()]
                bounds = np.array(spans, dtype=np.int64).reshape(-1, 2)
                found = level(start, end)
                inside = np.searchsorted(bounds[:, 0], found, "left")
                reached = np.append(0, bounds[:, 1])  # behind the tag before each
                outside: Places = found[found >= reached[inside]]
                return outside

            return places

        return [blocks, outside_tags(sentence_level(layout)), outside_tags(words)]


def _shown(tokens: Iterable[Token]) -> Iterator[Token]:
    """The texts that a reader sees."""
    within = ""
    for token in tokens:
        if token.kind == "text" and within not in _NO_TEXT:
            yield token
        within = token.value if token.kind == "start" else ""
