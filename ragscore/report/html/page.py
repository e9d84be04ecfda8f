"""page(report) -> str: the whole report as one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ragscore.blocks.csv import csv_text
from ragscore.blocks.latex import latex_table
from ragscore.blocks.numbers import plain_number
from ragscore.report.explorer.budget import OVERHEAD, Payloads, explorer_payloads
from ragscore.report.explorer.packing import packed
from ragscore.report.html import assets, page_rules
from ragscore.report.html import plain_text as texts
from ragscore.report.html.assets import policy
from ragscore.report.html.block_renderer import BlockRenderer
from ragscore.report.html.templates import environment, notes_place, sprite
from ragscore.report.model import Chosen, PanelSections
from ragscore.report.report import Report
from ragscore.report.strings import STRINGS
from ragscore.strings import Strings
from ragscore.version import __version__

MEGABYTE = 10**6


@dataclass(frozen=True)
class _Pick:
    id: str
    label: str
    options: tuple[tuple[str, str], ...]
    """(name in a link, label)."""


@dataclass(frozen=True)
class _Section:
    id: str
    title: Markup
    markup: Markup


@dataclass(frozen=True)
class _Panel:
    index: int
    dataset: str
    facts: tuple[tuple[str, str], ...]
    picks: tuple[_Pick, ...]
    sections: tuple[_Section, ...]
    contents_after: int
    explorer: bool


@dataclass(frozen=True)
class Page:
    """The page, and what who writes it must know.

    Attributes:
        text: the HTML file.
        notes: that it is larger than ``max_mb``; its foot says so too.
    """

    text: str
    notes: tuple[str, ...] = ()


def page(report: Report) -> str:
    """The text of :func:`made_page`."""
    return made_page(report).text


def made_page(report: Report) -> Page:
    """The page, with as many of the passages' texts as ``max_mb`` has room for.

    Everything else is made first and never cut: where the page is larger than ``max_mb`` with the
    least of the texts, it says by how much.
    """
    strings = report.strings
    retrievers, choices = len(report.result.retrievers), [one.chosen for one in report.panels]
    shares: set[tuple[int, ...]] = set()
    panels, copied = [], {}
    ids = {"head", "description", "main", "foot", "theme", "pick-dataset"}
    for index in range(len(report.panels)):
        panel, renderer = _panel(report, index, ids)
        panels.append(panel)
        shares |= renderer.shares
        # What the copy buttons copy.
        for key, table in renderer.tables.items():
            copied[key] = {"csv": csv_text(table), "latex": latex_table(table)}
    style = assets.style(page_rules.page_rules(choices, retrievers, shares, panels=len(panels)))
    script = assets.script()
    names = [(f"explorer-{one.index}", f"passages-{one.index}") for one in panels if one.explorer]
    facts = {
        "language": strings.language,
        "policy": policy(style, script),
        "version": __version__,
        "title": report.title,
        "style": Markup(style),
        "script": Markup(script),
        "strings": strings,
        "sprite": sprite(retrievers),
        "name": report.title,
        "description": report.result.description.strip(),
        "warnings": report.notes,
        "panels": panels,
        "isolated": texts.isolated,
        "sentence": texts.sentence,
        "attribute": texts.attribute,
    }
    fixed = {"words": packed(script_words(strings)), "copies": packed(copied)}
    template = environment().get_template("page.html.j2")

    def made(payloads: Mapping[str, str], notes: Sequence[str]) -> str:
        every = [(name, Markup(one)) for name, one in {**fixed, **payloads}.items()]
        return template.render({**facts, "notes": notes, "payloads": every})

    text = made({name: "" for pair in names for name in pair}, ())
    room = int(report.options.max_mb * MEGABYTE) - len(text.encode("utf-8"))
    payloads, notes = _explorers(report, [one.index for one in panels if one.explorer], room)
    text = _with_notes(made(payloads, ()), notes)
    too_large = len(text.encode("utf-8")) - report.options.max_mb * MEGABYTE
    if too_large <= 0:
        return Page(text)
    over = float(f"{too_large / MEGABYTE:.2g}")
    larger = strings("page_too_large", limit=_mb(report), over=plain_number(over))
    return Page(_with_notes(made(payloads, [larger]), notes), (larger,))


def _with_notes(text: str, notes: Mapping[int, Sequence[str]]) -> str:
    """The page with the notes of each explorer in their place."""
    for index, lines in notes.items():
        text = text.replace(
            notes_place(index),
            "".join(Markup('<p class="note">{}</p>\n').format(texts.clean(one)) for one in lines),
        )
    return text


def _mb(report: Report) -> str:
    return plain_number(report.options.max_mb)


def script_words(strings: Strings) -> dict[str, str]:
    """What the scripts say: keys that begin with ``js_``, with their placeholders."""
    return {key: text[strings.language] for key, text in STRINGS.items() if key.startswith("js_")}


def _panel(report: Report, index: int, ids: set[str]) -> tuple[_Panel, BlockRenderer]:
    held, chosen = report.panels[index], report.panels[index].chosen
    renderer = BlockRenderer(report, index, chosen, ids=ids)
    ids |= {f"d{index}", f"d{index}-measure", f"d{index}-baseline", f"explorer-{index}"}
    sections = []
    for section in held.sections:
        id, markup = renderer.section(section)
        sections.append(_Section(id, renderer.sentence(section.title), markup))
    titled = [at for at, one in enumerate(held.sections) if one.title]
    return (
        _Panel(
            index=index,
            dataset=held.dataset,
            facts=_facts(held),
            picks=tuple(_picks(report.strings, index, chosen)),
            sections=tuple(sections),
            contents_after=max(titled[0], 1) if titled else 0,
            explorer=renderer.explorer,
        ),
        renderer,
    )


def _facts(panel: PanelSections) -> tuple[tuple[str, str], ...]:
    """The head's facts but the primary measure, where a select says it."""
    measures = panel.chosen.measures
    primary = measures[0][1] if len(measures) > 1 else None
    return tuple((label, value) for label, value in panel.facts if value != primary)


def _picks(strings: Strings, panel: int, chosen: Chosen) -> Iterator[_Pick]:
    if len(chosen.measures) > 1:
        yield _Pick(f"d{panel}-measure", strings("page_measure"), tuple(chosen.measures))
    if len(chosen.baselines) > 1:
        baselines = tuple((one, one) for one in chosen.baselines)
        yield _Pick(f"d{panel}-baseline", strings("page_baseline"), baselines)


def _explorers(
    report: Report, panels: Sequence[int], room: int
) -> tuple[dict[str, str], dict[int, tuple[str, ...]]]:
    """The payloads of every explorer, in an even share of the room; what a small panel leaves of
    its share is there for the larger ones."""
    made = _shared(report, panels, room)
    if len(panels) > 1 and sum(one.bytes - OVERHEAD for one in made.values()) > room:
        # A small one may have kept texts that there is no room for.
        made = _shared(report, panels, 0)
    found = {}
    for index in panels:
        found[f"explorer-{index}"] = made[index].explorer
        found[f"passages-{index}"] = made[index].passages
    return found, {index: made[index].notes for index in panels}


def _shared(report: Report, panels: Sequence[int], room: int) -> dict[int, Payloads]:
    datasets = report.result.dataset_results
    hits = {at: sum(int(run.returned.sum()) for run in datasets[at].runs.values()) for at in panels}
    made: dict[int, Payloads] = {}
    for index in sorted(panels, key=lambda at: hits[at]):
        share = max(room // (len(panels) - len(made)), 0)
        # The markup around them is in the page already.
        made[index] = explorer_payloads(report, datasets[index], share + OVERHEAD)
        room -= made[index].bytes - OVERHEAD
    return made
