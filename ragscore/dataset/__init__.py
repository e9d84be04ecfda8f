"""Columns of a dataset: ids, corpus, queries, qrels. No pydantic here, no files.

Inside ragscore a passage is its row in the corpus and a query its row in the query list; the
text ids live in :class:`Ids` and are looked at only at the borders.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from ragscore.dataset.chunked_qrels import chunked_qrels
from ragscore.dataset.chunkings import Chunkings
from ragscore.dataset.chunks import Chunks
from ragscore.dataset.columns import Columns, IdsAs
from ragscore.dataset.conditions import Conditions, conditions_of
from ragscore.dataset.corpus import INDEXED, Corpus, PassageField, Unit
from ragscore.dataset.corpus_sample import CorpusSample, SampledCorpus
from ragscore.dataset.documents import Documents
from ragscore.dataset.evidence import EvidenceColumns
from ragscore.dataset.forbidden import rules_over
from ragscore.dataset.ids import Ids, NumberedIds, digest_texts
from ragscore.dataset.judged_units import AnyUnit, judged_unit, units_in, units_of
from ragscore.dataset.judgment_faults import judgment_faults
from ragscore.dataset.judgments import GroundTruths, Judgments, project
from ragscore.dataset.located import EvidenceRow, evidence_of
from ragscore.dataset.memory_tables import memory_tables
from ragscore.dataset.metadata import digest_metadata
from ragscore.dataset.projection import WHOLE, coverage_problems
from ragscore.dataset.python_tables import TextIds
from ragscore.dataset.qrels import Qrels
from ragscore.dataset.queries import Queries, SharedQueries
from ragscore.described import in_short
from ragscore.errors import MAX_PROBLEMS, ConfigError, DataError
from ragscore.models import Document, Passage, Query
from ragscore.spec import canonical_json

__all__ = [
    "INDEXED",
    "Chunkings",
    "Chunks",
    "Corpus",
    "CorpusSample",
    "Dataset",
    "Documents",
    "EvidenceColumns",
    "PassageField",
    "Ids",
    "NumberedIds",
    "Qrels",
    "Queries",
    "SampledCorpus",
    "SharedQueries",
    "Unit",
    "digest_texts",
    "project",
]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A corpus, its queries and what answers them.

    Attributes:
        name: short name, used in tables and files.
        corpus: None if only runs are judged.
        drop_self: a passage whose id is the query's is dropped from every run.
        counts: what was counted while loading (empty passages, missing passages, ...).
        returned: where there is no corpus, the texts of passages that systems returned, by id.
        documents: whole texts, which chunkers cut into the passages of a corpus.
        evidence: the characters of these documents that answer the queries.
        coverage: the share of evidence's characters that a chunk has to hold to cover its need.
        together: whether the chunks up to a rank cover a need where they hold that share together.
        chunkings: what chunkers made of the documents, in :meth:`chunked`; None before.
        uncut: the same dataset before that.
        sample: what the corpus is a sample of; None if it is whole.
        pooled: ids of the passages that a sample holds for its pool alone.
    """

    name: str
    corpus: Corpus | None
    queries: Queries
    qrels: Qrels
    drop_self: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    returned: Mapping[str, str] = field(default_factory=dict)
    documents: Documents | None = None
    evidence: EvidenceColumns | None = None
    coverage: float = WHOLE
    together: bool = False
    chunkings: Chunkings | None = None
    uncut: Dataset | None = None
    sample: SampledCorpus | None = None
    pooled: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.evidence is not None and self.qrels.units is not None:
            raise DataError(
                "evidence judges a passage by the characters it holds, and a unit by its name: not "
                "both",
                where="unit",
                instead="Leave unit out; or judge whole documents by their ids, in place of "
                "evidence",
            )
        if problems := list(
            coverage_problems(self.coverage, self.together, cited=self.evidence is not None)
        ):
            raise ConfigError(problems)

    @classmethod
    def from_rows(
        cls,
        passages: Iterable[Passage | Mapping[str, Any]] | Mapping[str, Any] | Any,
        queries: Iterable[Query | Mapping[str, Any]] | Mapping[str, Any] | Any,
        ground_truth: GroundTruths | Iterable[Mapping[str, Any]] | Any,
        *,
        name: str = "dataset",
        documents: Iterable[Document | Mapping[str, Any]] | Mapping[str, str] | Any = None,
        coverage: float = WHOLE,
        together: bool = False,
        allow_missing: bool = False,
        drop_self: bool = False,
        forbidden: Conditions | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        unit: AnyUnit | None = None,
        columns: Columns | Mapping[str, Any] | None = None,
        ids: IdsAs = "strict",
    ) -> Dataset:
        """A dataset from rows, mappings or tables in memory.

        Args:
            passages: Passage rows; dicts with the same keys; a mapping of id to text; a table of
                pandas, polars, pyarrow or Hugging Face's datasets; a mapping of column names to
                lists; documents of LangChain or nodes of LlamaIndex. None if only recorded runs
                are scored, and systems that hold the passages themselves.
            queries: the same, of Query rows.
            ground_truth: GroundTruth rows; dicts with the same keys, or with query_id, passage_id
                and grade; ``{query id: {passage id: grade} or [ids]}``; a table of pairs.
            name: name in tables and files.
            documents: Document rows; dicts with the same keys; a mapping of id to text; a table.
                Evidence of the ground truth names them, and chunkers cut them into passages.
            coverage: the share of evidence's characters that a chunk has to hold to cover its need,
                above 0 and at most 1.
            together: whether the chunks up to a rank cover a need where they hold that share
                together, each character counted once; by default one chunk has to hold it.
            allow_missing: count judgments of passages that the corpus lacks, instead of refusing.
            drop_self: drop a passage whose id is the query's from every run.
            forbidden: what must not come back, as a condition on the passages' metadata or several,
                each of which forbids: ``{"field": "tenant", "op": "!=", "value": "query.tenant"}``.
            unit: what the ground truth names, where that is not passages: ``metadata.document``, or
                the options of :class:`~ragscore.dataset.judged_units.JudgedUnit`.
            columns: names of the columns, as in YAML: ``{"passages": {"id": "rule_no"}}``.
            ids: ``text`` takes ids that are whole numbers as text, and counts them; in a table,
                columns of whole numbers are always taken as text.

        >>> dataset = Dataset.from_rows(
        ...     {"a": "Rent is due on the first day."}, {"q1": "When is rent due?"}, {"q1": ["a"]})
        >>> dataset
        Dataset('dataset': 1 passages, 1 queries, 1 judgments)

        Raises:
            ConfigError: ``columns`` names a column that does not exist; a rule of ``forbidden``
                does not fit the metadata.
            DataError: an argument has none of these forms; ids occur twice, or are not text; a
                text is not a string or a grade not a number; a judgment names a passage or query
                that does not exist; a query that is marked unanswerable has a positive grade;
                evidence is not where it says, or a quote does not stand in its document once.
        """
        text_ids = TextIds(ids)
        corpus, asked, truth, texts = memory_tables(
            passages, queries, ground_truth, documents, columns, text_ids
        )
        passage_ids = None if corpus is None else corpus.ids
        chosen, units, known_units = judged_unit(unit), None, None
        if chosen is not None:
            passage_ids, units, wrong_units = units_of(
                corpus, chosen, allow_missing=allow_missing, chunked=texts is not None
            )
            if corpus is None and texts is not None:
                known_units, unfit = units_in(texts, chosen)
                wrong_units += unfit
            if wrong_units:
                raise DataError(wrong_units)
        named: Sequence[EvidenceRow] = ()
        if isinstance(truth, Mapping):
            qrels = project(truth, asked.ids, passage_ids)
        else:
            judgments = Judgments.of_rows(truth)
            qrels, named = judgments.qrels(asked.ids, passage_ids), judgments.evidence
        evidence, misplaced = evidence_of(named, asked.ids, texts, asked)
        not_there = [
            replace(problem, where=f"ground truth, row {named[at].line + 1}")
            for at, problem in misplaced[:MAX_PROBLEMS]
        ]
        if named and evidence is None:
            raise DataError(not_there)
        rules = rules_over(conditions_of(forbidden), corpus, asked, texts)
        qrels = qrels.with_rules(rules, cut=corpus is not None).with_units(units)
        counts = {"numeric_ids": text_ids.count} if text_ids.count else {}
        dataset = cls(
            name,
            corpus,
            asked,
            qrels,
            drop_self,
            counts,
            documents=texts,
            evidence=evidence,
            coverage=coverage,
            together=together,
        )
        faults = islice(
            judgment_faults(qrels, asked, corpus, known_units, allow_missing=allow_missing),
            MAX_PROBLEMS,
        )
        problems = [problem for _, problem in faults]
        problems += not_there[: MAX_PROBLEMS - len(problems)]
        if problems:
            raise DataError(problems)
        return dataset

    def chunked(self, by: Mapping[str, Chunks]) -> Dataset:
        """The dataset whose passages are chunks of its documents; evidence judges them.

        Args:
            by: the chunks of each chunker, by a name for it.
        """
        if self.documents is None:
            raise DataError(f"the dataset '{self.name}' has no documents that could be cut")
        chunkings = Chunkings.of(self.documents, by)
        qrels = chunked_qrels(
            self.qrels,
            chunkings,
            self.queries,
            self.documents,
            self.evidence,
            coverage=self.coverage,
            together=self.together,
        )
        uncut = self.uncut or self
        return replace(self, corpus=chunkings.corpus, qrels=qrels, chunkings=chunkings, uncut=uncut)

    def part(self, chunkers: Sequence[str]) -> Dataset:
        """The dataset as a retriever knows it that searches the chunks of some chunkers alone: the
        judgments are of these, and needs that none of them covers still count. Where nothing was
        chunked, the dataset itself.

        Args:
            chunkers: names in :attr:`chunkings`; the whole dataset if there are none.
        """
        chunkings = self.chunkings
        chosen = () if chunkings is None else tuple(n for n in chunkings.names if n in chunkers)
        if chunkings is None or chosen in ((), chunkings.names):
            return self
        if chosen not in self._parts:
            own = chunkings.part(chosen)
            qrels = self.qrels.part(chunkings.rows_of(chosen), own.corpus.ids)
            made = replace(self, corpus=own.corpus, qrels=qrels, chunkings=own)
            self._parts[chosen] = made
        return self._parts[chosen]

    @cached_property
    def _parts(self) -> dict[tuple[str, ...], Dataset]:
        return {}

    def reachable_depth(self, depth: int) -> int:
        """How many passages a run over it can have: the depth, or all there are."""
        return min(depth, len(self.corpus)) if self.corpus is not None else depth

    @property
    def missing_passages(self) -> Sequence[str]:
        """Judged ids of passages that the corpus lacks, or of units that no passage has."""
        if self.corpus is None:
            return []
        return self.qrels.unknown(self.corpus.ids)

    @property
    def n_judgeable(self) -> int | None:
        """How many places a ranking of all there is has: the passages, or the units and the
        passages without one where cutoffs count these; None without a corpus."""
        units = self.qrels.units
        if self.corpus is None or units is None or units.unit.cutoff == "passages":
            return None if self.corpus is None else len(self.corpus)
        return units.count + units.without

    def __repr__(self) -> str:
        texts = [] if self.corpus is None else [f"{len(self.corpus):,} passages"]
        if self.sample is not None:
            texts = [str(self.sample.size())]
        texts += [] if self.documents is None else [f"{len(self.documents):,} documents"]
        judged = [f"{len(self.qrels):,} judgments"] if len(self.qrels) or not self.evidence else []
        judged += [f"{len(self.evidence):,} spans"] if self.evidence else []
        parts = [*(texts or ["no corpus"]), f"{len(self.queries):,} queries", *judged]
        return f"Dataset({in_short(self.name)}: {', '.join(parts)})"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ids, texts, titles, judgments and evidence, of all that every retriever and
        measure reads: 64 hex digits. Chunks are none of it: they follow from it."""
        if self.uncut is not None:
            return self.uncut.digest
        corpus = self.corpus.digest if self.corpus is not None else ""
        parts = [corpus, self.queries.digest, self.qrels.digest, str(self.drop_self)]
        # Without documents and evidence the digest is what it was before there were any.
        parts += [part.digest for part in (self.documents, self.evidence) if part is not None]
        if self.coverage != WHOLE:
            parts.append(str(self.coverage))
        if self.together:
            parts.append("together")
        if self.sample is not None:
            parts.append(canonical_json(self.sample.to_dict()))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def metadata_digest(self) -> str:
        """SHA-256 of the tags and metadata of passages and queries, which filters, parents and
        slices read: 64 hex digits."""
        if self.uncut is not None:
            return self.uncut.metadata_digest
        columns = [part for part in (self.corpus, self.queries) if part is not None]
        digests = [
            digest_metadata(table)
            for part in columns
            for table in ({row: {"tags": tags} for row, tags in part.tags.items()}, part.metadata)
        ]
        if self.documents is not None:
            digests.append(digest_metadata(self.documents.metadata))
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()
