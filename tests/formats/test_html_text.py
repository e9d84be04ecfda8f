"""The visible text of HTML pages, also of broken and hostile ones."""

from __future__ import annotations

import time

import pytest

from ragscore.formats.document_formats.html_text import visible_text

PAGE = """<!doctype html><html><head><title>The  lease</title><style>p{}</style></head>
<body><h1>The lease</h1>\n<p>Rent is due <em>on</em> the\n first.<br>Always.</p>
<ul><li>one</li><li>two</li></ul><table><tr><th>a</th><td>b</td></tr><tr><td>c</td></tr></table>
<script>if (1 < 2) alert("<p>no</p>")</script><p title="a > b">임대료 &amp; 1 < 2</p></body>"""


def test_what_a_reader_sees() -> None:
    page = visible_text(PAGE)
    assert page.title == "The lease"
    assert page.text == (
        "The lease\n\nRent is due on the first.\nAlways.\n\none\ntwo\n\na\tb\nc\n\n임대료 & 1 < 2"
    )


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("no tags at all", "no tags at all"),
        ("<pre>a\n  b</pre>c", "a\n  b\n\nc"),
        ("<head><title>x</title><p>the end of head is missing", "the end of head is missing"),
        ("<noscript>on</noscript>off<template>t</template>", "off"),
        ("a<!-- b -->c<!-- d", "ac"),
        ("&#9999999999;&nbsp;&#x41;&unknown;", "\ufffd\xa0A&unknown;"),
        ("<p>a</p><p attr='", "a"),
        ("", ""),
    ],
)
def test_odd_pages(html: str, text: str) -> None:
    assert visible_text(html).text == text


def test_time_is_in_proportion_to_the_length() -> None:
    pieces = ("<", "<a", "</", "&", "&#", "<!--", "<!", "<![CDATA[", "<svg>", "<a b=", "<a '", '="')
    started = time.perf_counter()
    for piece in (*pieces, "&#" + "9" * 9_000, "<title>", "<textarea>", "<script><!--"):
        visible_text(piece * (200_000 // len(piece)))
    assert time.perf_counter() - started < 5
