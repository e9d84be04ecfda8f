"""causes(): small stories, and plain Python that looks at everything."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore import BM25, evaluate
from ragscore.chunking import CharacterChunker, DocumentChunker
from ragscore.dataset import Corpus, Dataset, Ids, Qrels, Queries
from ragscore.diagnose import (
    CAUSES,
    FOUND,
    Causes,
    causes,
    nearly_same,
)
from ragscore.run import QueryFailure, Run
from tests.factories.thorough import examples

RENT = "Rent is due on the first working day of every month, and late after the fifth."
TEXTS = {
    "rent": RENT,
    "rent copy": RENT.upper().replace(",", " --"),
    "pets": "Cats are allowed; dogs need the written consent of the office.",
    "noise": "Noise after ten in the evening is a breach of the house rules.",
    "empty": "",
    "empty too": "--- ...",
    "yes": "Yes, always",
    "yes again": "always: YES!",
}
TRUTH = {"q": {"rent": 2, "noise": 0}, "other": {"pets": 1}, "bare": {"noise": 0}}


def data_of(texts: Mapping[str, str] | None, truth: Mapping[str, Mapping[str, float]]) -> Dataset:
    corpus = Corpus(Ids(texts), list(texts.values())) if texts is not None else None
    queries = Queries.from_texts(dict.fromkeys(truth, "?"))
    passages = corpus.ids if corpus is not None else None
    qrels = Qrels.from_dict(truth, queries=queries.ids, passages=passages)
    return Dataset("d", corpus, queries, qrels)


def found(
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    k: int = 2,
    texts: Mapping[str, str] | None = TEXTS,
    truth: Mapping[str, Mapping[str, float]] = TRUTH,
    relevant_from: float = 1,
) -> Causes:
    made = {name: Run.from_dict(returned, name=name) for name, returned in runs.items()}
    data = data_of(texts, truth)
    return causes(made, data, list(truth), k=k, relevant_from=relevant_from)


# Stories: what each of two retrievers returns for q, whose answer is "rent".
@pytest.mark.parametrize(
    ("one", "two", "cause"),
    [
        (["rent"], ["rent"], None),
        (["pets", "rent"], ["rent"], None),
        (["pets", "noise", "rent"], ["rent"], "below_k"),
        (["pets", "noise"], ["rent"], "not_returned"),
        ([], ["rent"], "not_returned"),
        (["pets", "noise"], ["pets"], "nowhere"),
        (["pets", "rent copy", "noise", "rent"], ["rent"], "duplicate"),
        (["rent copy"], ["noise", "noise copy", "rent"], "duplicate"),
        (["pets", "noise", "rent copy", "rent"], ["rent"], "below_k"),  # the copy is below k too
        (["rent copy", "rent"], ["rent"], None),
        (["rent copy"], ["rent copy"], "nowhere"),  # asked first: no other retriever helps
        (["gone from the corpus", "empty", "rent"], ["rent"], "below_k"),
    ],
)
def test_the_first_cause_that_holds(one: list[str], two: list[str], cause: str | None) -> None:
    told = found({"one": {"q": one}, "two": {"q": two}})
    assert told.cause("one", "q") == cause
    rank = one.index("rent") + 1 if "rent" in one else 0
    assert told.first["one"][told.query_ids.index("q")] == rank
    if cause == "duplicate":
        assert told.duplicate["one", "q"] == ("rent", "rent copy")
    else:
        assert ("one", "q") not in told.duplicate


def test_a_query_without_a_relevant_passage_is_not_looked_at() -> None:
    told = found({"one": {"q": ["rent"]}})
    assert (told.query_ids, told.without_relevant) == (("q", "other"), 1)
    assert told.cause("one", "bare") is None
    assert told.counts("one") == {
        "failed": 0,
        "nowhere": 1,
        "duplicate": 0,
        "below_k": 0,
        "not_returned": 0,
        "cut": 0,
    }


def test_without_texts_no_near_duplicate_is_told() -> None:
    returned = {"one": {"q": ["rent copy", "pets", "rent"]}}
    assert found(returned).cause("one", "q") == "duplicate"
    told = found(returned, texts=None)
    assert (told.cause("one", "q"), told.texts, told.duplicate) == ("below_k", False, {})


def test_a_grade_below_the_threshold_is_no_answer() -> None:
    truth = {"q": {"rent": 2.0, "rent copy": 1.0}}
    returned = {"one": {"q": ["rent copy", "pets", "rent"]}}
    assert found(returned, truth=truth).cause("one", "q") is None
    told = found(returned, truth=truth, relevant_from=2)
    assert told.cause("one", "q") == "duplicate"


def test_no_query_is_no_failure() -> None:
    told = found({"one": {}}, truth={"bare": {"noise": 0}})
    assert (told.query_ids, sum(told.counts("one").values())) == ((), 0)


# Near-duplicates.
HANGUL = (
    "임차인은매월첫번째영업일에차임을지급하여야하며닷새가지나면연체로본다고이계약서에서정하고있다"
)


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        (TEXTS["rent"], TEXTS["rent copy"], True),
        (TEXTS["yes"], TEXTS["yes again"], True),
        (TEXTS["yes"], "always", False),
        ("", "", False),
        ("--- ...", "", False),
        (TEXTS["pets"], TEXTS["noise"], False),
        ("one two three four five six seven eight nine ten eleven twelve", "", False),
        # 10 shingles; one word more at the end adds one: 10/11. One changed in the middle: 7/13.
        (" ".join("abcdefghijkl"), " ".join("abcdefghijklm"), True),
        (" ".join("abcdefghijkl"), " ".join("abcdeXghijkl"), False),
        # 8/10 is enough, 7/9 is not.
        (" ".join("abcdefghij"), " ".join("abcdefghijkl"), True),
        (" ".join("abcdefghi"), " ".join("abcdefghijk"), False),
        (HANGUL, HANGUL.replace("닷새", "열흘"), True),
        (HANGUL, HANGUL[::-1], False),
        ("차임은 매월 1일에 낸다", "차임은 매월 1일에 낸다.", True),
    ],
)
def test_what_is_nearly_the_same(one: str, two: str, same: bool) -> None:
    assert nearly_same([one, two], np.array([[0, 1], [1, 0]])).tolist() == [same, same]


# Against plain Python that looks at everything.


def by_hand(
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    texts: Mapping[str, str],
    truth: Mapping[str, Mapping[str, float]],
    k: int,
) -> dict[tuple[str, str], tuple[str | None, int]]:
    """Cause and first rank by (retriever, query)."""

    def of(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"\w+", text.lower())
        if len(words) < 3:
            return {(word,) for word in words}
        return {tuple(words[at : at + 3]) for at in range(len(words) - 2)}

    def alike(one: str, two: str) -> bool:
        a, b = of(texts[one]), of(texts[two])
        return bool(a | b) and len(a & b) / len(a | b) >= 0.8

    told = {}
    for query, judged in truth.items():
        relevant = [passage for passage, grade in judged.items() if grade >= 1]
        if not relevant:
            continue
        returned = {name: list(run.get(query, [])) for name, run in runs.items()}
        anywhere = any(set(listed) & set(relevant) for listed in returned.values())
        for name, listed in returned.items():
            rank = next((at for at, one in enumerate(listed, 1) if one in relevant), 0)
            cause: str | None = "below_k" if rank else "not_returned"
            if any(alike(one, other) for one in listed[:k] for other in relevant):
                cause = "duplicate"
            if not anywhere:
                cause = "nowhere"
            told[name, query] = (None if 0 < rank <= k else cause, rank)
    return told


@settings(max_examples=examples(60), deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 6), words=st.integers(2, 40))
def test_all_is_as_plain_python_finds_it(seed: int, k: int, words: int) -> None:
    chance = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(chance.choice([3, 12, 200]))]
    texts: dict[str, str] = {}
    for number in range(12):
        own = [chance.choice(vocabulary) for _ in range(chance.randint(0, words))]
        texts[f"p{number}"] = " ".join(own)
        # A copy with some words changed: nearly the same, or just not.
        changed = list(own)
        for _ in range(chance.randint(0, 2)):
            if changed:
                changed[chance.randrange(len(changed))] = chance.choice(vocabulary)
        if chance.random() < 0.3:
            changed += own[: chance.randint(0, 3)]
        texts[f"c{number}"] = ", ".join(changed)
    names = list(texts)
    truth = {
        f"q{number}": {one: chance.choice([0, 1, 2]) for one in chance.sample(names, 3)}
        for number in range(8)
    }
    runs = {
        name: {query: chance.sample(names, chance.randint(0, 10)) for query in truth}
        for name in ("one", "two")
    }
    told = found(runs, k=k, texts=texts, truth=truth)
    expected = by_hand(runs, texts, truth, k)
    assert {query for _, query in expected} == set(told.query_ids)
    for (name, query), (cause, rank) in expected.items():
        assert (told.cause(name, query), told.first[name][told.query_ids.index(query)]) == (
            cause,
            rank,
        )
    for name in runs:
        counts = told.counts(name)
        assert tuple(counts) == CAUSES
        assert sum(counts.values()) == (told.of[name] != FOUND).sum()


def test_a_query_that_a_system_did_not_answer_has_that_cause_alone() -> None:
    data = Dataset.from_rows(
        {"a": "Rent is due on the first.", "b": "Pets are welcome."},
        {"q1": "rent", "q2": "pets"},
        {"q1": ["a"], "q2": ["b"]},
    )
    found = Run.from_dict({"q1": ["a"], "q2": ["b"]})
    failures = [QueryFailure("q1", "no"), QueryFailure("q2", "no")]
    for rule in (True, False):
        runs = {
            "some": found.with_failures(failures[:1], leaves_out=rule),
            "none": found.with_failures(failures, leaves_out=rule),
        }
        told = causes(runs, data, ["q1", "q2"], k=1)
        assert [told.cause("some", query) for query in ("q1", "q2")] == ["failed", None]
        assert [told.cause("none", query) for query in ("q1", "q2")] == ["failed", "failed"]
        assert told.counts("none")["failed"] == 2


def test_evidence_that_a_chunker_cut_in_two_is_a_cause_of_its_own() -> None:
    documents = {"guide": "Cats are welcome here. Dogs are not welcome at all, nor are birds."}
    evidence = [{"document": "guide", "quote": "Dogs are not welcome"}]
    retrievers = {
        "pieces": BM25(chunk=CharacterChunker(size=12)),
        "whole": BM25(chunk=DocumentChunker()),
    }

    def cause(**options: Any) -> str | None:
        data = Dataset.from_rows(
            None,
            {"q": "Are dogs welcome?"},
            [{"query_id": "q", "evidence": evidence}],
            documents=documents,
            **options,
        )
        panel = evaluate(data, retrievers, ["R@1"], depth=2)["dataset"]
        assert panel.causes is not None
        assert panel.causes.cause("whole", "q") is None
        return panel.causes.cause("pieces", "q")

    assert cause() == "cut"
    assert cause(coverage=0.5) != "cut"
    assert cause(together=True) != "cut"


# Needs.


@pytest.mark.parametrize(
    ("one", "cause", "rank"),
    [
        (["rent", "pets"], None, 2),
        (["brochure", "rent", "pets"], "below_k", 3),  # an alternative of what is covered
        (["rent", "noise"], "not_returned", 0),
        (["pets", "noise"], "not_returned", 0),
        (["noise", "pets", "brochure"], "below_k", 3),
        (["pets copy", "rent", "pets"], "duplicate", 3),
        (["rent", "brochure", "noise"], "not_returned", 0),
    ],
)
def test_a_query_fails_by_the_need_that_is_uncovered(
    one: list[str], cause: str | None, rank: int
) -> None:
    texts = {
        "rent": RENT,
        "brochure": "The rent of a month is to be paid when the month begins.",
        "pets": TEXTS["pets"],
        "pets copy": TEXTS["pets"].upper(),
        "noise": TEXTS["noise"],
    }
    data = Dataset.from_rows(
        texts, {"q": "?"}, [{"query_id": "q", "needs": [["rent", "brochure"], ["pets"]]}]
    )
    runs = {"one": {"q": one}, "two": {"q": ["rent", "pets"]}}
    told = causes({name: Run.from_dict(run) for name, run in runs.items()}, data, ["q"], k=2)
    assert told.needs
    assert (told.cause("one", "q"), told.first["one"].tolist()) == (cause, [rank])
    assert told.duplicate == ({("one", "q"): ("pets", "pets copy")} if cause == "duplicate" else {})
    assert told.cause("two", "q") is None


def test_of_passages_that_share_no_need_any_will_do() -> None:
    """Beside a query with needs, one with several relevant passages is judged as without it."""
    rows = [
        {"query_id": "flat", "passages": {"a": 1, "b": 1, "c": 1}},
        {"query_id": "both", "needs": [["a"], ["b", "c"]]},
        {"query_id": "joint", "needs": [["a", "b"], ["b"]]},
    ]
    data = Dataset.from_rows(
        dict.fromkeys("abcx", ""), dict.fromkeys(["flat", "both", "joint"], "?"), rows
    )
    run = Run.from_dict(
        {"flat": ["x", "c", "a"], "both": ["x", "c", "a"], "joint": ["a", "x", "b"]}
    )
    told = causes({"one": run}, data, ["joint", "flat", "both"], k=2)
    assert told.first["one"].tolist() == [3, 2, 3]
    assert [told.cause("one", query) for query in told.query_ids] == ["below_k", None, "below_k"]
    assert causes({"one": run}, data, ["flat"], k=2).first["one"].tolist() == [2]


def test_a_need_that_nothing_covers_is_found_by_no_retriever() -> None:
    data = Dataset.from_rows(
        {"a": "one", "b": "two", "c": "three"},
        {"q": "?", "r": "?", "s": "?"},
        [
            {"query_id": "q", "needs": [["a"], {"b": 1, "c": 1}]},
            {"query_id": "r", "needs": [["a", "b"]]},
            {"query_id": "s", "passages": {"a": 0}},
        ],
    )
    runs = {"one": Run.from_dict({"q": ["b", "a"], "r": ["b"], "s": ["a"]})}
    told = causes(runs, data, ["s", "r", "gone", "q"], k=2)
    assert (told.query_ids, told.without_relevant) == (("r", "q"), 2)
    assert (told.of["one"].tolist(), told.first["one"].tolist()) == ([FOUND, FOUND], [1, 2])
    assert causes(runs, data, ["q"], k=2, relevant_from=2).query_ids == ()
    runs = {"one": Run.from_dict({"q": ["b"], "r": []})}
    told = causes(runs, data, ["q", "r"], k=2)
    assert [told.cause("one", query) for query in ("q", "r")] == ["nowhere", "nowhere"]


def test_evidence_that_every_chunker_cuts_is_counted_as_cut() -> None:
    guide = "Cats are welcome here. Dogs are not welcome at all, nor are birds."
    data = Dataset.from_rows(
        None,
        {"dogs": "Are dogs welcome?", "both": "Which animals?", "cats": "Cats?"},
        [
            {"query_id": "dogs", "evidence": [{"document": "g", "quote": "Dogs are not welcome"}]},
            {
                "query_id": "both",
                "needs": [
                    [{"document": "g", "quote": "Cats"}],
                    [{"document": "g", "quote": "Dogs are not welcome"}],
                ],
            },
            {"query_id": "cats", "evidence": [{"document": "g", "quote": "Cats"}]},
        ],
        documents={"g": guide},
    )
    retrievers = {"pieces": BM25(chunk=CharacterChunker(size=12))}
    panel = evaluate(data, retrievers, ["R@1"], depth=2)["dataset"]
    told = panel.causes
    assert told is not None
    assert told.without_relevant == 0
    assert [told.cause("pieces", query) for query in ("dogs", "both")] == ["cut", "cut"]
    assert told.cause("pieces", "cats") is None
    # Each need in one chunk alone: both are wanted all the same.
    whole = evaluate(data, {"one": BM25(chunk=CharacterChunker(size=43))}, ["R@1"], depth=2)
    told = whole["dataset"].causes
    assert told is not None
    assert told.needs


def test_a_chunk_cut_short_is_no_near_duplicate_of_another_chunkers() -> None:
    guide = "One two three four five six seven eight nine ten eleven twelve, and thirteen."
    data = Dataset.from_rows(
        None,
        {"q": "one two three"},
        [{"query_id": "q", "evidence": [{"document": "g", "start": 0, "end": len(guide)}]}],
        documents={"g": guide},
    )
    retrievers = {
        "short": BM25(chunk=CharacterChunker(size=len(guide) - 2)),
        "whole": BM25(chunk=DocumentChunker()),
    }
    told = evaluate(data, retrievers, ["R@1"], depth=2)["dataset"].causes
    assert told is not None
    assert (told.cause("short", "q"), told.duplicate) == ("cut", {})
