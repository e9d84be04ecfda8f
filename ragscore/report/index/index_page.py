"""index_page(found): all results, by experiment and dataset; the page works without a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ragscore.elements.numbers import count_text, interval_text, minute, number_text
from ragscore.estimate import Estimate
from ragscore.messages import Say, Text, text_of, translated
from ragscore.report.html import assets, page_rules
from ragscore.report.html.assets import policy
from ragscore.report.html.templates import ICONS, environment, retriever_mark
from ragscore.report.index.finder import FoundDataset, FoundResult
from ragscore.report.index.history import HistoryLine, history
from ragscore.report.model import Figure
from ragscore.version import __version__

FOLDER = Path(__file__).parent
NEWEST = 10
"""The results of a group that its table shows at once; older ones open below."""
MAX_POINTS = 100
"""Results of a group in its chart, the newest ones."""
MAX_RETRIEVERS = 8
"""The most retrievers that have a line and a column: there are ten colours."""
MAX_MEASURES = 12


@dataclass(frozen=True)
class ResultRow:
    """One result on one dataset.

    Attributes:
        found: the result.
        number: of the dataset in it, from 0.
        dataset: what it says of that.
        before: the result before it of the same group; None for the oldest.
        other_data: the dataset is not what it was in the result before.
    """

    found: FoundResult
    number: int
    dataset: FoundDataset
    before: FoundResult | None
    other_data: bool

    def mean(self, retriever: str, measure: str) -> Estimate | None:
        """The mean of a retriever; None if it has none."""
        return self.dataset.means.get(retriever, {}).get(measure)


@dataclass(frozen=True)
class Group:
    """All results of one experiment on one dataset.

    Attributes:
        experiment, dataset: their names.
        rows: the newest first; never empty.
        retrievers: shown, those of the newest result first; their places are their numbers.
        hidden: how many more there are.
        measures: (as it parses, label), the primary of the newest result first.
    """

    experiment: str
    dataset: str
    rows: tuple[ResultRow, ...]
    retrievers: tuple[str, ...]
    hidden: int
    measures: tuple[tuple[str, str], ...]


def groups(found: Sequence[FoundResult]) -> tuple[Group, ...]:
    """Results that can be read, by experiment and dataset; the group of the newest first.

    Args:
        found: the newest first.
    """
    together: dict[tuple[str, str], list[tuple[FoundResult, int, FoundDataset]]] = {}
    for result in found:
        for number, dataset in enumerate(result.datasets):
            held = together.setdefault((result.name, dataset.entry.name), [])
            held.append((result, number, dataset))
    # Datasets of one experiment stand together, where its newest result puts them.
    experiments = list(dict.fromkeys(experiment for experiment, _ in together))
    ordered = sorted(together, key=lambda key: experiments.index(key[0]))
    return tuple(_group(*key, together[key]) for key in ordered)


def _group(
    experiment: str, dataset: str, held: Sequence[tuple[FoundResult, int, FoundDataset]]
) -> Group:
    rows = tuple(_rows(held))
    runs = [run for row in rows for run in row.dataset.runs.values()]
    retrievers = tuple(dict.fromkeys(run.name for run in runs if run.status == "complete"))
    labels: dict[str, str] = {}
    for row in rows:
        labels |= {name: label for name, label in row.dataset.labels.items() if name not in labels}
    return Group(
        experiment=experiment,
        dataset=dataset,
        rows=rows,
        retrievers=retrievers[:MAX_RETRIEVERS],
        hidden=max(len(retrievers) - MAX_RETRIEVERS, 0),
        measures=tuple(labels.items())[:MAX_MEASURES],
    )


def _rows(held: Sequence[tuple[FoundResult, int, FoundDataset]]) -> Iterator[ResultRow]:
    for at, (found, number, dataset) in enumerate(held):
        older = held[at + 1] if at + 1 < len(held) else None
        other = older is not None and older[2].entry.digest != dataset.entry.digest
        yield ResultRow(found, number, dataset, older[0] if older else None, other)


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
        "intervals": any(
            mean.estimable
            for row in group.rows
            for means in row.dataset.means.values()
            for mean in means.values()
        ),
    }


def _history(group: Group, say: Say) -> Iterator[Figure]:
    """Each measure over time."""
    rows = group.rows[:MAX_POINTS]
    for measure, label in group.measures:
        lines = []
        for number, name in enumerate(group.retrievers):
            results = [
                (row.found.created, mean, report_address(row.found, row.number))
                for row in rows
                if (mean := row.mean(name, measure)) is not None
            ]
            lines.append(HistoryLine(name, number, results))
        yield history(say, lines, id="history", label=label)


def _cells(row: ResultRow, group: Group, say: Say) -> Mapping[str, Any]:
    """A row of the table: for each retriever its value by each measure."""
    sample = row.dataset.entry.sample
    runs = [row.dataset.runs.get(name) for name in group.retrievers]
    return {
        "sample": "" if sample is None else say(sample.size()),
        "sample_hint": "" if sample is None else say(sample.note()),
        "row": row,
        "failed": [run is not None and run.status == "failed" for run in runs],
        "unanswered": [count_text(len(run.failed)) if run and run.failed else "" for run in runs],
        "values": [
            [_value(row.mean(name, measure)) for measure, _ in group.measures]
            for name in group.retrievers
        ],
    }


def _value(mean: Estimate | None) -> tuple[str, str]:
    """The mean as text, and its interval."""
    if mean is None or isnan(mean.value):
        return "-", ""
    return number_text(mean.value), interval_text(mean.low, mean.high)
