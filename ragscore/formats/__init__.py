"""Files of datasets and runs: one module for each format, and the table of them.

To add a format of datasets: copy a neighbour in ``datasets/`` (three readers, each of one file, and
the Format that names them), and add a line to ``FORMATS`` in ``datasets/dataset_formats.py``. To
add a format of runs: copy a neighbour in ``runs/`` (a reader, and the RunFormat that names it), and
add a line to ``RUN_FORMATS`` in ``runs/run_formats.py``.

The names below are loaded when they are first used: a run is scored without what reads datasets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.dataset.columns import Columns as Columns
    from ragscore.formats.datasets.base import Format as Format
    from ragscore.formats.datasets.base import Writer as Writer
    from ragscore.formats.datasets.conversion import Converted as Converted
    from ragscore.formats.datasets.conversion import convert as convert
    from ragscore.formats.datasets.dataset_formats import FORMATS as FORMATS
    from ragscore.formats.datasets.dataset_loading import check_dataset_files as check_dataset_files
    from ragscore.formats.datasets.dataset_loading import load_dataset as load_dataset
    from ragscore.formats.datasets.dataset_spec import DatasetSpec as DatasetSpec
    from ragscore.formats.datasets.jsonl import write_dataset as write_dataset
    from ragscore.formats.datasets.qrels_file import load_qrels as load_qrels
    from ragscore.formats.runs.base import RunFormat as RunFormat
    from ragscore.formats.runs.parquet import read_parquet_run as read_parquet_run
    from ragscore.formats.runs.parquet import write_parquet_run as write_parquet_run
    from ragscore.formats.runs.run_formats import RUN_FORMATS as RUN_FORMATS
    from ragscore.formats.runs.run_formats import run_format as run_format
    from ragscore.formats.runs.run_loading import load_run as load_run
    from ragscore.formats.runs.trec import TrecExport as TrecExport
    from ragscore.formats.runs.trec import write_trec_run as write_trec_run
else:
    _HOMES = {
        "ragscore.formats.datasets.dataset_loading": ("check_dataset_files", "load_dataset"),
        "ragscore.formats.datasets.base": ("Format", "Writer"),
        "ragscore.formats.datasets.conversion": ("Converted", "convert"),
        "ragscore.formats.datasets.jsonl": ("write_dataset",),
        "ragscore.formats.runs.parquet": ("read_parquet_run", "write_parquet_run"),
        "ragscore.formats.datasets.qrels_file": ("load_qrels",),
        "ragscore.formats.runs.run_loading": ("load_run",),
        "ragscore.formats.runs.base": ("RunFormat",),
        "ragscore.formats.runs.run_formats": ("RUN_FORMATS", "run_format"),
        "ragscore.dataset.columns": ("Columns",),
        "ragscore.formats.datasets.dataset_formats": ("FORMATS",),
        "ragscore.formats.datasets.dataset_spec": ("DatasetSpec",),
        "ragscore.formats.runs.trec": ("TrecExport", "write_trec_run"),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
