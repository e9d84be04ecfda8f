"""Files of datasets and runs: one module for each format, and the table of them.

To add a format of datasets: copy a neighbour in ``datasets/`` (three readers, each of one file, and
the Format that names them), and add a line to ``FORMATS`` in ``datasets/formats.py``. To add a
format of runs: copy a neighbour in ``runs/`` (a reader, and the RunFormat that names it), and add a
line to ``RUN_FORMATS`` in ``runs/formats.py``.

The names below are loaded when they are first used: a run is scored without what reads datasets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.dataset.columns import Columns
    from ragscore.formats.datasets.base import Format
    from ragscore.formats.datasets.formats import FORMATS
    from ragscore.formats.datasets.jsonl import write_dataset
    from ragscore.formats.datasets.load import check_dataset_files, load_dataset
    from ragscore.formats.datasets.qrels import load_qrels
    from ragscore.formats.datasets.spec import DatasetSpec
    from ragscore.formats.runs.base import RunFormat
    from ragscore.formats.runs.formats import RUN_FORMATS, run_format
    from ragscore.formats.runs.load import load_run
    from ragscore.formats.runs.parquet import read_parquet_run, write_parquet_run
    from ragscore.formats.runs.trec import TrecExport, write_trec_run

_HOMES = {
    "ragscore.formats.datasets.load": ("check_dataset_files", "load_dataset"),
    "ragscore.formats.datasets.base": ("Format",),
    "ragscore.formats.datasets.jsonl": ("write_dataset",),
    "ragscore.formats.runs.parquet": ("read_parquet_run", "write_parquet_run"),
    "ragscore.formats.datasets.qrels": ("load_qrels",),
    "ragscore.formats.runs.load": ("load_run",),
    "ragscore.formats.runs.base": ("RunFormat",),
    "ragscore.formats.runs.formats": ("RUN_FORMATS", "run_format"),
    "ragscore.dataset.columns": ("Columns",),
    "ragscore.formats.datasets.formats": ("FORMATS",),
    "ragscore.formats.datasets.spec": ("DatasetSpec",),
    "ragscore.formats.runs.trec": ("TrecExport", "write_trec_run"),
}

__all__ = [
    "FORMATS",
    "RUN_FORMATS",
    "Columns",
    "DatasetSpec",
    "Format",
    "RunFormat",
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
