"""What a check of a dataset is: a name, a severity, its texts, and a function that looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.messages import Message

Severity = Literal["error", "warning", "note"]
"""An error makes numbers wrong, a warning makes them mean less, a note is worth a look."""
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""The most severe first."""
MAX_EXAMPLES = 5
"""So many examples of each finding are kept."""


@dataclass(frozen=True)
class CheckOutcome:
    """What a check found.

    Attributes:
        count: how many of what it counts are affected.
        of: of how many.
        examples: ids and texts of the first ones.
        facts: more numbers that its texts name.
        severity: where it depends on what was found; None for that of the check.
    """

    count: int
    of: int
    examples: tuple[str, ...]
    facts: Mapping[str, str] | None = None
    severity: Severity | None = None


@dataclass(frozen=True)
class Check:
    """One thing that may be wrong with a dataset.

    Attributes:
        severity: of what it finds.
        what: what was found; ends where ": 3 of 50" goes on.
        why: why it matters for the numbers.
        fix: what to do.
        look: looks for it; None if it cannot be looked for or is not there.
        of_documents: False if it says nothing of whole documents in place of passages.
    """

    severity: Severity
    what: Message
    why: Message
    fix: Message
    look: Callable[[CheckedData], CheckOutcome | None]
    of_documents: bool = True
