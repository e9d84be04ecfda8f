"""Characters, words and tokens, and what stands in for a tokenizer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragscore import Dataset, token_counter
from ragscore.errors import ConfigError, DataError
from ragscore.run import Run
from ragscore.tuning import Budget, tune
from ragscore.tuning.options import Unit
from ragscore.tuning.tuning_input import Contexts

TEXTS = ["Rent is due.", "", "보증금은 두 달치이다."]
DATASET = Dataset.from_rows(dict(zip("abc", TEXTS, strict=True)), {"q": "?"}, {"q": ["a"]})


def tokens(named: str) -> list[int]:
    """The tokens of each text."""
    assert DATASET.corpus is not None
    return token_counter(named)(DATASET.corpus, np.arange(3)).tolist()


@pytest.mark.parametrize(("unit", "counted"), [("characters", [12, 0, 12]), ("words", [3, 0, 3])])
def test_characters_and_words(unit: Unit, counted: list[int]) -> None:
    assert DATASET.corpus is not None
    run = Run.from_dict({"q": ["a", "b", "c"]})
    sizes = Contexts.of(run, DATASET.corpus, Budget(unit=unit)).sizes
    assert np.diff(sizes).tolist() == [counted]


def test_tokens_need_a_counter_that_is_handed_over() -> None:
    assert DATASET.corpus is not None
    budget = Budget(unit="tokens", tokenizer="os:system")
    with pytest.raises(ConfigError, match="no tokenizer was given"):
        Contexts.of(Run.from_dict({"q": ["a"]}), DATASET.corpus, budget)


def test_a_hugging_face_folder_counts_its_tokens_without_special_ones(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {"[UNK]": 0, "[CLS]": 1, "Rent": 2, "is": 3, "due": 4, ".": 5}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 1)]
    )
    made.enable_truncation(2)  # as many model folders have it: it must not cut what is counted
    made.save(str(tmp_path / "tokenizer.json"))
    for place in (tmp_path, tmp_path / "tokenizer.json"):
        assert tokens(str(place))[:2] == [4, 0]


def test_a_function_of_your_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_tokens_of_tune.py").write_text(
        "def count(text):\n    return text.count('e')\n\n\ndef wrong(text):\n    return -1\n\n\n"
        "def raising(text):\n    raise RuntimeError('no')\n",
        encoding="utf-8",
    )

    def counted(name: str) -> list[int]:
        return tokens(f"my_tokens_of_tune:{name}")

    assert counted("count") == [2, 0, 0]
    for name, said in (
        ("cuont", "Did you mean 'count'"),
        ("wrong", "it returned -1"),
        ("raising", "it raised RuntimeError: no"),
    ):
        with pytest.raises(ConfigError, match=said):
            counted(name)


@pytest.mark.parametrize(
    ("named", "said"),
    [("nowhere", "no tokenizer.json is here"), ("no_such_module:count", "ModuleNotFoundError")],
)
def test_a_tokenizer_that_is_not_there(named: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        tokens(named)


def test_a_file_that_is_no_tokenizer(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigError, match="not a tokenizer: "):
        tokens(str(tmp_path))


def test_words_are_counted_alike_whoever_asks_first() -> None:
    texts = {"a": "one two", "b": " three\u3000four\tfive ", "c": "", "d": "six"}
    dataset = Dataset.from_rows(texts, {"q": "?", "r": "?"}, {"q": ["a"]})
    assert dataset.corpus is not None
    for ranking, sizes in ((["c", "b"], [0, 0, 3]), (["b", "a"], [0, 3, 5]), ("d", [0, 1])):
        run = Run.from_dict({"q": list(ranking)})
        assert Contexts.of(run, dataset.corpus, Budget()).sizes.tolist() == [sizes]
    every = np.arange(4)
    assert dataset.corpus.words(every).tolist() == [len(text.split()) for text in texts.values()]


def test_sizes_add_up_and_end_where_one_does_not_fit() -> None:
    dataset = Dataset.from_rows({"a": "x" * 5, "b": "x" * 50, "c": "x"}, {"q": "?"}, {"q": ["a"]})
    assert dataset.corpus is not None
    run = Run.from_dict({"q": ["c", "b", "a"], "empty": []})
    contexts = Contexts.of(run, dataset.corpus, Budget(unit="characters", limit=10))
    assert contexts.sizes.tolist() == [[0, 1, 51, 56], [0, 0, 0, 0]]
    assert contexts.fitting(10).tolist() == [1, 0]
    unknown = Run.from_dict({"q": ["c", "z"]})
    with pytest.raises(DataError, match="passage 'z' is not in the corpus"):
        Contexts.of(unknown, dataset.corpus, Budget())


def test_a_tokenizer_that_does_not_fit_the_language_is_noted() -> None:
    """MiniLM cuts Korean into parts of letters: no measure of what another model reads."""
    pytest.importorskip("tokenizers")
    run = Run.from_dict({"q": ["a", "c"], "r": ["c"]})

    def notes(text: str, tokenizer: str) -> list[str]:
        passages = dict.fromkeys("ac", text)
        dataset = Dataset.from_rows(passages, {"q": "?", "r": "?"}, {"q": ["a"], "r": ["c"]})
        counter = token_counter(tokenizer)
        budget = Budget(unit="tokens", tokenizer=tokenizer)
        found = tune(run, dataset, budget=budget, count_tokens=counter, folds=2, repeats=1)
        return [str(note) for note in found.notes if "made for" in str(note)]

    (note,) = notes(TEXTS[2], "minilm")
    assert note.startswith("the tokenizer minilm makes 192 tokens of 100 characters of Korean text")
    assert not notes(TEXTS[2], "builtins:len")
    assert not notes(TEXTS[0], "minilm")
