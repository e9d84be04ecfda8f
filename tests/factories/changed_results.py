"""Two results held against each other, and what the section of changes says of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragscore.blocks import Block, Details, Paragraph, Table
from ragscore.report.changes import Changes, changes_on
from ragscore.report.model import Beside, Swap
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.report.sections.changes import changes as section
from ragscore.results import open_result
from tests.factories.results import DATASETS, bm25

TENANCY = DATASETS / "harbour-tenancy"
OLD = {"bm25": bm25(fields=["title"]), "flat": bm25(k1=0.4), "gone": bm25(k1=3.0)}
NEW = {"bm25": bm25(tokenizer="english"), "flat": bm25(k1=0.4), "fresh": bm25(b=0.0)}
MEASURES = ["nDCG@10", "R@10", "Success@10"]
Pair = Callable[..., Report]


def against(old: Path, new: Path, **options: Any) -> Report:
    return Report(open_result(new), ReportOptions(**options), before=open_result(old))


def found(data: Report) -> Changes:
    assert data.before is not None
    (panel,) = data.result
    one = changes_on(data.before, data.result, panel)
    assert one is not None
    return one


def flat(blocks: tuple[Block, ...]) -> list[Block]:
    """All blocks, the default variant of each swap alone."""
    listed: list[Block] = []
    for block in blocks:
        if isinstance(block, Swap):
            listed += flat(block.shown)
        elif isinstance(block, Beside):
            listed += [one for part in block.parts for one in flat(part)]
        elif isinstance(block, Details):
            listed += flat(block.blocks)
        else:
            listed.append(block)
    return listed


def shown(data: Report) -> list[Block]:
    made = section(data, data.result.dataset_results[0])
    assert made is not None
    return flat(made.blocks)


def said(data: Report) -> list[str]:
    return [block.text for block in shown(data) if isinstance(block, Paragraph)]


def tables(data: Report) -> dict[str, Table]:
    return {block.id: block for block in shown(data) if isinstance(block, Table)}


def edited(folder: Path, name: str, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """A copy of the dataset with one of its files changed."""
    copy = folder / TENANCY.name
    shutil.copytree(TENANCY, copy)
    path = copy / name
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(rows)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="\n")
    return copy
