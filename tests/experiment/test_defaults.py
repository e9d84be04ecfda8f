"""Defaults by kind and fields for all: what wins, where errors are placed, in YAML and Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragscore import BM25, Faiss, Fusion
from ragscore.errors import ConfigError
from ragscore.experiment import Experiment, load_experiment, resolved_yaml, validate_experiment
from tests.factories.house import Write

SHARED = """\
dataset: statutes
fields: [text]
defaults:
  bm25: {k1: 0.9, tokenizer: words}
  faiss:
    encoder: minilm
  fusion: {retrievers: [a, b]}
retrievers:
  a: {kind: bm25}
  own: {kind: bm25, k1: 1.2, fields: [title]}
  b: {kind: faiss}
  f: {kind: fusion}
  g: {kind: fusion, retrievers: [a, own]}
"""
MADE = {
    "a": BM25(k1=0.9, tokenizer="words", fields=("text",)),  # type: ignore[arg-type]
    "own": BM25(k1=1.2, tokenizer="words", fields=("title",)),  # type: ignore[arg-type]
    "b": Faiss(encoder="minilm", fields=("text",)),  # type: ignore[arg-type]
    "f": Fusion(retrievers=("a", "b")),
    "g": Fusion(retrievers=("a", "own")),
}


def test_options_of_a_retriever_win_over_its_kinds_and_these_over_fields(write: Write) -> None:
    assert load_experiment(write(SHARED)).retrievers == MADE
    changed = load_experiment(
        write(SHARED), ["defaults.bm25.fields=[title]", "defaults.bm25.k1=2", "fields=[title]"]
    )
    assert changed.retrievers["a"] == MADE["a"].changed(k1=2, fields=("title",))
    assert changed.retrievers["own"] == MADE["own"]
    assert changed.retrievers["b"] == MADE["b"].changed(fields=("title",))


def test_the_same_in_python(write: Write) -> None:
    parts: dict[str, Any] = {
        "datasets": ["statutes"],
        "defaults": {"bm25": {"k1": 0.9, "tokenizer": "words"}, "faiss": {"encoder": "minilm"}},
        "fields": ["text"],
    }
    retrievers = {
        "a": BM25(),
        "own": BM25(k1=1.2, fields=("title",)),
        "b": {"kind": "faiss"},
        "f": MADE["f"],
        "g": MADE["g"],
    }
    made = Experiment(**parts, retrievers=retrievers)
    assert made.retrievers == MADE
    assert (made.defaults, made.fields) == ({}, None)


def test_what_is_resolved_spells_everything_out_and_loads_back_equal(
    write: Write, tmp_path: Path
) -> None:
    experiment = load_experiment(write(SHARED))
    text = resolved_yaml(experiment)
    assert "defaults" not in text
    assert load_experiment(write(text, "resolved.yaml")) == experiment


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("k1: 0.9", "k1: high",
         ["4:14: defaults.bm25.k1: the text 'high' where a number is expected"]),
        ("k1: 0.9", "k: 0.9", ["4:10: defaults.bm25.k: unknown key. Did you mean 'k1'? Allowed: "]),
        ("k1: 0.9", "kind: bm25", ["4:10: defaults.bm25.kind: unknown key. Allowed: "]),
        ("k1: 0.9", "k1: -1",
         ["4:14: defaults.bm25.k1: the number -1 is too small. It must be at least 0"]),
        ("  bm25: {", "  bm52: {", ["4:3: defaults.bm52: unknown kind of retriever 'bm52'. Did you "
         "mean 'bm25'? Allowed: "]),
        ("encoder: minilm", "encoder: {kind: minilm, size: 3}",
         ["6:29: defaults.faiss.encoder.size: unknown key. Allowed: kind, "]),
        ("encoder: minilm", "encoder: {kind: sentence-transformers, model: ./gone}",
         ["6:14: defaults.faiss.encoder: there is no model folder "]),
        ("    encoder: minilm\n", "",
         ["5:3: defaults.faiss: nothing where a mapping of keys with values is expected",
          "10:3: retrievers.b.encoder: missing. Add it: "]),
        ("[a, b]}", "[a, zz]}", ["7:28: defaults.fusion.retrievers[1]: no retriever is named "
         "'zz'. Allowed: a, own, b, g"]),
        ("fields: [text]", "fields: [txt]", ["2:10: fields[0]: unknown value 'txt'. Did you mean "
         "'text'? Allowed: title, text"]),
        ("fields: [text]", "fields: [text, text]", ["2:9: fields: a field is named twice. Write "
         "each of title and text once"]),
        ("defaults:", "defaults: [1]\nstrict:", ["3:11: defaults: a list where a mapping of keys "
         "with values is expected", "4:1: strict: keys with values where true or false",
         "12:3: retrievers.b.encoder: missing", "13:3: retrievers.f.retrievers: missing"]),
        ("tokenizer: words", "delta: 1", ["9:6: retrievers.a: delta has no meaning in the variant "
         "lucene. Leave it out, or choose variant: bm25l or bm25+", "10:8: retrievers.own: delta "
         "has no meaning in the variant lucene. "]),
    ],
)  # fmt: skip
def test_errors_are_placed_in_the_defaults_once(
    old: str, new: str, wrong: list[str], write: Write, tmp_path: Path
) -> None:
    assert old in SHARED
    path = write(SHARED.replace(old, new, 1))
    found = [str(problem).partition("\n")[0] for problem in validate_experiment(path)]
    shown = [line.removeprefix(f"{path}:") for line in found]
    assert len(shown) == len(wrong), shown
    for line, beginning in zip(shown, wrong, strict=True):
        assert line.startswith(beginning)


def test_errors_of_the_command_line_name_the_flag(write: Write) -> None:
    wrong = ["defaults.bm25.b=2", "defaults.fsion.k=1", "defaults.custom=5", "fields=[]"]
    found = sorted(str(problem) for problem in validate_experiment(write(SHARED), wrong))
    assert [line.partition(". ")[0] for line in found] == [
        "--set defaults.bm25.b=2: defaults.bm25.b: the number 2 is too large",
        "--set defaults.custom=5: defaults.custom: the number 5 where a mapping of keys with "
        "values is expected",
        "--set defaults.fsion.k=1: defaults.fsion: unknown kind of retriever 'fsion'",
        "--set fields=[]: fields: empty",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"defaults": {"bm25": {"k": 1}}}, "defaults.bm25.k: unknown key. Did you mean 'k1'? "),
        ({"defaults": {"bm25": 5}}, "Experiment.defaults.bm25: the number 5 where a mapping"),
        ({"fields": ["x"]}, "Experiment.fields[0]: unknown value 'x'. Allowed: title, text"),
    ],
)
def test_errors_in_python(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Experiment(datasets=["statutes"], retrievers={"a": BM25()}, **options)
    assert str(caught.value).startswith(message)
