"""Evidence as rows name it becomes columns: offsets are checked, and quotes are looked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ragscore.dataset.documents import Documents
from ragscore.dataset.evidence import EvidenceColumns
from ragscore.dataset.ids import Ids
from ragscore.dataset.judgment_faults import missing
from ragscore.dataset.queries import Queries
from ragscore.dataset.quotes import MAX_PLACES, SearchedText
from ragscore.dataset.spellings import spelled_otherwise
from ragscore.described import in_short
from ragscore.errors import Problem, did_you_mean
from ragscore.models import Evidence

MAX_LISTED = 5
"""Places of a quote that a message names."""
MAX_COMPARED = 1_000
"""Document ids that are compared with one that does not exist."""
AROUND = 20
"""Characters beside a place that a message shows."""


class EvidenceRow(NamedTuple):
    """One piece of evidence as a row of ground truth names it."""

    query_id: str
    need: int
    """Number within the query of the need that it covers."""
    evidence: Evidence
    """Offsets, a quote, or both."""
    line: int
    """Where the row stands in its file; rows in Python count from 0."""
    alone: bool = False
    """Whether it stands under ``evidence``, and is a need of its own."""


class UnplacedQuote(NamedTuple):
    """Evidence whose quote has no certain place: its row, and how often the quote stands in the
    document, 20 times at most."""

    row: EvidenceRow
    places: int


class Searched:
    """Documents in which evidence is looked for, each prepared once."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self._texts: dict[int, SearchedText] = {}

    def text(self, row: int) -> SearchedText:
        """A document's text."""
        if row not in self._texts:
            self._texts[row] = SearchedText(self.documents.texts[row])
        return self._texts[row]

    def _near(self, given: Evidence) -> str:
        """The ids that may be meant, where there are few enough to look at."""
        ids = self.documents.ids
        if len(ids) > MAX_COMPARED:
            return ""
        if other := spelled_otherwise([given.document], ids):
            return f"T{other[given.document][1:]}"
        hint, _, allowed = did_you_mean(given.document, ids).partition("Allowed: ")
        return hint.strip() or (f"There is: {allowed}" if len(ids) <= MAX_LISTED else "")

    def problem(self, given: Evidence) -> Problem | None:
        """What is wrong with a document's id, or with offsets and the quote beside them."""
        row = self.documents.ids.row(given.document)
        if row < 0:
            what = f"there is no document {in_short(given.document)}"
            return Problem(what, instead=self._near(given))
        if given.start is None or given.end is None:
            return None
        text = self.text(row)
        if given.end > len(text.text):
            what = (
                f"the characters {given.start} to {given.end} are not in the document "
                f"{in_short(given.document)}, which has {len(text.text):,}"
            )
            return Problem(what, instead="Offsets count characters, not bytes, from 0")
        if not text.text[given.start : given.end].strip():
            what = f"{_place(given.document, given.start, given.end)} is nothing but white space"
            return Problem(what, instead="Name characters that answer the query")
        if given.quote is not None and not text.agrees(given.start, given.end, given.quote):
            what = (
                f"{_place(given.document, given.start, given.end)} is "
                f"{in_short(text.text[given.start : given.end])}, and the quote is "
                f"{in_short(given.quote)}"
            )
            return Problem(what, instead="Correct the offsets or the quote, or leave one of them")
        return None


def evidence_of(
    rows: Sequence[EvidenceRow],
    query_ids: Ids,
    documents: Documents | None,
    queries: Queries | None,
    unplaced: list[UnplacedQuote] | None = None,
) -> tuple[EvidenceColumns | None, list[tuple[int, Problem]]]:
    """The evidence of a dataset, None if its rows name none, and everything wrong with it.

    Args:
        rows: as they were read.
        query_ids: of the dataset.
        documents: of the dataset.
        queries: of the dataset; None if they could not be read, and are not compared.
        unplaced: gets the evidence whose quote has no certain place, which is then no fault.
    """
    if not rows:
        return None, []
    if documents is None:
        what = "it names evidence in documents, and the dataset has none"
        instead = "Name their folder or file with documents:"
        return None, [(0, Problem(what, instead=instead))]
    columns, faults = located(rows, query_ids, documents, unplaced)
    if queries is not None:
        named = [row.query_id for row in rows]
        unknown = missing("query", named, query_ids, "among the queries")
        faults = [*unknown, *_answered(named, queries), *faults]
    return columns, faults


def _answered(query_ids: Sequence[str], queries: Queries) -> Iterator[tuple[int, Problem]]:
    """The first evidence of each query that is marked unanswerable, with the problem."""
    unanswerable = ~np.append(queries.answerable, True)[queries.ids.rows(query_ids)]
    for at in np.flatnonzero(unanswerable).tolist():
        what = f"the query '{query_ids[at]}' is marked unanswerable, and has evidence"
        yield at, Problem(what, instead="Remove answerable: false, or the evidence")


def located(
    rows: Sequence[EvidenceRow],
    queries: Ids,
    documents: Documents,
    unplaced: list[UnplacedQuote] | None = None,
) -> tuple[EvidenceColumns, list[tuple[int, Problem]]]:
    """The evidence whose place is certain, and what is wrong with the rest.

    A quote has its place where it stands once in its document: character by character, or else
    but for white space, quotation marks, dashes, ligatures and Unicode's form. Nothing is guessed.
    White space at the ends of a span is no evidence: chunks leave theirs out. Nor are the same
    characters twice for one need.

    Args:
        rows: as they were read.
        queries: query ids; those of evidence that they lack are added at the end.
        documents: of the dataset.
        unplaced: as for :func:`evidence_of`.

    Returns:
        The columns, and for each fault the place in ``rows`` with the problem.
    """
    searched = Searched(documents)
    faults: list[tuple[int, Problem]] = []
    places: list[tuple[int, int, int, int]] = []
    for at, given in enumerate(row.evidence for row in rows):
        problem = searched.problem(given)
        if problem is None and (given.start is None or given.end is None):
            row = documents.ids.row(given.document)
            found = searched.text(row).places(given.quote or "").spans
            if len(found) == 1:
                places.append((at, row, *_without_space(searched.text(row).text, *found[0])))
                continue
            problem = quote_problem(given, searched.text(row).text, found)
        document = documents.ids.row(given.document)
        if problem is not None and unplaced is not None and given.quote and document >= 0:
            count = len(searched.text(document).places(given.quote).spans)
            unplaced.append(UnplacedQuote(rows[at], count))
        elif problem is not None:
            faults.append((at, problem))
        elif given.start is not None and given.end is not None:
            row = documents.ids.row(given.document)
            span = _without_space(searched.text(row).text, given.start, given.end)
            places.append((at, row, *span))
    faults += _repeated(rows, documents, places)
    queries = queries.extended(row.query_id for row in rows)
    kept = [rows[at] for at, *_ in places]
    columns = EvidenceColumns.of(
        queries,
        query=queries.rows(row.query_id for row in kept),
        document=[row for _, row, _, _ in places],
        start=[start for _, _, start, _ in places],
        end=[end for *_, end in places],
        grade=[row.evidence.grade for row in kept],
        need=[row.need for row in kept],
    )
    return columns, faults


def _repeated(
    rows: Sequence[EvidenceRow], documents: Documents, places: Iterable[tuple[int, int, int, int]]
) -> Iterator[tuple[int, Problem]]:
    """Characters that a query names twice for one need, or twice under ``evidence``, where each
    time would be a need. The same ones may cover several needs, as a passage may."""
    first: set[tuple[str, int, int, int, int]] = set()
    for at, document, start, end in places:
        row = rows[at]
        key = (row.query_id, -1 if row.alone else row.need, document, start, end)
        if key in first:
            what = (
                f"{_place(documents.ids[document], start, end)} is named twice for the query "
                f"'{row.query_id}'"
            )
            instead = "Name it once"
            if row.alone:
                instead += "; where it covers two needs, in a list of needs for each"
            yield at, Problem(what, instead=instead)
        first.add(key)


def _without_space(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without the white space at its ends; it has more than that."""
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return start, start + len(inside.strip())


def quote_problem(given: Evidence, text: str, found: tuple[tuple[int, int], ...]) -> Problem:
    """What to say of a quote that stands nowhere, or more than once."""
    quote = in_short(given.quote or "")
    if not found:
        return Problem(
            f"the quote {quote} is not in the document {in_short(given.document)}",
            instead="`ragscore anchor` finds quotes that differ in a few characters, and shows "
            "what it found",
        )
    count = f"{MAX_PLACES} times or more" if len(found) >= MAX_PLACES else f"{len(found)} times"
    listed = "; ".join(
        f"at {start} ({in_short(text[max(0, start - AROUND) : end + AROUND])})"
        for start, end in found[:MAX_LISTED]
    )
    return Problem(
        f"the quote {quote} stands {count} in the document {in_short(given.document)}: {listed}",
        instead="Write the start and end of the one that is meant, or a longer quote",
    )


def _place(document: str, start: int, end: int) -> str:
    return f"{in_short(document)} from {start} to {end}"
