"""What the files of a result folder are named, those of its report included."""

from __future__ import annotations

from pathlib import Path

from ragscore.file_names import file_stem
from ragscore.scratch import PARTIAL

MANIFEST = "manifest.json"
EXPERIMENT = "experiment.yaml"
SCORES = "scores.parquet"
SUMMARY = "summary.json"
SUMMARY_TABLE = "summary.csv"
COMPARISON = "comparison.json"
COMPARISON_TEXT = "comparison.md"
TOKENS = "tokens.parquet"
TOKEN_BEGINS = "token-begins.parquet"
"""Where the tokens begin that measures count in documents."""
TEXTS = "texts.parquet"
"""Texts that systems returned, of datasets without a corpus."""
POOLED = "pooled.parquet"
"""Passages that a sample of a corpus holds for its pool alone."""
CHUNKS = "chunks.parquet"
"""What chunkers made of documents."""
GATE, GATE_TEXT = "gate.json", "gate.md"
BASELINE = "baseline.json"
"""What the gate measured drops from: a copy, so that a folder that was moved is judged alike."""
EXTRA = (GATE, GATE_TEXT, BASELINE)
"""Files that this package keeps as they are: it stands below the gate, which makes them."""
SWEEP, SWEEP_VALUES = "sweep.json", "sweep.parquet"
DATASETS = "dataset/"
"""Datasets whose rows were given in Python, by name."""
RUNS, TABLE = "runs/", ".parquet"

PAGE = "report.html"
COMPARED = "before-after.html"
"""The page of a result that is compared with an earlier one."""
BESIDE = "report"
"""The folder beside the page, for the other formats of the report."""
ADDED = "added"
"""The folder in :data:`BESIDE` for the outputs of installed packages, a folder for each."""
REPORT_FOLDERS = {
    "markdown": ("charts", (".svg", ".png")),
    "latex": ("tables", (".tex",)),
    "csv": ("tables", (".csv",)),
}
"""By format, the folder beside the page that holds its pieces, and how their names end."""
SUFFIXES = tuple(suffix for _, suffixes in REPORT_FOLDERS.values() for suffix in suffixes)


def run_file(dataset: str, retriever: str, *, several: bool, suffix: str = TABLE) -> str:
    """Where a run stands in its result, with ``/``.

    Args:
        dataset, retriever: whose run it is.
        several: the result has several datasets.
        suffix: of the format.

    >>> run_file("harbour", "bm25", several=True)
    'runs/harbour/bm25.parquet'
    """
    place = f"{RUNS}{file_stem(dataset)}/" if several else RUNS
    return f"{place}{file_stem(retriever)}{suffix}"


def is_report_file(name: str) -> bool:
    """Whether a file or folder of a result, named from there with ``/``, is one of a report.

    >>> is_report_file("report/charts/forest.svg"), is_report_file("report/thesis.docx")
    (True, False)
    """
    beside, _, inside = name.partition("/")
    if name in (PAGE, COMPARED) or name.startswith(PARTIAL):
        return True
    if beside not in {Path(page).stem for page in (PAGE, COMPARED)}:
        return False
    kind, _, last = inside.rpartition("/")
    if inside.split("/")[0] == ADDED:
        return True
    if last.startswith(PARTIAL):
        return kind in ("", "charts", "tables")
    if not kind:
        return last in ("", "report.md", "report.tex", "charts", "tables")
    return kind in ("charts", "tables") and last.endswith(SUFFIXES)
