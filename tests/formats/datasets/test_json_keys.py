"""JSON lines whose keys have other names, and options that a format does not read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragscore.cli import main
from ragscore.errors import ConfigError, DataError
from ragscore.formats import load_dataset

PASSAGES = [
    {"_id": "a", "contents": "rent is due", "source": {"file": "x.md"}, "heading": "Rent"},
    {"_id": "b", "contents": "no pets", "source": {"file": "y.md"}, "score": 1.5},
]
QUERIES = [{"qid": "q", "metadata": {"id": "m1", "lang": "en"}, "question": "when?"}]
PAIRS = [{"qid": "m1", "docid": "a", "rel": 2}, {"qid": "m1", "docid": "b", "rel": 0}]
COLUMNS = {
    "passages": {
        "id": "_id",
        "text": "contents",
        "title": "heading",
        "metadata": ["source.file", "score"],
    },
    "queries": {"id": "metadata.id", "text": "question"},
    "ground_truth": {"query_id": "qid", "passage_id": "docid", "grade": "rel"},
}


def written(folder: Path, **files: list[Any]) -> Path:
    for name, rows in {
        "passages": PASSAGES,
        "queries": QUERIES,
        "ground_truth": PAIRS,
        **files,
    }.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def changed(role: str, **names: Any) -> Any:
    return {**COLUMNS, role: {**COLUMNS[role], **names}}


def problems_of(folder: Path, **options: Any) -> list[str]:
    with pytest.raises((ConfigError, DataError)) as caught:
        load_dataset(folder, **options)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


@pytest.mark.parametrize("in_blocks", [False, True])
def test_keys_of_other_names(tmp_path: Path, in_blocks: bool) -> None:
    dataset = load_dataset(written(tmp_path), columns=COLUMNS, in_blocks=in_blocks)
    assert dataset.corpus is not None
    assert [row.model_dump(exclude_defaults=True) for row in dataset.corpus] == [
        {"id": "a", "text": "rent is due", "title": "Rent", "metadata": {"source.file": "x.md"}},
        {"id": "b", "text": "no pets", "metadata": {"source.file": "y.md", "score": 1.5}},
    ]
    (query,) = dataset.queries
    assert (query.id, query.text, query.metadata) == ("m1", "when?", QUERIES[0]["metadata"])
    assert dataset.qrels.to_dict() == {"m1": {"a": 2.0, "b": 0.0}}


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([{"query_id": "m1", "passage_id": "a"}, {"query_id": "m1", "passage_id": "b"}], {}),
        ([{"qid": "m1", "positive": ["a", "b"], "n": 2}], {"passage_id": "positive"}),
        ([{"qid": "m1", "passages": {"a": 1, "b": 1}}], {"passage_id": "passages"}),
    ],
)
def test_judgments_in_other_shapes(tmp_path: Path, rows: list[Any], names: Any) -> None:
    written(tmp_path, ground_truth=rows)
    columns = {**COLUMNS, "ground_truth": {"query_id": "qid", **names} if names else {}}
    assert load_dataset(tmp_path, columns=columns).qrels.to_dict() == {"m1": {"a": 1.0, "b": 1.0}}


@pytest.mark.parametrize(
    ("role", "names", "said"),
    [
        ("passages", {"id": "idd"}, "passages.jsonl:1: the key 'idd' is missing (the same in 2 "),
        ("passages", {"id": "_id", "title": "no"}, "passages.jsonl: no row has the key 'no'"),
        ("passages", {"metadata": ["sourse"]}, "'sourse'. Did you mean 'source'?"),
        ("queries", {"id": "metadata.di"}, "queries.jsonl:1: the key 'metadata.di' is missing"),
        ("queries", {"tags": "labels"}, "queries.jsonl: no row has the key 'labels'. Allowed: "),
        ("queries", {"id": "metadata"}, "queries.jsonl:1: metadata: an object where text is exp"),
        ("ground_truth", {"grade": "grad"}, "ground_truth.jsonl:1: there is no column 'grad'."),
        ("ground_truth", {"passage_id": "pid"}, "ground_truth.jsonl:1: the key 'pid' is missing"),
    ],
)
def test_names_that_no_row_has(tmp_path: Path, role: str, names: Any, said: str) -> None:
    problems = problems_of(written(tmp_path), columns=changed(role, **names))
    assert said in problems[0]
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"qid": 7, "docid": "a", "rel": 1}, "qid: the number 7 where text is expected. Write"),
        ({"qid": "m1", "docid": "a", "rel": None}, "there is no grade"),
        ({"qid": "m1", "docid": "a", "rel": "x"}, "the grade 'x' is not a number"),
        ({"qid": "m1", "docid": ["a", 1]}, "passages[1]: the number 1 where text is expected"),
        ({"qid": "m1", "docid": None}, "docid: null where text is expected"),
        ({"qid": None, "docid": "a"}, "qid: null where text is expected"),
        ({"docid": "a"}, "the key 'qid' is missing. Allowed: docid. Name the right key under `c"),
        ([], "a list where an object is expected"),
    ],
)
def test_rows_that_are_wrong(tmp_path: Path, row: Any, said: str) -> None:
    written(tmp_path, ground_truth=[PAIRS[0], row])
    (problem,) = problems_of(tmp_path, columns=COLUMNS)
    assert problem.startswith(f"ground_truth.jsonl:2: {said}")


def test_null_is_no_missing_key(tmp_path: Path) -> None:
    row = {**PASSAGES[0], "contents": None, "heading": None}
    (problem,) = problems_of(written(tmp_path, passages=[row, PASSAGES[1]]), columns=COLUMNS)
    assert problem == "passages.jsonl:1: contents: null where text is expected"
    row = {"qid": "m1", "docid": "a", "rel": None}
    (problem,) = problems_of(written(tmp_path, ground_truth=[row]), columns=COLUMNS)
    assert problem.startswith("ground_truth.jsonl:1: there is no grade")


@pytest.mark.parametrize(
    ("role", "least"),
    [
        ("passages", "passages. A dataset needs at least one passage"),
        ("queries", "queries. A dataset needs at least one query"),
        ("ground_truth", "judgments. A dataset needs at least one judged passage, or evidence"),
    ],
)
def test_empty_files(tmp_path: Path, role: str, least: str) -> None:
    written(tmp_path, **{role: []})
    columns = changed("queries", tags="labels") if role == "queries" else COLUMNS
    (problem,) = problems_of(tmp_path, columns=columns)
    assert problem == f"{role}.jsonl: there are no {least}"


def test_text_that_is_no_row(tmp_path: Path) -> None:
    for text, said in (
        ('{"_id": "a", "_id": "b", "contents": ""}', "_id: the key occurs twice"),
        ('{"_id": "a"', "not JSON: Expecting"),
        ('{"_id": ' + "[" * 100_000, "not JSON: "),
    ):
        (written(tmp_path) / "passages.jsonl").write_text(text, encoding="utf-8")
        problems = problems_of(tmp_path, columns=COLUMNS)
        assert problems[0].startswith(f"passages.jsonl:1: {said}")


def test_whole_numbers_as_ids(tmp_path: Path) -> None:
    written(
        tmp_path,
        passages=[{"_id": 7, "contents": "x", "heading": "h", "source": {"file": 1}, "score": 1}],
        ground_truth=[{"qid": "m1", "docid": 7, "rel": 1}],
    )
    dataset = load_dataset(tmp_path, columns=COLUMNS, ids="text")
    assert dataset.qrels.to_dict() == {"m1": {"7": 1.0}}
    assert dataset.counts["numeric_ids"] == 2


@pytest.mark.parametrize(
    ("format", "options", "where"),
    [
        ("jsonl", {"delimiter": ";"}, "delimiter"),
        ("beir", {"columns": {"queries": {"id": "n"}}}, "columns.queries"),
        ("beir", {"columns": {"passages": {"id": "n"}}}, "columns.passages"),
        ("csv", {"ids": "text"}, "ids"),
        ("trec", {"columns": {"ground_truth": {"grade": "n"}}}, "columns.ground_truth"),
        ("json", {"encoding": "cp949"}, "encoding"),
        ("mteb", {"delimiter": ";"}, "delimiter"),
    ],
)
def test_an_option_that_a_format_does_not_read(
    tmp_path: Path, format: Any, options: Any, where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    own = load_dataset(written(tmp_path), columns=COLUMNS)
    import ragscore

    ragscore.convert(own, tmp_path / "other", to=format)
    (problem,) = problems_of(tmp_path / "other", **options)
    assert problem.startswith(f"{where}: the format {format} does not read this option. Leave it ")
    experiment = tmp_path / "x.yaml"
    values = json.dumps({"path": "other", **options}, indent=1)
    experiment.write_text(f"name: x\ndataset:\n {values}\nretrievers: {{bm25: {{kind: bm25}}}}\n")
    assert main(["validate", str(experiment)]) == 2
    line = 5 + where.count(".")
    shown = capsys.readouterr().err
    assert f"x.yaml:{line}:" in shown
    assert f"dataset.{where}: the format {format} does not read this option" in shown
