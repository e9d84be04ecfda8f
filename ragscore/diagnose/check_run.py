"""check_dataset: what the checks of a dataset find, as a record, JSON and elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from ragscore.dataset import Dataset
from ragscore.dataset.located import UnplacedQuote
from ragscore.described import in_short
from ragscore.diagnose.checked_data import CheckedData, documents_as_passages
from ragscore.diagnose.dataset_checks import CHECKS, Severity
from ragscore.elements import Element, Lines
from ragscore.elements.numbers import count_text
from ragscore.elements.show import Shown
from ragscore.encoders import Encoder, EncoderSpec
from ragscore.errors import ConfigError, did_you_mean
from ragscore.formats import DatasetSpec
from ragscore.formats.datasets.dataset_loading import load_with_unplaced_quotes
from ragscore.messages import Text, _
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
        data = CheckedData(documents_as_passages(read), None, tuple(unplaced))
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
