"""No text breaks out of its place in the page, and the page loads nothing."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from ragscore.elements import (
    Paragraph,
)
from ragscore.report.html.fragment import fragment
from ragscore.report.html.page import page
from ragscore.report.html.plain_text import attribute, clean, sentence
from ragscore.report.html.render import Reader
from ragscore.report.model import (
    Choice,
    Swap,
)
from tests.factories.html_pages import HOSTILE, Parsed, elements, report


def policy(parsed: Parsed) -> dict[str, str]:
    (meta,) = parsed.all("meta", http_equiv="Content-Security-Policy")
    parts = (one.strip().split(" ", 1) for one in (meta["content"] or "").split(";"))
    return dict(parts)


def test_the_policy_allows_this_style_and_this_script_and_nothing_else() -> None:
    parsed = Parsed(page(report()))

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    (style,) = parsed.raw["style"]
    *payloads, script = parsed.raw["script"]
    assert policy(parsed) == {
        "default-src": "'none'",
        "script-src": digest(script),
        "style-src": digest(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert len(parsed.all("script", type="application/octet-stream")) == len(payloads)


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_no_text_breaks_out_of_its_place(hostile: str, language: str) -> None:
    plain = Parsed(page(report(datasets=("one", "bm25"), language=language)))
    parsed = Parsed(page(report(hostile, datasets=("one", hostile), language=language)))

    def shape(one: Parsed) -> list[tuple[str, list[str]]]:
        # Isolating a name that turns the direction adds <bdi>, and nothing else may differ.
        return [(tag, sorted(attrs)) for tag, attrs in one.elements if tag != "bdi"]

    assert shape(parsed) == shape(plain)
    assert clean(hostile) in parsed.text
    (script,) = {parsed.raw["script"][-1], plain.raw["script"][-1]}
    (_,) = {parsed.raw["style"][0], plain.raw["style"][0]}
    assert "eval(" not in script
    assert "innerHTML" not in script
    for code in ("\x00", "\x07", "\x1b", "\x85", "\ud800"):
        assert not any(code in one for one in parsed.texts)


@pytest.mark.parametrize("name", ["bm25", *HOSTILE])
def test_nothing_is_loaded_or_handled_by_attributes(name: str) -> None:
    for tag, attrs in Parsed(page(report(name))).elements:
        assert tag not in {"iframe", "object", "embed", "base", "form", "img"}
        for key, value in attrs.items():
            assert not key.startswith(("style", "on")), (tag, attrs)
            if key in {"href", "src", "xlink:href"}:
                assert (value or "").startswith(("#", "data:,")), (tag, attrs)
    (style,) = Parsed(page(report(name))).raw["style"]
    assert not re.search(r"url\(|@import|https?:", style)


@pytest.mark.parametrize("name", ["bm25", *HOSTILE])
def test_ids_are_unique_and_every_reference_resolves(name: str) -> None:
    parsed = Parsed(page(report(name, datasets=("one", "two"))))
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[\w.-]+", one or "", re.ASCII) for one in ids)
    for tag, attrs in parsed.elements:
        for key in ("for", "aria-labelledby", "aria-describedby", "aria-controls"):
            for one in (attrs.get(key) or "").split():
                assert one in ids, (tag, key, one)
        href = attrs.get("href") or ""
        if tag == "a" and "=" not in href:
            assert href.removeprefix("#") in ids, href


@pytest.mark.parametrize("name", ["bm25", *HOSTILE])
def test_a_fragment_stands_for_itself(name: str) -> None:
    held = report(name)
    choice = Choice(name, "RR")
    swap = Swap({choice: (Paragraph("shown"),), Choice(name, "P"): (Paragraph("not"),)}, choice)
    text = fragment((*elements(name, "dense"), swap), Reader.of(held))
    parsed = Parsed(text)
    assert parsed.all("script") == []
    assert parsed.all("a") == []
    assert "shown" in parsed.text
    assert parsed.all("div", class_="variant") == []
    assert not any("style" in attrs for _, attrs in parsed.elements)
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    (style,) = parsed.raw["style"]
    assert "rem;" not in style
    assert ":root" not in style
    assert style.count("{") == style.count("}")


@pytest.mark.parametrize(
    ("text", "names", "made"),
    [
        ("bm25 & co", ["bm25"], "bm25 &amp; co"),
        ("א beats b", ["א", "b"], "<bdi><bdi>א</bdi> beats b</bdi>"),
        ("\u202eab", [], "<bdi>\u202eab</bdi>"),
        ("a\x00", [], "a\ufffd"),
    ],
)
def test_sentences_isolate_names_that_turn(text: str, names: list[str], made: str) -> None:
    assert sentence(text, names) == made


def test_attributes_keep_their_direction_inside() -> None:
    assert attribute("\u202ea") == "\u2068\u202ea\u2069"
    assert attribute("a") == "a"
