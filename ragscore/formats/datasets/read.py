"""Read the files of a dataset into columns, and check that they belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Dataset, Documents, EvidenceColumns, Qrels, Queries
from ragscore.dataset.forbidden import rules_over
from ragscore.dataset.incomplete import without_judgments, without_relevant
from ragscore.dataset.judged_units import units_in, units_of
from ragscore.dataset.judgment_faults import answered, missing, relevant_and_forbidden
from ragscore.dataset.judgments import Judgments
from ragscore.dataset.located import UnplacedQuote, evidence_of
from ragscore.dataset.sampling import TakenSample, sampled_corpus
from ragscore.dataset.text_columns import empty_texts
from ragscore.errors import Problem
from ragscore.formats.datasets.base import Format
from ragscore.formats.datasets.blocked_corpus import PassageFiles
from ragscore.formats.datasets.dataset_spec import NO_SAMPLE_OF_DOCUMENTS, DatasetSpec
from ragscore.formats.datasets.find import Located
from ragscore.formats.datasets.rows import json_rows, unique_rows
from ragscore.formats.document_formats.document_files import DocumentFiles, Reader
from ragscore.formats.reading.judged_lines import report_repeated
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.problems import Problems, TooManyError, collected, shown
from ragscore.models import Document
from ragscore.progress import Progress


def read_dataset(
    spec: DatasetSpec,
    located: Located,
    progress: Progress,
    reader: Reader | None = None,
    *,
    cache: Cache | None = None,
    in_blocks: bool = False,
    pooled: Iterable[str] = (),
    unplaced: list[UnplacedQuote] | None = None,
) -> Dataset:
    """The dataset that the located files hold.

    Args:
        spec: how they are read.
        located: the files.
        progress: receives the bytes read, for large files.
        reader: reads each file of the documents.
        cache: where the passages are kept, where they are read in blocks; by default the user's.
        in_blocks: read the passages in blocks, as those of a folder and those of a sampled corpus
            are in any case.
        pooled: ids of the passages that the pool of a sampled corpus keeps.
        unplaced: gets the evidence whose quote has no certain place, which is then left out.

    Raises:
        DataError: everything that is wrong with it: up to 20 problems, and one of each file.
    """
    fmt = located.format
    with collected() as problems:
        # The small files first: their problems show before a large corpus is read.
        queries_file = File(located.queries, problems, progress, encoding=spec.encoding)
        queries = read_queries(queries_file, fmt, spec)
        judgments_file = File(located.ground_truth, problems, progress, encoding=spec.encoding)
        judgments = Judgments()
        with suppress(TooManyError):
            judgments = fmt.read_judgments(judgments_file, spec)
        corpus: Corpus | None = None
        corpus_file: File | None = None
        if located.passages is not None:
            corpus_file = File(located.passages, problems, progress, encoding=spec.encoding)
            if located.shards or in_blocks or spec.sample is not None:
                store = cache or Cache.usable(progress)
                paths = located.shards or (located.passages,)
                files = PassageFiles(paths, fmt, spec, store, problems, progress)
                read = files.corpus()
                corpus_file.intact = read is not None
                corpus_file.numeric_ids = files.numeric_ids
                corpus = read or Corpus.from_passages([])
            else:
                passage_rows = unique_rows(fmt.read_passages(corpus_file, spec), corpus_file)
                corpus = Corpus.from_passages(passage_rows)
            _refuse_none(corpus_file, len(corpus), "passages", "one passage")
        documents, skipped = None, 0
        before = len(problems)
        if located.documents is not None and spec.sample is not None:
            what, instead = NO_SAMPLE_OF_DOCUMENTS
            queries_file.problem(f"corpus: {what}", instead=instead)
        elif located.documents is not None:
            if fmt.read_documents is not None and located.documents == located.ground_truth:
                file = File(located.documents, problems, progress, encoding=spec.encoding)
                documents = Documents.from_rows(unique_rows(fmt.read_documents(file, spec), file))
            else:
                documents, skipped = read_documents(
                    spec, located.documents, problems, progress, reader
                )
        documents_read = len(problems) == before  # else some may be missing
        judged = len(judgments) + len(judgments.evidence)
        _refuse_none(judgments_file, judged, "judgments", "one judged passage, or evidence")
        report_repeated(judgments, judgments_file)
        faults: list[Iterator[tuple[int, Problem]]] = []
        of_forbidden: list[Iterator[tuple[int, Problem]]] = []
        forbidden = [passage_id for _, passage_id, _ in judgments.forbidden]
        columns = judgments.query_ids, judgments.passage_ids, judgments.grades
        if queries_file.intact:
            where = f"in {shown(queries_file.path)}"
            faults.append(missing("query", judgments.query_ids, queries.ids, where))
            faults.append(answered(*columns, queries))
            of_forbidden.append(missing("query", judgments.forbidding, queries.ids, where))
        judged_ids, units = None if corpus is None else corpus.ids, None
        intact = corpus_file is None or corpus_file.intact
        if spec.unit is not None and intact:
            judged_ids, units, wrong = units_of(
                corpus, spec.unit, allow_missing=spec.allow_missing, chunked=documents is not None
            )
            known_units = judged_ids
            if corpus is None and documents is not None:
                known_units, unfit = units_in(documents, spec.unit)
                wrong += unfit
            for problem in wrong:
                (corpus_file or judgments_file).problem(problem.what, instead=problem.instead)
        checked = corpus_file is not None and intact and not spec.allow_missing
        if corpus is not None and corpus_file is not None and checked:
            where = f"in {shown(corpus_file.path)}"
            if units is None:
                of_forbidden.append(missing("passage", forbidden, corpus.ids, where))
                faults.append(missing("passage", judgments.passage_ids, corpus.ids, where))
            elif judged_ids:
                where = f"the {units.unit.field} of any passage {where}"
                faults.append(missing("unit", judgments.passage_ids, judged_ids, where))
                either = judged_ids.extended(corpus.ids)
                of_forbidden.append(missing("unit", forbidden, either, f"{where}, nor a passage"))
        elif units is not None and documents is not None and known_units and not spec.allow_missing:
            where = f"the {units.unit.field} of any document"
            faults.append(missing("unit", judgments.passage_ids, known_units, where))
            of_forbidden.append(missing("unit", forbidden, known_units, where))
        for at, fault in chain.from_iterable(faults):
            judgments_file.problem(fault.what, line=judgments.lines[at], instead=fault.instead)
        for at, fault in chain.from_iterable(of_forbidden):
            line = judgments.forbidden[at][2]
            what = f"forbidden: {fault.what}"
            judgments_file.problem(what, line=line, instead=fault.instead)
        known = queries if queries_file.intact else None
        given = judgments.evidence
        evidence, misplaced = evidence_of(given, queries.ids, documents, known, unplaced)
        for at, fault in misplaced if documents_read else ():
            line = judgments.evidence[at].line
            judgments_file.problem(fault.what, line=line, instead=fault.instead)
    sample: TakenSample | None = None
    if corpus is not None and spec.sample is not None:
        of_units = None if units is None or judged_ids is None else (judged_ids, units)
        sample = sampled_corpus(corpus, spec.sample, judgments, of_units, pooled)
        corpus = sample.corpus
        if sample.sampled is None and not (located.shards or in_blocks):
            corpus = Corpus.from_passages(corpus)
        judged_ids = corpus.ids
        if spec.unit is not None:
            judged_ids, units, _ = units_of(corpus, spec.unit, allow_missing=True)
    rules = rules_over(spec.forbidden, corpus, queries, documents)
    qrels = judgments.qrels(queries.ids, judged_ids).with_rules(rules, cut=corpus is not None)
    qrels = qrels.with_units(units)
    with collected() as judgments_file.problems:
        faulty = {fault.pair: fault for fault in relevant_and_forbidden(qrels)}
        pairs = zip(judgments.query_ids, judgments.passage_ids, strict=True) if faulty else ()
        for pair, line in zip(pairs, judgments.lines, strict=False):
            if pair in faulty:
                problem = faulty[pair].problem
                judgments_file.problem(problem.what, line=line, instead=problem.instead)
    counts = _counts(corpus, queries, qrels, evidence)
    if skipped:
        counts["skipped_files"] = skipped
    if spec.sample is not None and sample is not None and sample.sampled is None:
        counts["sample_of_all"] = spec.sample.sample
    read_files = [file for file in (queries_file, judgments_file, corpus_file) if file is not None]
    counts["numeric_ids"] = sum(file.numeric_ids for file in read_files)
    return Dataset(
        spec.label,
        corpus,
        queries,
        qrels,
        spec.drop_self,
        counts,
        documents=documents,
        evidence=evidence,
        coverage=spec.coverage,
        together=spec.together,
        sample=None if sample is None else sample.sampled,
        pooled=() if sample is None else sample.pooled,
    )


def read_queries(file: File, fmt: Format, spec: DatasetSpec) -> Queries:
    """The queries of a file; problems are collected."""
    found = Queries.from_rows(unique_rows(fmt.read_queries(file, spec), file))
    _refuse_none(file, len(found), "queries", "one query")
    return found


def read_documents(
    spec: DatasetSpec,
    path: Path,
    problems: Problems,
    progress: Progress,
    reader: Reader | None = None,
) -> tuple[Documents, int]:
    """The documents of a folder or of a file of JSON lines, and how many files of the folder are
    none; problems are collected."""
    if path.is_dir():
        folder = DocumentFiles(
            path, problems, progress, encoding=spec.encoding, html=spec.html, reader=reader
        )
        return folder.read(), folder.skipped
    file = File(path, problems, progress, encoding=spec.encoding)
    documents = Documents.from_rows(unique_rows(json_rows(file, Document, spec.ids), file))
    _refuse_none(file, len(documents), "documents", "one document")
    return documents, 0


def _refuse_none(file: File, count: int, what: str, least: str) -> None:
    if count == 0 and file.intact:
        file.problem(f"there are no {what}", instead=f"A dataset needs at least {least}")


def _counts(
    corpus: Corpus | None, queries: Queries, qrels: Qrels, evidence: EvidenceColumns | None
) -> dict[str, int]:
    """What a reader of results should know about the data; see Dataset.counts."""
    texts = corpus.texts if corpus is not None else ()
    units = qrels.units
    return {
        "empty_passages": int(empty_texts(texts).sum()),
        "missing_passages": 0 if corpus is None else len(qrels.unknown(corpus.ids)),
        "unanswerable": int((~queries.answerable).sum()),
        "queries_without_judgments": int(without_judgments(queries, qrels, evidence).sum()),
        "queries_without_relevant": int(without_relevant(queries, qrels, evidence).sum()),
        **({} if units is None else {"units": units.count, "without_unit": units.without}),
    }
