"""What may be wrong with a dataset before anything is searched: a function for each check, and at
the end the table of them all, with what each says.

To add one: copy a neighbour, and add it to :data:`CHECKS` and to docs/check.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.dataset.incomplete import without_judgments, without_relevant
from ragscore.dataset.spellings import CERTAIN, SPELLINGS
from ragscore.dataset.text_columns import empty_texts
from ragscore.diagnose.checked_data import CheckedData, groups
from ragscore.diagnose.text_faults import (
    broken_pieces,
    damaged_pieces,
    repeated_lines,
    shared_phrases,
)
from ragscore.elements.numbers import NOTHING, count_text, share_text
from ragscore.encoders import Truncation
from ragscore.errors import ConfigError
from ragscore.messages import Message, Text, _
from ragscore.names import shortened

Severity = Literal["error", "warning", "note"]
"""An error makes numbers wrong, a warning makes them mean less, a note is worth a look."""


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


@dataclass(frozen=True)
class Check:
    """One thing that may be wrong with a dataset.

    Attributes:
        severity: of what it finds.
        look: looks for it; None if it cannot be looked for.
        what: what was found; ends where ": 3 of 50" goes on.
        why: why it matters for the numbers.
        fix: what to do.
        of_documents: False if it says nothing of whole documents in place of passages.
    """

    severity: Severity
    look: Callable[[CheckedData], Affected | None]
    what: Message
    why: Message
    fix: Message
    of_documents: bool = True


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
    qrels, needs = data.dataset.qrels, data.dataset.qrels.needs
    if needs is None:
        return None
    covering = np.repeat(np.arange(len(qrels)), np.diff(needs.indptr))
    covered = np.zeros(len(needs.best), dtype=bool)
    known = data.reachable[covering]
    covered[needs.bounds[data.query_of[covering[known]]] + needs.need[known]] = True
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
    grades = data.dataset.qrels.grades
    pairs = data.copies_beside(np.flatnonzero(grades >= 0))
    pairs = pairs[grades[pairs[:, 0]] != grades[pairs[:, 1]]]
    return _of_pairs(data, pairs)


def _of_pairs(data: CheckedData, judgments: NDArray[np.int64]) -> Affected:
    """The queries for which two passages have grades that go ill together: int64[m, 2]."""
    queries = np.unique(data.query_of[judgments[:, 0]])
    return Affected(queries, len(data.dataset.queries), map(data.graded, judgments.tolist()))


def unjudged_copies(data: CheckedData) -> Affected | None:
    """A copy of a relevant passage is not judged."""
    if not data.judges_passages:
        return None
    qrels, width = data.dataset.qrels, max(len(data.dataset.qrels.passages), 1)
    copied = np.flatnonzero(data.copies[data.first_copy[qrels.rows]] > 1)
    keys = data.query_of[copied] * width + data.first_copy[qrels.rows[copied]]
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
    if (needs := data.dataset.qrels.needs) is not None:  # copies for the same need count once
        need = needs.need[needs.indptr[pairs]]
        pairs = pairs[need[:, 0] != need[:, 1]]
    named = (
        f"{data.asked(one)}: {data.judged(one)} = {data.judged(other)}"
        for one, other in pairs.tolist()
    )
    return Affected(np.unique(data.query_of[pairs[:, 0]]), len(data.dataset.queries), named)


def queries_without_judgments(data: CheckedData) -> Affected:
    """Queries that nobody judged."""
    queries = data.dataset.queries
    without = without_judgments(queries, data.dataset.qrels, data.dataset.evidence)
    unplaced = queries.ids.rows(row.query_id for row, _count in data.unplaced)
    without[unplaced[unplaced >= 0]] = False  # found by a check of its own
    rows = np.flatnonzero(without).tolist()
    return Affected(rows, len(queries), map(data.question, rows))


def queries_without_relevant(data: CheckedData) -> Affected:
    """Queries whose judgments are all 0."""
    queries = data.dataset.queries
    without = without_relevant(queries, data.dataset.qrels, data.dataset.evidence)
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
    sizes, query = queries.shingle_counts, data.query_of[data.relevant]
    rows = data.dataset.qrels.rows[data.relevant].astype(np.int64)
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
    kinds = data.dataset.qrels.queries, data.dataset.qrels.passages
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
    relevant = np.isin(rows, data.dataset.qrels.rows[data.relevant]).sum()
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
    qrels, pairs = data.dataset.qrels, data.near_pairs
    width = len(qrels.passages)
    keys = data.query_of * width + qrels.rows  # ascending, as judgments are
    order = np.argsort(qrels.rows, kind="stable")
    starts = np.searchsorted(qrels.rows[order], pairs[:, 0], side="left")
    lengths = np.searchsorted(qrels.rows[order], pairs[:, 0], side="right") - starts
    one = order[ranges(starts, lengths)]
    sought = data.query_of[one] * width + np.repeat(pairs[:, 1], lengths)
    other = np.minimum(np.searchsorted(keys, sought), max(len(keys) - 1, 0))
    found = (keys[other] == sought) & (qrels.grades[one] >= 0) & (qrels.grades[other] >= 0)
    found &= (qrels.grades[one] > 0) != (qrels.grades[other] > 0)
    return _of_pairs(data, np.stack([one, other], axis=1)[found])


def reordered_queries(data: CheckedData) -> Affected:
    """Two questions have the same words in another order."""
    rows, examples = list[int](), list[str]()
    for group in groups(data.asked_in_any_order):
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
    passages = data.dataset.qrels.passages
    answered = np.bincount(data.dataset.qrels.rows[data.relevant], minlength=len(passages))
    queries = len(np.unique(data.query_of[data.relevant]))
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
    grades = data.dataset.qrels.grades
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


CHECKS: dict[str, Check] = {
    "unreachable-passages": Check(
        "error",
        unreachable_passages,
        _(
            "Relevant judgments of passages that can't be returned: empty, not in the corpus, or "
            "the query itself"
        ),
        _(
            "They count in every denominator of recall, AP and nDCG (unless another passage covers "
            "the same need), so no retriever reaches 1."
        ),
        _("Add the texts, or drop these judgments."),
    ),
    "unplaced-quotes": Check(
        "error",
        unplaced_quotes,
        _(
            "Quotes of evidence that don't occur exactly once in their document, or not at their "
            "start and end"
        ),
        _(
            "Evidence without a certain place judges nothing, so a run refuses this dataset; the "
            "other checks cover the rest. In brackets: how often the quote occurs."
        ),
        _(
            "`ragscore anchor` finds quotes that differ in a few characters. A quote that occurs "
            "several times needs `start` and `end`, or more words; if it occurs once, its `start` "
            "and `end` are wrong."
        ),
    ),
    "empty-queries": Check(
        "error",
        empty_queries,
        _("Queries without a text"),
        _(
            "Nothing can be found for them: they score 0 for every retriever and lower all means "
            "alike."
        ),
        _("Write the questions, or drop the queries and their judgments."),
    ),
    "uncovered-needs": Check(
        "error",
        uncovered_needs,
        _("Needs that no passage of the corpus covers"),
        _(
            "Such a need counts in every denominator: Complete is 0 for the query whatever is "
            "returned, and recall never reaches 1."
        ),
        _("Name a passage that covers it, or drop the need."),
    ),
    "contradicting-queries": Check(
        "error",
        contradicting_queries,
        _("Queries with the same words and different judgments"),
        _(
            "A retriever returns the same passages for both, so it is wrong for one of them "
            "whatever it returns: no retriever reaches the highest score."
        ),
        _(
            "Give both the same judgments, keep one of them, or write down in their metadata what "
            "tells them apart."
        ),
    ),
    "graded-apart": Check(
        "error",
        graded_apart,
        _("Queries for which copies of one text have different grades"),
        _(
            "No retriever can tell the copies apart, so which one it returns first is chance, and "
            "so is the query's score."
        ),
        _("Give all copies the same grade, or remove all but one from the corpus."),
    ),
    "unjudged-copies": Check(
        "warning",
        unjudged_copies,
        _("Queries whose relevant passage has a copy that is not judged"),
        _(
            "A retriever that returns the unjudged copy has answered the question, but scores as "
            "if it hadn't."
        ),
        _("Judge the copies too, or remove all but one from the corpus."),
    ),
    "copies-judged-together": Check(
        "warning",
        copies_judged_together,
        _("Queries whose relevant passages are copies of each other"),
        _(
            "Returning the same text twice counts as two hits, and a retriever that returns it "
            "once loses recall although the reader misses nothing."
        ),
        _(
            "Write the copies as one need (`needs: [[a, b]]`), or remove all but one from the "
            "corpus."
        ),
    ),
    "queries-without-judgments": Check(
        "warning",
        queries_without_judgments,
        _("Queries without ground truth"),
        _(
            "They are searched and then left out of every mean, so the numbers rest on fewer "
            "queries than the dataset has."
        ),
        _(
            "Judge them, drop them, or mark them `answerable: false` if nothing in the corpus "
            "answers them."
        ),
    ),
    "queries-without-relevant": Check(
        "warning",
        queries_without_relevant,
        _("Judged queries without a relevant passage"),
        _(
            "They score 0 for every retriever, so they lower all means without telling retrievers "
            "apart."
        ),
        _(
            "Find the passage that answers them, mark them `answerable: false`, or leave them out "
            "(`empty=skip` of a measure)."
        ),
    ),
    "repeated-queries": Check(
        "warning",
        repeated_queries,
        _("Queries that repeat another one, with the same judgments"),
        _(
            "A question asked twice counts twice in every mean. Intervals and tests take the two "
            "as independent, so they look surer than they are."
        ),
        _(
            "Keep one of them; or, if real traffic repeats them, give them a tag and name it with "
            "--cluster."
        ),
    ),
    "copied-questions": Check(
        "warning",
        copied_questions,
        _("Questions copied from a passage that answers them"),
        _(
            "At least seven in ten word triples of the question occur in the passage, in the same "
            "order. Retrievers that match words find it at once, and look better than they would "
            "with real users."
        ),
        _(
            "Ask the question as a user would who has not read the passage; or tag these queries, "
            "and look at the others separately (`--slices`)."
        ),
    ),
    "ids-alike": Check(
        "warning",
        ids_alike,
        _("Ids that differ only in case, blanks, Unicode form, leading zeros or .0"),
        _(
            "One step of a pipeline that writes ids differently (a spreadsheet, a file system, a "
            "lower-casing index) turns two passages into one, and hits are lost."
        ),
        _(
            "Rename them, or check that they name different things and that every system keeps "
            "them unchanged."
        ),
    ),
    "damaged-texts": Check(
        "warning",
        damaged_texts,
        _("Passages, documents and queries with lost or misread characters"),
        _(
            "A word read in the wrong encoding is a different word: neither BM25 nor a model finds "
            "it, and the text scores worse through no fault of the retriever."
        ),
        _("Read the source again with its own encoding (`encoding: cp949`, `cp1252`, ...)."),
    ),
    "broken-words": Check(
        "warning",
        broken_words,
        _("Passages with broken words: cut at the end of a line, or spaced letter by letter"),
        _(
            "The pieces are different words: neither BM25 nor a model finds the whole word, which "
            "occurs elsewhere in these texts (or has many letters)."
        ),
        _("Join lines and hyphenated words when you convert PDF files to text."),
    ),
    "cut-passages": Check(
        "warning",
        cut_passages,
        _("Passages longer than {encoder} reads ({limit} tokens)"),
        _(
            "What is cut off cannot be found: {unread} of the tokens of these passages are not "
            "read. Relevant for a query: {relevant} of these passages."
        ),
        _(
            "Cut the passages shorter, let the encoder read them in windows (`kind: "
            "multi-vector`), or choose an encoder that reads more."
        ),
        of_documents=False,  # only chunks are encoded
    ),
    "nearly-equal-graded-apart": Check(
        "note",
        nearly_equal_graded_apart,
        _("Queries for which one of two nearly equal passages is relevant and the other is not"),
        _(
            "Either the small difference is what the question is about (a superseded rule, another "
            "year), or one of the grades is wrong."
        ),
        _(
            "Read the examples. If the difference is intended, this is a hard and useful query; "
            "otherwise give both the same grade."
        ),
    ),
    "reordered-queries": Check(
        "note",
        reordered_queries,
        _("Queries with the same words in another order"),
        _(
            "Retrievers that ignore the order of words, as BM25 does, return the same passages for "
            "them; if they mean the same, they count twice."
        ),
        _("Read them: if they mean the same, keep one; if not, check their judgments."),
    ),
    "hub-passages": Check(
        "note",
        hub_passages,
        _(
            "Passages that are relevant for at least ten queries and for more than a tenth of all "
            "queries"
        ),
        _(
            "A retriever that returns such a passage for every query scores well without reading "
            "the question."
        ),
        _(
            "Read it: a table of contents or an introduction is rarely the answer. Ask more "
            "questions about other passages."
        ),
        of_documents=False,  # one document may well answer most questions
    ),
    "unused-grades": Check(
        "note",
        unused_grades,
        _("Grades above 0 that no judgment has ({grades})"),
        _(
            "nDCG uses grades as they are: 3 has three times the gain of 1, whether or not 2 is "
            "used. And relevant_from may be set to a grade that nobody gives."
        ),
        _(
            "Check that no grade was lost on the way. If the gap is intended, choose the gain with "
            "`nDCG(gain={1: 1, 3: 2})`."
        ),
    ),
    "duplicated-passages": Check(
        "note",
        duplicated_passages,
        _("Passages that repeat the title and text of another"),
        _("Copies take the places of other passages in the results, and only judged copies count."),
        _(
            "Remove copies before you index, or return one passage for each text (`collapse`). "
            "Texts that occur more than once: {texts}."
        ),
    ),
    "tiny-passages": Check(
        "note",
        tiny_passages,
        _("Passages that are empty, or much shorter than the others"),
        _(
            "Page numbers, headings and leftovers of a conversion take up places in the results; "
            "BM25 and many models favour short texts."
        ),
        _("Drop them, or join each with its neighbour if it answers nothing alone."),
    ),
    "repeated-phrases": Check(
        "note",
        repeated_phrases,
        _("Passages with a phrase that many passages, or many of their lines, repeat"),
        _(
            "Headers and footers of pages make different passages look alike, and interrupt "
            "sentences that continue on the next page."
        ),
        _("Remove them when you convert pages to text. In brackets: how often they occur."),
    ),
    "nearly-equal-passages": Check(
        "note",
        nearly_equal_passages,
        _("Passages that share four fifths of their word triples with another"),
        _(
            "Nearly equal passages (versions, overlapping chunks, page headers) crowd each other "
            "out of the results, and only those that are judged count."
        ),
        _("Check that they belong there, and judge all that answer a query."),
    ),
}
"""Name to check; the most severe first."""
