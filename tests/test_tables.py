"""Dataset.from_rows and evaluate take what Python programs hold their data in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars
import pytest

from ragscore import BM25, Dataset, Passage, evaluate
from ragscore.errors import ConfigError, DataError

PASSAGES = [
    {"id": "a", "text": "Rent is due on the first day.", "title": "Rent", "tags": ["rent"]},
    {"id": "b", "text": "Pets are allowed."},
]
QUERIES = [{"id": "q", "text": "When is rent due?"}, {"id": "u", "text": "?", "answerable": False}]
PAIRS = [
    {"query_id": "q", "passage_id": "a", "grade": 2},
    {"query_id": "q", "passage_id": "b", "grade": 0},
]
EXPECTED = {"q": {"a": 2.0, "b": 0.0}}


class ByName:
    """A table that names its columns and gives each: as Hugging Face's datasets and pyarrow."""

    def __init__(self, frame: polars.DataFrame) -> None:
        self.frame = frame
        self.column_names = frame.columns

    def __len__(self) -> int:
        return len(self.frame)

    def __getitem__(self, name: str) -> list[Any]:
        return self.frame[name].to_list()


class Stream:
    """A table that speaks Arrow and nothing else."""

    def __init__(self, frame: polars.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def pandas_table(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def hugging_face_table(rows: list[dict[str, Any]]) -> Any:
    names = {name for row in rows for name in row}
    columns = {name: [row.get(name) for row in rows] for name in names}
    library = pytest.importorskip("datasets")
    if not hasattr(library, "Dataset"):  # the folder of this project's own datasets
        pytest.skip("Hugging Face's datasets is not installed")
    return library.Dataset.from_dict(columns)


FORMS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "dicts": list,
    "a generator": iter,
    "polars": polars.DataFrame,
    "columns by name": lambda rows: ByName(polars.DataFrame(rows)),
    "Arrow": lambda rows: Stream(polars.DataFrame(rows)),
    "mapping of columns": lambda rows: polars.DataFrame(rows).to_dict(as_series=False),
    "pandas": pandas_table,
    "Hugging Face": hugging_face_table,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_dataset(form: str) -> None:
    made = FORMS[form]
    dataset = Dataset.from_rows(made(PASSAGES), made(QUERIES), made(PAIRS))
    assert dataset.corpus is not None
    assert dataset.corpus[0] == Passage(**PASSAGES[0])  # type: ignore[arg-type]
    assert dataset.corpus[1].title == ""
    assert dataset.qrels.to_dict() == EXPECTED
    assert dataset.queries.unanswerable == {"u"}
    result = evaluate(
        {"passages": made(PASSAGES), "queries": made(QUERIES), "ground_truth": made(PAIRS)},
        {"bm25": BM25()},
        ["RR"],
        depth=2,
    )
    assert result.to_dict() == {"dataset": {"bm25": {"RR": 1.0}}}


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("dicts", "a generator")])
def test_tables_are_read_as_tables_in_files_are(form: str) -> None:
    """Other names, whole numbers as ids, empty cells, columns that nobody asked for."""
    made = FORMS[form]
    passages = [
        {"rule": 7, "body": "x", "title": None, "tags": "a;b", "chapter": "1"},
        {"rule": 8, "body": None, "title": "T", "tags": None, "chapter": "2"},
    ]
    pairs = [{"question": "q", "rule": 7}, {"question": "q", "rule": 8}]
    dataset = Dataset.from_rows(
        made(passages),
        {"q": "?"},
        made(pairs),
        columns={
            "passages": {"id": "rule", "text": "body", "metadata": ["chapter"]},
            "ground_truth": {"query_id": "question", "passage_id": "rule"},
        },
    )
    assert dataset.corpus is not None
    assert [passage.model_dump() for passage in dataset.corpus] == [
        {"id": "7", "text": "x", "title": "", "tags": ["a", "b"], "metadata": {"chapter": "1"}},
        {"id": "8", "text": "", "title": "T", "tags": [], "metadata": {"chapter": "2"}},
    ]
    assert dataset.qrels.to_dict() == {"q": {"7": 1.0, "8": 1.0}}


def test_whole_numbers_as_ids_where_that_is_asked_for() -> None:
    given: list[Any] = [
        [{"id": 1, "text": "x"}],
        {2: "?"},
        [{"query_id": 2, "passages": {1: 3}}],
    ]
    with pytest.raises(DataError, match=r'Write "1" in quotes, or pass ids="text" to take whole'):
        Dataset.from_rows(*given)
    dataset = Dataset.from_rows(*given, ids="text")
    assert dataset.qrels.to_dict() == {"2": {"1": 3.0}}
    assert dataset.counts["numeric_ids"] == 4
    assert Dataset.from_rows({1: "x"}, {2: "?"}, {2: {1: 3}}, ids="text").digest == dataset.digest
    assert Dataset.from_rows({1: "x"}, {2: "?"}, {2: [1]}, ids="text").qrels.to_dict()


GOOD = {"a": "x"}
FRAME = polars.DataFrame({"id": ["a"], "text": ["x"]})
WRONG: list[tuple[Any, Any, Any, str]] = [
    # passages, queries, ground truth, all that is said
    (3, {}, {}, "passages: 3 where the rows of passages are expected. Give a list of dicts or of "
     "ragscore's rows, a mapping, or a table of pandas, polars, pyarrow or datasets"),
    ("p.csv", {}, {}, "passages: 'p.csv' where the rows of passages are expected. Files are read "
     "by load_dataset"),
    (GOOD, object(), {}, "queries: a object where the rows of queries are expected. Give a list"),
    (GOOD, GOOD, None, "ground truth: None where the rows of ground truth are expected. Give a l"),
    (FRAME.lazy(), {}, {}, "passages: a polars.lazyframe.frame.LazyFrame where the rows of "
     "passages are expected. Call collect() on it first"),
    ([1], {}, {}, "passages, row 1: 1 where a row is expected. Give a list of dicts"),
    ([{"id": "a"}], {}, {}, "passages, row 1: text: missing"),
    ([{"id": "a", "text": "x", "titel": "T"}], {}, {},
     "passages, row 1: titel: unknown key. Did you mean 'title'? Allowed: id, text, title, tags"),
    (FRAME.rename({"id": "rule"}), {}, {}, "passages: there is no column 'id'. "),
    (FRAME.with_columns(id=polars.lit(1.5)), {}, {},
     "passages, row 1: id: the number 1.5 where text is expected"),
    ({"id": ["a", "b"], "text": ["x"]}, {}, {}, "passages: the columns have different lengths"),
    ({"train": ByName(FRAME)}, {}, {}, "passages, id 'train': text: a tests.test_tables.ByName wh"),
    (GOOD, GOOD, {"a": "a"}, "ground truth, query 'a': 'a' where grades by passage id, or a list"),
    (GOOD, GOOD, {"a": 1}, "ground truth, query 'a': 1 where grades by passage id, or a list of"),
    (GOOD, GOOD, [PAIRS[0] | {"grade": "high"}], "ground truth, row 1: passages.a: the text 'hig"),
    (GOOD, GOOD, [PAIRS[0], PAIRS[0]], "ground truth, row 2: the passage 'a' is judged twice for"),
    (GOOD, GOOD, [{"query_id": "", "passage_id": "a"}], "ground truth, row 1: query_id: the id is"),
    (GOOD, GOOD, [{"passage_id": "a"}], "ground truth, row 1: the key 'query_id' is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("passages", "queries", "judged", "said"), WRONG)
def test_anything_else_is_one_line(passages: Any, queries: Any, judged: Any, said: str) -> None:
    with pytest.raises(DataError) as caught:
        Dataset.from_rows(passages, queries, judged)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(said)
    assert len(line) < 300


def test_columns_that_do_not_exist() -> None:
    with pytest.raises(ConfigError, match=r"^Columns.passage: unknown key. Did you"):
        Dataset.from_rows(FRAME, FRAME, {}, columns={"passage": {"id": "rule"}})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (FRAME, "a polars.dataframe.frame.DataFrame where a dataset is expected. Give a Dataset"),
        ({"passages": GOOD}, "the queries is missing"),
        ({"passages": GOOD, "querys": GOOD}, "'querys': unknown part of a dataset. Did you mean"),
        (None, "None where a dataset is expected. Give a Dataset, the path of one, or {"),
    ],
)
def test_what_is_no_dataset(given: Any, said: str) -> None:
    with pytest.raises(DataError) as caught:
        evaluate(given, {"bm25": BM25()})
    (line,) = str(caught.value).splitlines()
    assert line.startswith(said)
