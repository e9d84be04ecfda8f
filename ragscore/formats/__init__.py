"""Files of datasets and runs: one module for each format, and the table of them.

To add a format: copy a neighbour (three readers, each of one file), and add a line to
:data:`~ragscore.formats.datasets.FORMATS` and to :data:`ragscore.formats.spec.FormatName`.

The names below are loaded when they are first used: a run is scored without what reads datasets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.dataset.columns import Columns
    from ragscore.formats.datasets import FORMATS, check_dataset_files, load_dataset
    from ragscore.formats.find import Format
    from ragscore.formats.jsonl import write_dataset
    from ragscore.formats.parquet_run import read_parquet_run, write_parquet_run
    from ragscore.formats.qrels import load_qrels
    from ragscore.formats.recognised import run_format
    from ragscore.formats.runs import load_run
    from ragscore.formats.spec import DatasetSpec
    from ragscore.formats.trec_run import TrecExport, write_trec_run

_HOMES = {
    "ragscore.formats.datasets": ("FORMATS", "check_dataset_files", "load_dataset"),
    "ragscore.formats.find": ("Format",),
    "ragscore.formats.jsonl": ("write_dataset",),
    "ragscore.formats.parquet_run": ("read_parquet_run", "write_parquet_run"),
    "ragscore.formats.qrels": ("load_qrels",),
    "ragscore.formats.runs": ("load_run",),
    "ragscore.formats.recognised": ("run_format",),
    "ragscore.dataset.columns": ("Columns",),
    "ragscore.formats.spec": ("DatasetSpec",),
    "ragscore.formats.trec_run": ("TrecExport", "write_trec_run"),
}

__all__ = [
    "FORMATS",
    "Columns",
    "DatasetSpec",
    "Format",
    "TrecExport",
    "check_dataset_files",
    "load_dataset",
    "load_qrels",
    "load_run",
    "read_parquet_run",
    "run_format",
    "write_dataset",
    "write_parquet_run",
    "write_trec_run",
]

__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
