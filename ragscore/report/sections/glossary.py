"""The glossary: what the page's words mean, closed until it is opened."""

from __future__ import annotations

from ragscore.blocks import Details, Facts
from ragscore.strings import Strings

TERMS = (
    "judgment",
    "baseline",
    "primary",
    "interval",
    "decided",
    "p",
    "corrected",
    "margin",
    "detectable",
    "record",
    "tie",
    "unjudged",
    "unanswerable",
    "held_out",
    "best_of",
    "rbo",
    "latency",
)
"""The keys ``term_NAME`` and ``term_NAME_means``, in order of use."""


def glossary(strings: Strings, id: str) -> Details:
    """Every term with what it means."""
    rows = tuple((strings(f"term_{term}"), strings(f"term_{term}_means")) for term in TERMS)
    return Details(strings("glossary"), (Facts(rows),), id)
