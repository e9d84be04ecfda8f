"""What may be wrong with a dataset before anything is searched: a function for each check, and the
data that they look at.

To add one: copy a neighbour, and give it a name and its sentences in :data:`CHECKS` of
check_run.py, and a line in docs/check.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import changes, ranges
from ragscore.dataset import Dataset, Qrels
from ragscore.dataset.incomplete import without_judgments, without_relevant
from ragscore.dataset.located import UnplacedQuote
from ragscore.dataset.spellings import CERTAIN, SPELLINGS
from ragscore.dataset.text_columns import empty_texts
from ragscore.diagnose.duplicates import TextWords, near_duplicate_pairs, new_vocabulary
from ragscore.diagnose.text_faults import (
    broken_pieces,
    damaged_pieces,
    repeated_lines,
    shared_phrases,
)
from ragscore.elements.numbers import NOTHING, count_text, share_text
from ragscore.encoders import EncoderSpec, Truncation
from ragscore.errors import ConfigError
from ragscore.messages import Text
from ragscore.names import shortened

Severity = Literal["error", "warning", "note"]
"""An error makes numbers wrong, a warning makes them mean less, a note is worth a look."""


@dataclass(frozen=True, eq=False)
class CheckedData:
    """A dataset, and what is computed of it.

    Attributes:
        dataset: the dataset.
        encoder: whose limit passages are held against; None for none.
        unplaced: evidence that was left out, since its quote has no certain place.
    """

    dataset: Dataset
    encoder: EncoderSpec | None = None
    unplaced: tuple[UnplacedQuote, ...] = ()

    @cached_property
    def texts(self) -> Sequence[str]:
        """What retrievers index of each passage: title and text; empty without a corpus."""
        return () if self.dataset.corpus is None else self.dataset.corpus.content()

    @cached_property
    def judges_passages(self) -> bool:
        """Whether judgments name passages, whose texts are known: not units of them."""
        corpus = self.dataset.corpus
        return corpus is not None and self.qrels.passages.starts_with(corpus.ids)

    @cached_property
    def empty(self) -> NDArray[np.bool_]:
        """Which passages have neither title nor text: bool[N]."""
        return empty_texts(self.texts)

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self.dataset.qrels

    @cached_property
    def relevant(self) -> NDArray[np.int64]:
        """The judgments with a grade above 0: int64[m]."""
        return np.flatnonzero(self.qrels.grades > 0)

    @cached_property
    def reachable(self) -> NDArray[np.bool_]:
        """Which judgments name a passage that can come back for the query: bool[n]. One that is
        empty, or not in the corpus, or the query itself where that is dropped, cannot."""
        qrels = self.qrels
        there = np.ones(len(qrels), dtype=bool)
        if self.judges_passages:
            there = qrels.rows < len(self.texts)
            there[there] = ~self.empty[qrels.rows[there]]
        if self.dataset.drop_self:
            there &= qrels.passages.rows(qrels.queries)[qrels.query_of] != qrels.rows
        return there

    @cached_property
    def words(self) -> tuple[TextWords, TextWords]:
        """The words of the queries and of the passages, of one vocabulary."""
        queries, known = self.dataset.queries.texts, self._vocabulary
        return TextWords.of(queries, known), TextWords.of(self.texts, known)

    @cached_property
    def _vocabulary(self) -> defaultdict[str, int]:
        return new_vocabulary()

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return np.bincount(self.words[1].words, minlength=len(self._vocabulary) + 1)

    def count_of(self, word: str) -> int:
        """How often a lower-cased word stands in passages."""
        counts = self._counts
        return int(counts[self._vocabulary.get(word, 0)])

    @cached_property
    def first_copy(self) -> NDArray[np.int64]:
        """The first passage with the same title and text, but for case and white space: int64 by
        row of the corpus, and of judged ids that it lacks; an empty passage, and one that is not
        in the corpus, is its own."""
        first: dict[str, int] = {}
        rows = np.arange(max(len(self.texts), len(self.qrels.passages)))
        for row in np.flatnonzero(~self.empty).tolist():
            text = " ".join(self.texts[row].split()).lower()
            rows[row] = first.setdefault(text, row)
        return rows

    @cached_property
    def copies(self) -> NDArray[np.int64]:
        """How many passages are the same as each one that is the first of them: int64."""
        return np.bincount(self.first_copy, minlength=len(self.first_copy))

    def copies_beside(self, judgments: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some judgments whose passages are copies, each with the next one of the same
        query and text: int64[m, 2]."""
        text = self.first_copy[self.qrels.rows]
        several = judgments[self.copies[text[judgments]] > 1]
        order = several[np.lexsort((text[several], self.qrels.query_of[several]))]
        next_one = np.flatnonzero(~changes(self.qrels.query_of[order], text[order]))
        return np.stack([order[next_one - 1], order[next_one]], axis=1)

    @cached_property
    def near_pairs(self) -> NDArray[np.int64]:
        """The pairs of passages that are nearly the same, and not the same: int64[m, 2]."""
        firsts = np.unique(self.first_copy[: len(self.texts)][~self.empty])
        return near_duplicate_pairs(self.words[1], firsts)

    @cached_property
    def asked_alike(self) -> NDArray[np.int64]:
        """For each query, the first that has the same words in the same order and the same
        metadata; itself where it has no word: int64[Q]."""
        return self.first_with_words(in_order=True)

    def first_with_words(self, *, in_order: bool) -> NDArray[np.int64]:
        """The same of words in this order, or in any."""
        asked, metadata = self.words[0], self.dataset.queries.metadata
        first: dict[tuple[bytes, str], int] = {}
        rows = np.arange(len(asked))
        for row in np.flatnonzero(asked.lengths).tolist():
            words = asked.words[asked.bounds[row] : asked.bounds[row + 1]]
            key = (words if in_order else np.sort(words)).tobytes()
            values = repr(sorted(metadata[row].items())) if row in metadata else ""
            rows[row] = first.setdefault((key, values), row)
        return rows

    def answers_of(self, query: int) -> tuple[dict[int, float], list[tuple[float, ...]]]:
        """What answers one query: its judgments, and its evidence in documents."""
        return self.judgments_of(query), self._evidence.get(query, [])

    @cached_property
    def _evidence(self) -> dict[int, list[tuple[float, ...]]]:
        """By query, document, start, end, grade and need of each span."""
        spans: dict[int, list[tuple[float, ...]]] = {}
        if (known := self.dataset.evidence) is not None:
            columns = (known.document, known.start, known.end, known.grade, known.need)
            rows = zip(*(column.tolist() for column in columns), strict=True)
            for query, span in zip(known.query.tolist(), rows, strict=True):
                spans.setdefault(query, []).append(span)
        return spans

    def judgments_of(self, query: int) -> dict[int, float]:
        """Passage to grade of one query."""
        qrels = self.qrels
        part = slice(qrels.indptr[query], qrels.indptr[query + 1])
        return dict(zip(qrels.rows[part].tolist(), qrels.grades[part].tolist(), strict=True))

    def asked(self, judgment: int) -> str:
        """The id of the query of a judgment."""
        return self.query(int(self.qrels.query_of[judgment]))

    def judged(self, judgment: int) -> str:
        """The id of the passage of a judgment."""
        return self.passage(int(self.qrels.rows[judgment]))

    def graded(self, judgments: Sequence[int]) -> str:
        """The query of some judgments, and the passage and grade of each."""
        grades = self.qrels.grades
        listed = (f"{self.judged(judgment)} ({grades[judgment]:g})" for judgment in judgments)
        return f"{self.asked(judgments[0])}: {', '.join(listed)}"

    def passage(self, row: int) -> str:
        """The id of a passage, also of one that the corpus lacks."""
        corpus = self.dataset.corpus
        known = corpus is not None and row < len(corpus)
        return shortened((corpus.ids if corpus and known else self.qrels.passages)[row])

    def query(self, row: int) -> str:
        """The id of a query."""
        return shortened(self.qrels.queries[row])

    def question(self, row: int) -> str:
        """The id of a query, and its text in short."""
        return f'{self.query(row)} "{shortened(self.dataset.queries.texts[row])}"'

    def quoted(self, row: int) -> str:
        """The id of a passage, and its text in short."""
        return f'{self.passage(row)} "{shortened(self.texts[row].strip())}"'


@dataclass(frozen=True)
class Affected:
    """What a check found.

    Attributes:
        rows: what is affected, each once; nothing is shown where there is none.
        of: of how many.
        examples: ids and texts; the first ones are shown.
        facts: what the check's messages name.
        severity: where it depends on what was found; None for that of the check.
    """

    rows: Sized
    of: int
    examples: Iterable[str]
    facts: Mapping[str, Text] = field(default_factory=dict)
    severity: Severity | None = None


def unreachable_passages(data: CheckedData) -> Affected:
    """Relevant passages that no retriever can return."""
    at = data.relevant[~data.reachable[data.relevant]].tolist()
    named = (f"{data.asked(judgment)}: {data.judged(judgment)}" for judgment in at)
    return Affected(at, len(data.relevant), named)


def unplaced_quotes(data: CheckedData) -> Affected:
    """Quotes of evidence that are not in their document once, or not where given."""
    known = 0 if data.dataset.evidence is None else len(data.dataset.evidence)
    examples = (
        f"{shortened(row.query_id)}: {shortened(row.evidence.document)} "
        f'"{shortened(row.evidence.quote or "")}" ({count})'
        for row, count in data.unplaced
    )
    return Affected(data.unplaced, known + len(data.unplaced), examples)


def empty_queries(data: CheckedData) -> Affected:
    """Queries without a text."""
    rows = np.flatnonzero(empty_texts(data.dataset.queries.texts)).tolist()
    return Affected(rows, len(data.dataset.queries), map(data.query, rows))


def uncovered_needs(data: CheckedData) -> Affected | None:
    """Needs that no passage of the corpus covers."""
    qrels, needs = data.qrels, data.qrels.needs
    if needs is None:
        return None
    covering = np.repeat(np.arange(len(qrels)), np.diff(needs.indptr))
    covered = np.zeros(len(needs.best), dtype=bool)
    known = data.reachable[covering]
    covered[needs.bounds[qrels.query_of[covering[known]]] + needs.need[known]] = True
    if (spans := data.dataset.evidence) is not None:
        covered[needs.bounds[spans.query] + spans.need] = True
    for unplaced, _count in data.unplaced:  # found by a check of its own
        row = qrels.queries.row(unplaced.query_id)
        covered[needs.bounds[row] : needs.bounds[row + 1]][unplaced.need :][:1] = True
    at = np.flatnonzero(~covered)
    queries = np.searchsorted(needs.bounds, at, side="right") - 1
    named = (
        f"{data.question(row)}: needs.{place}"
        for row, place in zip(queries.tolist(), (at - needs.bounds[queries]).tolist(), strict=True)
    )
    return Affected(at, len(needs.best), named)


def contradicting_queries(data: CheckedData) -> Affected:
    """The same question is asked twice and judged in two ways."""
    rows, examples = list[int](), list[str]()
    for group in groups(data.asked_alike):
        judged = [row for row in group if any(data.answers_of(row))]
        differing = [row for row in judged if data.answers_of(row) != data.answers_of(judged[0])]
        if differing:
            rows += judged
            examples.append(f"{data.question(judged[0])} = {data.question(differing[0])}")
    return Affected(rows, len(data.dataset.queries), examples)


def graded_apart(data: CheckedData) -> Affected | None:
    """Copies of one text have different grades for the same query."""
    if not data.judges_passages:
        return None
    grades = data.qrels.grades
    pairs = data.copies_beside(np.flatnonzero(grades >= 0))
    pairs = pairs[grades[pairs[:, 0]] != grades[pairs[:, 1]]]
    return _of_pairs(data, pairs)


def _of_pairs(data: CheckedData, judgments: NDArray[np.int64]) -> Affected:
    """The queries for which two passages have grades that go ill together: int64[m, 2]."""
    queries = np.unique(data.qrels.query_of[judgments[:, 0]])
    return Affected(queries, len(data.dataset.queries), map(data.graded, judgments.tolist()))


def unjudged_copies(data: CheckedData) -> Affected | None:
    """A copy of a relevant passage is not judged."""
    if not data.judges_passages:
        return None
    qrels, width = data.qrels, max(len(data.qrels.passages), 1)
    copied = np.flatnonzero(data.copies[data.first_copy[qrels.rows]] > 1)
    keys = qrels.query_of[copied] * width + data.first_copy[qrels.rows[copied]]
    named, judged_copies = np.unique(keys, return_counts=True)
    relevant = np.isin(named, keys[qrels.grades[copied] > 0])
    found = named[relevant & (judged_copies < data.copies[named % width])]
    queries, texts = np.divmod(found, width)

    def example(query: int, text: int) -> str:
        judged = data.judgments_of(query)
        rows = np.flatnonzero(data.first_copy == text).tolist()
        known = next(row for row in rows if judged.get(row, 0) > 0)
        unknown = next(row for row in rows if row not in judged)
        grade = f"{judged[known]:g}"
        return f"{data.query(query)}: {data.passage(known)} ({grade}) = {data.passage(unknown)} (-)"

    examples = map(example, queries.tolist(), texts.tolist())
    return Affected(np.unique(queries), len(data.dataset.queries), examples)


def copies_judged_together(data: CheckedData) -> Affected | None:
    """Several relevant passages of one query are copies of each other."""
    if not data.judges_passages:
        return None
    pairs = data.copies_beside(data.relevant)
    if (needs := data.qrels.needs) is not None:  # copies for the same need count once
        need = needs.need[needs.indptr[pairs]]
        pairs = pairs[need[:, 0] != need[:, 1]]
    named = (
        f"{data.asked(one)}: {data.judged(one)} = {data.judged(other)}"
        for one, other in pairs.tolist()
    )
    return Affected(np.unique(data.qrels.query_of[pairs[:, 0]]), len(data.dataset.queries), named)


def queries_without_judgments(data: CheckedData) -> Affected:
    """Queries that nobody judged."""
    queries = data.dataset.queries
    without = without_judgments(queries, data.qrels, data.dataset.evidence)
    unplaced = queries.ids.rows(row.query_id for row, _count in data.unplaced)
    without[unplaced[unplaced >= 0]] = False  # found by a check of its own
    rows = np.flatnonzero(without).tolist()
    return Affected(rows, len(queries), map(data.question, rows))


def queries_without_relevant(data: CheckedData) -> Affected:
    """Queries whose judgments are all 0."""
    queries = data.dataset.queries
    without = without_relevant(queries, data.qrels, data.dataset.evidence)
    rows = np.flatnonzero(without).tolist()
    return Affected(rows, len(queries), map(data.question, rows))


def repeated_queries(data: CheckedData) -> Affected:
    """The same question is asked twice and judged in the same way."""
    rows, examples = list[int](), list[str]()
    for first, *others in groups(data.asked_alike):
        same = [row for row in others if data.answers_of(row) == data.answers_of(first)]
        rows += same
        examples += [f"{data.question(first)} = {data.question(row)}" for row in same[:1]]
    return Affected(rows, len(data.dataset.queries), examples)


MIN_COPIED_SHARE, MIN_SHINGLES = 0.7, 5
"""Share of a question's shingles that its answer has; a question of fewer shingles has words of its
answer by nature."""
MANY, MANY_SHARE = 5, 0.1
"""From this many questions on, and this share of all, it is how they were made; a user, too,
now and then asks in the words of the text."""


def copied_questions(data: CheckedData) -> Affected | None:
    """Questions that are copied from the passage that answers them."""
    if not data.judges_passages:
        return None
    queries, passages = data.words
    sizes, query = queries.shingle_counts, data.qrels.query_of[data.relevant]
    rows = data.qrels.rows[data.relevant].astype(np.int64)
    kept = (sizes[query] >= MIN_SHINGLES) & (rows < len(passages))
    rows, query = rows[kept], query[kept]
    share = queries.shared_counts(query, passages, rows) / sizes[query]
    at = np.flatnonzero(share >= MIN_COPIED_SHARE)
    found, first = np.unique(query[at], return_index=True)
    named = (
        f"{data.question(int(query[place]))}: {data.passage(int(rows[place]))} "
        f"({share_text(float(share[place]))})"
        for place in at[first].tolist()
    )
    many = len(found) >= max(MANY, MANY_SHARE * len(queries))
    return Affected(found, len(queries), named, severity="warning" if many else "note")


def ids_alike(data: CheckedData) -> Affected:
    """Ids that differ in nothing that a reader sees."""
    kinds = data.qrels.queries, data.qrels.passages
    examples = []
    for ids in kinds:
        first: dict[str, str] = {}
        for text in ids:
            form = text
            for spelling in (*CERTAIN, "zeros"):
                form = SPELLINGS[spelling](form)
            if (known := first.setdefault(form, text)) != text:
                examples.append(f"{known!r} = {text!r}")
    return Affected(examples, sum(map(len, kinds)), examples)


def damaged_texts(data: CheckedData) -> Affected:
    """Texts whose characters were lost or read in a wrong encoding."""
    queries = data.dataset.queries
    found = [f"{data.query(row)}: {piece!r}" for row, piece in damaged_pieces(queries.texts)]
    found += [f"{data.passage(row)}: {piece!r}" for row, piece in damaged_pieces(data.texts)]
    return Affected(found, len(data.texts) + len(queries), found)


def broken_words(data: CheckedData) -> Affected:
    """Words in pieces: hyphenated or cut at the end of a line, or written letter by letter."""
    found = broken_pieces(data.texts, data.count_of)
    named = (f"{data.passage(row)}: {shortened(piece)!r}" for row, piece in found.items())
    return Affected(found, len(data.texts), named)


def cut_passages(data: CheckedData) -> Affected | None:
    """Passages that are longer than an encoder reads."""
    if data.encoder is None or data.dataset.corpus is None:
        return None
    cuts = data.encoder.open().token_cuts(data.texts, "passage")
    if cuts is None:
        raise ConfigError(
            f"the encoder '{data.encoder.kind}' does not say how much of a text it reads",
            where="encoder",
            instead="Name one with a model: minilm, or {kind: sentence-transformers, model: ...}",
        )
    truncation = Truncation.of(data.encoder.kind, "passage", cuts)
    rows = np.flatnonzero(cuts[:, 0] > 0)
    relevant = np.isin(rows, data.qrels.rows[data.relevant]).sum()
    facts = {
        "encoder": truncation.retriever,
        "limit": count_text(truncation.limit),
        "unread": share_text(truncation.unread_share),
        "relevant": count_text(int(relevant)) if data.judges_passages else NOTHING,
    }
    named = (f"{data.passage(row)} ({cuts[row, 0]:,} > {cuts[row, 1]:,})" for row in rows.tolist())
    return Affected(rows, truncation.texts, named, facts)


def nearly_equal_graded_apart(data: CheckedData) -> Affected | None:
    """Passages that are nearly the same have different grades for the same query."""
    if not data.judges_passages:
        return None
    qrels, pairs = data.qrels, data.near_pairs
    width = len(qrels.passages)
    keys = qrels.query_of * width + qrels.rows  # ascending, as judgments are
    order = np.argsort(qrels.rows, kind="stable")
    starts = np.searchsorted(qrels.rows[order], pairs[:, 0], side="left")
    lengths = np.searchsorted(qrels.rows[order], pairs[:, 0], side="right") - starts
    one = order[ranges(starts, lengths)]
    sought = qrels.query_of[one] * width + np.repeat(pairs[:, 1], lengths)
    other = np.minimum(np.searchsorted(keys, sought), max(len(keys) - 1, 0))
    found = (keys[other] == sought) & (qrels.grades[one] >= 0) & (qrels.grades[other] >= 0)
    found &= (qrels.grades[one] > 0) != (qrels.grades[other] > 0)
    return _of_pairs(data, np.stack([one, other], axis=1)[found])


def reordered_queries(data: CheckedData) -> Affected:
    """Two questions have the same words in another order."""
    rows, examples = list[int](), list[str]()
    for group in groups(data.first_with_words(in_order=False)):
        kinds = np.unique(data.asked_alike[group]).tolist()
        if len(kinds) > 1:
            rows += group
            examples.append(f"{data.question(kinds[0])} = {data.question(kinds[1])}")
    return Affected(rows, len(data.dataset.queries), examples)


HUB_QUERIES, HUB_SHARE, HUB_TIMES = 10, 0.1, 10
"""At least this many queries, more than this share of all, and this multiple of the relevant
passages answer on average."""


def hub_passages(data: CheckedData) -> Affected:
    """Passages that answer suspiciously many queries."""
    passages = data.qrels.passages
    answered = np.bincount(data.qrels.rows[data.relevant], minlength=len(passages))
    queries = len(np.unique(data.qrels.query_of[data.relevant]))
    usual = len(data.relevant) / max(int(np.count_nonzero(answered)), 1)
    often = (answered >= HUB_QUERIES) & (answered >= HUB_TIMES * usual)
    rows = np.flatnonzero(often & (answered > HUB_SHARE * queries))
    rows = rows[np.argsort(-answered[rows], kind="stable")]
    named = (f"{shortened(passages[row])}: {answered[row]:,}" for row in rows.tolist())
    return Affected(rows, len(passages), named)


MAX_SCALE = 10
"""Larger grades are scores, such as votes, and no scale."""


def unused_grades(data: CheckedData) -> Affected | None:
    """Whole numbers of the scale that no judgment has."""
    grades = data.qrels.grades
    used, counts = np.unique(grades[grades > 0], return_counts=True)
    if not len(used) or (used != np.rint(used)).any() or used[-1] > MAX_SCALE:
        return None  # real-valued grades have no scale with gaps
    scale = np.arange(1, used[-1] + 1)
    unused = [f"{grade:g}" for grade in scale[~np.isin(scale, used)].tolist()]
    named = (f"{grade:g}: {n:,}" for grade, n in zip(used.tolist(), counts.tolist(), strict=True))
    return Affected(unused, len(scale), named, {"grades": ", ".join(unused)})


def duplicated_passages(data: CheckedData) -> Affected:
    """Passages with the same text."""
    copies = groups(data.first_copy[: len(data.texts)])
    repeats = [row for _first, *others in copies for row in others]
    named = (f"{data.quoted(one)} = {data.passage(other)}" for one, other, *_more in copies)
    return Affected(repeats, len(data.texts), named, {"texts": count_text(len(copies))})


MIN_SIGNS, MEDIAN_SHARE = 20, 0.1
"""A passage with this many letters and digits is not tiny, nor is one with this share of what half
of all passages have."""


def tiny_passages(data: CheckedData) -> Affected | None:
    """Passages that are empty, or so short that nobody can mean them."""
    lengths = np.array([sum(map(str.isalnum, text)) for text in data.texts], dtype=np.int64)
    if not len(lengths):
        return None
    least = min(MIN_SIGNS, MEDIAN_SHARE * float(np.median(lengths)))
    rows = np.flatnonzero((lengths < least) | data.empty).tolist()
    return Affected(rows, len(lengths), map(data.quoted, rows))


MAX_READ = 50_000
"""Of more passages this many are drawn, always the same: headers are everywhere."""


def repeated_phrases(data: CheckedData) -> Affected | None:
    """Headers and footers of pages: the same words in many passages, or in many lines of one."""
    corpus = data.dataset.corpus
    if corpus is None or not len(corpus):
        return None
    drawn = np.random.default_rng(0).choice(len(corpus), min(len(corpus), MAX_READ), replace=False)
    rows = np.sort(drawn)
    texts = [corpus.texts[row] for row in rows.tolist()]
    phrases, affected = shared_phrases(texts, data.first_copy[rows] == rows)
    for row, text in enumerate(texts):
        for line, count in repeated_lines(text):
            affected[row] = True
            phrases[line] = max(phrases[line], count)
    named = (f'"{shortened(phrase)}" ({n})' for phrase, n in phrases.most_common())
    return Affected(np.flatnonzero(affected), len(affected), named)


def nearly_equal_passages(data: CheckedData) -> Affected:
    """Passages that are nearly the same as another."""
    pairs = data.near_pairs
    named = (f"{data.quoted(one)} = {data.quoted(other)}" for one, other in pairs.tolist())
    return Affected(np.unique(pairs), len(data.texts), named)


def groups(first: NDArray[np.int64]) -> list[list[int]]:
    """Rows that share a value, where several do: ascending, by the value.

    Args:
        first: by row, a row.

    >>> groups(np.array([0, 1, 0, 3, 3, 0]))
    [[0, 2, 5], [3, 4]]
    """
    rows = np.flatnonzero(np.bincount(first)[first] > 1)
    rows = rows[np.argsort(first[rows], kind="stable")]
    parts = np.split(rows, np.flatnonzero(np.diff(first[rows])) + 1)
    return [part.tolist() for part in parts if len(part)]
