"""What a dataset may have beside texts, queries and flat judgments: what formats hold or lose."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from ragscore.dataset import Dataset
from ragscore.dataset.projection import WHOLE

BREAK = re.compile(r"[\t\n\r]")
"""What ends a column or a line."""


def _titles(dataset: Dataset) -> int:
    return 0 if dataset.corpus is None else sum(map(bool, dataset.corpus.titles or ()))


def _passage_tags(dataset: Dataset) -> int:
    return 0 if dataset.corpus is None else len(dataset.corpus.tags)


def _passage_metadata(dataset: Dataset) -> int:
    return 0 if dataset.corpus is None else len(dataset.corpus.metadata)


def _odd_tags(dataset: Dataset) -> int:
    parts = [part for part in (dataset.corpus, dataset.queries) if part is not None]
    tags = (tag for part in parts for of_row in part.tags.values() for tag in of_row)
    return sum(";" in tag or not tag or tag != tag.strip() for tag in tags)


def _broken_questions(dataset: Dataset) -> int:
    return sum(BREAK.search(text) is not None for text in dataset.queries.texts)


def _grades(dataset: Dataset) -> int:
    grades = dataset.qrels.grades
    return int(np.count_nonzero((grades > 0) & (grades != 1)))


def _needs(dataset: Dataset) -> int:
    needs = dataset.qrels.shared_needs
    return 0 if needs is None else int(np.count_nonzero(np.diff(needs.bounds)))


def _listed(dataset: Dataset) -> int:
    forbidden = dataset.qrels.forbidden
    return 0 if forbidden is None else len(forbidden.rows)


def _counted_by_its_writer(dataset: Dataset) -> int:
    """What only one format loses, in a way of its own: see :attr:`Writer.lost`."""
    return 0


PARTS: Mapping[str, Callable[[Dataset], int]] = {
    "titles": _titles,
    "passage_tags": _passage_tags,
    "query_tags": lambda dataset: len(dataset.queries.tags),
    "odd_tags": _odd_tags,
    "passage_metadata": _passage_metadata,
    "query_metadata": lambda dataset: len(dataset.queries.metadata),
    "line_breaks": _broken_questions,
    "unanswerable": lambda dataset: len(dataset.queries.unanswerable),
    "grades": _grades,
    "not_relevant": lambda dataset: int(np.count_nonzero(dataset.qrels.grades <= 0)),
    "needs": _needs,
    "forbidden": _listed,
    "documents": lambda dataset: 0 if dataset.documents is None else len(dataset.documents),
    "evidence": lambda dataset: 0 if dataset.evidence is None else len(dataset.evidence),
    "ids": _counted_by_its_writer,
    "other_passages": _counted_by_its_writer,
    "unplaced": _counted_by_its_writer,
    "order": _counted_by_its_writer,
    "forbidden_rules": lambda dataset: len(dataset.qrels.rules or ()),
    "drop_self": lambda dataset: int(dataset.drop_self),
    "unit": lambda dataset: int(dataset.qrels.units is not None),
    "coverage": lambda dataset: int(dataset.coverage != WHOLE),
    "together": lambda dataset: int(dataset.together),
    "sample": lambda dataset: int(dataset.sample is not None),
}
"""How many things of each part a dataset has. The last six are options of the dataset, which no
file holds."""
OPTIONS = frozenset({"forbidden_rules", "drop_self", "unit", "coverage", "together", "sample"})
"""Parts that are options of a dataset and stand in no file."""
EVERYTHING = frozenset(PARTS) - OPTIONS
"""What ragscore's own rows hold."""
