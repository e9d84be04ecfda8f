"""The tags and texts of an HTML page, in one pass whose time is in proportion to its length.

It follows the tokenizer of the HTML standard as far as texts need it. The parser of Python's
library takes minutes for a page of 200 kB that nobody closed the tags of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Literal, NamedTuple

_NAME = re.compile(r"<(/?)([a-zA-Z][^\s/>]*+)")
_ATTRIBUTE = re.compile(
    r"""[\s/]*+(?:[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?+)?+"""
)
_RAW = frozenset({"script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"})
"""What stands in these up to their end tag is text, whatever it looks like."""
_DECODED = frozenset({"title", "textarea"})
_HUGE_REFERENCE = re.compile(r"&#0*[1-9][0-9]{7,};?")
"""Beyond Unicode, and more digits than Python may read as a number."""


class Token(NamedTuple):
    """A piece of a page."""

    kind: Literal["start", "end", "text"]
    value: str
    """The name of the element, in lower case; or the text, its references resolved."""
    start: int
    end: int
    """Where it stands in the page: all of a tag, from ``<`` to ``>``."""


def html_tokens(html: str) -> Iterator[Token]:
    """The start tags, end tags and texts of a page, in order.

    >>> [token.value for token in html_tokens("<p class='x'>Rent &amp; more<!-- no --></p>")]
    ['p', 'Rent & more', 'p']
    """
    at = begin = 0
    while (at := html.find("<", at)) >= 0:
        tag = _NAME.match(html, at)
        if tag is None:
            end = _comment_end(html, at)
            if end is None:
                at += 1  # a character like any other
                continue
        if at > begin:
            yield Token("text", decoded(html[begin:at]), begin, at)
        if tag is None:
            begin = at = end if end is not None else len(html)
            continue
        start = at
        begin = at = _tag_end(html, tag.end())
        if not at or html[at - 1] != ">":
            return  # the page ends inside of the tag
        name = tag[2].lower()
        yield Token("end" if tag[1] else "start", name, start, at)
        if name in _RAW and not tag[1]:
            closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, at)
            until = closing.start() if closing else len(html)
            if until > at:
                raw = html[at:until]
                value = decoded(raw) if name in _DECODED else raw
                yield Token("text", value, at, until)
            begin = at = until
    if begin < len(html):
        yield Token("text", decoded(html[begin:]), begin, len(html))


def _comment_end(html: str, at: int) -> int | None:
    """Behind a comment or a declaration that begins here; None if there is none."""
    if html.startswith("<!--", at):
        if html.startswith((">", "->"), at + 4):
            return html.index(">", at) + 1
        closing = html.find("-->", at + 4)
        return closing + 3 if closing >= 0 else len(html)
    if html.startswith(("<!", "<?", "</"), at) and at + 2 < len(html):
        closing = html.find(">", at + 2)
        return closing + 1 if closing >= 0 else len(html)
    return None


def _tag_end(html: str, at: int) -> int:
    """Behind the ``>`` of a tag, or the end of the page."""
    while at < len(html):
        if html[at] == ">":
            return at + 1
        found = _ATTRIBUTE.match(html, at)
        step = found.end() if found else at
        at = step if step > at else at + 1
    return at


def decoded(text: str) -> str:
    """A text with its references, such as ``&amp;``, resolved."""
    return unescape(_HUGE_REFERENCE.sub("\ufffd", text)) if "&" in text else text
