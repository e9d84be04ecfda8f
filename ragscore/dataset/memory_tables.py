"""What Python gives as the parts of a dataset, as columns: rows, mappings, tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from ragscore.dataset.columns import Columns, DocumentColumns
from ragscore.dataset.corpus import Corpus
from ragscore.dataset.documents import Documents
from ragscore.dataset.ids import Ids
from ragscore.dataset.mappings import wrong_judgments, wrong_texts
from ragscore.dataset.python_tables import TextIds, ground_truth_of, is_plain, rows_of
from ragscore.dataset.queries import Queries
from ragscore.errors import MAX_PROBLEMS, DataError, Problem
from ragscore.models import Document, GroundTruth, Passage, Query

Truth = Mapping[str, Any] | Iterable[GroundTruth]
"""``{query id: {passage id: grade} or [ids]}``, or rows."""


def memory_tables(
    passages: Any,
    queries: Any,
    ground_truth: Any,
    documents: Any,
    columns: Columns | Mapping[str, Any] | None,
    text_ids: TextIds,
) -> tuple[Corpus | None, Queries, Truth, Documents | None]:
    """The parts of a dataset; see :meth:`ragscore.dataset.Dataset.from_rows`.

    Raises:
        ConfigError: ``columns`` names a column that does not exist.
        DataError: a part has none of the forms that are taken, or a text is not a string or a
            grade not a number.
    """
    names = columns if isinstance(columns, Columns) else Columns(**(columns or {}))
    if is_plain(passages, names.passages.text):
        passages = text_ids.of(passages)
    elif passages is not None:
        passages = rows_of(passages, Passage, "passages", names.passages, text_ids)
    if is_plain(queries, names.queries.text):
        queries = text_ids.of(queries)
    else:
        queries = rows_of(queries, Query, "queries", names.queries, text_ids)
    if is_plain(ground_truth, names.ground_truth.passage_id):
        ground_truth = text_ids.of(ground_truth)
    else:
        ground_truth = ground_truth_of(ground_truth, names.ground_truth, text_ids)
    if is_plain(documents, "text"):
        documents = text_ids.of(documents)
    elif documents is not None:
        documents = rows_of(documents, Document, "documents", DocumentColumns(), text_ids)
    problems: list[Problem] = []
    for rows, where, wrong in (
        (passages, "passages", wrong_texts),
        (documents, "documents", wrong_texts),
        (queries, "queries", wrong_texts),
        (ground_truth, "ground truth", wrong_judgments),
    ):
        if isinstance(rows, Mapping):
            problems += islice(wrong(rows, where), MAX_PROBLEMS - len(problems))
    if problems:
        raise DataError(problems)
    corpus: Corpus | None = None
    if isinstance(passages, Mapping):
        corpus = Corpus(Ids(passages), list(passages.values()))
    elif passages is not None:
        corpus = Corpus.from_passages(passages)
    if isinstance(queries, Mapping):
        asked = Queries.from_texts(queries)
    else:
        asked = Queries.from_rows(queries)
    texts: Documents | None = None
    if isinstance(documents, Mapping):
        texts = Documents(Ids(documents), list(documents.values()))
    elif documents is not None:
        texts = Documents.from_rows(documents)
    return corpus, asked, ground_truth, texts
