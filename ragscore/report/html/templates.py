"""The templates of this folder, and the icons that a page holds once."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ragscore.messages import Message
from ragscore.report.charts.style import retriever_key
from ragscore.report.html import assets
from ragscore.report.html.plain_text import attribute, finalize, isolated, sentence

if TYPE_CHECKING:
    from jinja2 import Environment

ICONS = {
    "PASS": "good",
    "UNDECIDED": "open",
    "FAIL": "poor",
    "CLEAR": "good",
    "SMALL": "good",
    "EQUAL": "good",
    "TIE": "fair",
    "SAME": "good",
    "MIXED": "fair",
    "LEAKS": "good",
    "TOO FEW": "open",
    "CHECK DATA": "poor",
    "K": "k",
}
"""The icon of each state of a verdict; any other has that of its level."""


@functools.cache
def environment(language: str = "en", *others: Path) -> Environment:
    """The templates of this folder, and of others before it, which say their texts in a language;
    everything that they print is cleaned and escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader([*others, assets.FOLDER], encoding="utf-8"),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )

    def text(template: str, /, **facts: object) -> str:
        return Message(template, facts).text(language)

    made.globals |= {
        "_": text,
        "isolated": isolated,
        "attribute": attribute,
        "sentence": sentence,
    }
    return made


def sprite(retrievers: int) -> Markup:
    """What the page has once: every icon, and the mark of every retriever."""
    macros: Any = environment().get_template("elements.html.j2").module
    marks = [retriever_mark(number) for number in range(retrievers)]
    return Markup(macros.sprite(sorted({*ICONS.values(), "poor"}), marks))


def retriever_mark(number: int) -> Markup:
    """A retriever's mark as ``charts`` draws it."""
    return Markup(retriever_key(number))


def notes_place(panel: int) -> Markup:
    """A comment that the page replaces; escaped text can't look so."""
    return Markup(f"<!--notes of explorer {panel}-->")
