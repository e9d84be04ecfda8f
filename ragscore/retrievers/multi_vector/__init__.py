"""Late interaction: queries and passages are compared token by token."""

from __future__ import annotations

from ragscore.retrievers.multi_vector.model import MultiVector as MultiVector
