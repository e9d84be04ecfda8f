"""Result folders of every kind that a report is made of, by real experiments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ragscore import Experiment, run_experiment

ROOT = Path(__file__).resolve().parents[2]
DATASETS = ROOT / "datasets"
MEASURES = ["nDCG@10", "mAP@10", "mRR@10", "P@10", "R@10", "F1@10", "Success@10", "R@depth"]
Row = dict[str, Any]
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
    if "report" not in Experiment.model_fields:
        del experiment["report"]
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


HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>window.attacked=1</script>",
    "</style><img src=x onerror=window.attacked=2>",
    '"><svg onload=window.attacked=3>',
    "' onmouseover='window.attacked=4",
    "javascript:window.attacked=5",
    "&amp;&lt;b&gt;&#x3c;i&#x3e;",
    "<!-- --!> <![CDATA[ ]]> <!--<script>",
    "\u202eright to left\u202c \u2066isolated \u200f\u061c",
    "nul \x00 bell \x07 escape \x1b[31mred vertical \x0b delete \x7f next \x85 line \u2028",
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\t=2",
    "emoji \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1f0\U0001f1f7 \U0001f600",
    "{{ 7*7 }} {% raw %} ${7*7} `code` **bold** [x](javascript:window.attacked=6) | pipe",
    "\\textbf{x} \\input{/etc/passwd} $x^2$ % # _ ~ ^ \\",
    "__proto__",
    "constructor",
    "Zalgo Z̸̢͈̎a̵̰̔l̶̹̄g̷̳̈o combining " + "\u0301" * 40,
    "long" + "word" * 200,
    "https://evil.example/%00?a=b&c=d#q=1",
    "..\\..\\windows ../../etc/passwd CON NUL",
)
"""Texts that break what puts them into markup, a cell, a link or a file by hand."""


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


def written(folder: Path, passages: list[Row], queries: list[Row], truth: list[Row]) -> None:
    """Rows as a dataset in jsonl."""
    folder.mkdir(parents=True)
    for name, rows in (("passages", passages), ("queries", queries), ("ground_truth", truth)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8", newline="\n")


KINDS = ("exact", "paraphrase", "number", "multi-part")
CONSONANTS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl")
SYLLABLES = [consonant + vowel for consonant in CONSONANTS for vowel in "aeiou"]
OWN_WORDS, RELEVANT, JUDGED, PASSAGES = 14, 3, 6, 10


def vocabulary(size: int, rng: np.random.Generator) -> np.ndarray:
    """Invented words, the frequent ones short, each but once."""
    words: dict[str, None] = {}
    while len(words) < size:
        length = 1 + min(4, len(words) // 40 // (1 + len(words) // 2000) // 8 + 1)
        picked = rng.integers(len(SYLLABLES), size=rng.integers(max(1, length - 1), length + 1))
        words["".join(SYLLABLES[n] for n in picked) + ("n" if len(words) % 3 else "")] = None
    return np.array(list(words))


def invented(folder: Path, queries: int, words: int, seed: int = 7) -> None:
    """A dataset in an invented language whose words are as frequent as a real one's.

    Each query has ten passages of its own, which share some of its words: three are relevant, one
    of these all but a copy of an unjudged one, three more are judged not relevant.
    """
    rng = np.random.default_rng(seed)
    names = vocabulary(20_000, rng)
    chance = np.cumsum(1 / np.arange(1, len(names) + 1) ** 1.05)
    chance /= chance[-1]
    spoken = names.tolist()

    def sentences(own: np.ndarray, shares: np.ndarray, lengths: np.ndarray) -> list[str]:
        """Texts of so many words, so large a share of them the query's own."""
        picked = np.searchsorted(chance, rng.random(lengths.sum()))
        from_own = rng.random(len(picked)) < np.repeat(shares, lengths)
        picked[from_own] = rng.choice(own, size=int(from_own.sum()))
        said = iter([spoken[word] for word in picked.tolist()])
        return [
            " ".join(next(said) + "." * (n % 14 == 13) for n in range(length)).capitalize()
            for length in lengths.tolist()
        ]

    passage_rows: list[Row] = []
    query_rows: list[Row] = []
    truth: list[Row] = []
    for n in range(queries):
        own = rng.choice(np.arange(300, len(names)), size=OWN_WORDS, replace=False)
        ids = [f"P{n:05d}-{part}" for part in range(PASSAGES)]
        # The share of the query's words differs, and so does how hard its passages are to find.
        lengths = rng.integers(words // 2, words * 3 // 2, size=PASSAGES)
        texts = sentences(own, rng.uniform(0.0, 0.1, size=PASSAGES), lengths)
        texts[PASSAGES - 1] = texts[0] + " " + spoken[n % len(spoken)]
        titles = sentences(own, np.full(PASSAGES, 0.3), np.full(PASSAGES, 5))
        passage_rows += [
            {"id": one, "text": text, "title": title}
            for one, text, title in zip(ids, texts, titles, strict=True)
        ]
        asked = names[rng.choice(own, size=int(rng.integers(2, 6)), replace=False)].tolist()
        around = names[rng.choice(400, size=4)].tolist()
        query_rows.append(
            {
                "id": f"q{n + 1}",
                "text": " ".join([*around[:2], *asked, *around[2:]]).capitalize() + "?",
                "tags": [f"kind:{KINDS[n % len(KINDS)]}"],
            }
        )
        grades = {one: 1 + n % 3 if part == 0 else 1 for part, one in enumerate(ids[:RELEVANT])}
        grades |= dict.fromkeys(ids[RELEVANT:JUDGED], 0)
        truth.append({"query_id": f"q{n + 1}", "passages": grades})
    written(folder, passage_rows, query_rows, truth)


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
    "500": lambda folder: sized(folder, 500),
    "5000": lambda folder: sized(folder, 5_000),
}
"""Every kind of result, by name; each is made in the folder that is given."""
