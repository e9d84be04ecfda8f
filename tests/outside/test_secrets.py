"""Secrets: values of the environment are sent, and never shown."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.dataset import Corpus, Ids
from ragscore.outside.secrets import Secrets, unset_variables, variables_in
from ragscore.retrievers.calls import RawAnswer


def test_names_are_found_anywhere() -> None:
    assert variables_in({"${A}": ["x ${B}${A}", 1, {"y": "${C"}]}) == ["A", "B"]


def in_base64(before: str) -> Callable[[str], str]:
    return lambda text: base64.b64encode(f"{before}{text}:".encode()).decode()


WAYS: list[Callable[[str], str]] = [
    str,
    quote,
    lambda text: re.sub("%..", lambda found: found[0].lower(), quote(text, safe="")),
    lambda text: quote(text, safe=""),
    quote_plus,
    lambda text: json.dumps(text)[1:-1],
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    lambda text: json.dumps(text)[1:-1].replace("/", "\\/").replace("&", "\\u0026"),
    lambda text: repr(text)[1:-1],
    html.escape,
    lambda text: "".join(f"&#{ord(character)};" for character in text),
    lambda text: json.dumps(json.dumps(text))[2:-2],
    lambda text: quote(quote(text)),
    lambda text: html.escape(html.escape(text)),
    str.upper,
    str.swapcase,
    lambda text: quote(text.upper(), safe=""),
    lambda text: json.dumps(text.upper())[1:-1],
    in_base64(""),
    in_base64("a"),
    in_base64("ab"),
]


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_a_value_is_found_however_it_is_written(way: int) -> None:
    value = 's3Cr/et "k&y"+éß한\n==\'\\'
    shown = Secrets({"KEY": value}).redact(f"<{WAYS[way](value)}>")
    assert "${KEY}" in shown
    for part in ("s3Cr", WAYS[way](value)[2:8], "k&"):
        assert part not in shown


@given(st.text(min_size=4), st.text(), st.sampled_from(WAYS[:15]))
def test_no_form_of_a_long_value_stays(value: str, around: str, way: Callable[[str], str]) -> None:
    assert "${KEY}" in Secrets({"KEY": value}).redact(f"{around}{way(value)}{around}")


@pytest.mark.parametrize(
    ("values", "text", "shown"),
    [
        ({"KEY": "5"}, "5 of 500: x5 5.5 (5)", "${KEY} of 500: x5 ${KEY}.${KEY} (${KEY})"),
        ({"KEY": "abc"}, "abc, abcd, an_abc", "${KEY}, abcd, an_${KEY}"),
        (
            {"SHORT": "abcd", "LONG": "abcd/ef"},
            "abcd/ef abcd%2Fef abcd",
            "${LONG} ${LONG} ${SHORT}",
        ),
        ({"ONE": "same-value", "TWO": "same-value"}, "same-value", "${ONE}"),
        ({"KEY": "key-1\n"}, "key-1", "${KEY}"),
        ({"KEY": "first line\nsecond line"}, "at second line", "at ${KEY}"),
        ({"LOGIN": "dXNlcjpwYSRzd29yZA=="}, "user or pa$sword", "user or ${LOGIN}"),
        ({"KEY": ""}, "nothing", "nothing"),
    ],
)
def test_what_is_shown_in_its_place(values: dict[str, str], text: str, shown: str) -> None:
    assert Secrets(values).redact(text) == shown


def test_data_is_redacted_to_its_keys() -> None:
    secrets = Secrets({"KEY": "secret"})
    assert secrets.redacted({"a secret": ["secret", 1, None]}) == {"a ${KEY}": ["${KEY}", 1, None]}
    assert secrets.redacted_unless(["secret-1", "p", "secret"], {"secret-1"}) == [
        "secret-1", "p", "${KEY}",
    ]  # fmt: skip
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert secrets.redacted(deep) == "nested too deeply"


def test_an_answer_keeps_what_the_corpus_has() -> None:
    secrets = Secrets({"KEY": "secret"})
    answer = RawAnswer(["secret-1", "secret"], [1.0, "secret"], ["a secret", {"secret": 1}])
    corpus = Corpus(Ids(["secret-1"]), ["a secret"])
    shown = ["secret-1", "${KEY}"], [1.0, "${KEY}"]
    assert answer.redacted(secrets, corpus) == RawAnswer(*shown, ["a secret", {"${KEY}": 1}])
    without = Corpus.of_ids(corpus.ids)  # texts are kept there
    assert answer.redacted(secrets, without) == RawAnswer(*shown, ["a ${KEY}", {"${KEY}": 1}])


def test_two_dollars_are_one() -> None:
    written = "$${A} ${A} $$${A} $$ ${} $${B"
    assert variables_in(written) == ["A"]
    assert Secrets({"A": "$${A}"}).fill(written) == "${A} $${A} $${A} $$ ${} $${B"


def test_what_is_not_set_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGSCORE_NONE", raising=False)
    monkeypatch.setenv("RAGSCORE_EMPTY", "")
    monkeypatch.setenv("RAGSCORE_SET", "x")
    written = "${RAGSCORE_NONE} ${RAGSCORE_EMPTY} ${RAGSCORE_SET}"
    missing, empty = unset_variables(written, "headers")
    assert str(missing) == (
        "headers: the environment has no variable RAGSCORE_NONE. "
        "Set it before the run, such as: export RAGSCORE_NONE=..."
    )
    assert "RAGSCORE_EMPTY is empty" in empty.what
    assert Secrets.named_in(written).fill(written) == "  x"
