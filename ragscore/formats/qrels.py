"""Judgments alone, from a qrels file: TREC's four columns or BEIR's three."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

from ragscore.dataset import Qrels
from ragscore.errors import DataError
from ragscore.formats import beir, trec
from ragscore.formats.judgments import Judgments
from ragscore.formats.lines import File
from ragscore.formats.problems import Problems, TooManyError, shown
from ragscore.formats.spec import DatasetSpec


def load_qrels(path: str | Path, *, format: Literal["auto", "trec", "beir"] = "auto") -> Qrels:
    """Read judgments over the query and passage ids that the file names.

    Args:
        path: the file; also ``.gz``, ``.zst``.
        format: ``trec`` is query, ignored, passage, grade, with spaces or tabs between them;
            ``beir`` is query, passage, grade, with one TAB between them; ``auto`` goes by the
            number of tabs in the first line.

    Raises:
        DataError: the file is not there, or lines that are no judgments, up to 20; a pair that
            is judged twice.
    """
    path = Path(path).expanduser()
    if not path.is_file():
        what = "a qrels file is expected and this is a folder" if path.is_dir() else "no such file"
        raise DataError(what, where=shown(path))
    if format == "auto":
        format = "beir" if _tabs_of_first_line(path) == 2 else "trec"
    reader = beir if format == "beir" else trec
    problems = Problems()
    judgments = Judgments()
    with suppress(TooManyError):
        judgments = reader.read_judgments(File(path, problems), DatasetSpec(path=str(path)))
    if problems.found:
        raise problems.error()
    try:
        return Qrels.from_columns(judgments.query_ids, judgments.passage_ids, judgments.grades)
    except DataError as error:
        raise DataError(str(error), where=shown(path)) from error


def _tabs_of_first_line(path: Path) -> int:
    with suppress(TooManyError):
        for _, line in File(path, Problems()).rows(passing_over=trec.COMMENT):
            return line.count("\t")
    return 0
