"""Which format a run or a file of judgments has, by its suffix and its first line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ragscore.formats.reading.lines import COMMENT, PACKED, first_line, unpacked_suffix

RunFormat = Literal["trec", "parquet", "csv", "json"]
QrelsFormat = Literal["auto", "trec", "beir", "csv", "json"]

SUFFIXES = (".trec", ".run", ".res", ".txt", ".json", ".csv", ".tsv")
NAMES: dict[str, tuple[str, ...]] = {
    "query": ("query", "query_id", "qid", "topic", "topic_id", "q_id"),
    "passage": (
        *("passage", "passage_id", "pid", "doc_id", "docid", "docno", "document", "document_id"),
        *("doc", "corpus_id"),
    ),
    "score": ("score", "sim", "similarity", "scores"),
    "rank": ("rank", "position"),
    "grade": ("grade", "relevance", "rel", "label", "rating", "score", "judgment"),
}
"""The names of each column, the one to prefer first; ``-`` and ``_`` are the same."""


def run_format(path: Path) -> RunFormat:
    """The format of a run file by its suffix; a ``.tsv`` with a header is a table."""
    suffix = unpacked_suffix(path)
    by_suffix: dict[str, RunFormat] = {".parquet": "parquet", ".json": "json", ".csv": "csv"}
    if suffix == ".tsv" and is_headed(first_line(path)):
        return "csv"
    return by_suffix.get(suffix, "trec")


def qrels_format(path: Path) -> QrelsFormat:
    """The format of a file of judgments, by its suffix and its first line."""
    suffix = unpacked_suffix(path)
    if suffix == ".json":
        return "json"
    if suffix in (".csv", ".parquet"):
        return "csv"
    line = first_line(path, passing_over=COMMENT)
    # Three columns in BEIR's order stay BEIR's, with a header or without: it knows no quotes.
    if is_headed(line) and not is_headed_as_beir(line):
        return "csv"
    return "beir" if line.count("\t") == 2 else "trec"


def name_of_run(path: Path) -> str:
    """The file's name without what says that it is a run: ``bm25`` for ``bm25.run.gz``."""
    plain = path.with_suffix("") if path.suffix in PACKED else path
    return plain.stem if plain.suffix in SUFFIXES else plain.name


def names_of(paths: Sequence[str | Path]) -> list[str]:
    """A name for each run file: its stem, or its path where stems are alike; never one twice.

    >>> names_of(["a/bm25.run", "b/bm25.run", "dense.parquet", "dense.parquet"])
    ['a/bm25.run', 'b/bm25.run', 'dense.parquet', 'dense.parquet (2)']
    """
    files = [Path(path) for path in paths]
    stems = [file.stem if file.suffix == ".parquet" else name_of_run(file) for file in files]
    names: list[str] = []
    for file, stem in zip(files, stems, strict=True):
        wanted = name = stem if stems.count(stem) == 1 else file.as_posix()
        count = 1
        while name in names:
            count += 1
            name = f"{wanted} ({count})"
        names.append(name)
    return names


def is_headed(first_line: str) -> bool:
    """True where a line separated by tabs is the header of such a table."""
    found = set(map(normal_name, first_line.split("\t")))
    return all(found & set(NAMES[column]) for column in ("query", "passage"))


def is_headed_as_beir(first_line: str) -> bool:
    """True for a header of three columns in the order query, passage, grade."""
    columns = tuple(map(normal_name, first_line.split("\t")))
    return len(columns) == 3 and columns[0] in NAMES["query"] and columns[1] in NAMES["passage"]


def column_of(wanted: str, columns: Sequence[str]) -> str | None:
    """The column that has one of the names of a wanted one; None where there is none.

    >>> column_of("passage", ["q_id", "doc_id", "score"])
    'doc_id'
    """
    by_name = {normal_name(column): column for column in reversed(columns)}
    return next((by_name[name] for name in NAMES[wanted] if name in by_name), None)


def normal_name(column: str) -> str:
    """A column's name without case; ``-`` and blanks are ``_``."""
    return column.strip().lower().replace("-", "_").replace(" ", "_")
