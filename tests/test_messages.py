"""Messages: what they hold, what a file of a stranger can do with them, and what writers get."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import pytest

from ragscore.elements import Paragraph, Section
from ragscore.messages import (
    DEPTH,
    LONGEST,
    Message,
    _,
    counted,
    few_names,
    joined,
    listed,
    text_of,
    translated,
    unit_words,
)
from ragscore.scoring.profiles import PROFILES

HANGUL = re.compile("[가-힣]")
OURS = "{retriever} failed: {error}"


def test_a_message_is_a_value() -> None:
    made = _(OURS, retriever="a", error=counted("1 query", "{count} queries", 1200))
    assert made == _(OURS, retriever="a", error=counted("1 query", "{count} queries", 1200))
    assert made != made.given(retriever="b")
    assert pickle.loads(pickle.dumps(made)) == made
    assert Message.read(json.loads(json.dumps(made.to_dict()))) == made
    assert str(made) == "a failed: 1,200 queries"
    assert HANGUL.search(made.text("ko"))


def test_what_is_no_text_is_written_as_its_text() -> None:
    assert json.loads(json.dumps(_(OURS, error=ValueError("no"), retriever=3).to_dict()))[
        "facts"
    ] == {"error": "no", "retriever": 3}


def test_names_are_not_filled_again_and_nothing_is_formatted() -> None:
    name = "{error} {item} {0} {retriever.__class__} {retriever!r:>99}"
    for language in ("en", "ko"):
        assert name in _(OURS, retriever=name, error="{item}").text(language)
    assert str(_("{n.real} {n[0]} {n!r} {n:9} {{n}} {m}", n=1)) == (
        "{n.real} {n[0]} {n!r} {n:9} {1} {m}"
    )


def test_an_f_string_would_lose_the_translation() -> None:
    with pytest.raises(TypeError, match="f-string"):
        f"{_('1 query')}"


def test_texts_are_joined_in_each_language() -> None:
    names = joined([listed("abcde"), few_names("abcdefg")], "; ")
    assert str(names) == "a, b, c and 2 others; a, b, c, d, e and 2 more"
    assert names.text("ko") == "a, b, c, 그 밖의 2개; a, b, c, d, e 외 2개"


def test_a_writer_gets_texts_alone_with_its_words_for_units() -> None:
    made = Section("s", _("{Items}"), (Paragraph(_("no {item}")), Paragraph("{item}")))
    assert translated(made, "en") == Section(
        "s", "Passages", (Paragraph("no passage"), Paragraph("{item}"))
    )
    words = unit_words("page", ranked=True)
    assert translated(made, "en", words).elements[0].text == "no unit (page)"


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(
    ("read", "shown"),
    [
        ("<b>{item}</b> {x}", "<b>{item}</b> {x}"),
        ({"template": "It is {x} and {y}", "facts": {"x": "{y}", "y": 1}}, "It is {y} and 1"),
        ({"template": "{x.__class__} is", "facts": {"x": "a"}}, "{x.__class__} is"),
        ({"template": "y" * 9999}, "y" * LONGEST),
        ({"template": "{x}", "facts": {"x": "y" * 9999}}, "y" * LONGEST),
        ({"template": "1 query", "context": "a stranger's"}, "1 query"),
        ({"template": "{x}", "facts": {"x": None}}, "None"),
    ],
)
def test_a_sentence_that_is_not_ours_is_data(read: Any, shown: str, language: str) -> None:
    assert Message.read(read).text(language) == shown


def test_a_sentence_of_ours_is_translated_whatever_it_is_filled_with() -> None:
    read = Message.read({"template": OURS, "facts": {"retriever": "{error}", "error": "<b>"}})
    assert read.text("ko") == "검색기 {error}: 실행하지 못했습니다. <b>"


@pytest.mark.parametrize(
    "read",
    [
        None,
        3,
        [],
        {},
        {"template": 3},
        {"template": ["a"]},
        {"template": "a", "facts": ["a"]},
        {"template": "a", "facts": "a"},
        {"template": "a", "facts": {"x": ["a"]}},
        {"template": "a", "facts": {"x": {"facts": {}}}},
        {"template": "a", "context": {"a": 1}},
    ],
)
def test_what_is_no_message_is_refused(read: Any) -> None:
    with pytest.raises(ValueError, match="message"):
        Message.read(read)


def nested(depth: int, template: str) -> Any:
    held: Any = "x" * LONGEST
    for _level in range(depth):
        held = {"template": template, "facts": {"x": held}}
    return held


def test_messages_in_messages_end_somewhere() -> None:
    assert str(Message.read(nested(DEPTH, "{x}"))) == "x" * LONGEST
    for depth in (DEPTH + 2, 400):
        with pytest.raises(ValueError, match="message"):
            Message.read(nested(depth, "{x}"))


@pytest.mark.parametrize("template", ["{x}" * 600, "a {x}" * 400, "{x} " * 9, "{x}, {x}"])
def test_places_for_the_same_fact_do_not_blow_up(template: str) -> None:
    """Nine levels of nine places would have 387 million letters of facts."""
    assert len(str(Message.read(nested(DEPTH, template)))) <= 11 * LONGEST


def test_what_a_profile_leaves_to_words_is_there_in_korean() -> None:
    for profile in PROFILES.values():
        assert bool(profile.exceptions) == bool(HANGUL.search(text_of(profile.exceptions, "ko")))
