"""A reranker of your own: passages that a query names by number come first."""

from __future__ import annotations

import re

from ragscore import Passage

NUMBER = re.compile(r"\b([A-Z]{2})(\d\d)(\d\d)\b")


def named_sections(query: str, passages: list[Passage]) -> list[float]:
    """1 for a passage whose section the query names (``TC1604`` is TC-16.4), 0 for the others.

    Args:
        query: its text.
        passages: what the first retriever found, best first.
    """
    named = {f"{code}-{int(part)}.{int(section)}" for code, part, section in NUMBER.findall(query)}
    return [float(passage.id in named) for passage in passages]
