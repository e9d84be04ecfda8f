"""mteb: folders of Parquet, as Hugging Face has the retrieval datasets of MTEB.

::

    corpus/corpus-00000-of-00001.parquet      _id, title, text
    queries/queries-00000-of-00001.parquet    _id, text
    qrels/test-00000-of-00001.parquet         query-id, corpus-id, score (or in data/, default/)

A file in several pieces (``-00000-of-00003``) is read as one: rows are counted over all pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ragscore.dataset import Dataset
from ragscore.dataset.columns import text_of
from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets.base import PIECE, Format, Writer, Written
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.written import judged_pairs, parquet
from ragscore.formats.reading.judged_lines import add_text
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.table_file import TableFile
from ragscore.models import Passage, Query

ONE_PIECE = "00000-of-00001.parquet"


def read_passages(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Passage]]:
    """Row number and passage of each good row."""
    return (
        (line, Passage(id=row_id, text=text, title=title))
        for line, row_id, text, title in _texts(file, titled=True)
    )


def read_queries(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Query]]:
    """Row number and query of each good row."""
    for line, row_id, text, _ in _texts(file, titled=False):
        yield line, Query(id=row_id, text=text)


def read_judgments(file: File, spec: DatasetSpec) -> Judgments:
    """The judgments, one pair to a row."""
    judgments = Judgments()
    for line, table, values in _rows(file, lambda columns: ("query-id", "corpus-id", "score")):
        query_id = table.id(values, "query-id", line)
        passage_id = table.id(values, "corpus-id", line)
        if query_id is not None and passage_id is not None:
            score = table.value(values, "score")
            grade = "" if score is None else str(score)
            add_text(judgments, query_id, passage_id, grade, line, file)
    return judgments


def _texts(file: File, *, titled: bool) -> Iterator[tuple[int, str, str, str]]:
    """Row number, id, text and title of each good row."""

    def wanted(columns: Sequence[str]) -> tuple[str, ...]:
        row_id = "id" if "id" in columns and "_id" not in columns else "_id"
        return (row_id, "text", "title") if titled and "title" in columns else (row_id, "text")

    for line, table, values in _rows(file, wanted):
        row_id = table.id(values, table.wanted[0], line)
        text, title = (text_of(table.value(values, column)) for column in ("text", "title"))
        if text is None or title is None:
            file.problem("text or title: text is expected", line=line)
        elif row_id == "":
            file.problem("the id is empty", line=line, instead="Every row needs an id of its own")
        elif row_id is not None:
            yield line, row_id, text, title


def _rows(
    file: File, wanted: Callable[[Sequence[str]], tuple[str, ...]]
) -> Iterator[tuple[int, TableFile, Any]]:
    """The rows of all pieces of a file."""
    before = 0
    for piece in _pieces(file):
        table = _PieceTable(File(piece, file.problems, file.progress), wanted)
        line = 0
        for line, values in table.rows():
            yield before + line, table, values
        before += line
        file.intact &= table.file.intact


class _PieceTable(TableFile):
    """A table whose columns are chosen when they are known."""

    def __init__(self, file: File, choose: Callable[[Sequence[str]], tuple[str, ...]]) -> None:
        super().__init__(file, ())
        self.choose = choose

    def _find(self, columns: list[str]) -> bool:
        self.wanted = self.choose(columns)
        return super()._find(columns)


def _pieces(file: File) -> list[Path]:
    """All pieces of the file of which one is named; what is missing is reported."""
    named = PIECE.fullmatch(file.path.stem)
    if named is None:
        return [file.path]
    name, count = named.groups()
    pieces = [file.path.with_name(f"{name}-{number:05}-of-{count}.parquet")
              for number in range(min(int(count), 100_000))]  # fmt: skip
    for piece in pieces:
        if not piece.is_file():
            file.problem(f"its piece {piece.name} is missing", instead="Load all of its pieces")
            return []
    return pieces


def written(dataset: Dataset) -> Written:
    """The files of a dataset; its judgments are the split ``test``."""
    import polars

    corpus, queries = dataset.corpus, dataset.queries
    if corpus is not None:
        columns: dict[str, Any] = {
            "_id": list(corpus.ids),
            "title": list(corpus.titles or [""] * len(corpus)),
            "text": list(corpus.texts),
        }
        yield f"corpus/corpus-{ONE_PIECE}", parquet(columns)
    asked = {"_id": list(queries.ids), "text": list(queries.texts)}
    yield f"queries/queries-{ONE_PIECE}", parquet(asked)
    pairs = list(judged_pairs(dataset))
    grades = polars.Series([grade for *_, grade in pairs], dtype=polars.Float64)
    judged = {
        "query-id": [query_id for query_id, *_ in pairs],
        "corpus-id": [passage_id for _, passage_id, _ in pairs],
        "score": grades.cast(polars.Int64) if (grades.round() == grades).all() else grades,
    }
    yield f"qrels/test-{ONE_PIECE}", parquet(judged)


FORMAT = Format(
    reads=frozenset(),
    description="folders of Parquet: corpus/, queries/, qrels/ (or data/, default/), as MTEB's",
    names={
        "passages": ("corpus/",),
        "queries": ("queries/",),
        "ground_truth": ("qrels/", "data/", "default/"),
    },
    read_passages=read_passages,
    read_queries=read_queries,
    read_judgments=read_judgments,
    split_suffix=".parquet",
    writer=Writer(
        written, frozenset({"titles", "odd_tags", "line_breaks", "grades", "not_relevant"})
    ),
)
