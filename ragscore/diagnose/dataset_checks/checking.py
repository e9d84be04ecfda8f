"""check_dataset: look for what makes the numbers of a dataset wrong, or mean less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragscore.dataset import Dataset
from ragscore.dataset.located import UnplacedQuote
from ragscore.diagnose.dataset_checks.check_document import DataFinding, DatasetCheck
from ragscore.diagnose.dataset_checks.check_table import CHECKS
from ragscore.diagnose.dataset_checks.checked_data import CheckedData, documents_as_passages
from ragscore.diagnose.dataset_checks.model import SEVERITIES, CheckOutcome
from ragscore.encoders import Encoder, EncoderSpec
from ragscore.errors import ConfigError, did_you_mean
from ragscore.formats import DatasetSpec
from ragscore.formats.datasets.dataset_loading import load_with_unplaced_quotes
from ragscore.spec import Spec


class EncoderOf(Spec):
    """The encoder that passages are held against, checked as in an experiment."""

    encoder: Encoder
    """`minilm`, or `{kind: ..., ...}`."""


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
    names = tuple(CHECKS) if checks is None else tuple(dict.fromkeys(checks))
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
    whole = read.corpus is None and read.documents is not None
    seen = documents_as_passages(read) if whole else read
    data = CheckedData(seen, None if whole else asked, tuple(unplaced))
    if whole:
        names = tuple(name for name in names if CHECKS[name].of_documents)
    findings = [
        _finding(name, found) for name in names if (found := CHECKS[name].look(data)) is not None
    ]
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    n_passages = 0 if read.corpus is None else len(read.corpus)
    looked = tuple(name for name in names if name != "cut-passages" or encoder is not None)
    return DatasetCheck(
        dataset=read.name,
        passages=n_passages,
        queries=len(read.queries),
        judgments=len(read.qrels),
        documents=0 if read.documents is None else len(read.documents),
        evidence=0 if read.evidence is None else len(read.evidence),
        checks=looked,
        findings=tuple(findings),
    )


def _finding(name: str, found: CheckOutcome) -> DataFinding:
    check, facts = CHECKS[name], found.facts or {}
    return DataFinding(
        name,
        found.severity or check.severity,
        found.count,
        found.of,
        check.what.given(**facts),
        check.why.given(**facts),
        check.fix.given(**facts),
        found.examples,
    )
