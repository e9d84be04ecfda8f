"""Evidence in its documents: how each chunker cut the text around it, and what came back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Chunkings, Dataset, EvidenceColumns
from ragscore.dataset.documents import characters_in
from ragscore.elements import Cell, Column, Details, Element, Paragraph, Section, Table
from ragscore.elements.cells import (
    count_cell,
    name_cell,
    retriever_column,
    share_cell,
    text_cell,
)
from ragscore.elements.numbers import count_text, share_text
from ragscore.elements.plain import beginning_of
from ragscore.elements.tables import table
from ragscore.messages import _, counted
from ragscore.report.model import Excerpt, ExcerptPart
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult
from ragscore.scoring import score
from ragscore.scoring.loaded_qrels import judgment_notes

QUERIES = 5
"""Queries that are shown."""
RETRIEVERS = 6
"""Retrievers whose chunks are drawn."""
PLACES = 3
"""Pieces of evidence of a query that are shown."""
AROUND = 140
"""Characters of the document before and behind a piece of evidence."""
LONGEST = 600
"""Characters of a piece of evidence that are shown."""
FIRST = 3
"""Chunks of each retriever that are listed, besides those that hold evidence."""
LETTERS = 80
"""Letters of a chunk and, twice as many, of a query that are shown."""


def evidence(report: Report, panel: DatasetResult) -> Section | None:
    """The documents' text around evidence as each chunker cut it, and which chunks came back."""
    data, retrievers = panel.data, tuple(filter(panel.chunkers, panel.retrievers))
    if data is None or data.evidence is None or data.chunkings is None or not retrievers:
        return None
    drawn = _drawn(panel, data, data.chunkings, data.evidence, retrievers)
    if not len(drawn.queries):
        return None
    return Section("evidence", TITLES["evidence"], tuple(_elements(panel, drawn)))


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What is drawn of a dataset.

    Attributes:
        k: how many chunks count as fetched.
        left_out: retrievers whose chunks are not drawn.
        chunks: by retriever that is drawn, the rows of the chunks that it returned: int64[Q, k],
            -1 pads, by rows of the judgments' queries.
        queries: rows of the queries that are shown, the most telling first: int64[n].
        shares: by retriever, the share of the evidence that its first k hold: float64[n].
    """

    data: Dataset
    chunkings: Chunkings
    evidence: EvidenceColumns
    k: int
    left_out: int
    chunks: dict[str, NDArray[np.int64]]
    queries: NDArray[np.int64]
    shares: dict[str, NDArray[np.float64]]


def _drawn(
    panel: DatasetResult,
    data: Dataset,
    chunkings: Chunkings,
    evidence: EvidenceColumns,
    retrievers: Sequence[str],
) -> _Drawn:
    """The queries on which retrievers differ most in the evidence found, then those with the
    least found."""
    k, all_queries = panel.k, data.qrels.queries
    shares, chunks = {}, {}
    asked = f"SpanR@{k}"
    for name in retrievers[:RETRIEVERS]:
        run = panel.runs[name]
        found = score(run, data.qrels.onto(run.passages), [asked], depth=k).entries[0]
        values = found.per_query(asked)
        shares[name] = np.array([values.get(query, np.nan) for query in all_queries])
        own = np.append(chunkings.corpus.ids.rows(run.passages), -1).astype(np.int64)
        chunks[name] = own[run.for_queries(all_queries).rows[:, :k]]
    found_by = np.stack(list(shares.values()))
    known = np.flatnonzero(~np.isnan(found_by).any(axis=0))
    spread = found_by[:, known].max(axis=0) - found_by[:, known].min(axis=0)
    queries = known[np.lexsort((found_by[:, known].mean(axis=0), -spread))[:QUERIES]]
    chosen = {name: values[queries] for name, values in shares.items()}
    left_out = len(retrievers) - len(chunks)
    return _Drawn(data, chunkings, evidence, k, left_out, chunks, queries, chosen)


def _elements(panel: DatasetResult, drawn: _Drawn) -> Iterator[Element]:
    yield Paragraph(
        _(
            "The text around the evidence of {n} queries, as each chunker cut it. First come the "
            "queries on which the retrievers differ most in how much evidence their top {k} "
            "holds, then those with the least evidence held.",
            k=drawn.k,
            n=count_text(len(drawn.queries)),
        )
    )
    yield Paragraph(
        _(
            "A number marks the beginning of a returned chunk and gives its rank; a dash marks a "
            "chunk that was not returned. The text of returned chunks is underlined, twice where "
            "chunks overlap. Evidence is highlighted; in plain text it is between « and », and "
            "each chunk is in brackets."
        ),
        "note",
    )
    for note in judgment_notes(drawn.data):
        yield Paragraph(_("How chunks were judged: {rule}.", rule=note), "note")
    if drawn.left_out:
        yield Paragraph(
            counted(
                "The chunks of 1 more retriever are not drawn.",
                "The chunks of {count} more retrievers are not drawn.",
                drawn.left_out,
            ),
            "note",
        )
    for number, query in enumerate(drawn.queries.tolist()):
        shares = "; ".join(
            f"{name} {share_text(float(values[number]))}" for name, values in drawn.shares.items()
        )
        query_id = drawn.data.qrels.queries[query]
        row = drawn.data.queries.ids.row(query_id)
        text = beginning_of(drawn.data.queries.texts[row], 2 * LETTERS)
        summary = _(
            "{query}: {text} (evidence held: {shares})", query=query_id, text=text, shares=shares
        )
        yield Details(summary, tuple(_query(panel, drawn, query, number)))


def _query(panel: DatasetResult, drawn: _Drawn, query: int, number: int) -> Iterator[Element]:
    evidence, documents = drawn.evidence, drawn.chunkings.documents
    pieces = np.flatnonzero(evidence.query == query)
    for document, start, end in _windows(drawn, pieces[:PLACES]):
        for name in drawn.chunks:
            place = {"document": documents.ids[document], "retriever": name}
            yield Excerpt(
                _("{document}, cut for {retriever}", **place),
                name,
                _parts(panel, drawn, name, query, (document, start, end)),
            )
    if len(pieces) > PLACES:
        yield Paragraph(
            counted(
                "1 more piece of evidence is not drawn.",
                "{count} more pieces of evidence are not drawn.",
                len(pieces) - PLACES,
            ),
            "note",
        )
    yield _listed(panel, drawn, query, number)


def _windows(drawn: _Drawn, pieces: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """The stretches of documents that are shown, as (document, start, end): pieces of evidence with
    some text around them, those that touch as one."""
    evidence, texts = drawn.evidence, drawn.chunkings.documents.texts
    found: list[tuple[int, int, int]] = []
    for piece in pieces.tolist():
        document = int(evidence.document[piece])
        text, first = texts[document], int(evidence.start[piece])
        last = min(int(evidence.end[piece]), first + LONGEST)
        # Whole words, where there are any.
        start, end = max(first - AROUND, 0), min(last + AROUND, len(text))
        if start:
            start = max(text.find(" ", start, first), start)
        if end < len(text):
            end = max(text.rfind(" ", last, end), last)
        if found and found[-1][0] == document and start <= found[-1][2]:
            found[-1] = (document, found[-1][1], max(end, found[-1][2]))
        else:
            found.append((document, start, end))
    return found


def _parts(
    panel: DatasetResult, drawn: _Drawn, name: str, query: int, window: tuple[int, int, int]
) -> tuple[ExcerptPart, ...]:
    """The text of a window, split where a chunk or evidence begins or ends."""
    document, start, end = window
    chunks, evidence = drawn.chunkings.chunks, drawn.evidence
    text = drawn.chunkings.documents.texts[document]
    own = drawn.chunkings.rows_of(panel.chunkers(name))
    here = (
        (chunks.document[own] == document) & (chunks.start[own] < end) & (chunks.end[own] > start)
    )
    rows = own[here]
    rows = rows[np.lexsort((chunks.end[rows], chunks.start[rows]))]
    begins, ends = chunks.start[rows], chunks.end[rows]
    rank_of = {row: rank for rank, row in enumerate(drawn.chunks[name][query].tolist(), start=1)}
    ranks = [rank_of.get(row, 0) for row in rows.tolist()]
    cited = (evidence.query == query) & (evidence.document == document)
    cited_from, cited_to = evidence.start[cited], evidence.end[cited]
    edges = np.concatenate([begins, ends, cited_from, cited_to, [start, end]])
    edges = np.unique(edges[(edges >= start) & (edges <= end)])
    parts = []
    for left, right in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        holding = np.flatnonzero((begins <= left) & (ends >= right)).tolist()
        opening = [at for at in holding if begins[at] == left or left == start]
        parts.append(
            ExcerptPart(
                text[left:right],
                evidence=bool(((cited_from <= left) & (cited_to >= right)).any()),
                ranks=tuple(sorted(ranks[at] for at in holding if ranks[at])),
                chunks=len(holding),
                begins=tuple(ranks[at] for at in opening),
                ends=sum(1 for at in holding if ends[at] == right or right == end),
                cut_before=left == start and start > 0,
                cut_behind=right == end and end < len(text),
            )
        )
    return tuple(parts)


class _Fetched(NamedTuple):
    """A chunk that came back; how much of the query's evidence it holds, in characters."""

    retriever: str
    rank: int
    row: int
    held: int


def _listed(panel: DatasetResult, drawn: _Drawn, query: int, number: int) -> Table:
    """What each retriever fetched: its first chunks, and those that hold evidence."""
    chunks, texts = drawn.chunkings.chunks, drawn.chunkings.documents.texts
    total = max(_held(drawn, query, None), 1)
    fetched = [
        _Fetched(name, rank, row, _held(drawn, query, row))
        for name, returned in drawn.chunks.items()
        for rank, row in enumerate(returned[query].tolist(), start=1)
        if row >= 0
    ]

    def beginning(chunk: _Fetched) -> Cell:
        start, end = int(chunks.start[chunk.row]), int(chunks.end[chunk.row])
        text = texts[int(chunks.document[chunk.row])][start : min(end, start + 4 * LETTERS)]
        return text_cell(beginning_of(text, LETTERS), quote=True)

    ids = drawn.chunkings.corpus.ids
    if drawn.k <= FIRST:
        title = _("Returned: the top {k}", k=drawn.k)
    else:
        title = _(
            "Returned: the top {first}, and any other chunk in the top {k} that holds evidence",
            k=drawn.k,
            first=FIRST,
        )
    return table(
        named(panel, f"fetched-{number + 1}"),
        title,
        (
            (retriever_column(), lambda chunk: name_cell(chunk.retriever)),
            (Column("rank", _("Rank"), better="low"), lambda chunk: count_cell(chunk.rank)),
            (
                Column("chunk", _("Chunk"), "text"),
                lambda chunk: text_cell(ids[chunk.row], quote=True),
            ),
            (
                Column("evidence", _("Evidence held"), better="high"),
                lambda chunk: share_cell(chunk.held / total),
            ),
            (Column("text", _("Text"), "text"), beginning),
        ),
        [chunk for chunk in fetched if chunk.rank <= FIRST or chunk.held],
    )


def _held(drawn: _Drawn, query: int, row: int | None) -> int:
    """How many characters of a query's evidence a chunk holds; by default how many there are."""
    evidence, chunks = drawn.evidence, drawn.chunkings.chunks
    at = np.flatnonzero(evidence.query == query)
    start, end = evidence.start[at], evidence.end[at]
    if row is not None:
        same = evidence.document[at] == chunks.document[row]
        start = np.maximum(start, chunks.start[row])[same]
        end, at = np.minimum(end, chunks.end[row])[same], at[same]
    first = drawn.chunkings.documents.offsets[evidence.document[at]]
    return characters_in(zip((first + start).tolist(), (first + end).tolist(), strict=True))
