"""Print the table of nDCG@10 by kind of query that stands in a dataset's README.

python benchmarks/datasets_by_kind.py harbour-tenancy
python benchmarks/datasets_by_kind.py insurer-handbook-ko
"""

from __future__ import annotations

import sys
from pathlib import Path

from ragscore import Cache, Dataset, evaluate, load_dataset, score
from ragscore.retrievers import BM25, Faiss, Fusion

FOLDER = Path(__file__).resolve().parent.parent / "datasets"
RETRIEVERS = {
    "harbour-tenancy": {
        "BM25": BM25(),
        "minilm": Faiss(encoder="minilm"),
        "fusion": Fusion(retrievers=("BM25", "minilm")),
    },
    "insurer-handbook-ko": {
        "BM25, morphemes": BM25(tokenizer="korean"),
        "BM25, words": BM25(tokenizer="words"),
        "minilm": Faiss(encoder="minilm"),
    },
}


def kinds(dataset: Dataset) -> dict[str, list[str]]:
    """Query ids by kind, the first tag; unanswerable queries left out."""
    found: dict[str, list[str]] = {}
    for query in dataset.queries:
        if query.answerable:
            found.setdefault(query.tags[0], []).append(query.id)
    return {**found, "all answerable": [query.id for query in dataset.queries if query.answerable]}


def table(name: str) -> list[str]:
    """Lines of the table, in Markdown."""
    dataset = load_dataset(FOLDER / name)
    result = evaluate(dataset, RETRIEVERS[name], ["nDCG@10"], cache=Cache.default())
    header = ["kind", "queries", *RETRIEVERS[name]]
    lines = [header, ["---", "---:", *["---:"] * len(RETRIEVERS[name])]]
    judged = dataset.qrels.to_dict()
    for kind, queries in kinds(dataset).items():
        qrels = {query: judged[query] for query in queries}
        means = [
            score(result.runs[name, retriever], qrels, ["nDCG@10"]).entries[0].means[0]
            for retriever in RETRIEVERS[name]
        ]
        lines.append([kind, str(len(queries)), *(f"{mean:.3f}" for mean in means)])
    return [f"| {' | '.join(line)} |" for line in lines]


if __name__ == "__main__":
    print("\n".join(table(sys.argv[1] if len(sys.argv) > 1 else "harbour-tenancy")))
