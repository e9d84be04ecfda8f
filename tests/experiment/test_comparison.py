"""The keys ``compare:`` and ``tune:`` of an experiment: what they take, and what they leave."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from ragscore import experiment_schema, load_experiment, run_experiment, validate_experiment
from ragscore.comparison import CompareOptions
from ragscore.errors import ConfigError
from ragscore.results import open_result
from ragscore.tuning import TuneOptions
from tests.factories.house import GOOD, PAIR, Write, write_config, write_dataset
from tests.factories.verdict_cases import said


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("compare: {baseline: bm52}", "4:21: compare.baseline: no retriever is named 'bm52'. Did "),
        ("compare: {margin: 0}", "4:19: compare.margin: the number 0 is too small. It must be mo"),
        ("compare: {corection: bh}", "4:11: compare.corection: unknown key. Did you mean 'correct"),
        ("compare: {test: z}", "4:17: compare.test: unknown value 'z'. Allowed: randomization, t"),
        ("compare: {slices: kind}", "4:19: compare.slices: the text 'kind' where a list is expec"),
        ("compare: maybe", "4:10: compare: the text 'maybe' where a mapping of keys with values o"),
        ("tune: {rule: best}", "4:14: tune.rule: unknown value 'best'. Did you mean 'best_f'"),
        ("tune: {folds: 1}", "4:15: tune.folds: the number 1 is too small. It must be at least 2"),
    ],
)
def test_wrong_keys_have_a_place(text: str, problem: str, write: Write) -> None:
    (found,) = map(str, validate_experiment(write(GOOD + text)))
    assert found.startswith(f"x.yaml:{problem}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "compare"),
    [
        (True, CompareOptions()),
        (False, False),
        ({"margin": 0.02, "slices": ["kind"]}, CompareOptions(margin=0.02, slices=("kind",))),
    ],
)
def test_what_compare_may_be(value: object, compare: object, write: Write) -> None:
    path = write(GOOD + f"compare: {json.dumps(value)}\n")
    assert load_experiment(path).compare == compare
    data = {"dataset": "x", "retrievers": {"bm25": {"kind": "bm25"}}, "compare": value}
    jsonschema.validate(data, experiment_schema())


def test_the_schema_knows_the_options() -> None:
    wrong = {"dataset": "x", "retrievers": {"bm25": {"kind": "bm25"}}, "compare": {"margins": 1}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, experiment_schema())


def test_a_key_that_no_query_has_is_told_before_searching(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    for option in ("cluster: kind", "slices: [kind]"):
        config = write_config(tmp_path, PAIR + f"compare: {{{option}}}\n")
        with pytest.raises(ConfigError, match=r"compare\.\w+, data: no query has a tag"):
            run_experiment(load_experiment(config), output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_result_holds_the_comparison(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    experiment = load_experiment(write_config(tmp_path, PAIR))
    result = run_experiment(experiment, output=tmp_path / "out")
    (dataset,) = result.comparison().datasets
    text = (tmp_path / "out" / "comparison.md").read_text(encoding="utf-8")
    for line in said(dataset.verdict):
        assert line in text
    assert not re.search(r"\bnan\b", text)
    again = run_experiment(experiment, output=tmp_path / "again")
    assert again.comparison() == result.comparison()
    alone = run_experiment(experiment, only=["bm25"], output=tmp_path / "alone")
    assert alone.compared is None
    with pytest.raises(ConfigError, match="is the only retriever with scores"):
        alone.comparison()
    assert load_experiment(tmp_path / "out" / "experiment.yaml").compare == CompareOptions()


def test_k_is_chosen_where_it_is_asked_for(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    config = write_config(tmp_path, PAIR + "tune: {rule: recall, target: 0.5, folds: 2}\n")
    result = run_experiment(load_experiment(config), output=tmp_path / "out")
    assert [tuning.retriever for tuning in result.tunings] == ["bm25", "words"]
    assert list(map(str, open_result(tmp_path / "out").tunings)) == list(map(str, result.tunings))
    assert load_experiment(config).tune == TuneOptions(rule="recall", target=0.5, folds=2)


def test_the_tokenizers_folder_is_taken_from_the_file(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    (tmp_path / "tok").mkdir()
    (tmp_path / "tok" / "tokenizer.json").touch()
    folder = str(tmp_path / "tok")
    for given, read in (("tok", folder), ("a.b:count", "a.b:count"), ("minilm", "minilm")):
        tune = f"tune: {{budget: {{unit: tokens, limit: 9, tokenizer: '{given}'}}}}\n"
        experiment = load_experiment(write_config(tmp_path, PAIR + tune))
        assert experiment.tune.budget.tokenizer == read
