"""A constructor in Python says what is wrong as the YAML file does: one line, one remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ragscore import (
    BM25,
    CompareOptions,
    Custom,
    Dataset,
    DatasetSpec,
    Fusion,
    GroundTruth,
    Passage,
    Query,
    TuneOptions,
)
from ragscore.errors import ConfigError, DataError, MeasureError, RagscoreError
from ragscore.measures import NDCG
from tests.factories.wrong_experiments import OPTIONS_OF_BM25

WRONG: list[tuple[Callable[[], Any], type[RagscoreError], str]] = [
    (
        lambda: BM25(k=0.9),  # type: ignore[call-arg]
        ConfigError,
        "BM25.k: unknown key. Did you mean 'k1'? Allowed: kind, " + OPTIONS_OF_BM25,
    ),
    (
        lambda: BM25(k1="high"),  # type: ignore[arg-type]
        ConfigError,
        "BM25.k1: the text 'high' where a number is expected",
    ),
    (
        lambda: BM25(tokenizer={"kind": "koran"}),  # type: ignore[arg-type]
        ConfigError,
        "BM25.tokenizer.kind: unknown kind 'koran'. Did you mean 'korean'? Allowed: snowball, "
        "words, none, ngrams, korean",
    ),
    (
        lambda: Fusion(retrievers="bm25"),  # type: ignore[arg-type]
        ConfigError,
        "Fusion.retrievers: the text 'bm25' where a list is expected. Write [bm25]",
    ),
    (
        lambda: Fusion(retrievers=("a", "b"), k=10**30),
        ConfigError,
        "Fusion.k: the whole number 1.000000e+30 is too large. Whole numbers may have 64 bits: up ",
    ),
    (
        lambda: Custom(use="a:b", options={"sizes": [1, {"of": -(10**5000)}]}),
        ConfigError,
        "Custom.options.sizes[1].of: the whole number -1.000000e+5000 is too small. ",
    ),
    (
        lambda: CompareOptions(margin=-1),
        ConfigError,
        "CompareOptions.margin: the number -1 is too small. It must be more than 0",
    ),
    (
        lambda: TuneOptions(rule="best"),  # type: ignore[arg-type]
        ConfigError,
        "TuneOptions.rule: unknown value 'best'. Did you mean 'best_f'? ",
    ),
    (
        lambda: DatasetSpec(path="x", encoding="utf8"),  # type: ignore[arg-type]
        ConfigError,
        "DatasetSpec.encoding: unknown value 'utf8'. Did you mean 'utf-8'? ",
    ),
    (lambda: NDCG(gain="log"), MeasureError, "NDCG.gain: "),  # type: ignore[arg-type]
    (
        lambda: Passage(id=42, text="x"),  # type: ignore[arg-type]
        DataError,
        "Passage.id: the number 42 where text is expected. Write it in quotes",
    ),
    (
        lambda: Query(id="q", text="?", answerabel=False),  # type: ignore[call-arg]
        DataError,
        "Query.answerabel: unknown key. Did you mean 'answerable'? ",
    ),
    (
        lambda: GroundTruth(query_id="q", passages="a"),  # type: ignore[arg-type]
        DataError,
        "GroundTruth.passages: the text 'a' where ",
    ),
    (
        lambda: Dataset.from_rows({"a": ""}, {"q": ""}, {"q": {"a": 10**400}}),
        DataError,
        "ground truth, query 'q': passages.a: 1.000000e+400 where a finite number is expected",
    ),
]


@pytest.mark.parametrize(("make", "kind", "said"), WRONG, ids=[said for _, _, said in WRONG])
def test_one_line_as_in_yaml(make: Callable[[], Any], kind: type[RagscoreError], said: str) -> None:
    with pytest.raises(RagscoreError) as caught:
        make()
    assert type(caught.value) is kind
    (line,) = str(caught.value).splitlines()
    assert line.startswith(said)


def test_a_part_inside_another_is_named_from_the_outside() -> None:
    with pytest.raises(ConfigError) as caught:
        DatasetSpec(path="x", columns={"queries": {"idd": "n"}})  # type: ignore[arg-type]
    assert str(caught.value).startswith("DatasetSpec.columns.queries.idd: unknown key. Did you")
