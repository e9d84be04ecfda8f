"""Vocabulary: the passages that a system may name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Corpus, Ids


def writable(text: str) -> str:
    """The text with half surrogates, which JSON can hold and no file, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class Vocabulary:
    """Rows of the ids that a system returns. Where there is a corpus, these are its passages;
    where there are ids alone, what the system names besides them is added.

    Args:
        corpus: what it begins with.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.ids: Ids = corpus.ids
        self.open = corpus.ids_only
        self._new: dict[str, int] = {}

    def row(self, passage: str) -> int:
        """The row of a passage; -1 if there is none, or where it is not :func:`writable`."""
        row = self.ids.row(passage)
        if row < 0 and self.open and passage == writable(passage):
            return self._new.setdefault(passage, len(self.ids) + len(self._new))
        return row

    def settled(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """The rows of a block, once the passages that it added are among :attr:`ids`, in the order
        of these rows: it does not depend on which query was answered first.

        Args:
            rows: of :meth:`row`, with -1 where there is nothing.
        """
        added = rows >= len(self.ids)
        if not added.any():
            self._new.clear()
            return rows
        known, named = len(self.ids), list(self._new)
        found, first = np.unique(rows[added], return_index=True)
        order = found[np.argsort(first)]
        self.ids = self.ids.extended(named[row - known] for row in order.tolist())
        self._new.clear()
        moved: NDArray[Any] = np.zeros(known + len(named), dtype=np.int32)
        moved[order] = np.arange(known, known + len(order))
        settled = rows.copy()
        settled[added] = moved[rows[added]]
        return settled
