"""What the checks of a dataset found, as values, JSON and elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.described import in_short
from ragscore.diagnose.dataset_checks.model import SEVERITIES, Severity
from ragscore.elements import Element, Lines
from ragscore.elements.numbers import count_text
from ragscore.elements.show import Shown
from ragscore.messages import Message, Text, _
from ragscore.records import Record

SEVERITY_WORDS: dict[Severity, Message] = {
    "error": _("ERROR"),
    "warning": _("WARNING"),
    "note": _("NOTE"),
}


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
        return list(_elements(self))


def _elements(check: DatasetCheck) -> Iterator[Element]:
    numbers = {
        "passages": count_text(check.passages),
        "queries": count_text(check.queries),
        "judgments": count_text(check.judgments),
        "documents": count_text(check.documents),
        "evidence": count_text(check.evidence),
        "checks": count_text(len(check.checks)),
    }
    if check.documents:
        head = _(
            "{dataset}: {documents} documents, {passages} passages, {queries} queries, "
            "{judgments} judgments, {evidence} pieces of evidence; {checks} checks.",
            dataset=check.dataset,
            **numbers,
        )
    else:
        head = _(
            "{dataset}: {passages} passages, {queries} queries, {judgments} judgments; "
            "{checks} checks.",
            dataset=check.dataset,
            **numbers,
        )
    found = {
        severity: sum(finding.severity == severity for finding in check.findings)
        for severity in SEVERITIES
    }
    alone = check.documents and not check.passages
    notes = (_("Each document is checked as one passage."),) if alone else ()
    last = (
        _("Errors: {error}, warnings: {warning}, notes: {note}.", **found)
        if check.findings
        else _("Nothing was found.")
    )
    yield Lines((head, *notes, last))
    for finding in check.findings:
        title = _(
            "{severity} {check}: {what}: {count} of {n}",
            severity=SEVERITY_WORDS[finding.severity],
            check=finding.check,
            what=finding.what,
            count=count_text(finding.count),
            n=count_text(finding.of),
        )
        examples = (_("For example {example}", example=example) for example in finding.examples)
        why = _("Why it matters: {why}", why=finding.why)
        yield Lines((*examples, why, _("What to do: {fix}", fix=finding.fix)), title)


def check_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore check --format json`` prints."""
    return DatasetCheck.json_schema("ragscore check")
