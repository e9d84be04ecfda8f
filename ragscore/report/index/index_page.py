"""index_page(found) -> str: all results as one page that works without a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ragscore.comparison.printing import LEVELS
from ragscore.elements.numbers import count_text, interval_text, minute, number_text
from ragscore.gate.text import LEVELS as GATE_LEVELS
from ragscore.gate.text import WORDS as GATE_WORDS
from ragscore.messages import Say, Text, text_of, translated
from ragscore.report.html import assets, page_rules
from ragscore.report.html.assets import policy
from ragscore.report.html.templates import ICONS, environment, retriever_mark
from ragscore.report.index.finder import FoundResult, Mean
from ragscore.report.index.history import DatedMean, HistoryLine, history
from ragscore.report.index.result_groups import Group, ResultRow, groups
from ragscore.report.model import Figure
from ragscore.version import __version__

FOLDER = Path(__file__).parent
NEWEST = 10
"""The results of a group that its table shows at once; older ones open below."""
MAX_POINTS = 100
"""Results of a group in its chart, the newest ones."""


@dataclass(frozen=True)
class IndexPage:
    """The page, and the Content-Security-Policy that fits it."""

    text: str
    policy: str


def report_address(found: FoundResult, dataset: int = 0) -> str:
    """Where a result's report is; of several datasets, opened at one."""
    return f"/r/{found.id}/report.html" + (f"#d={dataset}" if dataset else "")


def changes_address(found: FoundResult, before: FoundResult, dataset: int = 0) -> str:
    """Where a result's report against an earlier one is."""
    place = f"/r/{found.id}/since/{before.id}/report.html"
    return place + (f"#d={dataset}" if dataset else "")


def index_page(found: Sequence[FoundResult], top: Path, language: str) -> IndexPage:
    """The page of all results.

    Args:
        found: the newest first, damaged ones last.
        top: the folder that they stand in.
        language: of the page.
    """
    held = groups(found)

    def say(text: Text) -> str:
        return text_of(text, language)

    most = max((len(group.retrievers) for group in held), default=0)
    rules = (
        rule
        for at, group in enumerate(held)
        for rule in page_rules.variant_rules(f"#d{at}-measure", f"#d{at}", "m", len(group.measures))
    )
    own = (FOLDER / "index.css").read_text(encoding="utf-8")
    style = assets.style([*page_rules.focus_rules(most, ".panel"), *rules, own])
    allowed = policy(style)
    text = (
        environment(language, FOLDER)
        .get_template("index.html.j2")
        .render(
            language=language,
            translated=translated,
            style=Markup(style),
            policy=allowed,
            version=__version__,
            top=str(top),
            found=[result for result in found if not result.problem],
            damaged=[result for result in found if result.problem],
            experiments=len({group.experiment for group in held}),
            elements=[_element(at, group, say) for at, group in enumerate(held)],
            levels=LEVELS,
            gate_levels=GATE_LEVELS,
            gate_words={verdict: say(word) for verdict, word in GATE_WORDS.items()},
            icons=ICONS,
            newest=NEWEST,
            minute=minute,
            report=report_address,
            changes=changes_address,
        )
    )
    return IndexPage(text, f"{allowed}; frame-ancestors 'none'")


def _element(at: int, group: Group, say: Say) -> Mapping[str, Any]:
    """What the template shows of one group."""
    several = len(group.rows) > 1
    changed = [minute(row.found.created) for row in reversed(group.rows) if row.other_data]
    return {
        "group": group,
        "id": f"d{at}",
        "figures": list(_history(group, say)) if several else [],
        "keys": [retriever_mark(number) for number in range(len(group.retrievers))],
        "rows": [_cells(row, group, say) for row in group.rows],
        "changed": ", ".join(changed),
        "intervals": any(mean.low is not None for row in group.rows for mean in _all(row)),
    }


def _all(row: ResultRow) -> Iterator[Mean]:
    for means in row.dataset.means.values():
        yield from means.values()


def _history(group: Group, say: Say) -> Iterator[Figure]:
    """Each measure over time."""
    rows = group.rows[:MAX_POINTS]
    for measure, label in group.measures:
        lines = []
        for number, name in enumerate(group.retrievers):
            points = [(row, mean) for row in rows if (mean := row.mean(name, measure)) is not None]
            lines.append(HistoryLine(name, number, [_dated(row, mean) for row, mean in points]))
        yield history(say, lines, id="history", label=label)


def _dated(row: ResultRow, mean: Mean) -> DatedMean:
    return DatedMean(row.found.created, mean, report_address(row.found, row.number))


def _cells(row: ResultRow, group: Group, say: Say) -> Mapping[str, Any]:
    """A row of the table: for each retriever its value by each measure."""
    sample = row.dataset.sample
    return {
        "sample": "" if sample is None else say(sample.size()),
        "sample_hint": "" if sample is None else say(sample.note()),
        "row": row,
        "failed": [name in row.dataset.failed for name in group.retrievers],
        "unanswered": [
            count_text(count) if (count := row.dataset.unanswered.get(name, 0)) else ""
            for name in group.retrievers
        ],
        "values": [
            [_value(row.mean(name, measure)) for measure, _ in group.measures]
            for name in group.retrievers
        ],
    }


def _value(mean: Mean | None) -> tuple[str, str]:
    """The mean as text, and its interval."""
    if mean is None or mean.value is None:
        return "-", ""
    if mean.low is None or mean.high is None:
        return number_text(mean.value), ""
    return number_text(mean.value), interval_text(mean.low, mean.high)
