"""The explorer's payloads: everything in them, nothing too large; and the worst queries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from ragscore.blocks import Block, Details, Paragraph, Table
from ragscore.dataset import Dataset, Ids
from ragscore.diagnose import CAUSES
from ragscore.models import Passage, Query
from ragscore.report.build import Report
from ragscore.report.contents import contents
from ragscore.report.data import ReportData
from ragscore.report.explorer.budget import LONGEST, explorer_payloads
from ragscore.report.explorer.filters import MOST_VALUES, Groups, filter_of, filterable
from ragscore.report.explorer.packing import packed, unpacked
from ragscore.report.explorer.payload import _short
from ragscore.report.explorer.worst import MOST_MISSING, _beginning, worst_queries
from ragscore.report.html.page import page
from ragscore.report.options import ReportOptions
from ragscore.report.strings import STRINGS
from ragscore.results import DatasetResult, Result
from ragscore.results.manifest import DatasetEntry, Manifest, RetrieverEntry
from ragscore.results.memory import MemoryParts
from ragscore.run import Run
from ragscore.scoring import Scores, score
from tests.factories.built_report import Data

MEASURES = ("nDCG@3", "RR", "P@1")
PLENTY = 10**9
SCRIPTS = Path(__file__).resolve().parents[2] / "ragscore" / "report" / "html"


def panel_of(runs: Mapping[str, Any], dataset: Dataset | None, qrels: Any = None) -> DatasetResult:
    """A panel of plain runs, with nothing compared."""
    made = {name: Run.from_dict(run, name=name) for name, run in runs.items()}
    judged = dataset.qrels if dataset is not None else qrels
    unanswerable = dataset.queries.unanswerable if dataset is not None else ()
    parts = [
        score(run, judged, MEASURES, dataset="trial", unanswerable=unanswerable)
        for run in made.values()
    ]
    entry = DatasetEntry(
        name="trial", path="", digest="", passages=None, queries=len(parts), judgments=0
    )
    manifest = Manifest(
        schema_version=1,
        experiment="trial",
        created="",
        datasets=(entry,),
        retrievers=tuple(
            RetrieverEntry(dataset="trial", name=name, status="complete", depth=run.depth)
            for name, run in made.items()
        ),
        files={},
    )
    result = Result(
        MemoryParts(
            manifest,
            Scores.joined(parts),
            {("trial", name): run for name, run in made.items()},
            {} if dataset is None else {"trial": dataset},
        )
    )
    return result["trial"]


def report_of(panel: DatasetResult, **options: Any) -> ReportData:
    chosen = ReportOptions(**options)
    return ReportData(
        name="trial",
        description="",
        folder="",
        manifest={},
        experiment="",
        retrievers=panel.retrievers,
        panels=(panel,),
        options=chosen,
        words=STRINGS.strings(chosen.language),
    )


TEXTS = {name: f"{name} is about {name * 40}" for name in "abcdefgh"}
QUERIES = (
    Query(id="q1", text="first?", tags=["kind:exact", "rent"], metadata={"topic": "x"}),
    Query(id="q2", text="second?", tags=["kind:long"], metadata={"topic": "y", "note": None}),
    Query(id="q3", text="third?", tags=["rent"], metadata={"topic": "x"}),
    Query(id="q4", text="fourth?", answerable=False),
)
TRUTH = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}, "q3": {"h": 1}, "q4": {"a": 0}}
RUNS: dict[str, dict[str, dict[str, float]]] = {
    "one": {
        "q1": {"b": 3.0, "c": 2.5, "a": 2.0, "d": 0.123456},
        "q2": {"a": 1.0, "b": 1.0, "c": 1.0, "e": 0.5, "d": 0.25},
        "q4": {"a": 1e-7},
    },
    "two": {"q1": {"a": 70.0}, "q2": {"d": 12345.678, "f": -0.5}, "q3": {"g": 0.1}},
}


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    passages = [Passage(id=name, text=text, title=f"On {name}") for name, text in TEXTS.items()]
    return Dataset.from_rows(passages, QUERIES, TRUTH)


@pytest.fixture(scope="module")
def panel(dataset: Dataset) -> DatasetResult:
    return panel_of(RUNS, dataset)


def relevant_of(told: Any) -> list[bool]:
    """Of each judgment that is told: whether its passage is relevant."""
    at = set(np.cumsum(told["relevant"]).tolist())
    return [n in at for n in range(len(told["grade"]))]


def read(data: ReportData, panel: DatasetResult, room: int = PLENTY) -> tuple[Any, Any]:
    """Both payloads as the page's script reads them."""
    made = explorer_payloads(data, panel, room)
    return unpacked(made.explorer), unpacked(made.passages)


def hits_of(told: Any, passages: Any) -> dict[str, dict[str, list[str]]]:
    """By retriever and query the ids that are shown, as explorer_data.js takes them apart."""
    largest, numbers = -1, []
    for below in told["hits"]:
        numbers.append(largest - below)
        largest = max(largest, numbers[-1])
    names = [one["name"] for one in told["retrievers"]]
    found: dict[str, dict[str, list[str]]] = {name: {} for name in names}
    at = 0
    for place, count in enumerate(told["returned"]):
        query, retriever = divmod(place, len(names))
        ids = [passages["id"][number] for number in numbers[at : at + count]]
        found[names[retriever]][told["id"][query]] = ids
        at += count
    assert at == len(numbers)
    return found


@pytest.mark.parametrize(
    "value",
    [
        {"text": "</script><script>"},
        ["\x00\x1f\u2028", "한국어", "\U0001f600", "e\u0301"],
        {"lone": "\ud800"},
        [],
        [1, -2, 0.25, None],
    ],
)
def test_what_is_packed_comes_out_again(value: Any) -> None:
    text = packed(value)
    assert re.fullmatch("[A-Za-z0-9+/=]*", text)
    assert unpacked(text) == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.123456, 0.1235),
        (12.3449, 12.34),
        (12345.678, 12350),
        (-0.00098764, -0.0009876),
        (1e-7, 1e-7),
        (0.0, 0),
        (1e20, 1e20),
    ],
)
def test_a_score_has_four_digits(value: float, written: float) -> None:
    assert _short(np.array([value, 0.5]))[0] == written


def test_whole_numbers_are_written_without_a_point() -> None:
    assert packed(_short(np.array([1.0, 2.0]))) == packed([1, 2])


def test_rankings_are_those_of_the_runs(panel: DatasetResult) -> None:
    told, passages = read(report_of(panel), panel)
    assert told["id"] == ["q1", "q2", "q3", "q4"]
    assert told["state"] == "aaau"
    shown = hits_of(told, passages)
    for name, run in panel.runs.items():
        returned = run.to_dict()
        for query in told["id"]:
            assert shown[name][query] == list(returned.get(query, ()))
    assert told["scores"][0] == [3.0, 2.5, 2.0, 0.1235, 1.0, 1.0, 1.0, 0.5, 0.25, 1e-7]
    # The second and third place of q2 are tied with those before them: query 1, depth 5.
    assert np.cumsum(told["ties"][0]).tolist() == [6, 7]
    assert told["ties"][1] == []


def test_judgments_are_told_of_what_is_shown_or_relevant(panel: DatasetResult) -> None:
    told, passages = read(report_of(panel, depth=2), panel)
    at = 0
    found: dict[str, dict[str, tuple[float, ...]]] = {}
    for query, count in zip(told["id"], told["judgments"], strict=True):
        found[query] = {
            passages["id"][told["judgedPassage"][n]]: (
                told["grade"][n],
                *(ranks[n] for ranks in told["ranks"]),
            )
            for n in range(at, at + count)
        }
        at += count
    # Grade, rank in one, rank in two; ranks reach below the depth that is shown.
    assert found == {
        "q1": {"a": (2, 3, 1), "b": (1, 1, 0), "c": (0, 2, 0)},
        "q2": {"d": (1, 5, 1)},
        "q3": {"h": (1, 0, 0)},
        "q4": {"a": (0, 1, 0)},
    }
    assert "h" in passages["id"]


def test_values_are_those_of_the_scores(panel: DatasetResult) -> None:
    told, _ = read(report_of(panel), panel)
    assert told["measures"] == ["nDCG@3", "mRR", "P@1"]
    for m, measure in enumerate(MEASURES):
        for r, entry in enumerate(panel.scores.entries):
            values = entry.per_query(measure)
            for q, query in enumerate(told["id"]):
                written = told["values"][m][r][q]
                if query in values:
                    assert written / 10_000 == pytest.approx(values[query], abs=0.5e-4)
                else:
                    assert written == -1_000_000


def test_a_real_result_is_told_as_it_was_gathered(small: ReportData) -> None:
    panel = small.panels[0]
    assert panel.causes is not None
    assert panel.data is not None
    told, passages = read(small, panel)
    assert told["causes"] == list(CAUSES)
    assert told["id"] == list(panel.data.queries.ids)
    for r, name in enumerate(panel.retrievers):
        causes = dict(zip(told["id"], told["cause"][r], strict=True))
        for at, query in enumerate(panel.causes.query_ids):
            assert causes[query] == panel.causes.of[name][at]
        assert {causes[query] for query in panel.data.queries.unanswerable} == {-1}
    starts = np.concatenate([[0], np.cumsum(told["judgments"])])
    relevant = relevant_of(told)
    for r, name in enumerate(panel.retrievers):
        for place, query in enumerate(panel.causes.query_ids):
            q = told["id"].index(query)
            ranks = [
                told["ranks"][r][n]
                for n in range(starts[q], starts[q + 1])
                if relevant[n] and told["ranks"][r][n]
            ]
            assert min(ranks, default=0) == panel.causes.first[name][place]
    texts = dict(zip(panel.data.corpus.ids, panel.data.corpus.texts, strict=True))  # type: ignore[union-attr]
    assert dict(zip(passages["id"], passages["text"], strict=True)).items() <= texts.items()
    assert len(passages["id"]) == len(set(passages["id"]))


@pytest.mark.parametrize("depth", [1, 2, 20])
def test_depth_is_what_was_asked(panel: DatasetResult, depth: int) -> None:
    told, passages = read(report_of(panel, depth=depth), panel)
    shown = hits_of(told, passages)
    assert max(len(ids) for of in shown.values() for ids in of.values()) == min(depth, 5)


def test_tags_and_metadata(panel: DatasetResult) -> None:
    told, _ = read(report_of(panel), panel)
    found = {
        (group["key"], value): [told["id"][row] for row in np.cumsum(rows)]
        for group in told["tags"]
        for value, rows in zip(group["values"], group["queries"], strict=True)
    }
    assert found == {
        ("topic", "x"): ["q1", "q3"],
        ("topic", "y"): ["q2"],
        ("kind", "exact"): ["q1"],
        ("kind", "long"): ["q2"],
        ("tags", "rent"): ["q1", "q3"],
    }


@pytest.mark.parametrize(
    ("metadata", "kept"),
    [
        ([{"n": n} for n in range(10)], False),
        ([{"n": n % 3} for n in range(10)], True),
        ([{"n": "all"} for _ in range(10)], False),
        ([{"n": None} for _ in range(10)], False),
        ([{"n": {"nested": 1}} for _ in range(10)], False),
        ([{"n": n % 2 == 0} for n in range(10)], True),
    ],
)
def test_only_what_groups_queries_is_a_filter(
    metadata: Sequence[Mapping[str, Any]], kept: bool
) -> None:
    queries = [Query(id=f"q{n}", text="?", metadata=dict(one)) for n, one in enumerate(metadata)]
    columns = Dataset.from_rows({"a": "a"}, queries, {}).queries
    assert bool(filterable(columns, columns.ids)) == kept


def tagged(*queries: Query) -> Groups:
    """What queries can be filtered by."""
    columns = Dataset.from_rows({"a": "a"}, list(queries), {}).queries
    return filterable(columns, columns.ids)


@pytest.mark.parametrize("key", ["tags", "topic"])
def test_of_many_values_those_of_several_queries_are_offered(key: str) -> None:
    """q0 has t0, q1 has t0 and t1, ...: of 100 values, 99 belong to several queries."""
    several = [[f"t{at}" for at in range(max(0, n - n % 7), n + 1)] for n in range(100)]
    made = [
        Query(id=f"q{n}", text="?", tags=one)
        if key == "tags"
        else Query(id=f"q{n}", text="?", metadata={key: one})
        for n, one in enumerate(several)
    ]
    counts = Counter(value for one in several for value in one)
    (group,) = tagged(*made)
    assert group["key"] == key
    assert len(group["values"]) == MOST_VALUES
    left_out = set(counts) - set(group["values"])
    assert min(counts[one] for one in group["values"]) >= 2
    assert max(counts[one] for one in left_out) <= min(counts[one] for one in group["values"])


def test_a_tag_that_a_key_says_is_offered_once() -> None:
    """``code`` says what ``kind: code`` says; ``text`` stands at another query too."""
    groups = tagged(
        Query(id="q1", text="?", tags=["code", "rent"], metadata={"kind": "code"}),
        Query(id="q2", text="?", tags=["text"], metadata={"kind": "text"}),
        Query(id="q3", text="?", tags=["text", "code"], metadata={"kind": "code"}),
        Query(id="q4", text="?", metadata={"kind": "other"}),
        Query(id="q5", text="?"),
        Query(id="q6", text="?"),
    )
    assert {one["key"]: one["values"] for one in groups} == {
        "kind": ["code", "other", "text"],
        "tags": ["rent", "text"],
    }
    asked = {
        ("kind", "code"): "kind:code",
        ("tags", "code"): "kind:code",
        ("tags", "kind:code"): "kind:code",
        ("tags", "text"): "text",
        ("kind", "none"): None,
        ("tags", "none"): None,
        ("other", "code"): None,
    }
    assert {one: filter_of(groups, *one) for one in asked} == asked


def test_a_result_without_its_dataset(panel: DatasetResult, dataset: Dataset) -> None:
    alone = panel.holding(data=None)
    data = report_of(alone)
    made = explorer_payloads(data, alone, PLENTY)
    told, passages = read(data, alone)
    assert not told["judged"]
    assert set(told["text"]) == {""}
    assert hits_of(told, passages) == hits_of(*read(report_of(panel), panel))
    assert set(passages["length"]) == {-1}
    assert made.notes == (data.words("explorer_no_texts"),)
    tables = [block.blocks[0] for block in opened(worst_queries(data, alone))]
    assert [one.id for one in tables if isinstance(one, Table)] == [
        "worst-0-1",
        "worst-0-2",
        "worst-0-3",
    ]


@pytest.mark.parametrize(
    ("runs", "truth"),
    [
        ({"one": {"q1": ["a", "b"]}, "two": {"q1": ["b"]}}, {"q1": ["b"]}),
        ({"one": {"q1": []}}, {"q1": ["b"]}),
        ({"one": {"q1": {"zzz": 1.0}}}, {"q1": ["b"]}),
        ({"one": {"q1": {"a": 1.0}}}, {"q1": {"a": -1, "b": 1}}),
    ],
    ids=["no scores", "nothing returned", "not in the corpus", "in the pool, not judged"],
)
def test_odd_runs(runs: Any, truth: Any) -> None:
    dataset = Dataset.from_rows({"a": "A.", "b": "B."}, {"q1": "?", "q2": "??"}, truth)
    panel = panel_of(runs, dataset)
    told, passages = read(report_of(panel), panel)
    shown = hits_of(told, passages)
    for name, returned in runs.items():
        assert shown[name]["q1"] == list(returned["q1"])
    assert told["id"] == ["q1"]
    assert all(grade >= 0 for grade in told["grade"])
    assert "b" in passages["id"]
    assert worst_queries(report_of(panel), panel)


def large(count: int = 60) -> DatasetResult:
    """Queries with one relevant passage each, at rank 5, and long texts that do not compress."""
    generator = np.random.default_rng(7)
    words = ["".join(chr(97 + n) for n in row) for row in generator.integers(0, 26, (5000, 7))]
    picked = generator.integers(0, len(words), (count * 8, 120))
    passages = {f"p{n}": " ".join(words[one] for one in row) for n, row in enumerate(picked)}
    queries = {f"q{n}": f"what of {n}?" for n in range(count)}
    truth = {f"q{n}": [f"p{8 * n + 4}"] for n in range(count)}
    run = {f"q{n}": [f"p{8 * n + place}" for place in range(8)] for n in range(count)}
    return panel_of({"one": run}, Dataset.from_rows(passages, queries, truth))


@pytest.fixture(scope="module")
def wide() -> DatasetResult:
    return large()


@pytest.mark.parametrize(
    ("share", "kept", "others"),
    [
        (1.01, LONGEST, LONGEST),
        (0.8, LONGEST, 400),
        (0.54, LONGEST, 0),
        (0.45, 600, 0),
        (0.2, 200, 0),
    ],
)
def test_texts_are_cut_step_by_step(
    wide: DatasetResult, share: float, kept: int, others: int
) -> None:
    data = report_of(wide)
    whole = explorer_payloads(data, wide, PLENTY)
    assert whole.notes == ()
    room = int(whole.bytes * share)
    made = explorer_payloads(data, wide, room)
    assert made.bytes <= room
    assert made.explorer == whole.explorer, "numbers are never cut"
    before: Any = unpacked(whole.passages)
    after: Any = unpacked(made.passages)
    assert after["id"] == before["id"]
    for number, name in enumerate(after["id"]):
        place = int(name[1:]) % 8
        limit = kept if place < 3 or place == 4 else others
        text = before["text"][number]
        assert after["text"][number] == text[:limit]
        assert after["length"][number] == (len(text) if len(text) > limit else 0)
    assert bool(made.notes) == (share < 1)
    assert all("5 MB" in note for note in made.notes)


def test_grades_are_relevant_before_they_are_rounded() -> None:
    truth = {"q1": {"a": 1.0, "b": 0.99996, "c": 1.00004}}
    panel = panel_of({"one": {"q1": ["a", "b", "c"]}}, Dataset.from_rows(TEXTS, QUERIES[:1], truth))
    told, _ = read(report_of(panel), panel)
    assert told["grade"] == [1, 1, 1]
    assert relevant_of(told) == [True, False, True]


def test_then_the_depth_is_cut(wide: DatasetResult) -> None:
    data = report_of(wide)
    told, _ = read(data, wide)
    assert told["depth"] == 8
    smallest = explorer_payloads(data, wide, 0)
    told, _ = read(data, wide, 0)
    assert told["depth"] == 3
    assert data.words("explorer_cut_depth", mb="5", depth=3) in smallest.notes
    # The relevant passage at rank 5 is still told, with its rank.
    assert told["ranks"] == [[5] * 60]
    fits = explorer_payloads(data, wide, smallest.bytes)
    assert fits.bytes <= smallest.bytes


def test_a_huge_passage_is_cut_at_once() -> None:
    dataset = Dataset.from_rows({"a": "x" * 10**6, "b": "y"}, {"q": "z" * 5000}, {"q": ["a"]})
    panel = panel_of({"one": {"q": ["a", "b"]}}, dataset)
    data = report_of(panel)
    told, passages = read(data, panel)
    assert [len(text) for text in passages["text"]] == [LONGEST, 1]
    assert passages["length"] == [10**6, 0]
    assert len(told["text"][0]) < 2100
    assert explorer_payloads(data, panel, PLENTY).notes == ()


def opened(blocks: Sequence[Block]) -> list[Details]:
    """The worst queries behind the line that says what they are."""
    said, *queries = blocks
    assert isinstance(said, Paragraph)
    assert all(isinstance(one, Details) for one in queries)
    return [one for one in queries if isinstance(one, Details)]


def test_the_worst_queries(panel: DatasetResult) -> None:
    data = report_of(panel)
    queries = opened(worst_queries(data, panel))
    assert [one.summary.split(":")[0] for one in queries] == ["q3", "q2", "q1"]
    assert queries[0].summary == "q3: third? (nDCG@3 0.000)"
    (third, lost), (second, *nothing), (first, *none) = (one.blocks for one in queries)

    def rows(table: Block) -> list[list[str]]:
        assert isinstance(table, Table)
        assert [column.label for column in table.columns[:2]] == ["one", "two"]
        return [[cell.text for cell in row] for row in table.rows]

    text = {name: f"On {name}: {text}" for name, text in TEXTS.items()}
    assert rows(third) == [["-", "1", "unjudged", "g", text["g"]]]
    assert lost == Paragraph(
        data.words("explorer_missing", k=3, passages="h (no retriever returned it)"), "note"
    )
    # One row for each passage: the best rank first, then what more retrievers returned.
    assert rows(second) == [
        ["5", "1", "relevant (1)", "d", text["d"]],
        ["1", "-", "unjudged", "c", text["c"]],
        ["2", "-", "unjudged", "b", text["b"]],
        ["-", "2", "unjudged", "f", text["f"]],
        ["3", "-", "unjudged", "a", text["a"]],
    ]
    assert rows(first) == [
        ["3", "1", "relevant (2)", "a", text["a"]],
        ["1", "-", "relevant (1)", "b", text["b"]],
        ["2", "-", "not relevant (0)", "c", text["c"]],
    ]
    assert nothing == none == [], "what stands in the table is not told again"


def test_the_worst_queries_have_the_largest_values_where_small_ones_are_good(
    data_of: Data,
) -> None:
    data = data_of("odd-measures")
    (panel,) = data.panels
    values = [panel.scores[name].per_query("MR") for name in panel.retrievers]
    nowhere = [query for query in values[0] if all(np.isnan(of[query]) for of in values)]
    some = {
        query: float(np.nanmean([of[query] for of in values]))
        for query in values[0]
        if sum(np.isnan(of[query]) for of in values) == 1
    }
    note, *_ = blocks = worst_queries(data, panel)
    told = [one.summary for one in opened(blocks)]
    # Nothing was found by any: worse than any rank.
    assert nowhere
    for query, summary in zip(nowhere, told, strict=False):
        assert summary.startswith(f"{query}: ")
        assert summary.endswith("(MR -)")
    assert isinstance(note, Paragraph)
    assert "not defined" in note.text
    worst = max(some, key=lambda query: some[query])
    assert any(
        one.startswith(f"{worst}: ") and one.endswith(f"(MR {some[worst]:.3f})") for one in told
    )


def test_large_values_are_told(panel: DatasetResult) -> None:
    entry = panel.scores.entries[0]
    large = replace(entry, values=entry.values + 2.0**70)
    data = report_of(panel)
    changed = panel.holding(
        scores=replace(panel.scores, entries=(large, *panel.scores.entries[1:]))
    )
    told = cast(Any, unpacked(explorer_payloads(data, changed, PLENTY).explorer))
    assert max(told["values"][0][0]) == pytest.approx(2.0**70 * 10_000)


def test_the_worst_queries_are_in_no_file_of_tables_and_not_copied(report: Report) -> None:
    text = page(report)
    assert 'data-table="worst-0-20"' in text
    (copied,) = re.findall(r'id="payload-copies">([^<]*)<', text)
    keys = [str(key) for key in cast("dict[str, Any]", unpacked(copied))]
    names = [table.id for _, _, table in contents(report).tables]
    assert keys
    assert names
    assert not [one for one in (*keys, *names) if "worst" in one]


@pytest.mark.parametrize(("count", "more"), [(1, False), (5, False), (7, True)])
def test_missing_passages_are_one_line(count: int, more: bool) -> None:
    names = [f"m{n}" for n in range(count)]
    dataset = Dataset.from_rows(dict.fromkeys([*names, "x"], "text"), {"q": "?"}, {"q": names})
    data = report_of(panel := panel_of({"one": {"q": {"x": 1.0}}}, dataset))
    (query,) = opened(worst_queries(data, panel))
    _, line = query.blocks
    assert isinstance(line, Paragraph)
    assert line.text.count("no retriever returned it") == min(count, MOST_MISSING)
    assert line.text.endswith("and 2 more") == more


@pytest.mark.parametrize(
    ("text", "width", "told"),
    [
        ("short", 5, "short"),
        ("one two three", 8, "one two …"),
        ("한국어 본문", 11, "한국어 본문"),
        ("한국어 본문", 8, "한국어 …"),
        ("a\n\n b", 9, "a b"),
    ],
)
def test_the_beginning_of_a_text_fits_a_line(text: str, width: int, told: str) -> None:
    assert _beginning(text, width) == told


def test_of_equal_queries_the_first_are_worst(wide: DatasetResult) -> None:
    data = report_of(wide)
    named = [one.summary.split(":")[0] for one in opened(worst_queries(data, wide, 5))]
    assert named == ["q0", "q1", "q2", "q3", "q4"]
    ids = [one.blocks[0].id for one in opened(worst_queries(data, wide))]  # type: ignore[union-attr]
    assert len(ids) == len(set(ids)) == 20


def test_the_scripts_say_nothing_that_the_table_lacks() -> None:
    """A key that is put together stands for all that begin so."""
    known = [key for key in STRINGS if key.startswith("js_explorer_")]
    asked = 0
    for script in sorted(SCRIPTS.glob("explorer*.js")):
        text = script.read_text(encoding="utf-8")
        for key in re.findall(r"[\"`](js_explorer_\w*)", text):
            asked += 1
            assert key in known or any(one.startswith(key) for one in known), (script.name, key)
    assert asked > 40


def test_every_cause_has_its_word() -> None:
    assert {f"js_explorer_cause_{name}" for name in CAUSES} <= set(STRINGS)


def test_ids_of_passages_stand_once(panel: DatasetResult) -> None:
    _, passages = read(report_of(panel), panel)
    assert Ids(passages["id"])
