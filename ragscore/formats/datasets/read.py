"""Read the files of a dataset into columns, and check that they belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

import numpy as np

from ragscore.dataset import Corpus, Dataset, Ids, Qrels, Queries
from ragscore.formats.datasets.find import Located
from ragscore.formats.datasets.spec import DatasetSpec
from ragscore.formats.reading.judgments import Judgments
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.problems import Problems, TooManyError, shown
from ragscore.models import Passage, Query
from ragscore.progress import Progress

AnyRow = TypeVar("AnyRow", Passage, Query)


def read_dataset(spec: DatasetSpec, located: Located, progress: Progress) -> Dataset:
    """The dataset that the located files hold.

    Raises:
        DataError: everything that is wrong with it, up to 20 problems.
    """
    problems = Problems()
    dataset: Dataset | None = None
    with suppress(TooManyError):
        dataset = _read(spec, located, problems, progress)
    if problems.found or dataset is None:
        raise problems.error()
    return dataset


def _read(
    spec: DatasetSpec, located: Located, problems: Problems, progress: Progress
) -> Dataset | None:
    fmt = located.format
    assert fmt is not None
    assert located.queries is not None
    assert located.ground_truth is not None
    # The small files first: their problems show before a large corpus is read.
    queries_file = File(located.queries, problems, progress, encoding=spec.encoding)
    unit = "row " if located.queries.suffix == ".parquet" else ""
    query_rows = _unique(fmt.read_queries(queries_file, spec), queries_file, unit)
    queries = Queries.from_rows(query_rows)
    judgments_file = File(located.ground_truth, problems, progress, encoding=spec.encoding)
    judgments = fmt.read_judgments(judgments_file, spec)
    corpus: Corpus | None = None
    corpus_file: File | None = None
    if located.passages is not None:
        corpus_file = File(located.passages, problems, progress, encoding=spec.encoding)
        unit = "row " if located.passages.suffix == ".parquet" else ""
        passage_rows = _unique(fmt.read_passages(corpus_file, spec), corpus_file, unit)
        corpus = Corpus.from_passages(passage_rows)
        _refuse_none(corpus_file, len(corpus), "passages", "one passage")
    _refuse_none(queries_file, len(queries), "queries", "one query")
    _refuse_none(judgments_file, len(judgments), "judgments", "one judged passage")
    checks = _Checks(queries, corpus, judgments, judgments_file)
    checks.no_pair_twice()
    if queries_file.intact:
        checks.queries_known(shown(queries_file.path))
        checks.unanswerable_without_answers()
    if corpus_file is not None and corpus_file.intact and not spec.allow_missing:
        checks.passages_known(shown(corpus_file.path))
    if problems.found:
        return None
    passages = corpus.ids if corpus is not None else None
    qrels = Qrels.from_columns(
        judgments.query_ids,
        judgments.passage_ids,
        judgments.grades,
        queries=queries.ids,
        passages=passages,
    )
    counts = _counts(corpus, queries, qrels)
    files = [file for file in (queries_file, judgments_file, corpus_file) if file is not None]
    counts["numeric_ids"] = sum(file.numeric_ids for file in files)
    return Dataset(spec.label, corpus, queries, qrels, spec.drop_self, counts)


def _unique(rows: Iterator[tuple[int, AnyRow]], file: File, unit: str) -> Iterator[AnyRow]:
    """The rows whose id is there and new; the others are reported."""
    line_of: dict[str, int] = {}
    for line, row in rows:
        row_id = row.id
        first = line_of.setdefault(row_id, line)
        if first != line:
            file.problem(
                f"the id '{row_id}' is already used in {unit or 'line '}{first}",
                line=line,
                instead="Ids must be unique",
                unit=unit,
            )
        elif row_id.isspace():
            file.problem(
                "id: the id is only white space",
                line=line,
                instead="Every row needs an id of its own",
                unit=unit,
            )
        else:
            yield row


def _refuse_none(file: File, count: int, what: str, least: str) -> None:
    if count == 0 and file.intact:
        file.problem(f"there are no {what}", instead=f"A dataset needs at least {least}")


class _Checks:
    """What has to hold between queries, corpus and judgments: whole columns at a time."""

    def __init__(
        self, queries: Queries, corpus: Corpus | None, judgments: Judgments, file: File
    ) -> None:
        self.queries, self.judgments, self.file = queries, judgments, file
        known = corpus.ids if corpus is not None else Ids(())
        self.n_passages = len(known)
        self.query_rows = queries.ids.rows(judgments.query_ids)
        self.passage_rows = known.rows(judgments.passage_ids)
        self.all_queries = queries.ids.extended(judgments.query_ids)
        self.all_passages = known.extended(judgments.passage_ids)

    def queries_known(self, where: str) -> None:
        """Every judged query is among the queries."""
        self._report(
            np.flatnonzero(self.query_rows < 0),
            lambda at: f"the query '{self.judgments.query_ids[at]}' is not in {where}",
            "Add the query or drop its judgments",
            self.judgments.query_ids,
        )

    def passages_known(self, where: str) -> None:
        """Every judged passage is in the corpus."""
        self._report(
            np.flatnonzero(self.passage_rows < 0),
            lambda at: f"the passage '{self.judgments.passage_ids[at]}' is not in {where}",
            "Add the passage, drop the judgment, or set allow_missing: true",
            self.judgments.passage_ids,
        )

    def unanswerable_without_answers(self) -> None:
        """No query that is marked unanswerable has a positive grade."""
        positive = np.asarray(self.judgments.grades) > 0
        unanswerable = ~np.append(self.queries.answerable, True)[self.query_rows]
        self._report(
            np.flatnonzero(positive & unanswerable),
            lambda at: (
                f"the query '{self.judgments.query_ids[at]}' is marked unanswerable, and the "
                f"passage '{self.judgments.passage_ids[at]}' has grade "
                f"{self.judgments.grades[at]:g}"
            ),
            "Remove answerable: false, or give grade 0",
        )

    def no_pair_twice(self) -> None:
        """No pair of query and passage is judged twice."""
        query_rows = self.all_queries.rows(self.judgments.query_ids).astype(np.int64)
        passage_rows = self.all_passages.rows(self.judgments.passage_ids)
        pairs = query_rows * max(len(self.all_passages), 1) + passage_rows
        order = np.argsort(pairs, kind="stable")
        again = np.append(False, pairs[order][1:] == pairs[order][:-1])
        first = {int(order[at]): int(order[at - 1]) for at in np.flatnonzero(again)}

        def what(at: int) -> str:
            unit = self.judgments.unit or "line "
            return (
                f"the passage '{self.judgments.passage_ids[at]}' is judged twice for the query "
                f"'{self.judgments.query_ids[at]}', first in {unit}"
                f"{self.judgments.lines[first[at]]}"
            )

        self._report(np.array(sorted(first)), what, "Keep one judgment for each pair")

    def _report(
        self,
        at: np.ndarray[tuple[int], np.dtype[np.int64]],
        what: Callable[[int], str],
        instead: str,
        once_for: list[str] | None = None,
    ) -> None:
        """Report judgments by place; where ``once_for`` is given, each of its ids once."""
        reported: set[str] = set()
        for place in at.tolist():
            if once_for is not None:
                if once_for[place] in reported:
                    continue
                reported.add(once_for[place])
            line = self.judgments.lines[place]
            self.file.problem(what(place), line=line, instead=instead, unit=self.judgments.unit)


def _counts(corpus: Corpus | None, queries: Queries, qrels: Qrels) -> dict[str, int]:
    """What a reader of results should know about the data; see Dataset.counts."""
    indptr, _ = qrels.ideal
    positive = np.append(0, np.cumsum(qrels.grades > 0))
    n_positive = np.diff(positive[qrels.indptr])
    texts = corpus.texts if corpus is not None else ()
    judged = (np.diff(indptr) > 0) & queries.answerable
    return {
        "empty_passages": sum(not text.strip() for text in texts),
        "missing_passages": len(qrels.passages) - len(corpus) if corpus is not None else 0,
        "unanswerable": int((~queries.answerable).sum()),
        "queries_without_judgments": int((queries.answerable & ~judged).sum()),
        "queries_without_relevant": int((judged & (n_positive == 0)).sum()),
    }
