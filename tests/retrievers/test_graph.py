"""Retrievers built on retrievers: order, keys, and what cannot be ordered."""

from __future__ import annotations

import pytest

from ragscore.errors import ConfigError
from ragscore.retrievers import BM25, RETRIEVERS, Custom, Fusion, RetrieverSpec, keys, search_order


def fusion(*names: str) -> Fusion:
    return Fusion(retrievers=names)


def test_inputs_come_first_and_the_rest_keeps_its_order() -> None:
    specs: dict[str, RetrieverSpec] = {
        "top": fusion("mid", "d"), "a": BM25(), "mid": fusion("c", "a"), "b": BM25(),
        "c": BM25(), "d": BM25(),
    }  # fmt: skip
    assert search_order(specs) == ["c", "a", "mid", "d", "top", "b"]
    assert search_order({}) == []


def test_python_functions_may_be_inputs() -> None:
    assert search_order({"both": fusion("bm25", "mine"), "bm25": BM25()}, {"mine"}) == [
        "bm25", "both",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        ({"f": fusion("bm25", "bm26"), "bm25": BM25()}, "'bm26'. Did you mean 'bm25'"),
        ({"f": fusion("f", "a"), "a": BM25()}, "f -> f"),
        (
            {"x": fusion("y", "a"), "y": fusion("z", "a"), "z": fusion("x", "a"), "a": BM25()},
            "x -> y -> z -> x",
        ),
    ],
)
def test_cycles_and_missing_names(specs: dict[str, RetrieverSpec], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        search_order(specs)
    assert said in str(caught.value)


def test_renaming_changes_no_key() -> None:
    before = keys({"hybrid": fusion("a", "b"), "a": BM25(), "b": BM25(k1=0.9)})
    after = keys({"one": BM25(), "two": BM25(k1=0.9), "both": fusion("one", "two")})
    assert list(before) == ["hybrid", "a", "b"]
    assert before == {"hybrid": after["both"], "a": after["one"], "b": after["two"]}


def test_what_an_input_is_changes_the_key() -> None:
    variants: list[dict[str, RetrieverSpec]] = [
        {"f": fusion("a", "b"), "a": BM25(), "b": BM25(k1=0.9)},
        {"f": fusion("a", "b"), "a": BM25(), "b": BM25(k1=1.0)},
        {"f": fusion("b", "a"), "a": BM25(), "b": BM25(k1=0.9)},
        {"f": Fusion(retrievers=("a", "b"), k=10), "a": BM25(), "b": BM25(k1=0.9)},
        {"f": Fusion(retrievers=("a", "b"), weights=(1, 2)), "a": BM25(), "b": BM25(k1=0.9)},
    ]
    assert len({keys(specs)["f"] for specs in variants}) == len(variants)


@pytest.mark.parametrize("kind", RETRIEVERS)
def test_every_retriever_is_described_and_named_by_its_kind(kind: str) -> None:
    spec = RETRIEVERS[kind]
    assert spec.__doc__
    assert spec.model_fields["kind"].default == kind


def test_where_code_is_found_counts_in_no_key() -> None:
    spec = Custom(use="mine:Thing", folder="here")
    assert spec.key() == Custom(use="mine:Thing", folder="there").key()
    assert spec.key() != Custom(use="mine:Other").key()
