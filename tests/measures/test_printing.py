"""Every measure prints as it parses, whatever its options are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from ragscore import BM25, Dataset, Experiment, run_experiment, score
from ragscore.errors import MeasureError
from ragscore.formats.datasets.jsonl import write_dataset
from ragscore.measures import TABLE, Measure, parse_measure
from tests.factories.thorough import examples


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a JSON Schema of an option allows."""
    if "anyOf" in schema:
        return st.one_of(*map(values, schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    if schema["type"] == "array":
        if "prefixItems" in schema:
            return st.tuples(*map(values, schema["prefixItems"]))
        return st.lists(values(schema["items"]), min_size=1, max_size=3, unique=True).map(tuple)
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if schema["type"] == "integer":
        return st.integers(low, 10**9 - 1)
    if schema["type"] == "number":
        return st.floats(
            low,
            high,
            exclude_min="exclusiveMinimum" in schema,
            exclude_max="exclusiveMaximum" in schema,
            allow_nan=False,
            allow_infinity=False,
        )
    others = {"null": st.none(), "boolean": st.booleans(), "string": st.text()}
    return others[schema["type"]]


@pytest.mark.parametrize("family", TABLE, ids=lambda family: family.name)
def test_any_options(family: type[Measure]) -> None:
    fields = family.model_json_schema()["properties"]
    if not family.has_curve:
        del fields["cutoff"]
    strategies = {name: values(schema) for name, schema in fields.items()}
    required = {family.at} if family.needs_cutoff else set()
    if family.needs_cutoff:
        strategies[family.at] = strategies[family.at].filter(lambda at: at is not None)
    options = st.fixed_dictionaries(
        {name: strategies[name] for name in strategies if name in required},
        optional={name: strategies[name] for name in strategies if name not in required},
    )

    @settings(deadline=None, max_examples=examples(50))
    @given(options)
    def check(given_options: dict[str, Any]) -> None:
        try:
            measure = family(**given_options)
        except MeasureError:  # a map that names a grade twice, a tokenizer of words
            reject()
        assert parse_measure(str(measure)) == measure
        assert parse_measure(measure.label) == measure

    check()


def test_an_option_of_many_digits_is_the_same_in_an_experiment(tmp_path: Path) -> None:
    asked = "P(relevant_from=0.1234567)@1"
    dataset = Dataset.from_rows({"a": "rent"}, {"q": "rent"}, {"q": {"a": 0.12345671}})
    write_dataset(dataset, tmp_path / "data")
    experiment = Experiment(
        datasets=[str(tmp_path / "data")],
        retrievers={"bm25": BM25()},
        measures=[asked],
        latency=False,
    )
    assert experiment.measures == [asked]
    found = run_experiment(experiment, output=tmp_path / "out").scores["bm25"].mean(asked)
    assert found == score({"q": ["a"]}, dataset.qrels, [asked])["run"].mean(asked) == 1.0
