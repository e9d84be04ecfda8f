from __future__ import annotations

import subprocess
import sys
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.errors import ConfigError
from ragscore.experiment.config.file import ConfigText, Mark
from ragscore.experiment.config.placed_data import ConfigDocument
from ragscore.experiment.config.yaml import dump_yaml, read_yaml
from ragscore.validation.findings import show_path


def read(text: str) -> ConfigDocument:
    return read_yaml(ConfigText("x.yaml", text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.9", 0.9),
        ("1e-3", 0.001),
        ("-12", -12),
        ("0x1F", 31),
        (".5", 0.5),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("", None),
        ("''", ""),
        ("'no'", "no"),
        ('"010"', "010"),
        ("!!str 010", "010"),
        ("nDCG@10", "nDCG@10"),
        ("IVF4,Flat", "IVF4,Flat"),
        ("1.2.3", "1.2.3"),
        ("[1, {b: c}]", [1, {"b": "c"}]),
        ("|-\n  two\n  lines", "two\nlines"),
        ("형태소", "형태소"),
    ],
)
def test_values_of_the_core_schema(text: str, value: Any) -> None:
    document = read(f"a: {text}\n")
    assert document.data == {"a": value}
    assert type(document.data["a"]) is type(value)
    assert not document.misread


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("no", "false"),
        ("YES", "true"),
        ("on", "true"),
        ("off", "false"),
        ("010", "an octal number"),
        ("0o14", "an octal number"),
        ("0b11", "a binary number"),
        ("1_000", "a number"),
        ("1:30", "a number to base 60"),
        ("2024-01-31", "a date"),
        ("2024-01-31 10:00:00", "a date"),
    ],
)
def test_what_yaml_versions_read_differently_must_be_quoted(text: str, reading: str) -> None:
    document = read(f"a: {text}\n")
    [misread] = document.misread
    assert misread.mark == Mark(1, 4)
    assert (
        misread.problem.what == f"a: {text} without quotes is read as {reading} by some YAML tools"
    )
    assert f"'{text}' with quotes" in misread.problem.instead


@pytest.mark.parametrize("number", ["7" * 5000, "-" + "7" * 301, "0x" + "f" * 400])
def test_a_number_that_takes_long_to_read_is_no_text(number: str) -> None:
    document = read(f"a: {number}\n")
    [misread] = document.misread
    assert misread.problem.what == f"a: a whole number of {len(number):,} digits"
    assert read(dump_yaml({"a": number})).data == {"a": number}


def test_every_value_knows_its_place() -> None:
    document = read("retrievers:\n  bm25: {kind: bm25,\n    fields: [text, title]}\n")
    places = {
        show_path(path): (place.start.line, place.start.column, place.value.column)
        for path, place in document.places.items()
    }
    assert places == {
        "": (1, 1, 1),
        "retrievers": (1, 1, 3),
        "retrievers.bm25": (2, 3, 9),
        "retrievers.bm25.kind": (2, 10, 16),
        "retrievers.bm25.fields": (3, 5, 13),
        "retrievers.bm25.fields[0]": (3, 14, 14),
        "retrievers.bm25.fields[1]": (3, 20, 20),
    }


def test_an_alias_stands_for_a_copy() -> None:
    document = read("a: &options {k1: 0.9}\nb: *options\n")
    assert document.data == {"a": {"k1": 0.9}, "b": {"k1": 0.9}}
    assert document.data["a"] is not document.data["b"]


def test_the_caret_counts_wide_characters_twice() -> None:
    document = read("가나: {이름: no}\n")
    [misread] = document.misread
    problem = misread.problem
    assert problem.where == "x.yaml:1:10"
    assert problem.excerpt == "    1 | 가나: {이름: no}\n      |              ^"


def test_long_lines_are_cut_around_the_caret() -> None:
    document = read(f"a: [{'x, ' * 100}no{', y' * 100}]\n")
    [misread] = document.misread
    problem = misread.problem
    line, caret = problem.excerpt.splitlines()
    assert len(line) < 120
    assert line[caret.index("^") :].startswith("no, y")


def bomb() -> str:
    """Nine to the ninth values in nine lines."""
    text = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for name, inner in zip("bcdefghi", "abcdefgh", strict=True):
        text += f"{name}: &{name} [{', '.join([f'*{inner}'] * 9)}]\n"
    return text


def merges(width: int, depth: int) -> str:
    """Each level merges the one below it ``width`` times: width ** depth mappings."""
    text = "m0: &m0 {a: 1, b: 2, c: 3, d: 4}\n"
    for level in range(1, depth):
        names = ", ".join([f"*m{level - 1}"] * width)
        text += f"m{level}: &m{level} {{<<: [{names}], x{level}: 1}}\n"
    return text


@pytest.mark.parametrize(
    ("text", "what", "mebibytes"),
    [
        (bomb(), "more than 10,000 values, with aliases written out", 40),
        ("a: &a 1\nb: [" + "*a, " * 200 + "]", "more than 100 aliases", 40),
        ("[" * 100_000, "nested more than 50 deep", 40),
        ("a: [" * 50_000, "nested more than 50 deep", 40),
        ("a: [" + "x, " * 300_000 + "]", "more than 10,000 values, with aliases written out", 40),
        (merges(9, 10), "more than 10,000 values, with aliases written out", 10),
        (merges(1, 120), "more than 10,000 values", 10),
        ("a: " + "{<<: " * 60 + "{}" + "}" * 60, "nested more than 50 deep", 10),
        ("a: &a {k: 1, <<: *a}\n", "an alias is inside its own anchor", 10),
        ("a: &a {k: {<<: *a}}\n", "an alias is inside its own anchor", 10),
    ],
    ids=[
        "bomb",
        "aliases",
        "brackets",
        "flow",
        "long",
        "merges",
        "chain",
        "nested-merges",
        "itself",
        "inside",
    ],
)
def test_bombs_are_refused_in_little_memory(text: str, what: str, mebibytes: int) -> None:
    tracemalloc.start()
    with pytest.raises(ConfigError) as caught:
        read(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    [problem] = caught.value.problems
    assert problem.what.startswith(what)
    assert peak < mebibytes * 2**20


CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff")
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(CHARACTERS)
    | st.sampled_from(["no", "010", "1e-3", "2024-01-01", "1:30", "=", "<<", "~", "y", "0o1", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text("abno10.~ -=:#가", max_size=4) | st.sampled_from(["on", "null", "<<x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text("abc", min_size=1), PLAIN, min_size=1, max_size=3))
def test_what_is_written_is_read_back(data: dict[str, Any]) -> None:
    document = read(dump_yaml(data))
    assert not document.misread
    assert document.data == data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: &x 1\nb: &x 2\n", "x.yaml:2:4: the anchor &x is defined twice. Give one of them"),
        ("a: &x\n  b: *x\n", "x.yaml:2:3: an alias is inside its own anchor. Write out"),
        ("a: [1, *gone]\n", "x.yaml:1:8: the alias *gone has no anchor &gone before it. Quote"),
    ],
)
def test_aliases_that_lead_nowhere(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(text)
    assert str(caught.value).startswith(message)


def test_without_libyaml_the_same_is_read() -> None:
    program = """
import sys, yaml
if sys.argv[1] == "python":
    del yaml.CSafeLoader
from ragscore.experiment.config.file import ConfigText
from ragscore.experiment.config.yaml import read_yaml
from ragscore.errors import ConfigError
for text in sys.stdin.read().split("====\\n"):
    try:
        read = read_yaml(ConfigText("x.yaml", text))
        print(read.data, read.places, read.misread)
    except ConfigError as error:
        print(error)
"""
    texts = [
        *("a: &x {k1: 0.9, b: [1, no]}\nc: *x\n", "a: *x\n", "a: &x [*x]\n", "a: [1\n", "a: 'b\n"),
        *("a: 1\n---\nb: 2\n", "a: 1\na: 2\n? [b]\n: 1\n", "a: !!set {b}\n", "a: &x 1\nb: &x 2\n"),
        *("[" * 200, "# nothing\n", "a: b: c\n", "a:\n\tb: 1\n", "<<: {a: 1}\n"),
    ]
    printed = [
        subprocess.run(
            [sys.executable, "-c", program, parser],
            input="====\n".join(texts),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for parser in ("libyaml", "python")
    ]
    assert printed[0] == printed[1]
    assert printed[0].count("\n") >= len(texts)
