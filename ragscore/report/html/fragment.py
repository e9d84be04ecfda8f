"""fragment(elements, reader) -> str: elements as a piece of HTML for notebooks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from markupsafe import Markup

from ragscore.elements import Element
from ragscore.messages import translated
from ragscore.report.charts.style import COLOURS, css_rules
from ragscore.report.html import assets, page_rules
from ragscore.report.html.render import Reader, Renderer
from ragscore.report.html.templates import environment

SCOPE = ".ragscore-piece"
PIXELS = 14
"""The size of text: a notebook's own root size may be anything."""


def fragment(elements: Iterable[Element], reader: Reader) -> str:
    """Elements with a style of their own and no script, for the output of a notebook's cell.

    Every rule is held inside the piece. It is light or dark as the notebook is (JupyterLab,
    VS Code, Colab), elsewhere as the browser is, and has its own paper, so that it can be read
    anywhere. Swaps show their default; the explorer stands on the page only.
    """
    elements = translated(tuple(elements), reader.language, reader.words)
    # Several pieces stand in one notebook, so ids begin with what is in the piece.
    held = hashlib.sha256(repr(elements).encode("utf-8", "replace")).hexdigest()[:8]
    renderer = Renderer(reader, prefix=f"piece-{held}", on_page=False)
    inside = renderer.elements(elements)
    template = environment().get_template("fragment.html.j2")
    return template.render(
        style=Markup(style(len(reader.retrievers), renderer.shares, renderer.extras)),
        inside=inside,
        language=reader.language,
    )


def style(retrievers: int, shares: set[tuple[int, ...]], extras: int) -> str:
    """The rules of a piece: the page's for elements and charts, all inside the piece."""
    return "\n".join(
        [
            assets.read("fragment.css"),
            f"{SCOPE} {{",
            *_variables(),
            _in_pixels(assets.read("elements.css")),
            *_chart_rules(),
            *page_rules.share_rules(shares, "@container (min-width: 1100px)"),
            *page_rules.extra_rules(extras),
            "}",
            *page_rules.focus_rules(retrievers, SCOPE),
        ]
    )


def _variables() -> list[str]:
    """The page's colours and those of charts, as declarations."""
    page = re.search(r"^:root \{\n(.*?)^\}", assets.read("colours.css"), re.DOTALL | re.MULTILINE)
    assert page is not None
    own = [line for line in page[1].splitlines() if line.strip().startswith("--")]
    return own + [f"--{name}: light-dark({a}, {b});" for name, (a, b) in COLOURS.items()]


def _chart_rules() -> list[str]:
    """The rules of charts but those for the root of a page."""
    return [line for line in css_rules().splitlines() if ":root" not in line]


def _in_pixels(text: str) -> str:
    return re.sub(r"(\d*\.?\d+)rem\b", lambda m: f"{float(m[1]) * PIXELS:.4g}px", text)
