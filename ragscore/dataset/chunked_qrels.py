"""Judgments of chunks: what evidence, units and forbidden passages say of passages that chunkers
made of documents."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from ragscore.dataset.chunkings import Chunkings
from ragscore.dataset.documents import Documents
from ragscore.dataset.evidence import EvidenceColumns
from ragscore.dataset.forbidden import Forbidden, rules_over
from ragscore.dataset.judged_units import units_of
from ragscore.dataset.judgment_faults import relevant_and_forbidden
from ragscore.dataset.projection import projected
from ragscore.dataset.qrels import Qrels
from ragscore.dataset.queries import Queries
from ragscore.dataset.span_truth import SpanTruth
from ragscore.errors import MAX_PROBLEMS, DataError


def chunked_qrels(
    judged: Qrels,
    chunkings: Chunkings,
    asked: Queries,
    documents: Documents,
    evidence: EvidenceColumns | None,
    *,
    coverage: float,
    together: bool,
) -> Qrels:
    """The judgments over the chunks of documents.

    Args:
        judged: the judgments before the documents were cut.
        chunkings: the chunks.
        asked: the queries.
        documents: what was cut.
        evidence: in the documents; None if there is none.
        coverage, together: as of :class:`ragscore.dataset.Dataset`.

    Raises:
        DataError: what is relevant is forbidden.
    """
    corpus, queries = chunkings.corpus, judged.queries
    qrels = Qrels.from_dict({}, queries=queries, passages=corpus.ids)
    units = judged.units
    if units is not None:
        unit_ids, of, _ = units_of(corpus, units.unit, allow_missing=True)
        named_ids = unit_ids.extended(judged.passages)
        qrels = replace(judged, units=None).onto(named_ids).with_units(of)
    if evidence is not None:
        qrels = projected(
            evidence,
            chunkings.chunks,
            documents.texts,
            queries=queries,
            passages=corpus.ids,
            coverage=coverage,
        )
        rows = np.arange(len(corpus))
        jointly = coverage if together else None
        spans = SpanTruth(chunkings.chunks, rows, evidence, documents, jointly)
        qrels = replace(qrels, spans=spans)
    if units is not None and judged.forbidden is not None:
        qrels = qrels.with_rules(rules_over(judged.rules, corpus, asked))
    elif (listed := judged.forbidden) is not None:
        named = zip(
            queries.texts(listed.query_of),
            judged.passages.texts(listed.rows),
            strict=True,
        )
        pairs = [(query, passage) for query, passage in named if passage in corpus.ids]
        columns = [query for query, _ in pairs], [passage for _, passage in pairs]
        qrels = replace(qrels, forbidden=Forbidden.of_pairs(*columns, queries, corpus.ids))
        qrels = qrels.with_rules(rules_over(judged.rules, corpus, asked))
    if qrels.forbidden is not None:
        faults = islice(relevant_and_forbidden(qrels), MAX_PROBLEMS)
        if problems := [fault.problem for fault in faults]:
            raise DataError(problems)
    return qrels
