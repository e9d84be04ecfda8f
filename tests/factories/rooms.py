"""Twelve passages and six queries, for tests of what searching them costs."""

from __future__ import annotations

from ragscore import Dataset

PASSAGES = {f"p{at}": f"Room {at} costs {at * 17} crowns." for at in range(12)}
QUERIES = {f"q{at}": f"what does room {at} cost" for at in range(6)}
DATASET = Dataset.from_rows(PASSAGES, QUERIES, {f"q{at}": [f"p{at}"] for at in range(6)}, name="d")
