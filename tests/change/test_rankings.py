"""Changes of rankings: against plain Python, over all pairs of small rankings, and real files."""

from __future__ import annotations

import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ragscore
from ragscore import ConfigError, DataError, Dataset, Qrels, RankingChanges, Run
from ragscore.change.between import RankedPair, retriever_changes
from ragscore.change.match import matched_names
from ragscore.cli import main
from ragscore.elements import Table, as_markdown, as_text
from ragscore.run.query_failure import QueryFailure

IDS = "abcdef"
rankings = st.lists(st.sampled_from(IDS), unique=True, max_size=6)
runs = st.lists(st.tuples(rankings, rankings), min_size=1, max_size=8)
HOSTILE = 'x\n| <b>&\x1b[31m "=1+1" `k` '
NAME = "&amp; _x_ [y](z) `k` {0} $(id) "


def pair_of(both: list[tuple[list[str], list[str]]]) -> tuple[Run, Run]:
    made = [
        Run.from_dict({f"q{at}": lists[side] for at, lists in enumerate(both)}, name="bm25")
        for side in (0, 1)
    ]
    return made[0], made[1]


def rbo_of(one: list[str], other: list[str], p: float) -> float:
    """RBO_ext of Webber, Moffat and Zobel (2010), equation (32), term by term."""
    short, long = sorted((one, other), key=len)
    s, n = len(short), len(long)
    if not s:
        return 0.0 if n else np.nan
    overlap = {d: len(set(short[:d]) & set(long[:d])) for d in range(1, n + 1)}
    total = sum(overlap[d] / d * p**d for d in range(1, n + 1))
    total += sum(overlap[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    tail = ((overlap[n] - overlap[s]) / n + overlap[s] / s) * p**n
    return (1 - p) / p * total + tail


@settings(max_examples=60, deadline=None)
@given(runs, st.integers(1, 7), st.sampled_from([0.5, 0.9, 0.98]))
def test_every_query_against_plain_python(
    both: list[tuple[list[str], list[str]]], k: int, p: float
) -> None:
    found = RankedPair(*pair_of(both), k, p)
    for at, (old, new) in enumerate(both):
        one, other = old[:k], new[:k]
        longer = max(len(one), len(other))
        shared = set(one) & set(other)
        assert found.overlap[at] == pytest.approx(
            len(shared) / longer if longer else np.nan, nan_ok=True
        )
        assert found.rbo[at] == pytest.approx(rbo_of(old, new, p), abs=1e-9, nan_ok=True)
        assert found.changed[at] == (one != other)
        assert (found.changed[at] and not found.other_order[at]) == (set(one) != set(other))
        assert found.new[at].sum() == len(set(other) - shared)
        assert found.gone[at].sum() == len(set(one) - shared)
    first = [bool(old and new and old[0] != new[0]) for old, new in both]
    assert found.other_first == sum(first)


@settings(max_examples=40, deadline=None)
@given(runs)
def test_identity_and_symmetry(both: list[tuple[list[str], list[str]]]) -> None:
    old, new = pair_of(both)
    same = retriever_changes(old, old, k=3, p=0.9)
    assert same.changed == same.new == same.other_first == len(same.queries) == 0
    there = retriever_changes(old, new, k=3, p=0.9)
    back = retriever_changes(new, old, k=3, p=0.9)
    assert (there.changed, there.other_first) == (back.changed, back.other_first)
    assert (there.overlap, there.rbo) == pytest.approx((back.overlap, back.rbo), nan_ok=True)
    assert there.kinds["newly empty"] == back.kinds["newly answered"]
    assert sum(there.kinds.values()) == there.changed
    assert len(there.queries) == there.changed
    assert {query.query: [new.passage for new in query.new] for query in back.queries} == {
        query.query: list(query.gone) for query in there.queries
    }


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    orders = [list(order) for order in permutations("abcd")]
    old, new = pair_of(list(zip(orders, reversed(orders), strict=True)))
    whole = retriever_changes(old, new, k=2, p=0.9)
    monkeypatch.setattr("ragscore.change.between.BLOCK", 12)
    again = retriever_changes(old, new, k=2, p=0.9)
    assert whole.to_dict() == again.to_dict()


def test_shifts_of_scores_are_those_of_shared_passages() -> None:
    old = Run.from_dict({"q": {"a": 3.0, "b": 1.0}, "r": {"a": 1.0}, "s": {}}, name="x")
    new = Run.from_dict({"q": {"a": 2.0, "c": 9.0}, "r": {"a": 1.0}, "s": {"a": 1.0}}, name="x")
    passages, first = retriever_changes(old, new, k=5, p=0.9).shifts
    assert (passages.n, passages.lower, passages.higher, passages.median) == (2, 1, 0, -0.5)
    assert (first.n, first.lower, first.higher, first.median) == (2, 0, 1, 3.0)


@pytest.mark.parametrize(
    ("scale", "shown"), [(1.0, "+0.200"), (0.01, "+0.0020"), (1e-4, "+0.000020"), (1e-30, "0.000")]
)
def test_small_shifts_have_digits(scale: float, shown: str) -> None:
    """Scores of a fusion of ranks are around 0.01: three decimals would show nothing."""
    old, new = (Run.from_dict({"q": {"a": at * scale}}, name="x") for at in (1.0, 1.2))
    (table,) = (
        element
        for element in ragscore.changes(old, new).elements()
        if isinstance(element, Table) and element.id == "score-shifts"
    )
    assert {cell.text[: len(shown)] for cell in table.rows[0][5:]} == {shown}


def test_new_passages_that_nobody_judged_are_named() -> None:
    old, new = pair_of([(["a", "b"], ["a", "c"]), (["a"], ["d"]), (["a"], ["e"])])
    grades = {"q0": {"c": 0.0}, "q1": {"a": 1.0}, "q2": {"e": -1.0}, "other": {"d": 1.0}}
    found = retriever_changes(old, new, k=2, p=0.9, qrels=Qrels.from_dict(grades))
    judged = {query.query: [part.judged for part in query.new] for query in found.queries}
    assert judged == {"q0": [True], "q1": [False], "q2": [False]}
    assert (found.new, found.unjudged) == (3, 2)


def test_the_most_changed_come_first() -> None:
    old, new = pair_of(
        [(["a", "b"], ["b", "a"]), (["a", "b"], ["a", "c"]), ([], ["a"]), (["a"], []), ([], [])]
    )
    found = retriever_changes(old, new, k=2, p=0.9)
    assert [(query.query, query.kind) for query in found.queries] == [
        ("q3", "newly empty"),
        ("q2", "newly answered"),
        ("q1", "other passages"),
        ("q0", "other order"),
    ]
    assert found.unanswered == 1


def test_failed_is_told_apart_from_empty() -> None:
    lists = [(["a"], []), (["a"], []), ([], ["a"]), ([], ["a"]), ([], []), (["a"], ["b"])]
    old, new = pair_of([*lists, (["a"], ["a"])])
    old = old.with_failures([QueryFailure("q2", "HTTP 503")])
    new = new.with_failures([QueryFailure("q4", "HTTP 500"), QueryFailure("q1", "late", 3)])
    found = retriever_changes(old, new, k=2, p=0.9)
    assert [(query.query, query.kind, query.error) for query in found.queries] == [
        ("q1", "newly failed", "late (asked 3 times)"),
        ("q0", "newly empty", None),
        ("q2", "no longer failed", "HTTP 503"),
        ("q3", "newly answered", None),
        ("q5", "other passages", None),
    ]
    assert (found.failed, sum(found.kinds.values())) == ((1, 2), found.changed)
    on = ragscore.changes(old, new)
    text = str(on)
    assert "1 newly failed, 1 newly empty, 1 no longer failed, 1 newly answered" in text
    assert "late (asked 3 times)" in text
    assert "note: bm25: failed queries: 1 earlier, 2 later" in text
    assert on.to_csv().splitlines()[1].endswith("late (asked 3 times)")
    assert "실패 해소" in as_text(on.elements(), language="ko")
    assert "ailed" not in str(ragscore.changes(*pair_of(lists)))


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    queries = [
        {"id": f"q{at}", "text": f"word{at} {HOSTILE}", "tags": [f"kind:{'ab'[at % 2]}"]}
        for at in range(8)
    ]
    passages = {f"p{at}": f"word{at} rent" for at in range(8)}
    judged = {f"q{at}": [f"p{at}"] for at in range(8)}
    rows = [ragscore.Query.model_validate(query) for query in queries]
    return Dataset.from_rows(passages, rows, judged, name=f"{NAME}data")


def result_of(dataset: Dataset, names: dict[str, int]) -> ragscore.Result:
    def answer(turned: int):  # type: ignore[no-untyped-def]
        def ranked(query: str, k: int) -> list[str]:
            at = int(query.split()[0][4:])
            return [f"p{(at + (at < turned)) % 8}", f"p{(at + 2) % 8}"]

        return ranked

    return ragscore.evaluate(dataset, {name: answer(n) for name, n in names.items()}, ["P@1"])


def test_results_with_slices_renamed_retrievers_and_hostile_names(dataset: Dataset) -> None:
    old = result_of(dataset, {f"{NAME}old": 0, "kept": 0, "lost": 0})
    new = result_of(dataset, {f"{NAME}new": 3, "kept": 0, "fresh": 0})
    found = ragscore.changes(old, new, k=1, pairs={f"{NAME}old": f"{NAME}new"}, slices=["kind"])
    (on,) = found.datasets
    renamed, kept = on.retrievers
    assert (renamed.changed, kept.changed, renamed.unjudged) == (3, 0, 3)
    by_kind = {part.value: part.changed for part in renamed.slices}
    assert by_kind == {"a": 2, "b": 1}
    assert (on.only_before, on.only_after) == (("lost",), ("fresh",))
    assert RankingChanges.json_schema("x")["properties"].keys() == found.to_dict().keys()
    for language in ("en", "ko"):
        elements = found.elements()
        text = as_text(elements, language=language)
        markdown = as_markdown(elements, language=language)
        assert "\x1b" not in text + markdown
        assert "<b>" not in markdown
        assert not re.search("worse|better|improv|나빠|나아|악화|개선", text.replace(HOSTILE, ""))
    assert "same for all 8 queries" in str(found)
    assert len(str(repr(found)).splitlines()) == 1


def test_what_does_not_fit_is_an_error_that_says_what_to_do(dataset: Dataset) -> None:
    old, new = pair_of([(["a"], ["a"])])
    with pytest.raises(ConfigError, match="Compare the top 1"):
        ragscore.changes(old, new, k=0)
    with pytest.raises(ConfigError, match="between 0 and 1"):
        ragscore.changes(old, new, p=1.0)
    with pytest.raises(ConfigError, match="no retriever of the earlier result is named 'bm26'"):
        ragscore.changes(old, new, pairs={"bm26": "bm25"})
    with pytest.raises(ConfigError, match="slices need the dataset"):
        ragscore.changes(old, new, slices=["kind"])
    other = Run.from_dict({"q0": ["z"], "q9": ["a"]}, name="bm25")
    with pytest.raises(DataError, match="1 in both, 0 only earlier, 1 only"):
        ragscore.changes(old, other)
    on = ragscore.changes(old, other, allow_intersect=True).datasets[0]
    assert (on.n, on.left_out) == (1, 1)
    (part,) = ragscore.changes(old, other, missing_is_empty=True).datasets[0].retrievers
    assert part.kinds["newly answered"] == 1
    apart = Run.from_dict({"q0": ["z"]}, name="bm25")
    assert "different corpora" in str(ragscore.changes(old, apart))
    two = [result_of(dataset, {name: 0, "x": 0}) for name in ("x2", "x3")]
    with pytest.raises(ConfigError, match="no query has a tag or metadata 'nope'"):
        ragscore.changes(*two, slices=["nope"])
    (only,) = ragscore.changes(*two).datasets[0].retrievers
    assert only.after == "x"


def test_the_command_in_every_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old.trec", tmp_path / "new.trec"
    old.write_text("q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\nq2 Q0 c 1 1 x\n")
    new.write_text("q1 Q0 b 1 3 x\nq1 Q0 a 2 2 x\nq2 Q0 =d 1 1 x\n")
    paths = [str(old), str(new)]
    assert main(["changes", *paths, "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == ragscore.changes(old, new).to_dict()
    assert main(["changes", *paths, "--format", "csv"]) == 0
    assert ",old,new,q2,,other passages,0.0,0.0,'=d,,c" in capsys.readouterr().out
    for format in ("table", "markdown"):
        assert main(["changes", *paths, "--format", format, "--language", "ko"]) == 0
        assert "바뀌었습니다" in capsys.readouterr().out
    assert main(["changes", *paths, "--limit", "1"]) == 0
    out = capsys.readouterr().out
    assert "1 of 2 changed queries" in out
    assert main(["changes", *paths, "--limit", "all"]) == 0
    assert "changed queries;" not in capsys.readouterr().out
    assert main(["changes", *paths, "-k", "1000000000"]) == 0
    assert "neither run is 1000000000 deep" in capsys.readouterr().out
    assert main(["changes", *paths, "--persistence", "1"]) == 2
    assert "--persistence: 1 does not lie between 0 and 1" in capsys.readouterr().err
    for limit in ("-1", "1.5", "9" * 5000):
        assert main(["changes", *paths, f"--limit={limit}"]) == 2
        assert "--limit" in capsys.readouterr().err
    assert main(["changes", *paths, "--limit", "0", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == printed
    assert main(["changes", *paths, "--pair", "old"]) == 2
    assert "OLD=NEW" in capsys.readouterr().err
    assert main(["changes", *paths, "--pair", "older=new"]) == 2
    assert "--pair" in capsys.readouterr().err


def test_a_name_with_equals_signs_can_be_paired(dataset: Dataset) -> None:
    old = result_of(dataset, {"k1=1": 0, "k1": 0, "b": 0})
    new = result_of(dataset, {"k1=2": 3, "1": 0, "b": 0})
    (on,) = ragscore.changes(old, new, pairs=["k1=1=k1=2"], k=1).datasets
    assert [(part.before, part.after) for part in on.retrievers] == [("k1=1", "k1=2"), ("b", "b")]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["a=b=c"], "'a=b=c' may mean 'a' and 'b=c' or 'a=b' and 'c'"),
        (["=a", "b="], "'=a' is not OLD=NEW"),
        (["a=c", "a=b=c"], "may mean"),
        (["a=c", "a=b"], "no retriever of the later result is named 'b'"),
        (["a=c", "x=b=c"], "no retriever of the earlier result is named 'x'"),
        (["a=d", "a=c"], "paired twice"),
    ],
)
def test_pairs_that_cannot_be_meant(pairs: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        matched_names(["a", "a=b"], ["c", "b=c", "d"], pairs)


def changed_dataset(dataset: Dataset, **parts: Any) -> Dataset:
    """The dataset with other parts."""
    rows: dict[str, Any] = {
        "passages": {f"p{at}": f"word{at} rent" for at in range(8)},
        "queries": dict(zip(dataset.queries.ids, dataset.queries.texts, strict=True)),
        "judged": {f"q{at}": [f"p{at}"] for at in range(8)},
        **parts,
    }
    return Dataset.from_rows(rows["passages"], rows["queries"], rows["judged"], name=dataset.name)


def test_notes_on_what_differs_in_the_data(dataset: Dataset) -> None:
    """Another corpus, another text, queries that only one side has."""

    def notes(later: Dataset, **options: Any) -> tuple[int, int, str]:
        (on,) = ragscore.changes(
            result_of(dataset, {"x": 0}), result_of(later, {"x": 0}), **options
        ).datasets
        return on.n, on.left_out, " | ".join(map(str, on.notes))

    more = {f"p{at}": f"word{at} rent" for at in range(9)}
    n, left_out, said = notes(changed_dataset(dataset, passages=more))
    assert (n, left_out) == (8, 0)
    assert "The dataset is not the same in both: the passages differ" in said
    texts = dict(zip(dataset.queries.ids, dataset.queries.texts, strict=True))
    n, left_out, said = notes(changed_dataset(dataset, queries={**texts, "q1": "word1 other"}))
    assert (n, left_out) == (7, 1)
    assert "the text of 1 query changed, so it is left out" in said
    assert "passages" not in said
    fewer = {query: texts[query] for query in texts if query not in ("q0", "q2")}
    judged = {query: [f"p{query[1:]}"] for query in fewer}
    later = changed_dataset(
        dataset, queries={**fewer, "new": "word1"}, judged={**judged, "new": ["p1"]}
    )
    with pytest.raises(DataError, match="6 in both, 2 only earlier, 1 only later"):
        notes(later)
    n, left_out, said = notes(later, allow_intersect=True)
    assert (n, left_out) == (6, 3)
    assert "6 queries are in both" in said
    nothing = changed_dataset(dataset, queries={"z": "word1"}, judged={"z": ["p1"]})
    with pytest.raises(DataError, match="no query is in both"):
        notes(nothing, allow_intersect=True)


def test_tables_have_ids_of_their_own(dataset: Dataset) -> None:
    old, new = (result_of(dataset, {f"{NAME}x": n, "y": n}) for n in (0, 3))
    found = ragscore.changes(old, new, k=1)
    twice = RankingChanges(1, 0.9, "a", "b", found.datasets * 2)
    ids = [element.id for element in twice.elements() if isinstance(element, Table)]
    assert len(set(ids)) == len(ids) == 2 * len({id.removeprefix("d1-") for id in ids})
    assert all(re.fullmatch("[a-z0-9-]+", id) for id in ids)
