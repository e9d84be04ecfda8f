"""Secrets: values of the environment are sent, and never shown."""

from __future__ import annotations

import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.retrievers.secrets import Secrets, unset_variables, variables_in


def test_names_are_found_anywhere() -> None:
    assert variables_in({"${A}": ["x ${B}${A}", 1, {"y": "${C"}]}) == ["A", "B"]


@given(st.text(min_size=1), st.text())
def test_no_form_of_a_value_stays(value: str, around: str) -> None:
    secrets = Secrets({"KEY": value})
    for form in (value, quote_plus(value), json.dumps(value)[1:-1], repr(value)[1:-1]):
        assert "${KEY}" in secrets.redact(f"{around}{form}{around}")


def test_the_longest_form_is_taken_first() -> None:
    secrets = Secrets({"SHORT": "abc", "LONG": "abc/def"})
    shown = secrets.redact(f"abc/def {quote('abc/def', safe='')} abc\\/def abc")
    assert shown == "${LONG} ${LONG} ${LONG} ${SHORT}"


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
