"""Names of files: what a name may hold, and what is made of those that may not be."""

from __future__ import annotations

from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.file_names import MAX_BYTES, file_stem, fitted_name, name_problem
from tests.factories.names import NAMES

GOOD = [
    *("bm25", "a b", "BM25 (k1=0.9), b=0.4", "bm25[k1=0.9,b=0.4]", "=1+1", "@x", "-a", "+a", "#1"),
    *(
        "형태소 + E5",
        "über & Co.x",
        "検索器",
        "поиск",
        "بحث",
        "👍",
        "a'b",
        "{0}",
        "%s",
        "$HOME",
        "!",
    ),
    *("com10", "console", "a..b", "가" * (MAX_BYTES // 3), "null", "true", "~", "`x`", "a;b"),
]


@pytest.mark.parametrize("name", GOOD)
def test_any_printable_character_may_be_in_a_name(name: str) -> None:
    assert name_problem(name) is None
    assert file_stem(name) == name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "an empty name. Write at least one letter or digit"),
        (3, "a name that is not a string: 3. Write it in quotes"),
        *((f"a{sign}b", f"a name with '{sign}', which no file") for sign in '/\\:*?"<>|'),
        ("a\tb", "the character U+0009, which cannot be seen. Delete it"),
        ("a\u202eb", "the character U+202E, which cannot be seen. Delete it"),
        ("a\u200bb", "the character U+200B"),
        ("a\u200db", "the character U+200D"),
        ("a\u00a0b", "the character U+00A0, which cannot be seen. Write a space for it"),
        ("a\u3164b", "the character U+3164"),
        ("a\ufe0f", "the character U+FE0F"),
        ("a\ud800", "the character U+D800"),
        ("a\x85", "the character U+0085"),
        (normalize("NFD", "형"), "decomposed letters (NFD). Retype it: 형"),
        (" a", "a space at its end or beginning. Leave it out"),
        ("a ", "a space at its end or beginning. Leave it out"),
        ("a.", "ends in a dot, which Windows drops. Leave it out"),
        ("..", "ends in a dot, which Windows drops. Leave it out"),
        (".a", "begins with a dot, which hides files. Leave it out"),
        ("\u0301a", "begins with a mark of another letter"),
        ("가" * 67, "a name of 201 bytes in UTF-8, too long for a file. It has at most 200"),
        *(
            (name, f"Windows reserves this name. Write {name}-1, for example")
            for name in ("con", "CON", "Nul.txt", "com1", "LPT9.a.b", "com¹", "aux .x", "CONIN$")
        ),
    ],
)
def test_what_no_file_can_be_called_everywhere(name: object, said: str) -> None:
    problem = name_problem(name)
    assert problem is not None
    assert said in str(problem)


@given(st.text(st.characters(), max_size=300))
def test_what_is_fitted_is_a_name(text: str) -> None:
    assert name_problem(fitted_name(text, "run")) is None
    assert name_problem(file_stem(text)) is None
    if name_problem(text) is None:
        assert file_stem(text) == text


def test_other_names_have_files_of_their_own() -> None:
    names = ["a/b", "a-b", "a:b", "a\\b", "../a", "x" * 300, "x" * 301, "\ud800", ""]
    assert len({file_stem(name) for name in names}) == len(names)


@given(NAMES)
def test_generated_names_are_names_of_files(name: str) -> None:
    assert name_problem(name) is None
    assert len(f"{name}.parquet".encode()) <= 255
    assert Path(f"{name}.parquet").name == f"{name}.parquet"
