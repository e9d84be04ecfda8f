"""``sweep:`` is checked before anything runs, and becomes configurations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragscore.errors import ConfigError
from ragscore.experiment import Experiment, load_experiment, resolved_yaml, validate_experiment
from ragscore.experiment.sweep.configurations import Configurations, expand
from ragscore.experiment.sweep.options import Sweep, ValueRange
from ragscore.formats import DatasetSpec
from ragscore.retrievers import BM25, Fusion
from ragscore.retrievers.rerank import Rerank
from ragscore.sweeps.model import MAX_CONFIGURATIONS
from ragscore.text.snowball import Snowball
from tests.factories.house import Write
from tests.factories.witness import Witness

CONFIG = """\
dataset: statutes
retrievers:
  bm25: {kind: bm25}
  words: {kind: bm25, tokenizer: words}
  hybrid: {kind: fusion, retrievers: [bm25, words]}
measures: [nDCG@10, R@100]
sweep:
"""
RETRIEVERS = {
    "top": Rerank(retriever="hybrid", n=5, by={"kind": "mmr", "encoder": "minilm"}),
    "hybrid": Fusion(retrievers=["bm25", "words"]),
    "bm25": BM25(),
    "words": BM25(tokenizer="words"),
}


def expanded(**sweep: Any) -> Configurations:
    experiment = Experiment(
        datasets=[DatasetSpec(path="x")], retrievers=RETRIEVERS, sweep=sweep, depth=10
    )
    assert experiment.sweep
    return expand(experiment.sweep, experiment.retrievers)


def test_every_combination_is_a_configuration() -> None:
    found = expanded(bm25={"k1": {"from": 0.6, "to": 1.2, "steps": 3}, "b": [0.3, 1]})
    assert list(found.candidates) == [
        "bm25[k1=0.6,b=0.3]", "bm25[k1=0.6,b=1]", "bm25[k1=0.9,b=0.3]", "bm25[k1=0.9,b=1]",
        "bm25[k1=1.2,b=0.3]", "bm25[k1=1.2,b=1]",
    ]  # fmt: skip
    assert found.specs["bm25[k1=0.9,b=0.3]"] == BM25(k1=0.9, b=0.3)
    assert dict(found.candidates["bm25[k1=0.9,b=0.3]"].setting) == {"bm25.k1": 0.9, "bm25.b": 0.3}


def test_what_is_built_on_swept_retrievers_is_swept_with_them() -> None:
    found = expanded(hybrid={"weights": [[1, 1], [1, 2]]}, bm25={"k1": [0.9, 1.5]})
    assert list(found.candidates) == [
        "bm25[k1=0.9]",
        "bm25[k1=1.5]",
        "hybrid[weights=[1,1],bm25.k1=0.9]",
        "hybrid[weights=[1,2],bm25.k1=0.9]",
        "hybrid[weights=[1,1],bm25.k1=1.5]",
        "hybrid[weights=[1,2],bm25.k1=1.5]",
    ]
    built = found.specs["hybrid[weights=[1,2],bm25.k1=0.9]"]
    assert built.inputs() == ("bm25[k1=0.9]", "words")
    assert found.specs["words"] == RETRIEVERS["words"]


def test_what_stands_between_two_swept_retrievers_is_no_candidate() -> None:
    found = expanded(top={"n": [5, 8]}, bm25={"k1": [0.9]})
    assert list(found.candidates) == [
        "bm25[k1=0.9]",
        "top[n=5,bm25.k1=0.9]",
        "top[n=8,bm25.k1=0.9]",
    ]
    assert found.specs["top[n=8,bm25.k1=0.9]"].inputs() == ("hybrid[bm25.k1=0.9]",)
    assert found.specs["hybrid[bm25.k1=0.9]"].inputs() == ("bm25[k1=0.9]", "words")


def test_an_option_of_an_option_is_a_parameter() -> None:
    found = expanded(bm25={"tokenizer.language": ["english", "porter"], "tokenizer.stem": [True]})
    assert [spec.model_dump()["tokenizer"]["language"] for spec in found.specs.values()] == [
        "english", "porter",
    ]  # fmt: skip


def test_an_option_is_swept_as_a_whole_and_within() -> None:
    languages = [{"kind": "snowball", "language": name} for name in ("english", "german")]
    grid = {"tokenizer": languages, "tokenizer.stem": [True, False]}
    found = expanded(bm25=grid)
    specs = [found.specs[label] for label in found.candidates]
    tokenizers = [spec.tokenizer for spec in specs if isinstance(spec, BM25)]
    assert [(each.language, each.stem) for each in tokenizers if isinstance(each, Snowball)] == [
        ("english", True), ("english", False), ("german", True), ("german", False),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_sample_is_drawn_from_any_number_of_configurations() -> None:
    many = {"from": 0.1, "to": 1, "steps": 2000}
    grid = {"variant": ["bm25+", "bm25l"], "k1": many, "b": many, "delta": many}
    found = expanded(bm25=grid, words=grid, hybrid={"k": many | {"from": 1, "to": 2000}}, sample=9)
    assert len(found.candidates) == 27


def test_whole_numbers_of_a_range_are_those_that_a_float_holds() -> None:
    values = ValueRange.model_validate({"from": 0, "to": 1e30, "steps": 3}).values()
    assert values == [0, 5e29, 1e30]
    assert [type(value) for value in values] == [int, float, float]


def test_a_configuration_that_equals_another_is_left_out() -> None:
    grid = {"tokenizer": ["english", {"kind": "snowball", "stem": False}]}
    found = expanded(bm25={**grid, "tokenizer": grid["tokenizer"][1:], "tokenizer.stem": [True]})
    assert len(found.candidates) == 1
    whole = [{"kind": "snowball", "stem": stem} for stem in (True, False)]
    both = expanded(bm25={"tokenizer": whole, "tokenizer.stem": [True, False]})
    assert len(both.candidates) == 2


def test_a_sample_is_drawn_without_replacement_and_with_its_seed() -> None:
    grid = {"k1": {"from": 0, "to": 2, "steps": 300}, "b": {"from": 0, "to": 1, "steps": 300}}
    first, again, other = (
        list(expanded(bm25=grid, sample=40, seed=seed).candidates) for seed in (1, 1, 2)
    )
    assert len(set(first)) == 40
    assert first == again
    assert set(first) != set(other)


def test_a_sample_of_more_than_there_are_is_noted() -> None:
    notes = Witness()
    sweep = Sweep(bm25={"k1": [0.9, 1.2, 1.5]}, hybrid={"k": [20, 60]}, sample=5)
    assert len(expand(sweep, RETRIEVERS, notes).candidates) == 3 + 5
    assert notes.notes == ["the sweep's sample of 5 covers all 3 configurations of bm25"]


def test_a_sweep_reads_back_equal_and_its_paths_become_absolute(
    write: Write, tmp_path: Path
) -> None:
    run = "q1 Q0 p1 1 2.0 x\n"
    write(run, "old.trec")
    write(run, "new.trec")
    config = write(
        CONFIG.replace(
            "words: {kind: bm25, tokenizer: words}", "words: {kind: recorded, run: old.trec}"
        )
        + "  words: {run: [old.trec, new.trec]}\n  hybrid: {k: [20, 60]}\n"
        + "  for: R@100\n  sample: 3\n"
    )
    experiment = load_experiment(config)
    assert experiment.sweep
    assert experiment.sweep.parameters["words"]["run"] == [
        str(tmp_path / "old.trec"), str(tmp_path / "new.trec"),
    ]  # fmt: skip
    copy = write(resolved_yaml(experiment), "copy.yaml")
    assert load_experiment(copy).model_dump() == {
        **experiment.model_dump(), "name": experiment.name
    }  # fmt: skip
    assert not load_experiment(config, ["sweep=false"]).sweep
    assert load_experiment(config, ["sweep.sample=2"]).sweep.sample == 2  # type: ignore[union-attr]


WRONG = [
    ("bm52: {k1: [1]}", "8:3: sweep.bm52: no retriever is named 'bm52'. Did you mean 'bm25'?"),
    ("bm25: {k: [1]}", "8:10: sweep.bm25.k: it has no parameter 'k'. Did you mean 'k1'?"),
    ("bm25: {k1: 3}", "8:14: sweep.bm25.k1: the number 3 where the values to try are expected"),
    ("bm25: {k1: []}", "8:14: sweep.bm25.k1: an empty grid: no value to try"),
    ("bm25: {}", "8:9: sweep.bm25: no parameter where parameters with values are expected"),
    ("bm25: [1]", "8:9: sweep.bm25: a list where parameters with values are expected"),
    ("bm25: {k1: [0.9, high]}", "8:20: sweep.bm25.k1[1]: the text 'high' where a number is"),
    ("bm25: {k1: [0.9, '1']}", "8:20: sweep.bm25.k1[1]: the text '1' where a number is expected"),
    ("bm25: {b: [0.9, 2]}", "8:19: sweep.bm25.b[1]: the number 2 is too large"),
    ("bm25: {tokenizer.stems: [true]}", 'sweep.bm25."tokenizer.stems": tokenizer has no parameter'),
    ("bm25: {k1.x: [1]}", "k1 is the number 1.5, which has no parameters. Sweep k1 itself"),
    ("bm25: {filter.op: ['<']}", "filter is not set, so it has no parameters. Set it, or sweep"),
    ("bm25: {kind: [faiss]}", "8:10: sweep.bm25.kind: what a retriever is built on, and its kind"),
    (
        "bm25: {tokenizer: [english, bigrams], tokenizer.stem: [true]}",
        '8:58: sweep.bm25."tokenizer.stem"[0]: bm25[tokenizer=english,tokenizer.stem=true] '
        "(and 1 more of 2): tokenizer.stem: tokenizer is the text 'english', which has no",
    ),
    (
        "bm25: {tokenizer: [{kind: ngrams}], tokenizer.stem: [true]}",
        ": tokenizer.stem: unknown key. Allowed: kind, n",
    ),
    ("bm25: {b: [0.5, 0.4, 0.50]}", "8:24: sweep.bm25.b[2]: the value 0.5 is b[0] once more"),
    ("bm25: {k1: [1, 1.0]}", "8:18: sweep.bm25.k1[1]: the value 1 is k1[0] once more. Drop one"),
    ("bm25: {k1: [1, 1.0000001]}", "sweep.bm25.k1[1]: the value 1 is k1[0] once more. Drop one"),
    ("bm25: {tokenizer: [english, {kind: snowball}]}", "8:31: sweep.bm25.tokenizer[1]: the value"),
    ("bm25: {k1: {from: 2, to: 2, steps: 3}}", "8:28: sweep.bm25.k1.to: a range from 2 to itself"),
    ("bm25: {k1: {from: 1, to: 1.000001, steps: 5}}", "8:14: sweep.bm25.k1: two values of the"),
    ("bm25: {k1: {from: 1, to: 2}}", "sweep.bm25.k1.steps: missing"),
    ("bm25: {k1: {from: 0, to: 2, steps: 3, log: true}}", "values that are not all above 0"),
    ("hybrid: {k: {from: 20, to: 60, steps: 4}}", "sweep.hybrid.k: the value 33.3333: the number"),
    ("hybrid: {weights: [[1, 1], [1, 2, 3]]}", "weights=[1,2,3]]: there are 3 weights for 2"),
    (
        "bm25: {variant: [lucene, bm25l], delta: [0.5, 0.9]}",
        "8:49: sweep.bm25.delta[1]: bm25[variant=lucene,delta=0.9]: delta has no meaning",
    ),
    ("hybrid: {weights: [[1, 1], [1, 2, 3]], k: [20, 60]}", "8:30: sweep.hybrid.weights[1]: hybr"),
    (
        "bm25: {delta: [0.5, 0.7]}",
        "8:23: sweep.bm25.delta[1]: bm25[delta=0.7]: delta has no",
    ),
    ("hybrid: {retrievers: [[bm25, words]]}", "what a retriever is built on, and its kind, cannot"),
    ("bm25: {k1: [1]}\n  for: nDCG@101", "9:8: sweep.for: the cutoff 101 is above the depth 100"),
    ("bm25: {k1: [1]}\n  for: nDGC@10", "sweep.for: "),
    ("bm25: {k1: [1]}\n  for: gmAP", "sweep.for: a sweep cannot choose by gmAP"),
    ("bm25: {k1: [1]}\n  sample: 0", "9:11: sweep.sample: the number 0 is too small"),
    ("for: nDCG@10", "sweep: no retriever to sweep"),
    (
        "bm25: {k1: {from: 0, to: 1, steps: 100}, b: {from: 0, to: 1, steps: 100}}",
        f"7:1: sweep: 10,000 configurations, more than {MAX_CONFIGURATIONS:,}. Write fewer values",
    ),
]


@pytest.mark.parametrize(("sweep", "said"), WRONG, ids=[sweep for sweep, _ in WRONG])
def test_what_is_wrong_is_said_at_its_place(sweep: str, said: str, write: Write) -> None:
    problems = validate_experiment(write(f"{CONFIG}  {sweep}\n"))
    assert len(problems) == 1
    assert said in str(problems[0])


def test_all_that_is_wrong_is_said_at_once(write: Write) -> None:
    problems = validate_experiment(write(f"{CONFIG}  bm25: {{k1: [-1], kk: [1]}}\n  for: X@1\n"))
    assert len(problems) == 3


def test_what_a_configuration_needs_is_checked_with_its_files(write: Write) -> None:
    config = CONFIG.replace("{kind: bm25, tokenizer: words}", "{kind: recorded, run: old.trec}")
    write("q1 Q0 p1 1 2.0 x\n", "old.trec")
    (problem,) = validate_experiment(write(f"{config}  words: {{run: [old.trec, gone.trec]}}\n"))
    assert "sweep.words.run[1]: words[run=gone.trec]" in problem.what


def test_in_python_the_same_words_and_errors() -> None:
    with pytest.raises(ConfigError, match=r"sweep\.bm25\.k: it has no parameter 'k'"):
        expanded(bm25={"k": [1]})
    with pytest.raises(ConfigError, match=r"sweep\.top\.n\[1\]: .* it reads 20 passages of hybrid"):
        expanded(top={"n": [5, 20]})
    with pytest.raises(ConfigError, match=r"sweep\.sample"):
        expanded(bm25={"k1": [1]}, sample=0)
