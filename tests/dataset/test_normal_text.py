"""The normal form of a text, and quotes that are found by it."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.dataset.normal_text import NORMAL, NormalText
from ragscore.dataset.quotes import QuotePlaces, SearchedText

ODD = "가각é e\u0301\u1100\u1161\u11a8\u0308\u0323 \r\n\t“”\u2019—…ﬁ\u00ad\u212b\u09c7\u09be😀ab"


@given(st.text(st.one_of(st.characters(), st.sampled_from(ODD))))
def test_each_character_knows_where_it_stands(text: str) -> None:
    normal = NormalText.of(text)
    composed = unicodedata.normalize("NFC", text).translate(NORMAL)
    assert normal.text == re.sub(r"\s+", " ", composed)
    assert len(normal.text) == len(normal.start) == len(normal.end)
    assert (normal.start < normal.end).all()
    assert (normal.start[1:] >= normal.start[:-1]).all()
    assert (normal.end <= len(text)).all()


@given(
    st.text(st.sampled_from(ODD), max_size=30), st.text(st.sampled_from(ODD), min_size=1), st.data()
)
def test_a_quote_is_found_in_any_form(before: str, quote: str, data: st.DataObject) -> None:
    written = data.draw(st.sampled_from(["NFC", "NFD"]))
    text = f"{before}\n{quote}\n{before}"
    copied = unicodedata.normalize(written, quote).replace(" ", "\r\n")
    places = SearchedText(text).places(copied)
    if normal := NormalText.of(copied).text.strip():
        assert places.spans
        for start, end in places.spans:
            assert normal in NormalText.of(text[start:end]).text


@pytest.mark.parametrize(
    ("text", "quote", "places"),
    [
        ("aaa", "aa", QuotePlaces("exact", ((0, 2), (1, 3)))),
        ("Rent  is due. Rent is due.", "Rent is due", QuotePlaces("exact", ((14, 25),))),
        ("Rent  is due.", "Rent is due", QuotePlaces("normal", ((0, 12),))),
        ("it\u2019s “late”…", 'it\'s "late"...', QuotePlaces("normal", ((0, 12),))),
        ("co\u00adoperate", "cooperate", QuotePlaces("normal", ((0, 10),))),
        ("ﬁnd", "fi", QuotePlaces("normal", ((0, 1),))),
        ("😀 rent", "rent", QuotePlaces("exact", ((2, 6),))),
        ("rent", "lease", QuotePlaces("normal", ())),
        ("rent", " ", QuotePlaces("exact", ())),
    ],
)
def test_where_a_quote_stands(text: str, quote: str, places: QuotePlaces) -> None:
    assert SearchedText(text).places(quote) == places
