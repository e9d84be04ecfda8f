"""What reads a file of passages, by its suffix, whatever the rest of its dataset is."""

from __future__ import annotations

from ragscore.formats.datasets import jsonl, tables, trec

READERS = {
    ".jsonl": trec.read_passages,
    ".tsv": trec.read_passages,
    ".csv": tables.read_passages,
    ".parquet": tables.read_passages,
}
"""Rows as ragscore or BEIR writes them, or a table with named columns."""
READS = {**tables.READS, ".jsonl": jsonl.FORMAT.reads, ".tsv": trec.FORMAT.reads}
"""Which options such a file reads."""
