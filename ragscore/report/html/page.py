"""page(report) -> str: the whole report as one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ragscore.elements.numbers import plain_number
from ragscore.elements.table_files import csv_text, latex_table
from ragscore.messages import Say, Text, _, catalogue
from ragscore.report.explorer.budget import OVERHEAD, Payloads, explorer_payloads
from ragscore.report.explorer.packing import packed
from ragscore.report.html import assets, page_rules
from ragscore.report.html.assets import policy
from ragscore.report.html.plain_text import clean
from ragscore.report.html.render import Reader, Renderer
from ragscore.report.html.templates import environment, notes_place, sprite
from ragscore.report.model import Chosen, PanelSections
from ragscore.report.report import Report
from ragscore.version import __version__

MEGABYTE = 10**6


@dataclass(frozen=True)
class Page:
    """The page, and notes for the user.

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
    say = report.say
    retrievers, choices = len(report.result.retrievers), [held.chosen for held in report.panels]
    shares: set[tuple[int, ...]] = set()
    extras = 0
    panels, explorers = [], []
    ids = {"head", "description", "main", "foot", "theme", "pick-dataset"}
    ids |= {f"pick-d{index}" for index in range(len(report.panels))}
    together = Renderer(Reader.of(report), ids=ids, prefix="all")
    overview = together.elements([] if report.overview is None else [report.overview])
    tables = dict(together.tables)
    for index, held in enumerate(report.panels):
        renderer = Renderer(Reader.of(report), index, held.chosen, ids=ids)
        panels.append(_panel(held, renderer))
        explorers += [index] if renderer.explorer else []
        shares |= renderer.shares
        extras = max(extras, renderer.extras)
        tables |= renderer.tables
    # What the copy buttons copy.
    copied = {
        key: {"csv": csv_text(table), "latex": latex_table(table)} for key, table in tables.items()
    }
    style = assets.style(
        page_rules.page_rules(choices, retrievers, shares, panels=len(panels), extras=extras)
    )
    script = assets.script()
    facts = {
        "language": report.options.language,
        "policy": policy(style, script),
        "version": __version__,
        "title": report.title,
        "style": Markup(style),
        "script": Markup(script),
        "sprite": sprite(retrievers),
        "name": report.title,
        "description": report.result.description.strip(),
        "warnings": report.notes,
        "overview": overview,
        "panels": panels,
    }
    fixed = {
        "translations": packed(script_translations(report.options.language)),
        "copies": packed(copied),
    }
    template = environment(report.options.language).get_template("page.html.j2")

    def made(payloads: Mapping[str, str], notes: Sequence[str]) -> str:
        every = [(name, Markup(packed)) for name, packed in {**fixed, **payloads}.items()]
        return template.render({**facts, "notes": notes, "payloads": every})

    empty = {f"{kind}-{index}": "" for index in explorers for kind in ("explorer", "passages")}
    room = int(report.options.max_mb * MEGABYTE) - len(made(empty, ()).encode("utf-8"))
    payloads, notes = _explorers(report, explorers, room)
    text = _with_notes(made(payloads, ()), notes)
    too_large = len(text.encode("utf-8")) - report.options.max_mb * MEGABYTE
    if too_large <= 0:
        return Page(text)
    over = float(f"{too_large / MEGABYTE:.2g}")
    larger = say(
        _(
            "The page is {over} MB larger than max_mb={limit}, and nothing more can be shortened.",
            limit=_mb(report),
            over=plain_number(over),
        )
    )
    return Page(_with_notes(made(payloads, [larger]), notes), (larger,))


def _with_notes(text: str, notes: Mapping[int, Sequence[str]]) -> str:
    """The page with the notes of each explorer in their place."""
    for index, lines in notes.items():
        text = text.replace(
            notes_place(index),
            "".join(Markup('<p class="note">{}</p>\n').format(clean(line)) for line in lines),
        )
    return text


def _mb(report: Report) -> str:
    return plain_number(report.options.max_mb)


def script_translations(language: str) -> dict[str, str]:
    """The translations of the scripts' English texts; empty for English."""
    texts = catalogue(language)
    return {text: texts[text] for text in assets.script_texts() if text in texts}


def _panel(held: PanelSections, renderer: Renderer) -> Mapping[str, Any]:
    """What the template shows of one dataset."""
    index = renderer.panel
    renderer.ids |= {f"d{index}", f"d{index}-measure", f"d{index}-baseline", f"explorer-{index}"}
    sections = []
    for section in held.sections:
        id, markup = renderer.section(section)
        sections.append({"id": id, "title": renderer.sentence(section.title), "markup": markup})
    titled = [at for at, section in enumerate(held.sections) if section.title]
    return {
        "index": index,
        "dataset": held.dataset,
        "facts": _facts(held),
        "picks": list(_picks(renderer.say, index, held.chosen)),
        "sections": sections,
        "contents_after": max(titled[0], 1) if titled else 0,
    }


def _facts(panel: PanelSections) -> tuple[tuple[Text, Text], ...]:
    """The head's facts but the primary measure, where a select says it."""
    measures = panel.chosen.measures
    primary = measures[0][1] if len(measures) > 1 else None
    return tuple((label, value) for label, value in panel.facts if value != primary)


def _picks(say: Say, panel: int, chosen: Chosen) -> Iterator[Mapping[str, Any]]:
    """The selects in the head of a panel; each option has a name for links, and a label."""
    baselines = [(name, name) for name in chosen.baselines]
    picks = (
        ("measure", _("Primary measure"), chosen.measures),
        ("baseline", _("Baseline"), baselines),
    )
    for kind, label, options in picks:
        if len(options) > 1:
            yield {"id": f"d{panel}-{kind}", "label": say(label), "options": options}


def _explorers(
    report: Report, panels: Sequence[int], room: int
) -> tuple[dict[str, str], dict[int, tuple[str, ...]]]:
    """The payloads of every explorer, in an even share of the room; what a small panel leaves of
    its share is there for the larger ones."""
    made = _shared(report, panels, room)
    if len(panels) > 1 and sum(payloads.bytes - OVERHEAD for payloads in made.values()) > room:
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
