"""document: each document is one chunk."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ragscore.chunking.base import ChunkerSpec
from ragscore.chunking.text_layout import Spans


class DocumentChunker(ChunkerSpec):
    """The whole document.

    >>> DocumentChunker().spans("Rent is due.").tolist()
    [[0, 12]]
    """

    kind: Literal["document"] = "document"

    def spans(self, text: str) -> Spans:
        """One span, its white space too; none of a text without anything else."""
        found = [(0, len(text))] if text.strip() else []
        return np.array(found, dtype=np.int64).reshape(-1, 2)
