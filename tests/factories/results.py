"""Result folders of every kind that a report is made of, by real experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ragscore import Experiment, run_experiment
from tests.factories.hostile_texts import HOSTILE
from tests.factories.invented_language import Row, invented, written

ROOT = Path(__file__).resolve().parents[2]
DATASETS = ROOT / "datasets"
MEASURES = ["nDCG@10", "mAP@10", "mRR@10", "P@10", "R@10", "F1@10", "Success@10", "R@depth"]
Made = Callable[[str], Path]
"""What makes something of a kind of result: ``result_of(kind)``, ``page_of(kind)``."""


def bm25(**options: Any) -> Row:
    return {"kind": "bm25", "fields": ["text"], "tokenizer": "words", **options}


PLAIN = bm25(tokenizer="english")
RETRIEVERS: dict[str, Row] = {
    "bm25": PLAIN,
    "short-first": bm25(tokenizer="english", k1=0.6, b=1.0),
    "words": bm25(k1=2.0, b=0.2),
    "presence": bm25(k1=0.0, b=0.0),
    "titles": bm25(fields=["title"]),
}


def ran(folder: Path, name: str, datasets: Iterable[Path], **parts: Any) -> Path:
    """The result folder of an experiment, run now."""
    experiment = {
        "name": name,
        "datasets": [{"path": str(path)} for path in datasets],
        "measures": MEASURES,
        "latency": {"queries": 5},
        "report": False,
        **parts,
    }
    output = folder / "result"
    result = run_experiment(Experiment.model_validate(experiment), output=output)
    assert not result.failures
    return output


def some(count: int) -> dict[str, Row]:
    """The first retrievers of the table."""
    return dict(list(RETRIEVERS.items())[:count])


def small(folder: Path, retrievers: int = 3) -> Path:
    """87 queries in English; the default of most tests."""
    return ran(
        folder, "tenancy", [DATASETS / "harbour-tenancy"], retrievers=some(retrievers), depth=50
    )


def tiny(folder: Path) -> Path:
    """The dataset that ``ragscore init`` writes: enough for every file of a report."""
    return ran(
        folder,
        "tools",
        [ROOT / "ragscore" / "cli" / "starter" / "tool-library"],
        retrievers=some(2),
        measures=["nDCG@3", "P@3", "R@3"],
        depth=5,
    )


def odd_measures(folder: Path) -> Path:
    """Measures whose small values are good, that are undefined for some queries, or that are no
    mean of the queries."""
    measures = ["MR", "gmAP", "NumRelRet", "nDCG@10"]
    return ran(
        folder,
        "odd-measures",
        [DATASETS / "harbour-tenancy"],
        retrievers=some(3),
        measures=measures,
        depth=20,
    )


def one_retriever(folder: Path) -> Path:
    """Nothing to compare with."""
    return small(folder, retrievers=1)


def two_datasets(folder: Path) -> Path:
    """English and Korean side by side."""
    datasets = [DATASETS / "harbour-tenancy", DATASETS / "insurer-handbook-ko"]
    retrievers = {
        "words": bm25(),
        "flat": bm25(k1=0.4, b=0.3),
        "blanks": bm25(tokenizer="none"),
    }
    return ran(folder, "two-handbooks", datasets, retrievers=retrievers, depth=50)


def korean(folder: Path) -> Path:
    """Korean queries, passages, ids and names of retrievers."""
    retrievers = {"어절": bm25(), "짧은글우선": bm25(k1=0.6, b=1.0), "공백": bm25(tokenizer="none")}
    datasets = [DATASETS / "insurer-handbook-ko"]
    return ran(folder, "보험-안내서", datasets, retrievers=retrievers, depth=50)


def hostile(folder: Path) -> Path:
    """Each hostile text as query, passage, title, tag, metadata and id."""
    data = folder / "data"
    big = "A passage of a megabyte. " + "word </script> <b>bold</b> & \u202e " * 34_000
    passages: list[Row] = [
        {
            "id": text,
            "title": text,
            "text": f"{text} number{n} alert script shared words of passage",
            "tags": [text],
            "metadata": {text: text},
        }
        for n, text in enumerate(HOSTILE)
    ]
    passages.append({"id": "big", "text": big, "title": ""})
    passages += [
        {"id": f"plain {n}", "text": f"number{n} shared words, nothing odd {'shared ' * (n % 4)}"}
        for n in range(len(HOSTILE))
    ]
    queries = [
        {
            "id": text,
            "text": f"{text} number{n + (n % 3 == 0)} shared",
            # Each of two queries, or the explorer would not offer it.
            "tags": [text, HOSTILE[n - 1], "odd" if n % 2 else "even"],
            "metadata": {"group": text},
        }
        for n, text in enumerate(HOSTILE)
    ]
    queries.append({"id": "finds the big one", "text": "megabyte bold", "tags": ["odd"]})
    truth: list[Row] = [
        {"query_id": text, "passages": {text: 2, f"plain {n}": n % 2, "big": 0}}
        for n, text in enumerate(HOSTILE)
    ]
    truth.append({"query_id": "finds the big one", "passages": {"big": 1}})
    written(data, passages, queries, truth)
    return ran(
        folder,
        "hostile",
        [data],
        retrievers=some(3),
        description=" ".join(HOSTILE[:6]),
        compare={"slices": ["tags"]},
    )


def sized(
    folder: Path,
    queries: int,
    retrievers: int = 4,
    depth: int = 20,
    words: int = 110,
    measures: Iterable[str] = tuple(MEASURES),
) -> Path:
    """Many queries over an invented language, retrieved by BM25 in earnest."""
    data = folder / f"invented-{queries}"
    invented(data, queries, words)
    settings: Mapping[str, Row] = {
        "bm25": bm25(),
        "titles": bm25(fields=["title"]),
        "hybrid": {"kind": "fusion", "retrievers": ["bm25", "titles"]},
        "presence": bm25(k1=0.0, b=0.0),
        "short-first": bm25(k1=0.6, b=1.0),
    }
    chosen = dict(list(settings.items())[:retrievers])
    return ran(
        folder, f"invented-{queries}", [data], retrievers=chosen, depth=depth, measures=measures
    )


RESULTS: dict[str, Callable[[Path], Path]] = {
    "small": small,
    "four": lambda folder: small(folder, 4),
    "five": lambda folder: small(folder, 5),
    "odd-measures": odd_measures,
    "one-retriever": one_retriever,
    "two-datasets": two_datasets,
    "korean": korean,
    "hostile": hostile,
    "200": lambda folder: sized(folder, 200),
    "500": lambda folder: sized(folder, 500),
    "5000": lambda folder: sized(folder, 5_000),
}
"""Every kind of result, by name; each is made in the folder that is given."""
