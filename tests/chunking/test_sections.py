"""Sections begin where Markdown and HTML have headings, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ragscore.chunking import HtmlChunker, MarkdownChunker, SectionChunker
from tests.factories.thorough import examples

PAGE = """\
---
title: Rent
---
# Terms

## Rent

Rent is due on the first. It is paid monthly.

```sh
# not a heading
```

Pets
----

One cat.

### Dogs

None.
"""
HTML = (
    "<!doctype html><html><head><title>Terms</title><style>h1{}</style></head><body>"
    "<h1 class='a > b'>Terms</h1><h2>Rent</h2><p>Due on the first.</p><!-- <h2>none</h2> -->"
    '<script>"<h1>none</h1>"</script><ul><li>One cat.</li><li>No dog.</li></ul>'
    "<H3>Dogs</H3><p>None &amp; <a href='x y z'>never</a>.</p></body></html>"
)


def chunks(chunker: SectionChunker, text: str) -> list[str]:
    return [text[start:end] for start, end in chunker.spans(text).tolist()]


def test_sections_of_markdown() -> None:
    found = chunks(MarkdownChunker(), PAGE)
    assert [chunk.splitlines()[0] for chunk in found] == ["---", "# Terms", "Pets", "### Dogs"]
    assert "## Rent" in found[1]
    assert "# not a heading" in found[1]
    assert [chunk[:4] for chunk in chunks(MarkdownChunker(level=2), PAGE)][-1] == "Pets"
    assert len(chunks(MarkdownChunker(level=1), PAGE)) == 2


def test_a_long_section_is_cut_within() -> None:
    found = chunks(MarkdownChunker(size=40), PAGE)
    assert found[1:4] == [
        "# Terms\n\n## Rent",
        "Rent is due on the first.",
        "It is paid monthly.",
    ]
    assert max(map(len, found)) <= 40
    overlapping = chunks(MarkdownChunker(size=30, overlap=10), PAGE)
    assert "Pets\n----\n\nOne cat." in overlapping  # nothing of the section before it


def test_sections_of_html() -> None:
    found = chunks(HtmlChunker(), HTML)
    assert len(found) == 2
    assert found[0].startswith("<!doctype html>")
    assert found[0].endswith("<li>No dog.</li></ul>")
    assert found[1].startswith("<H3>Dogs</H3>")
    small = chunks(HtmlChunker(size=60), HTML)
    assert "<ul><li>One cat.</li><li>No dog.</li></ul>" in small
    assert any("<a href='x y z'>" in chunk for chunk in small)
    assert len(chunks(HtmlChunker(level=2), HTML)) == 1


LINES = [
    "# one", "## two #", "#none", "text", "more text", "", "---", "===", "- item", "> quote", "```",
    "~~~~", "    # code", "   ### three", "1. item", "***", "####### seven", "text  ", "#", "--",
    "=",
]  # fmt: skip


@settings(max_examples=examples(1500), deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_headings_are_those_of_commonmark(lines: list[str], newline: str) -> None:
    """As markdown-it-py finds them outside quotations and lists."""
    lines = ["start", "", *lines]
    plain = [line for line in lines if line[:1] not in "->1" or line in ("---", "--", "")]
    text = newline.join([*plain, ""])
    tokens = MarkdownIt().parse(text)
    expected = [
        (token.map[0], int(token.tag[1]))
        for token in tokens
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    found = [
        (text.count("\n", 0, heading.start), heading.level)
        for heading in MarkdownChunker().headings(text)
    ]
    assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    ["<", "<!--", "<a ", "<a '", "<a \"<b '", "<script>", "<h1>", "</h1 ", "<p a=b", "<h1 '>"],
)
def test_source_without_an_end(part: str) -> None:
    """It takes no longer than other source, and nothing is lost."""
    text = "x " + part * (200_000 // len(part))
    spans = HtmlChunker(size=500).spans(text)
    assert text[: spans[0, 0]].strip() == ""
    assert spans[-1, 1] == len(text.rstrip())
