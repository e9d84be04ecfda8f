"""check_dataset: what the checks of a dataset find, as a record, JSON and elements; at the end the
table of all checks, with what each says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import Field

from ragscore.dataset import Chunks, Corpus, Dataset, Qrels
from ragscore.dataset.located import UnplacedQuote
from ragscore.dataset.projection import projected
from ragscore.described import in_short
from ragscore.diagnose import dataset_checks
from ragscore.diagnose.dataset_checks import Affected, CheckedData, Severity
from ragscore.elements import Element, Lines
from ragscore.elements.numbers import count_text
from ragscore.elements.show import Shown
from ragscore.encoders import Encoder, EncoderSpec
from ragscore.errors import ConfigError, did_you_mean
from ragscore.formats import DatasetSpec
from ragscore.formats.datasets.dataset_loading import load_with_unplaced_quotes
from ragscore.messages import Message, Text, _
from ragscore.records import Record
from ragscore.spec import Spec

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The most severe first."""
MAX_EXAMPLES = 5
"""So many examples of each finding are kept."""


class EncoderOf(Spec):
    """The encoder that passages are held against, checked as in an experiment."""

    encoder: Encoder
    """`minilm`, or `{kind: ..., ...}`."""


@dataclass(frozen=True, repr=False)
class DataFinding(Record):
    """One thing that a check found."""

    check: str
    """Name of the check."""
    severity: Severity
    """An error makes numbers wrong, a warning makes them mean less, a note is worth a look."""
    count: int
    """How many are affected."""
    of: int
    """Of how many."""
    what: Text
    """What was found."""
    why: Text
    """Why it matters for the numbers."""
    fix: Text
    """What to do."""
    examples: tuple[str, ...]
    """The first ones, five at most: ids, grades, the beginnings of texts."""

    def __repr__(self) -> str:
        return f"DataFinding({self.severity} {self.check}: {self.count:,} of {self.of:,})"


@dataclass(frozen=True, repr=False)
class DatasetCheck(Record, Shown):
    """What was found in one dataset; ``str`` is what ``ragscore check`` prints."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    dataset: str
    """Name of the dataset."""
    passages: int
    """Passages in the corpus; 0 without one."""
    queries: int
    """Queries."""
    judgments: int
    """Judgments."""
    documents: int
    """Documents; without passages, each of them is checked as one passage."""
    evidence: int
    """Pieces of evidence in documents."""
    checks: tuple[str, ...]
    """The checks that looked."""
    findings: tuple[DataFinding, ...]
    """What they found, errors first."""

    def at_least(self, severity: Severity) -> tuple[DataFinding, ...]:
        """The findings that are so severe, or more."""
        severe = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return tuple(finding for finding in self.findings if finding.severity in severe)

    def __repr__(self) -> str:
        found = f"{len(self.findings)} findings by {len(self.checks)} checks"
        return f"DatasetCheck({in_short(self.dataset)}: {found})"

    def elements(self) -> list[Element]:
        """What ``ragscore check`` prints."""
        return [_head(self), *map(_finding, self.findings)]


def check_dataset(
    dataset: Dataset | DatasetSpec | str | Path,
    *,
    encoder: EncoderSpec | Mapping[str, Any] | str | None = None,
    checks: Sequence[str] | None = None,
) -> DatasetCheck:
    """Look for what makes the numbers of a dataset wrong, or mean less than they seem to.

    Args:
        dataset: a dataset, or the folder of one.
        encoder: find passages that are longer than it reads; its model is loaded.
        checks: names of the checks that look; by default all.

    Raises:
        ConfigError: a check is unknown, or the encoder does not say what it reads.
        DataError: the folder is not a dataset that can be read.

    >>> from ragscore import Dataset, check_dataset
    >>> data = Dataset.from_rows(
    ...     {"a": "Rent is due on the first.", "b": "A tenant may keep a cat."},
    ...     {"q1": "When is rent due?", "q2": "when is rent due"}, {"q1": ["a"], "q2": ["b"]})
    >>> [(found.check, found.count, found.examples) for found in check_dataset(data).findings]
    [('contradicting-queries', 2, ('q1 "When is rent due?" = q2 "when is rent due"',))]
    """
    names = list(CHECKS) if checks is None else list(dict.fromkeys(checks))
    for name in names:
        if name not in CHECKS:
            raise ConfigError(
                f"unknown check '{name}'", where="checks", instead=did_you_mean(name, list(CHECKS))
            )
    asked = None if encoder is None else EncoderOf(encoder=encoder).encoder
    unplaced: Sequence[UnplacedQuote] = ()
    if isinstance(dataset, Dataset):
        read = dataset
    else:
        read, unplaced = load_with_unplaced_quotes(dataset)
    data = CheckedData(read, asked, tuple(unplaced))
    if read.corpus is None and read.documents is not None:
        data = CheckedData(_documents_as_passages(read), None, tuple(unplaced))
        names = [name for name in names if CHECKS[name].of_documents]
    findings = [finding for name in names for finding in _findings(name, data)]
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return DatasetCheck(
        dataset=read.name,
        passages=0 if read.corpus is None else len(read.corpus),
        queries=len(read.queries),
        judgments=len(read.qrels),
        documents=0 if read.documents is None else len(read.documents),
        evidence=0 if read.evidence is None else len(read.evidence),
        checks=tuple(name for name in names if name != "cut-passages" or encoder is not None),
        findings=tuple(findings),
    )


def _documents_as_passages(dataset: Dataset) -> Dataset:
    """A dataset of documents, each of which is one passage, judged by the evidence it holds."""
    documents = dataset.documents
    assert documents is not None
    corpus, queries = Corpus.uncut(documents), dataset.qrels.queries
    qrels = Qrels.from_dict({}, queries=queries, passages=corpus.ids)
    if dataset.evidence is not None:
        rows = np.arange(len(documents))
        chunks = Chunks.of(rows, np.zeros(len(documents), dtype=np.int64), documents.lengths)
        qrels = projected(
            dataset.evidence, chunks, documents.texts, queries=queries, passages=corpus.ids
        )
    return replace(dataset, corpus=corpus, qrels=qrels)


def _findings(name: str, data: CheckedData) -> Iterator[DataFinding]:
    check = CHECKS[name]
    found = check.look(data)
    if found is not None and len(found.rows):
        yield DataFinding(
            check=name,
            severity=found.severity or check.severity,
            count=len(found.rows),
            of=found.of,
            what=check.what.given(**found.facts),
            why=check.why.given(**found.facts),
            fix=check.fix.given(**found.facts),
            examples=tuple(islice(found.examples, MAX_EXAMPLES)),
        )


def _head(check: DatasetCheck) -> Lines:
    with_documents = _(
        "{dataset}: {documents} documents, {passages} passages, {queries} queries, "
        "{judgments} judgments, {evidence} pieces of evidence; {checks} checks."
    )
    without = _(
        "{dataset}: {passages} passages, {queries} queries, {judgments} judgments; {checks} checks."
    )
    first = (with_documents if check.documents else without).given(
        dataset=check.dataset,
        documents=count_text(check.documents),
        passages=count_text(check.passages),
        queries=count_text(check.queries),
        judgments=count_text(check.judgments),
        evidence=count_text(check.evidence),
        checks=count_text(len(check.checks)),
    )
    alone = check.documents and not check.passages
    notes = (_("Each document is checked as one passage."),) if alone else ()
    if not check.findings:
        return Lines((first, *notes, _("Nothing was found.")))
    found = {name: sum(one.severity == name for one in check.findings) for name in SEVERITIES}
    return Lines(
        (first, *notes, _("Errors: {error}, warnings: {warning}, notes: {note}.", **found))
    )


def _finding(finding: DataFinding) -> Lines:
    severities = {"error": _("ERROR"), "warning": _("WARNING"), "note": _("NOTE")}
    title = _(
        "{severity} {check}: {what}: {count} of {n}",
        severity=severities[finding.severity],
        check=finding.check,
        what=finding.what,
        count=count_text(finding.count),
        n=count_text(finding.of),
    )
    examples = (_("For example {example}", example=example) for example in finding.examples)
    why = _("Why it matters: {why}", why=finding.why)
    return Lines((*examples, why, _("What to do: {fix}", fix=finding.fix)), title)


def check_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore check --format json`` prints."""
    return DatasetCheck.json_schema("ragscore check")


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


CHECKS: dict[str, Check] = {
    "unreachable-passages": Check(
        "error",
        dataset_checks.unreachable_passages,
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
        dataset_checks.unplaced_quotes,
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
        dataset_checks.empty_queries,
        _("Queries without a text"),
        _(
            "Nothing can be found for them: they score 0 for every retriever and lower all means "
            "alike."
        ),
        _("Write the questions, or drop the queries and their judgments."),
    ),
    "uncovered-needs": Check(
        "error",
        dataset_checks.uncovered_needs,
        _("Needs that no passage of the corpus covers"),
        _(
            "Such a need counts in every denominator: Complete is 0 for the query whatever is "
            "returned, and recall never reaches 1."
        ),
        _("Name a passage that covers it, or drop the need."),
    ),
    "contradicting-queries": Check(
        "error",
        dataset_checks.contradicting_queries,
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
        dataset_checks.graded_apart,
        _("Queries for which copies of one text have different grades"),
        _(
            "No retriever can tell the copies apart, so which one it returns first is chance, and "
            "so is the query's score."
        ),
        _("Give all copies the same grade, or remove all but one from the corpus."),
    ),
    "unjudged-copies": Check(
        "warning",
        dataset_checks.unjudged_copies,
        _("Queries whose relevant passage has a copy that is not judged"),
        _(
            "A retriever that returns the unjudged copy has answered the question, but scores as "
            "if it hadn't."
        ),
        _("Judge the copies too, or remove all but one from the corpus."),
    ),
    "copies-judged-together": Check(
        "warning",
        dataset_checks.copies_judged_together,
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
        dataset_checks.queries_without_judgments,
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
        dataset_checks.queries_without_relevant,
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
        dataset_checks.repeated_queries,
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
        dataset_checks.copied_questions,
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
        dataset_checks.ids_alike,
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
        dataset_checks.damaged_texts,
        _("Passages, documents and queries with lost or misread characters"),
        _(
            "A word read in the wrong encoding is a different word: neither BM25 nor a model finds "
            "it, and the text scores worse through no fault of the retriever."
        ),
        _("Read the source again with its own encoding (`encoding: cp949`, `cp1252`, ...)."),
    ),
    "broken-words": Check(
        "warning",
        dataset_checks.broken_words,
        _("Passages with broken words: cut at the end of a line, or spaced letter by letter"),
        _(
            "The pieces are different words: neither BM25 nor a model finds the whole word, which "
            "occurs elsewhere in these texts (or has many letters)."
        ),
        _("Join lines and hyphenated words when you convert PDF files to text."),
    ),
    "cut-passages": Check(
        "warning",
        dataset_checks.cut_passages,
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
        dataset_checks.nearly_equal_graded_apart,
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
        dataset_checks.reordered_queries,
        _("Queries with the same words in another order"),
        _(
            "Retrievers that ignore the order of words, as BM25 does, return the same passages for "
            "them; if they mean the same, they count twice."
        ),
        _("Read them: if they mean the same, keep one; if not, check their judgments."),
    ),
    "hub-passages": Check(
        "note",
        dataset_checks.hub_passages,
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
        dataset_checks.unused_grades,
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
        dataset_checks.duplicated_passages,
        _("Passages that repeat the title and text of another"),
        _("Copies take the places of other passages in the results, and only judged copies count."),
        _(
            "Remove copies before you index, or return one passage for each text (`collapse`). "
            "Texts that occur more than once: {texts}."
        ),
    ),
    "tiny-passages": Check(
        "note",
        dataset_checks.tiny_passages,
        _("Passages that are empty, or much shorter than the others"),
        _(
            "Page numbers, headings and leftovers of a conversion take up places in the results; "
            "BM25 and many models favour short texts."
        ),
        _("Drop them, or join each with its neighbour if it answers nothing alone."),
    ),
    "repeated-phrases": Check(
        "note",
        dataset_checks.repeated_phrases,
        _("Passages with a phrase that many passages, or many of their lines, repeat"),
        _(
            "Headers and footers of pages make different passages look alike, and interrupt "
            "sentences that continue on the next page."
        ),
        _("Remove them when you convert pages to text. In brackets: how often they occur."),
    ),
    "nearly-equal-passages": Check(
        "note",
        dataset_checks.nearly_equal_passages,
        _("Passages that share four fifths of their word triples with another"),
        _(
            "Nearly equal passages (versions, overlapping chunks, page headers) crowd each other "
            "out of the results, and only those that are judged count."
        ),
        _("Check that they belong there, and judge all that answer a query."),
    ),
}
"""Name to check, and what it says; the most severe first."""
