"""Ids that differ in nothing that a reader sees."""

from __future__ import annotations

from ragscore.dataset import Ids
from ragscore.dataset.spellings import CERTAIN, SPELLINGS
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    dataset = data.dataset
    examples, count = list[str](), 0
    for ids in (dataset.qrels.queries, dataset.qrels.passages):
        pairs = _alike(ids)
        count += len(pairs)
        examples += [f"{one!r} = {other!r}" for one, other in pairs[:MAX_EXAMPLES]]
    total = len(dataset.qrels.queries) + len(dataset.qrels.passages)
    return CheckOutcome(count, total, tuple(examples[:MAX_EXAMPLES])) if count else None


def _alike(ids: Ids) -> list[tuple[str, str]]:
    """Each id that reads as an earlier one, behind that."""
    first: dict[str, str] = {}
    pairs = []
    for text in ids:
        form = text
        for spelling in (*CERTAIN, "zeros"):
            form = SPELLINGS[spelling](form)
        known = first.setdefault(form, text)
        if known != text:
            pairs.append((known, text))
    return pairs


CHECK = Check(
    "warning",
    what=_("Ids that differ only in case, blanks, Unicode form, leading zeros or .0"),
    why=_(
        "One step of a pipeline that writes ids differently (a spreadsheet, a file system, a "
        "lower-casing index) turns two passages into one, and hits are lost."
    ),
    fix=_(
        "Rename them, or check that they name different things and that every system keeps them "
        "unchanged."
    ),
    look=_look,
)
