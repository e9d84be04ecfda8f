"""What windows are worth where passages are long.

The sections of each document of harbour-tenancy are joined to one passage, as a splitter that cuts
by documents would leave them; a document is as relevant as its most relevant section.
"""

from __future__ import annotations

from pathlib import Path

from ragscore import BM25, Cache, Dataset, Faiss, MiniLM, evaluate, load_dataset

HARBOUR = Path(__file__).resolve().parent.parent / "datasets" / "harbour-tenancy"
WINDOWS = {
    "128 / 64": {"size": 128, "stride": 64},
    "128 / 128": {"size": 128, "stride": 128},
    "250 / 125": {"size": 250, "stride": 125},
    "64 / 32": {"size": 64, "stride": 32},
    "128 / 64, mean": {"size": 128, "stride": 64, "by": "mean"},
}


def documents() -> Dataset:
    """The dataset with one passage for each document."""
    sections = load_dataset(HARBOUR)
    assert sections.corpus is not None
    texts: dict[str, str] = {}
    for id, text in zip(sections.corpus.ids, sections.corpus.content(), strict=True):
        texts[_document(id)] = f"{texts.get(_document(id), '')}\n{text}".strip()
    truth: dict[str, dict[str, float]] = {}
    for query, judged in sections.qrels.to_dict().items():
        grades = truth.setdefault(query, {})
        for id, grade in judged.items():
            grades[_document(id)] = max(grade, grades.get(_document(id), grade))
    queries = dict(zip(sections.queries.ids, sections.queries.texts, strict=True))
    return Dataset.from_rows(texts, queries, truth, name="harbour documents")


def _document(section: str) -> str:
    """``TC-14.2`` is a section of ``TC-14``."""
    return section.rpartition(".")[0] or section


def main() -> None:
    """Print the table."""
    retrievers = {"bm25": BM25(), "whole": Faiss(encoder=MiniLM())}
    for name, windows in WINDOWS.items():
        retrievers[name] = Faiss(encoder=MiniLM(), windows=windows)
    print(evaluate(documents(), retrievers, ["nDCG@10", "R@5", "RR"], depth=20, cache=Cache()))


if __name__ == "__main__":
    main()
