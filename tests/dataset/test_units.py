"""Judgments that name units: which passage stands for one, and what every measure makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore.arrays import repeated
from ragscore.dataset import Chunks, Dataset
from ragscore.dataset.judged_units import JudgedUnit
from ragscore.diagnose import losses
from ragscore.errors import ConfigError, DataError, MeasureError, RagscoreError
from ragscore.formats import convert, load_dataset
from ragscore.judge import in_units, judged_ranks, numbered_alike
from ragscore.measures import TABLE
from ragscore.models import Document
from ragscore.run import Run
from ragscore.scoring import score
from tests.factories.every_measure import OPTIONS, measure_of

QUERIES, DEPTH, UNITS = 12, 20, 30
BY_PASSAGES = {"field": "document", "cutoff": "passages"}


def passages(of: Sequence[str | int | None], ids: Sequence[str] | None = None) -> list[Any]:
    names = [f"p{row:03}" for row in range(len(of))] if ids is None else ids
    return [
        {"id": name, "text": f"text {name}", "metadata": {} if unit is None else {"document": unit}}
        for name, unit in zip(names, of, strict=True)
    ]


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def judgments(units: Sequence[str]) -> dict[str, dict[str, float]]:
    made = rng()
    return {
        f"q{number:02}": {
            units[at]: float(made.integers(-1, 4))
            for at in made.choice(len(units), size=6, replace=False)
        }
        for number in range(QUERIES)
    }


def rankings(ids: Sequence[str], *, scores: bool = True) -> dict[str, Any]:
    """Rankings with many equal scores."""
    made = rng()
    found: dict[str, Any] = {}
    for number in range(QUERIES):
        chosen = [ids[at] for at in made.choice(len(ids), size=DEPTH, replace=False)]
        values = np.round(made.random(DEPTH), 1).tolist()
        found[f"q{number:02}"] = dict(zip(chosen, values, strict=True)) if scores else chosen
    return found


def asked(texts: Mapping[str, Any]) -> dict[str, str]:
    return {query: f"what is {query}" for query in texts}


def value_of(run: Any, data: Dataset, measures: list[str], **options: Any) -> Any:
    """Means, values and bounds of each measure; or the message of its error."""
    found = []
    for measure in measures:
        try:
            (entry,) = score(run, data, [measure], bounds=True, **options).entries
        except RagscoreError as error:
            found.append((measure, str(error)))
            continue
        bounds = entry.bounds
        sides = () if bounds is None else (bounds.low.tobytes(), bounds.high.tobytes())
        found.append((measure, repr(entry.means), entry.values.tobytes(), entry.counts, sides))
    return found


def means_and_values(run: Any, data: Dataset, measures: list[str], **options: Any) -> Any:
    return [(name, *found[:2]) for name, *found in value_of(run, data, measures, **options)]


@pytest.mark.slow
@pytest.mark.parametrize("cutoff", ["units", "passages"])
@pytest.mark.parametrize("scored", [True, False], ids=["scores", "ranking"])
def test_a_unit_that_is_the_passage_gives_the_same_digits(cutoff: str, scored: bool) -> None:
    ids = [f"p{row:03}" for row in range(UNITS)]
    graded = judgments(ids)
    rows = passages(ids, ids)
    flat = Dataset.from_rows(rows, asked(graded), graded)
    unit = {"field": "document", "cutoff": cutoff}
    same = Dataset.from_rows(rows, asked(graded), graded, unit=unit)
    run = rankings(ids, scores=scored)
    measures = [str(measure_of(family, 10)) for family in TABLE]
    measures += [str(measure_of(family, 10).changed(**words)) for family, words in OPTIONS]
    for options in ({}, {"unjudged": "remove", "depth": 7}):
        expected = value_of(run, flat, measures, **options)
        assert value_of(run, same, measures, **options) == expected, options


@pytest.mark.slow
@pytest.mark.parametrize("scored", [True, False], ids=["scores", "ranking"])
def test_a_run_of_chunks_has_the_values_of_the_run_of_its_units(scored: bool) -> None:
    units = [f"d{row:02}" for row in range(UNITS)]
    graded = judgments(units)
    rows = passages([units[row % UNITS] for row in range(3 * UNITS)])
    data = Dataset.from_rows(rows, asked(graded), graded, unit="metadata.document")
    whole = Dataset.from_rows(passages(units, units), asked(graded), graded)
    of = {row["id"]: row["metadata"]["document"] for row in rows}
    run = rankings([row["id"] for row in rows], scores=scored)
    by_hand: dict[str, Any] = {}
    for query, found in run.items():
        if isinstance(found, dict):
            best: dict[str, float] = {}
            for passage, value in found.items():
                best[of[passage]] = max(value, best.get(of[passage], 0.0))
            by_hand[query] = best
        else:
            by_hand[query] = list(dict.fromkeys(of[passage] for passage in found))
    measures = [str(measure_of(family, 10)) for family in TABLE]
    for depth in (None, 3):  # a few units of deep rankings, whose scores tie beyond the last one
        listed = [name for name in measures if depth is None or "@" in name]
        expected = means_and_values(by_hand, whole, listed, depth=depth)
        for given in (run, by_hand):
            assert means_and_values(given, data, listed, depth=depth) == expected


def test_units_of_equal_score_are_ordered_by_their_ids_however_few_are_looked_at() -> None:
    data = Dataset.from_rows(
        passages([f"u{20 - row:02}" for row in range(20)]),
        {"q": "?"},
        {"q": ["u20"]},
        unit="metadata.document",
    )
    run = {"q": {f"p{row:03}": 1.0 for row in range(20)}}
    assert score(run, data, ["P@1"], depth=1).entries[0].means == (1.0,)


def test_cutoffs_that_count_passages_keep_the_place_of_a_repeated_unit() -> None:
    data = Dataset.from_rows(
        passages(list("aabbcc")), {"q": "?"}, {"q": {"a": 1, "c": 1}}, unit=BY_PASSAGES
    )
    run = {"q": ["p002", "p003", "p000", "p001", "p005"]}
    means = score(run, data, ["P@3", "RR", "R@4", "R@5", "AP", "Judged@5"]).to_dict()
    assert means["dataset"]["run"] == {
        "P@3": 1 / 3,
        "RR": 1 / 3,
        "R@4": 0.5,
        "R@5": 1.0,
        "AP": (1 / 3 + 2 / 5) / 2,
        "Judged@5": 2 / 5,
    }
    by_units = Dataset.from_rows(
        passages(list("aabbcc")), {"q": "?"}, {"q": {"a": 1, "c": 1}}, unit="metadata.document"
    )
    assert score(run, by_units, ["P@3", "RR", "AP"]).to_dict()["dataset"]["run"] == {
        "P@3": 2 / 3,
        "RR": 1 / 2,
        "AP": (1 / 2 + 2 / 3) / 2,
    }


def test_a_repeated_unit_that_nobody_judged_leaves_the_bounds_where_they_are() -> None:
    data = Dataset.from_rows(
        passages(list("aabbcc")), {"q": "?"}, {"q": {"a": 1}}, unit=BY_PASSAGES
    )
    (entry,) = score({"q": ["p002", "p003", "p000"]}, data, ["P@3"], bounds=True).entries
    assert entry.bounds is not None
    assert entry.bounds.low[0, 0] == 1 / 3
    assert entry.bounds.high[0, 0] == 2 / 3


def test_other_orders_of_tied_passages_are_refused_where_they_may_be_of_one_unit() -> None:
    data = Dataset.from_rows(passages(list("aab")), {"q": "?"}, {"q": ["a"]}, unit=BY_PASSAGES)
    run = {"q": {"p000": 1.0, "p001": 1.0}}
    with pytest.raises(MeasureError, match="several may be of one unit"):
        score(run, data, ["AP(tie=expected)@5"])


def test_passages_without_the_field_are_refused_or_stand_for_themselves() -> None:
    rows, graded = passages(["a", None, "b", None]), {"q": {"a": 1}}
    with pytest.raises(DataError, match="'p001', 'p003' have no metadata 'document'"):
        Dataset.from_rows(rows, {"q": "?"}, graded, unit="metadata.document")
    data = Dataset.from_rows(rows, {"q": "?"}, graded, unit="metadata.document", allow_missing=True)
    run = {"q": ["p001", "p003", "p000"]}
    means = score(run, data, ["RR", "Judged@3"]).to_dict()["dataset"]["run"]
    assert means == {"RR": 1 / 3, "Judged@3": 1 / 3}
    assert data.n_judgeable == 4


@pytest.mark.parametrize(
    ("rows", "unit", "graded", "words"),
    [
        (
            passages(["a"]),
            "metadata.document",
            {"q": ["a", "x"]},
            "the unit 'x' is not the document",
        ),
        (passages(["a"]), "metadata.documnt", {"q": ["a"]}, "Did you mean 'document'"),
        (passages([None]), "metadata.document", {"q": ["a"]}, "They have no metadata"),
        (passages([True]), "metadata.document", {"q": ["a"]}, "which names no unit"),
    ],
)
def test_what_is_wrong_with_units_is_said(
    rows: Any, unit: str, graded: dict[str, list[str]], words: str
) -> None:
    with pytest.raises(DataError, match=words):
        Dataset.from_rows(rows, {"q": "?"}, graded, unit=unit)


def test_a_unit_is_a_field_of_the_metadata() -> None:
    with pytest.raises(ConfigError, match=r"Write metadata\.document"):
        Dataset.from_rows(passages(["a"]), {"q": "?"}, {"q": ["a"]}, unit="document")
    assert JudgedUnit.model_validate("metadata.page") == JudgedUnit(field="page")


def test_whole_numbers_name_units_as_text() -> None:
    data = Dataset.from_rows(
        passages([3, 3, 4]), {"q": "?"}, {"q": ["3"]}, unit="metadata.document"
    )
    assert score({"q": ["p002", "p001"]}, data, ["RR"]).entries[0].means == (0.5,)


def test_a_passage_is_named_by_its_unit() -> None:
    rows, graded = passages(["a", None]), {"q": ["a"]}
    data = Dataset.from_rows(rows, {"q": "?"}, graded, unit="metadata.document", allow_missing=True)
    assert [data.qrels.named(one) for one in ("p000", "p001", "x")] == ["a", "p001", "x"]


def test_without_a_corpus_runs_name_units() -> None:
    data = Dataset.from_rows(None, {"q": "?"}, {"q": ["a"]}, unit="metadata.document")
    assert score({"q": ["x", "a"]}, data, ["RR"]).entries[0].means == (0.5,)
    with pytest.raises(DataError, match="passages cannot be counted"):
        Dataset.from_rows(None, {"q": "?"}, {"q": ["a"]}, unit=BY_PASSAGES)


def test_units_change_digests_and_flat_judgments_keep_theirs() -> None:
    rows, graded = passages(["p000", "p001"]), {"q": ["p001"]}
    flat = Dataset.from_rows(rows, {"q": "?"}, graded)
    by_units = Dataset.from_rows(rows, {"q": "?"}, graded, unit="metadata.document")
    by_passages = Dataset.from_rows(rows, {"q": "?"}, graded, unit=BY_PASSAGES)
    made = [data.qrels.digest for data in (flat, by_units, by_passages)]
    assert len(set(made)) == 3
    assert len({data.qrels.judgments_digest for data in (flat, by_units, by_passages)}) == 3


def test_runs_of_units_have_the_ranks_of_their_passages() -> None:
    graded = judgments([f"d{row}" for row in range(10)])
    rows = passages([f"d{row % 10}" for row in range(40)])
    run = Run.from_dict(rankings([row["id"] for row in rows]))
    for unit in ("metadata.document", BY_PASSAGES):
        data = Dataset.from_rows(rows, asked(graded), graded, unit=unit)
        placed, qrels = numbered_alike(run, data.qrels)
        runs, judged = in_units({"run": placed}, qrels)
        assert judged.units is None
        np.testing.assert_array_equal(
            judged_ranks(runs, judged)["run"], judged_ranks({"run": placed}, qrels)["run"]
        )
        assert all(
            len(set(found[found >= 0].tolist())) == (found >= 0).sum() for found in runs["run"].rows
        )


def test_what_stands_further_up_is_found_in_any_row() -> None:
    made = rng().integers(-1, 6, size=(200, 9)).astype(np.int32)
    expected = [
        [bool(value >= 0 and value in row[:at]) for at, value in enumerate(row)]
        for row in made.tolist()
    ]
    assert repeated(made).tolist() == expected


def test_files_of_a_dataset_say_where_a_unit_is_missing(tmp_path: Path) -> None:
    (tmp_path / "passages.jsonl").write_text(
        '{"id": "a1", "text": "x", "metadata": {"document": "a"}}\n'
        '{"id": "b1", "text": "y", "metadata": {"document": "b"}}\n'
    )
    (tmp_path / "queries.jsonl").write_text('{"id": "q", "text": "?"}\n')
    truth = tmp_path / "ground_truth.jsonl"
    truth.write_text('{"query_id": "q", "passages": ["b"]}\n')
    data = load_dataset(tmp_path, unit="metadata.document")
    assert data.counts["units"] == 2
    assert score({"q": ["a1", "b1"]}, data, ["RR"]).entries[0].means == (0.5,)
    truth.write_text('{"query_id": "q", "passages": ["b", "c"]}\n')
    with pytest.raises(DataError, match=r"ground_truth\.jsonl:1: the unit 'c' is not the document"):
        load_dataset(tmp_path, unit="metadata.document")
    truth.write_text('{"query_id": "q", "passages": ["b"]}\n')
    (tmp_path / "passages.jsonl").write_text(
        '{"id": "a1", "text": "x"}\n{"id": "b1", "text": "y", "metadata": {"document": "b"}}\n'
    )
    with pytest.raises(DataError, match="'a1' has no metadata 'document'"):
        load_dataset(tmp_path, unit="metadata.document")
    assert load_dataset(tmp_path, unit="metadata.document", allow_missing=True).counts["units"] == 1


def test_units_of_documents_are_checked_before_they_are_cut(tmp_path: Path) -> None:
    texts = {"a.md": "Rent is due on the first.", "b.md": "A cat may stay."}
    given: Any = (None, {"q": "?"}, {"q": ["a.md", "c.md"]})
    with pytest.raises(DataError, match=r"the unit 'c\.md' is not the document of any document"):
        Dataset.from_rows(*given, documents=texts, unit="metadata.document")
    with pytest.raises(DataError, match="no document has metadata 'page'"):
        Dataset.from_rows(*given, documents=texts, unit="metadata.page")
    named = Document(id="passage-7", text="Rent", metadata={"page": 1.5})
    with pytest.raises(DataError, match=r"document 'passage-7' has page 1\.5, which names no unit"):
        Dataset.from_rows(*given, documents=[named], unit="metadata.page")
    kept = Dataset.from_rows(
        *given, documents=texts, unit="metadata.document", allow_missing=True
    ).chunked({"whole": Chunks.of_spans([[[0, 9]], [[0, 5]]])})
    assert kept.missing_passages == ["c.md"]
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.md").write_text("Rent is due.")
    (tmp_path / "queries.jsonl").write_text('{"id": "q", "text": "?"}\n')
    (tmp_path / "ground_truth.jsonl").write_text('{"query_id": "q", "passages": ["b.md"]}\n')
    with pytest.raises(DataError, match=r"jsonl:1: the unit 'b\.md' is not the document of any"):
        load_dataset(tmp_path, unit="metadata.document")


def test_a_retriever_reads_passages_and_hands_on_fewer_units() -> None:
    data = Dataset.from_rows(
        passages(list("aabbcc")), {"q": "?"}, {"q": ["b", "c"]}, unit="metadata.document"
    )
    runs = {
        "one": Run.from_dict({"q": ["p000", "p001", "p002", "p004"]}),
        "top": Run.from_dict({"q": ["p002", "p000"]}),
    }
    found = losses("top", ["one"], runs, data.qrels, ["q"], k=2, pool=3)
    assert [(move.passage, move.before, move.outcome) for move in found.moves("q")] == [
        ("b", 2, "kept"),
        ("c", 0, "not_in_input"),
    ]
    assert found.deeper.tolist() == [False, True]


def test_the_option_that_no_file_holds_is_named(tmp_path: Path) -> None:
    data = Dataset.from_rows(
        passages(list("aab")), {"q": "?"}, {"q": ["b"]}, unit="metadata.document"
    )
    assert convert(data, tmp_path / "data").lost == {"unit": 1}
    read = load_dataset(tmp_path / "data", unit="metadata.document", name=data.name)
    assert read.digest == data.digest
