"""Retriever objects of LangChain, LlamaIndex, Haystack and DSPy, the real ones where installed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragscore import RetrieverObject, evaluate, run_experiment
from ragscore.dataset import Dataset
from ragscore.errors import ConfigError, RetrieverError
from ragscore.retrievers import open_custom
from tests.factories.custom_retrievers import CORPUS, QUERIES

TEXTS = dict(zip(CORPUS.ids, CORPUS.texts, strict=True))
DATA = Dataset.from_rows(
    TEXTS, dict(zip(QUERIES.ids, QUERIES.texts, strict=True)), {"q1": ["b"], "q2": ["d"]}
)


@dataclass
class Document:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: Any = None


def found(query: str, make: Callable[[str, str], Any], k: int = 9) -> list[Any]:
    """Passages that the query names, then others: never the best first by their ids."""
    ids = sorted(TEXTS, key=lambda id: (TEXTS[id] not in query, id))
    return [make(id, TEXTS[id]) for id in ids][:k]


RANKED = {"q1": ["a", "b", "c", "d"], "q2": ["d", "a", "b", "c"]}


def langchain(key: str) -> Any:
    documents = pytest.importorskip("langchain_core.documents")
    retrievers = pytest.importorskip("langchain_core.retrievers")

    class Words(retrievers.BaseRetriever):  # type: ignore[misc]
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Any]:
            def make(id: str, text: str) -> Any:
                own = {"id": id} if key == "id" else {}
                return documents.Document(text, metadata={"source": id, "page": 1}, **own)

            return found(query, make)

    return Words()


def llama_index(key: str) -> Any:
    retrievers = pytest.importorskip("llama_index.core.retrievers")
    schema = pytest.importorskip("llama_index.core.schema")

    class Words(retrievers.BaseRetriever):  # type: ignore[misc]
        def _retrieve(self, bundle: Any) -> list[Any]:
            def make(id: str, text: str) -> Any:
                own = {"id_": id} if key == "id" else {}
                node = schema.TextNode(text=text, metadata={"source": id, "page": 1}, **own)
                return schema.NodeWithScore(node=node)

            return found(bundle.query_str, make)

    return Words()


def haystack(key: str) -> Any:
    framework = pytest.importorskip("haystack")

    @framework.component
    class Words:
        @framework.component.output_types(documents=list[framework.Document])
        def run(self, query: str, top_k: int = 1) -> dict[str, Any]:
            def make(id: str, text: str) -> Any:
                own = {"id": id} if key == "id" else {}
                return framework.Document(content=text, meta={"source": id, "page": 1}, **own)

            return {"documents": found(query, make, top_k)}

    return Words()


@pytest.mark.parametrize("key", ["id", "metadata.source"])
@pytest.mark.parametrize("framework", [langchain, llama_index, haystack])
def test_retrievers_of_frameworks(framework: Callable[[str], Any], key: str) -> None:
    thing = framework(key)
    result = evaluate(DATA, {"ours": RetrieverObject(thing, id=key)}, ["RR@4"], depth=4)
    assert {q: list(of) for q, of in result.runs["dataset", "ours"].to_dict().items()} == RANKED
    if key == "id":
        assert evaluate(DATA, {"ours": thing}, ["RR@4"], depth=4).to_dict() == result.to_dict()
        return
    with pytest.raises(RetrieverError, match=r"Keys of its metadata: source, page"):
        evaluate(DATA, {"ours": thing}, ["RR@4"], depth=4)


def test_what_each_framework_really_ships() -> None:
    stores = pytest.importorskip("langchain_core.vectorstores")
    embeddings = pytest.importorskip("langchain_core.embeddings")
    store = stores.InMemoryVectorStore(embeddings.DeterministicFakeEmbedding(size=8))
    store.add_texts(list(TEXTS.values()), ids=list(TEXTS))
    scored = [
        store.as_retriever(search_kwargs={"k": 3}),
        lambda text, k: store.similarity_search_with_score(text, k),
    ]
    runs = [open_custom(thing, CORPUS).search(QUERIES, 3).to_dict() for thing in scored]
    assert [list(of) for of in runs[0].values()] == [list(of) for of in runs[1].values()]


def test_a_component_of_haystack_with_scores() -> None:
    stores = pytest.importorskip("haystack.document_stores.in_memory")
    parts = pytest.importorskip("haystack.components.retrievers.in_memory")
    framework = pytest.importorskip("haystack")
    store = stores.InMemoryDocumentStore()
    store.write_documents([framework.Document(id=id, content=text) for id, text in TEXTS.items()])
    run = open_custom(parts.InMemoryBM25Retriever(store), CORPUS).search(QUERIES, 4)
    assert run.scores is not None
    assert next(iter(run.to_dict()["q2"])) == "d"
    embedded = parts.InMemoryEmbeddingRetriever(store)
    with pytest.raises(RetrieverError, match=r"cannot be called.*run\(query\)"):
        open_custom(embedded, CORPUS)


class Invoked:
    """As LangChain's, whatever it returns."""

    def __init__(self, documents: list[Any]) -> None:
        self.documents = documents

    def invoke(self, input: str, config: Any = None, **options: Any) -> list[Any]:
        return self.documents

    async def ainvoke(self, input: str, config: Any = None, **options: Any) -> list[Any]:
        return self.documents


class OnlyAsync:
    async def ainvoke(self, input: str) -> list[Any]:
        await asyncio.sleep(0)
        return found(input, lambda id, text: Document(text, id=id))


class Batched(Invoked):
    def batch(self, inputs: list[str]) -> list[list[Any]]:
        return [found(text, lambda id, text: Document(text, id=id)) for text in inputs]


class Later:
    async def aretrieve(self, text: str) -> list[Any]:
        return found(text, lambda id, text: SimpleNamespace(node_id=id, get_content=lambda: text))


class Run:
    async def run_async(self, query: str) -> dict[str, Any]:
        return {"documents": found(query, lambda id, text: Document(text, id=id))}


class Module:
    """As DSPy's: it takes the query alone, and returns texts."""

    def __call__(self, query: str) -> Any:
        return self.forward(query)

    def forward(self, query: str) -> Any:
        return SimpleNamespace(passages=found(query, lambda id, text: f" {text}\n"))


@pytest.mark.parametrize("thing", [OnlyAsync(), Batched([]), Later(), Run(), Module(), Module])
def test_methods_that_frameworks_have(thing: Any) -> None:
    run = open_custom(thing, CORPUS).search(QUERIES, 4)
    assert {q: list(of) for q, of in run.to_dict().items()} == RANKED
    assert run.scores is None


def test_what_has_our_own_methods_too_is_asked_by_these() -> None:
    class Both(Invoked):
        def retrieve(self, queries: list[str], k: int) -> list[list[str]]:
            return [["c"]] * len(queries)

    class Called(Invoked):
        def __call__(self, text: str, k: int) -> list[str]:
            return ["c"]

    for thing in (Both([]), Called([])):
        run = open_custom(thing, CORPUS).search(QUERIES, 4)
        assert run.to_dict()["q1"].keys() == {"c"}


def test_more_than_was_asked_for_is_cut_and_less_is_noted() -> None:
    documents = [Document("", id=id) for id in "dcb"]
    index = open_custom(Invoked(documents), CORPUS, name="mine")
    assert list(index.search(QUERIES, 2).to_dict()["q1"]) == ["d", "c"]
    assert not [str(note) for note in index.notes() if "own k" in str(note)]
    index.search(QUERIES, 4)
    [note] = [str(note) for note in index.notes() if "own k" in str(note)]
    assert note.startswith("mine: its retriever returns at most 3 passages per query")


@pytest.mark.parametrize(
    ("scores", "kept"), [([0.1, 0.9], [0.9, 0.1]), ([0.1, None], None), ([None, None], None)]
)
def test_scores_count_where_every_document_has_one(
    scores: list[float | None], kept: list[float] | None
) -> None:
    nodes = [
        SimpleNamespace(node=SimpleNamespace(node_id=id, get_content=str), score=score)
        for id, score in zip("cb", scores, strict=True)
    ]
    run = open_custom(Invoked(nodes), CORPUS).search(QUERIES.select([0]), 4)
    assert list(run.to_dict()["q1"]) == (["c", "b"] if kept is None else ["b", "c"])
    assert (run.scores is None) == (kept is None)


@pytest.mark.parametrize(
    ("documents", "id", "said"),
    [
        ([Document("rent", {"source": "a", "page": 3})], "id",
         "without id: 'rent'. Name the key that has the id of the passage, id: metadata.source. "
         "Keys of its metadata: source, page"),
        ([Document("rent")], "id", "Keys of its metadata: none"),
        ([Document("rent", {"source": "a"}, "a")], "metadata.sauce", "without metadata.sauce"),
        ([Document("rent", {"source": 1.5})], "metadata.source", "its metadata.source is 1.5"),
        ([Document("rent", {"source": "a"}, "8d0f")], "id",
         "'8d0f', which is not in the corpus. The corpus has ids such as 'a', 'b'"),
        ([Document("rent", id="a"), "b"], "id", "returned documents, and 'b'"),
        ([SimpleNamespace(passages=[])], "id", "neither an id nor"),
    ],
)  # fmt: skip
def test_documents_that_name_no_passage(documents: list[Any], id: str, said: str) -> None:
    index = open_custom(RetrieverObject(Invoked(documents), id=id), CORPUS, name="mine")
    with pytest.raises(RetrieverError) as raised:
        index.search(QUERIES, 4)
    assert str(raised.value).startswith("retriever 'mine', query 'q1': returned ")
    assert said in str(raised.value)


def test_texts_without_ids() -> None:
    texts = Dataset.from_rows({"a": "rent", "b": "rent", "c": "keys"}, {"q": "x"}, {"q": ["b"]})
    twice = SimpleNamespace(forward=None, passages=["rent", "keys", "rent"])
    runs = evaluate(texts, {"ours": lambda text, k: twice}, ["RR"], depth=3).runs
    assert list(runs["dataset", "ours"].to_dict()["q"]) == ["a", "c", "b"]
    strange = SimpleNamespace(passages=["rents"])
    with pytest.raises(
        RetrieverError, match="query 'q1': returned a text that is not in the corpus: 'rents'"
    ):
        open_custom(lambda text, k: strange, CORPUS).search(QUERIES, 3)


def test_whole_numbers_are_ids_and_options_are_checked() -> None:
    data = Dataset.from_rows({"7": "rent"}, {"q": "rent"}, {"q": ["7"]})
    ours = RetrieverObject(Invoked([Document("rent", {"n": 7})]), id="metadata.n", concurrency=2)
    assert evaluate(data, {"ours": ours}, ["RR"]).to_dict() == {"dataset": {"ours": {"RR": 1.0}}}
    for wrong in ({"id": "source"}, {"id": "metadata."}, {"idd": "id"}, {"concurrency": 0}):
        with pytest.raises(ConfigError):
            RetrieverObject(Invoked([]), **wrong)


def test_an_object_named_in_an_experiment(tmp_path: Path) -> None:
    (tmp_path / "ours.py").write_text(
        "from types import SimpleNamespace as Doc\n"
        "class Retriever:\n"
        "    def invoke(self, text):\n"
        "        return [Doc(page_content='', id=None, metadata={'source': 'p1'})]\n"
        "retriever = Retriever()\n"
    )
    (tmp_path / "passages.jsonl").write_text('{"id": "p1", "text": "rent"}\n')
    (tmp_path / "queries.jsonl").write_text('{"id": "q", "text": "rent"}\n')
    (tmp_path / "ground_truth.jsonl").write_text('{"query_id": "q", "passages": ["p1"]}\n')
    config = tmp_path / "e.yaml"
    config.write_text(
        "name: e\ndataset: .\nmeasures: [RR]\nreport: false\nretrievers:\n  ours: "
        '{kind: custom, use: "ours:retriever", id: metadata.source}\n'
    )
    result = run_experiment(config, output=tmp_path / "result")
    assert result.to_dict()["e" if "e" in result.to_dict() else tmp_path.name]["ours"] == {
        "RR": 1.0
    }
