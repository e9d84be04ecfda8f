"""The best as YAML: it loads back as the retriever with the chosen settings."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from ragscore import BM25, Experiment, Fusion
from ragscore.sweeps.model import configured_options, configured_yaml
from tests.factories.sweeps import WRITTEN, swept


def block(retriever: str, setting: dict, **parts) -> str:
    made = swept(
        retrievers=(retriever,),
        settings=(setting,),
        values=np.zeros((1, 40)),
        means={},
        latency_ms=np.zeros(1),
        index_bytes=np.zeros(1),
        **parts,
    )
    return configured_yaml(made, 0)


def test_a_composed_retriever_comes_with_all_that_it_is_built_on() -> None:
    setting = {
        "hybrid.weights": [1, 2.5],
        "hybrid.k": 20,
        "bm25.k1": 0.9,
        "bm25.tokenizer.kind": "words",
    }
    text = block("hybrid", setting)
    assert "    k1: 0.9  # was 1.2\n" in text
    assert "    weights: [1, 2.5]  # was the default\n" in text
    assert "tokenizer: {kind: words}\n" in text
    loaded = Experiment.model_validate({"dataset": {"path": "x"}, **yaml.safe_load(text)})
    assert set(loaded.retrievers) == {"bm25", "words", "hybrid"}
    assert loaded.retrievers["hybrid"] == Fusion(
        retrievers=["bm25", "words"], weights=[1, 2.5], k=20
    )
    assert loaded.retrievers["bm25"] == BM25(k1=0.9, tokenizer="words")


def test_a_dotted_parameter_reaches_into_options() -> None:
    written = {"kind": "faiss", "encoder": {"kind": "sentence-transformers", "model": "a"}}
    made = configured_options(written, {"encoder.model": "b", "search.nprobe": 4})
    assert made["encoder"] == {"kind": "sentence-transformers", "model": "b"}
    assert made["search"] == {"nprobe": 4}
    assert written["encoder"]["model"] == "a"


@pytest.mark.parametrize(
    "value",
    [
        "yes",
        "a: b",
        "# no",
        "two\nlines",
        "\u2028",
        "null",
        "1.5",
        "1e5",
        "é",
        "한국어",
        "",
        "'",
        '"',
        1e-05,
        1e300,
        -0.5,
        True,
        None,
        [],
        {},
        {"a": [1, {"b": "c"}]},
        "\x85",
        "\ud800x",
    ],
)
def test_any_value_loads_back(value) -> None:
    text = block("odd", {"odd.option": value}, specs={"odd": {"kind": "custom"}})
    if value == "\ud800x":
        assert "\ud800" not in text
        return
    assert yaml.safe_load(text)["retrievers"]["odd"]["option"] == value
    assert len(text.splitlines()) == 4


def test_any_name_loads_back() -> None:
    for name in ("a b", "bm25 [k1]", "no", "x: y", "#1"):
        text = block(name, {f"{name}.k1": 2}, specs={name: WRITTEN["bm25"]})
        assert yaml.safe_load(text)["retrievers"][name]["k1"] == 2


def test_unknown_options_give_no_block() -> None:
    assert block("bm25", {"bm25.k1": 1}, specs={}) == ""
