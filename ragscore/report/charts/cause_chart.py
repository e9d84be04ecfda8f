"""Why queries fail: how many by each cause, a bar for each retriever."""

from __future__ import annotations

from collections.abc import Mapping

from ragscore.elements.numbers import count_text
from ragscore.messages import Say, _
from ragscore.report.charts.stacked_bars import Bar, stacked_bars
from ragscore.report.model import Figure, explorer_link

FOUND = "found"
CAUSE_LABELS = {
    "below_k": _("Returned below rank {k}"),
    "duplicate": _("Below a near-duplicate"),
    "not_returned": _("Not returned"),
    "nowhere": _("No retriever found it"),
    "cut": _("Cut by the chunker"),
    "failed": _("Did not answer"),
}
FAILED = tuple(CAUSE_LABELS)
"""The causes: first what a larger k cures, then what no retriever here finds, or could; last, no
answer."""
ORDER = (FOUND, *FAILED)
"""A cause's place is the number of its class."""


def causes_bars(
    say: Say,
    counts: Mapping[str, Mapping[str, int]],
    *,
    numbers: Mapping[str, int],
    total: int,
    id: str,
    k: int,
    needs: bool = False,
    panel: int = 0,
) -> Figure:
    """Stacked bars; a segment leads to these queries in the explorer.

    Args:
        counts: by retriever: queries by cause (``ragscore.diagnose.CAUSES``).
        numbers: of the retrievers.
        total: queries; those without a cause are found.
        id: of the figure.
        say: writes a text in the reader's language.
        k: the cutoff at which a query counts as found.
        needs: whether a query is found where every need is covered.
        panel: number of the dataset in the report.
    """
    labels = {FOUND: say(_("Found in the first {k}", k=k))}
    labels |= {cause: say(label.given(k=k)) for cause, label in CAUSE_LABELS.items()}

    def hint(bar: Bar, cause: str) -> str:
        facts = {"n": count_text(bar.parts[cause]), "total": count_text(total)}
        return say(
            _(
                "{retriever}: {cause}: {n} of {total} queries",
                retriever=bar.retriever,
                cause=labels[cause],
                **facts,
            )
        )

    def href(bar: Bar, cause: str) -> str | None:
        found = cause == FOUND
        return None if found else explorer_link(panel, cause=cause, retriever=bar.retriever)

    bars = []
    for retriever, of_cause in counts.items():
        found = total - sum(of_cause.get(cause, 0) for cause in FAILED)
        bars.append(Bar(retriever, numbers[retriever], {FOUND: found, **of_cause}, total))
    return stacked_bars(
        say,
        bars,
        labels,
        id=id,
        heading=say(
            _("Where queries find what they need")
            if needs
            else _("Where the first relevant {item} is")
        ),
        note=say(_("Select a part of a bar to see its queries.")),
        hint=hint,
        href=href,
    )
