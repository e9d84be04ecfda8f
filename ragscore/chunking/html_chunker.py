"""html: sections of HTML source, one for each heading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import unescape
from typing import ClassVar, Literal

import numpy as np

from ragscore.chunking.packed_pieces import Level
from ragscore.chunking.paragraph_chunker import sentence_level
from ragscore.chunking.section_chunker import Heading, SectionChunker
from ragscore.chunking.text_layout import Layout, Places

_BLOCKS = (
    "p|div|li|ul|ol|dl|dt|dd|tr|table|thead|tbody|pre|blockquote|section|article|aside|header|"
    "footer|nav|main|figure|figcaption|form|fieldset|hr|br|body"
)
_TAG = re.compile(
    rf"""
    <!--(?:.*?-->|.*\Z)
    |<(?P<raw>script|style|textarea|template|title)\b(?:.*?</(?P=raw)\s*>|.*\Z)
    |<(?P<end>/?)(?:h(?P<level>[1-6])|(?P<block>{_BLOCKS})|[a-z!?][^\s<>"'/]{{0,64}})
        (?:[\s/](?:"[^"]{{0,4096}}"|'[^']{{0,4096}}'|[^"'<>]){{0,512}}+)?>
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
"""A comment, a part whose content is no text, or a tag: each of bounded length, so that source
without an end takes no longer."""


class HtmlChunker(SectionChunker):
    """Sections of HTML source: h1 to h6 and what stands below, up to the next.

    It is for documents whose text is HTML source, tags and all; chunks are source too. A section
    longer than the size is cut where blocks begin (p, li, tr, div), then at sentences and words,
    and never inside a tag unless it is longer than the size itself.

    >>> text = "<h1>Rent</h1><p>It is due monthly.</p><h1>Pets</h1><p>One cat.</p>"
    >>> [text[start:end] for start, end in HtmlChunker().spans(text)]
    ['<h1>Rent</h1><p>It is due monthly.</p>', '<h1>Pets</h1><p>One cat.</p>']
    """

    summary_ko: ClassVar[str] = "HTML 원문의 h1~h6마다 한 절; 긴 절은 블록, 문장, 단어에서 나눔"

    kind: Literal["html"] = "html"

    def headings(self, text: str) -> Sequence[Heading]:
        found: list[Heading] = []
        start, level = -1, 0
        for tag in _TAG.finditer(text):
            if not tag["level"]:
                continue
            if not tag["end"]:
                start, level = tag.start(), int(tag["level"])
                found.append(Heading(start, tag.end(), level))
            elif found and found[-1].level == int(tag["level"]):
                found[-1] = found[-1]._replace(end=tag.end())
        return found

    def visible(self, part: str) -> bool:
        return not unescape(_TAG.sub("", part)).isspace() and bool(_TAG.sub("", part))

    def levels(self, layout: Layout) -> list[Level]:
        @cache
        def blocks() -> Places:
            tags = _TAG.finditer(layout.text)
            found = [tag.start() for tag in tags if tag["block"] and not tag["end"]]
            return np.array(found, dtype=np.int64)

        return [lambda start, end: blocks(), sentence_level(layout)]

    def cuttable(self, layout: Layout, level: Level) -> Level:
        def outside_tags(start: Places, end: Places) -> Places:
            tags = [tag.span() for tag in _TAG.finditer(layout.text)]
            spans = np.array(tags, dtype=np.int64).reshape(-1, 2)
            places = level(start, end)
            if not len(spans):
                return places
            tag = np.searchsorted(spans[:, 0], places, "left") - 1
            inside: Places = (tag >= 0) & (places < spans[tag, 1])
            return places[~inside]

        return outside_tags
