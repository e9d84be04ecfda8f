"""Two results held against each other, and what the section of changes says of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragscore.change.values import ValueChanges, value_changes
from ragscore.elements import Details, Element, Paragraph, Table
from ragscore.messages import translated
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


def found(data: Report) -> ValueChanges:
    assert data.before is not None
    (panel,) = data.result
    one = value_changes(data.before, data.result, panel)
    assert one is not None
    return one


def flat(elements: tuple[Element, ...]) -> list[Element]:
    """All elements, the default variant of each swap alone."""
    listed: list[Element] = []
    for element in elements:
        if isinstance(element, Swap):
            listed += flat(element.shown)
        elif isinstance(element, Beside):
            listed += [one for part in element.parts for one in flat(part)]
        elif isinstance(element, Details):
            listed += flat(element.elements)
        else:
            listed.append(element)
    return listed


def shown(data: Report) -> list[Element]:
    made = section(data, data.result.dataset_results[0])
    assert made is not None
    return flat(translated(made, data.options.language).elements)


def said(data: Report) -> list[str]:
    return [element.text for element in shown(data) if isinstance(element, Paragraph)]


def tables(data: Report) -> dict[str, Table]:
    return {element.id: element for element in shown(data) if isinstance(element, Table)}


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
