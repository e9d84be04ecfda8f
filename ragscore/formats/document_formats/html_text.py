"""The visible text of an HTML page, as a reader sees it: what offsets of evidence count.

Without scripts, styles and what stands in ``<head>``; references such as ``&amp;`` are the
characters that they stand for. Blocks (paragraphs, headings, items of lists, rows of tables) begin
on a line of their own, with an empty line around paragraphs and headings; cells of a row have a TAB
between them; white space is one space but in ``<pre>``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ragscore.formats.document_formats.html_tokens import html_tokens

_HIDDEN: Final = frozenset(
    {"head", "script", "style", "template", "noscript", "svg", "math", "iframe", "object", "select"}
)
PARAGRAPHS: Final = frozenset(
    {
        *("p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table", "ul", "ol", "dl"),
        *("figure", "article", "section", "header", "footer", "main", "nav", "aside", "hr"),
    }
)
LINES: Final = frozenset(
    {
        *("div", "li", "dt", "dd", "tr", "figcaption", "caption", "address", "form", "fieldset"),
        *("body", "html", "details", "summary", "option", "legend", "thead", "tbody", "tfoot"),
    }
)
_CELLS: Final = frozenset({"td", "th"})
_SPACE = re.compile(r"[ \t\n\r\f]+")
_IN_HEAD: Final = frozenset(
    {"base", "link", "meta", "noscript", "script", "style", "template", "title", "head"}
)


@dataclass(frozen=True)
class VisibleText:
    """What a page shows, and the title of its window."""

    text: str
    title: str


def visible_text(html: str) -> VisibleText:
    r"""The visible text of a page, and its ``<title>``.

    >>> visible_text("<title>Rent</title><h1>Rent</h1><p>Due on the <b>first</b> day &amp; paid.")
    VisibleText(text='Rent\n\nDue on the first day & paid.', title='Rent')
    """
    reader = _Reader()
    handle = {"start": reader.start_tag, "end": reader.end_tag, "text": reader.text}
    for token in html_tokens(html):
        handle[token.kind](token.value)
    return VisibleText(reader.written(), _SPACE.sub(" ", "".join(reader.title)).strip())


class _Reader:
    def __init__(self) -> None:
        self.title: list[str] = []
        self._pieces: list[str] = []
        self._hidden = ""
        self._depth = 0
        self._in_title = False
        self._pre = 0
        self._breaks = 0  # line ends in front of the next text
        self._space = False
        self._tab = False

    def start_tag(self, tag: str) -> None:
        if tag == "title" and not self.title and self._hidden in ("", "head"):
            self._in_title = True
        elif self._hidden == "head" and tag not in _IN_HEAD:
            self._hidden, self._depth = "", 0  # the end of <head> may be left out
            self.start_tag(tag)
        elif self._hidden:
            self._depth += tag == self._hidden
        elif tag in _HIDDEN:
            self._hidden, self._depth = tag, 1
        else:
            self._boundary(tag)
            if tag == "pre":
                self._pre += 1
            elif tag == "br":
                self._breaks += 1
            elif tag in _CELLS:
                self._tab = True

    def end_tag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif self._hidden:
            self._depth -= tag == self._hidden
            if not self._depth:
                self._hidden = ""
        else:
            self._boundary(tag)
            if tag == "pre":
                self._pre = max(0, self._pre - 1)

    def text(self, text: str) -> None:
        if self._in_title:
            self.title.append(text)
            return
        if self._hidden:
            return
        if self._pre:
            self._write(text)
            return
        words = _SPACE.sub(" ", text)
        if words.startswith(" "):
            self._space = True
        if shown := words.strip(" "):
            self._write(shown)
            self._space = words.endswith(" ")

    def _boundary(self, tag: str) -> None:
        if tag in PARAGRAPHS:
            self._breaks = max(self._breaks, 2)
        elif tag in LINES:
            self._breaks = max(self._breaks, 1)

    def _write(self, text: str) -> None:
        if not self._pieces:
            text = text.lstrip("\n")
        elif self._breaks:
            self._pieces.append("\n" * min(self._breaks, 2))
        elif self._tab:
            self._pieces.append("\t")
        elif self._space:
            self._pieces.append(" ")
        if text:
            self._pieces.append(text)
        self._breaks, self._space, self._tab = 0, False, False

    def written(self) -> str:
        """The text so far."""
        return "".join(self._pieces).rstrip()
