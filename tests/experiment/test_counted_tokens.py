"""An experiment whose measures count tokens: found before anything runs, located once, recorded."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from ragscore import ConfigError, DataError, Dataset, load_experiment, open_result, run_experiment
from ragscore.cache import Cache
from ragscore.experiment import validate_experiment
from ragscore.formats.datasets.jsonl import write_dataset
from ragscore.gate import read_gate
from tests.factories.harbour_documents import DOCUMENTS, QUESTIONS, TRUTH
from tests.factories.manifests import resealed

CONFIG = """
dataset: data
chunk: {kind: characters, size: 60, overlap: 30}
retrievers:
  small: {kind: bm25}
  whole: {kind: bm25, chunk: {kind: document}}
measures: ["SpanP(unit=tokens,tokenizer=tok)@2", SpanP(unit=words)@2, SpanR@1]
depth: 5
latency: false
report: false
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    write_dataset(Dataset.from_rows(None, QUESTIONS, TRUTH, documents=DOCUMENTS), tmp_path / "data")
    (tmp_path / "tokens.yaml").write_text(CONFIG)
    return tmp_path / "tokens.yaml"


def put_tokenizer(folder: Path) -> None:
    """One whose tokens are white-space words."""
    folder.mkdir()
    made = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.save(str(folder / "tokenizer.json"))


def test_tokens_that_are_words_give_the_values_of_words(config: Path, tmp_path: Path) -> None:
    put_tokenizer(tmp_path / "tok")
    gate = f'gate: {{min: {{"SpanP(unit=tokens,tokenizer={tmp_path}/tok)@2": 0.01}}}}\n'
    tune = 'tune: {measures: ["SpanR(unit=tokens,tokenizer=tok)"], folds: 2}\n'
    config.write_text(CONFIG + gate + tune)
    cache = Cache(tmp_path / "cache")
    result = run_experiment(load_experiment(config), output=tmp_path / "out", cache=cache)
    tokens = f"SpanP(unit=tokens,tokenizer={tmp_path / 'tok'})@2"
    for name in ("small", "whole"):
        scores = result.scores[name]
        assert scores.per_query(tokens) == scores.per_query("SpanP(unit=words)@2")
        assert 0 < scores.mean(tokens) < 1
    assert read_gate(result) is not None
    assert read_gate(result).verdict == "PASS"
    assert (tmp_path / "cache" / "token-begins").is_dir()
    (tmp_path / "tok" / "tokenizer.json").unlink()  # reading opens none
    read = open_result(tmp_path / "out")
    assert read.scores["small"].per_query(tokens) == result.scores["small"].per_query(tokens)
    deeper = tokens.replace("@2", "@4").replace("SpanP", "IoU")
    anew, words = (
        read.scored([measure])["small"].per_query(measure)
        for measure in (deeper, "IoU(unit=words)@4")
    )
    assert anew == words
    assert len(read.tunings) == len(result.tunings) == 2
    damaged = tmp_path / "out" / "token-begins.parquet"
    frame = polars.read_parquet(damaged)
    for wrong in (
        frame.reverse(),
        frame.with_columns(begin=polars.lit(10**6)),
        frame.drop("begin"),
    ):
        wrong.write_parquet(damaged)
        resealed(tmp_path / "out", damaged.name)
        with pytest.raises(DataError, match=r"token-begins\.parquet: it is not a table of where"):
            open_result(tmp_path / "out").dataset("data")


def test_a_tokenizer_that_is_not_there_is_found_before_anything_runs(config: Path) -> None:
    [problem] = validate_experiment(config)
    assert problem.what == "measures[0]: no tokenizer.json is here: 'tok'"
    assert problem.where.endswith("tokens.yaml:7:12")


def test_so_is_that_of_a_budget(config: Path) -> None:
    config.write_text(
        CONFIG.replace('"SpanP(unit=tokens,tokenizer=tok)@2", ', "")
        + "tune: {budget: {unit: tokens, tokenizer: tok}}\n"
    )
    [problem] = validate_experiment(config)
    assert problem.what == "tune.budget.tokenizer: no tokenizer.json is here: 'tok'"
    put_tokenizer(config.parent / "tok")
    assert validate_experiment(config) == []


def test_evidence_that_is_not_there_is_found_before_anything_runs(
    config: Path, tmp_path: Path
) -> None:
    write_dataset(Dataset.from_rows({"a": "Rent."}, {"q": "rent"}, {"q": ["a"]}), tmp_path / "flat")
    config.write_text(
        "dataset: flat\nretrievers: {bm25: {kind: bm25}}\nmeasures: [R@1, SpanR@1]\ndepth: 5\n"
    )
    with pytest.raises(ConfigError, match=r"measures\[1\], flat: it reads evidence in documents"):
        run_experiment(config, output=tmp_path / "out")
