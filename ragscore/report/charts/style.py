"""How charts look: one list of colours, roles, shapes and dashes, for light and dark; and a chart
as an SVG file of its own.

The page gets variables for both schemes; a file of its own gets the light colours written out.
The colours are Okabe and Ito's (https://jfly.uni-koeln.de/color/), darkened on light and lightened
on dark where they had less contrast than 3 to the paper, and three more behind them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from ragscore.report.charts.svg import element, escape, number, polyline, text
from ragscore.report.charts.text_room import clipped, wrapped
from ragscore.report.model import Figure

FONTS = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, '
    '"Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans KR", "Noto Sans CJK KR", sans-serif'
)

COLOURS: dict[str, tuple[str, str]] = {
    # Retrievers by number: blue, vermilion, green, purple, orange, sky, ink, brown, indigo, olive.
    "r0": ("#0072b2", "#4ba3e3"),
    "r1": ("#d55e00", "#f28a45"),
    "r2": ("#008f68", "#2fc297"),
    "r3": ("#bd5f93", "#e39cc4"),
    "r4": ("#c08400", "#f0b63c"),
    "r5": ("#2e93cf", "#8fd0f5"),
    "r6": ("#4d545c", "#c9ced4"),
    "r7": ("#8a5a2b", "#cf9f6b"),
    "r8": ("#5b4fa8", "#aba0ec"),
    "r9": ("#7d7a00", "#e2d94a"),
    "better": ("#0072b2", "#4ba3e3"),
    "worse": ("#d55e00", "#f28a45"),
    "same": ("#9aa1a9", "#767e87"),
    # Found first, then from what a larger k would mend to what no retriever finds, or can; at last
    # what was not answered.
    "cause0": ("#dfe5ea", "#333a42"),
    "cause1": ("#8cc4e8", "#a9d6f2"),
    "cause2": ("#e3a32b", "#f0b63c"),
    "cause3": ("#b84e14", "#e07b41"),
    "cause4": ("#5a3a6e", "#7f5b9c"),
    "cause5": ("#b56b93", "#e3a6c8"),
    "cause6": ("#2f353b", "#c3c9cf"),
    # The counts on them.
    "on-cause0": ("#1c2127", "#e6e9ec"),
    "on-cause1": ("#1c2127", "#1c2127"),
    "on-cause2": ("#1c2127", "#1c2127"),
    "on-cause3": ("#ffffff", "#1c2127"),
    "on-cause4": ("#ffffff", "#ffffff"),
    "on-cause5": ("#1c2127", "#1c2127"),
    "on-cause6": ("#ffffff", "#1c2127"),
    # Cells of heat maps, the best last: the stronger, the further from the paper.
    "heat0": ("#edf3f8", "#1c2833"),
    "heat1": ("#c9dff0", "#20415c"),
    "heat2": ("#93c1e3", "#2a6390"),
    "heat3": ("#2474ac", "#6fb4e6"),
    "heat4": ("#0b4a7a", "#bfe2fb"),
    "on-heat0": ("#1c2127", "#e6e9ec"),
    "on-heat1": ("#1c2127", "#e6e9ec"),
    "on-heat2": ("#1c2127", "#ffffff"),
    "on-heat3": ("#ffffff", "#1c2127"),
    "on-heat4": ("#ffffff", "#1c2127"),
    "chart-ink": ("#1c2127", "#e6e9ec"),
    "chart-muted": ("#5c656e", "#a2abb4"),
    "chart-axis": ("#8a929a", "#7d868f"),
    "chart-grid": ("#e6e9ec", "#2a3036"),
    "chart-margin": ("#e4e8ec", "#2c333a"),
    "chart-paper": ("#ffffff", "#14171a"),
}
"""By name: the colour on light paper, the colour on dark paper."""
RETRIEVER_COLOURS = 10
CAUSES = 7
"""Colours of the parts of stacked bars."""
HEATS = 5
"""Colours of the cells of a heat map."""

WIDTH = 520.0
"""The width of a chart that fills half the page: two fit side by side, one fits on a phone."""
LABEL, SMALL = 13.6, 13.2
"""The largest size of labels, and of ticks, notes and values, in units of a drawing: its texts grow
where it is shown small, so room for text is measured with these."""

_DASHES = (None, "6 3", "2 2.5", "9 3 2 3")


def css_rules() -> str:
    """The rules of all charts for the page's style sheet.

    Colours are variables (``--r0``, ``--better``, ``--chart-ink``, ...): light on ``:root``, dark
    by ``prefers-color-scheme`` and ``data-theme="dark"``, light again in print.
    """
    light, dark = _variables(0), _variables(1)
    return "\n".join(
        (
            f":root{{{light}}}",
            f'@media (prefers-color-scheme:dark){{:root:not([data-theme="light"]){{{dark}}}}}',
            f':root[data-theme="dark"]{{{dark}}}',
            f'@media print{{:root,:root[data-theme="dark"]{{{light}}}}}',
            *_rules(":is(.chart,.chart-key) ", lambda name: f"var(--{name})"),
            *_PAGE_RULES,
        )
    )


def fixed_rules() -> str:
    """The same in light colours without variables, for an SVG file of its own."""
    fonts = f"text{{font-family:{FONTS}}}"
    # Notes on what only a page can do are left out.
    return "\n".join((fonts, ".on-page{display:none}", *_rules("", lambda name: COLOURS[name][0])))


def _variables(scheme: int) -> str:
    return ";".join(f"--{name}:{both[scheme]}" for name, both in COLOURS.items())


def _rules(scope: str, colour: Callable[[str], str]) -> list[str]:
    def rule(selectors: str, body: str) -> str:
        return ",".join(scope + selector for selector in selectors.split(",")) + f"{{{body}}}"

    ink, muted, paper = colour("chart-ink"), colour("chart-muted"), colour("chart-paper")
    axis, grid = colour("chart-axis"), colour("chart-grid")
    rules = [
        rule("text", f"fill:{ink};font-size:12px;font-variant-numeric:tabular-nums"),
        rule(".tick,.note", f"fill:{muted};font-size:11px"),
        rule(".value", "font-size:11.5px"),
        rule(".strong", "font-weight:600"),
        rule(".halo", f"paint-order:stroke;stroke:{paper};stroke-width:3px;stroke-linejoin:round"),
        rule(".axis", f"stroke:{axis};stroke-width:1px;fill:none"),
        rule(".grid", f"stroke:{grid};stroke-width:1px;fill:none"),
        rule(".leader", f"stroke:{axis};stroke-width:.6px;fill:none"),
        rule(".zero", f"stroke:{ink};stroke-width:1px;fill:none"),
        rule(".margin", f"fill:{colour('chart-margin')}"),
        rule(".line", "fill:none;stroke-width:1.9px;stroke-linejoin:round;stroke-linecap:butt"),
        rule(".bar", "fill:none;stroke-width:2.2px"),
        rule(".band", "stroke:none;fill-opacity:.12"),
        rule(".many .band", "fill-opacity:.03"),
        rule(".range", "fill:none;stroke-width:1px;stroke-opacity:.55"),
        rule(".many .range", "stroke-opacity:.25"),
        rule(".front", f"stroke:{ink};stroke-width:1.2px;stroke-dasharray:5 3;fill:none"),
        rule(".ring", "fill:none;stroke-width:1.6px"),
        rule(".open", "stroke-width:1.8px"),
        rule(".hit", "fill:none;pointer-events:all"),
        rule(".chart-title", "font-size:15px;font-weight:600"),
    ]
    rules.append(rule(".plain-mark .mark", f"fill:{ink}"))
    rules.append(rule(".plain-mark .open", f"fill:{paper};stroke:{ink}"))
    rules.append(rule(".plain-mark .bar", f"stroke:{ink}"))
    for n in range(RETRIEVER_COLOURS):
        own = colour(f"r{n}")
        rules.append(rule(f".r{n} .line,.r{n} .bar,.r{n} .ring,.r{n} .open", f"stroke:{own}"))
        rules.append(rule(f".r{n} .range", f"stroke:{own}"))
        rules.append(rule(f".r{n} .mark,.r{n} .band", f"fill:{own}"))
        rules.append(rule(f".r{n} .open", f"fill:{paper}"))
    fills = (*(f"cause{n}" for n in range(CAUSES)), *(f"heat{n}" for n in range(HEATS)))
    for name in ("better", "worse", "same", *fills):
        rules.append(rule(f".{name}", f"fill:{colour(name)}"))
    rules += [rule(f".on-{name}", f"fill:{colour(f'on-{name}')}") for name in fills]
    rules.append(rule(".framed", "stroke-width:2px"))
    for n in range(HEATS):
        rules.append(rule(f".framed.on-heat{n}", f"fill:none;stroke:{colour(f'on-heat{n}')}"))
    rules.append(rule(".mean", f"stroke:{ink};stroke-width:1px;stroke-dasharray:4 3;fill:none"))
    return rules


_PAGE_RULES = (
    # Drawings are scaled to their place: on a phone text grows in them, in a wide column it
    # shrinks, so that it stays about as large as the page's.
    "@container chart (max-width:430px){"
    f".chart text{{font-size:{LABEL}px}}.chart :is(.tick,.note,.value){{font-size:{SMALL}px}}}}",
    "@container chart (min-width:560px){"
    ".chart text{font-size:11.3px}.chart :is(.tick,.note){font-size:10.5px}"
    ".chart .value{font-size:11px}}",
    ".chart [data-r]{transition:opacity .12s}",
    ".chart [data-r]:is(:hover,:focus-visible) .band{fill-opacity:.28}",
    ".chart [tabindex]:focus-visible,.chart a:focus-visible"
    "{outline:2px solid var(--chart-axis);outline-offset:2px}",
    ".chart a:hover rect{filter:brightness(.93)}",
    "@media (prefers-reduced-motion:reduce){.chart [data-r]{transition:none}}",
)


def colour_class(retriever: int) -> str:
    """The class of a retriever's colour, ``r0`` to ``r9``."""
    return f"r{retriever % RETRIEVER_COLOURS}"


def dash(retriever: int) -> str | None:
    """The dashes of a retriever's line; None for a solid one."""
    return _DASHES[(retriever // 5) % len(_DASHES)]


def shape(retriever: int, x: float, y: float, size: float = 4.0) -> str:
    """Path data of a retriever's shape around a point; all shapes look about as large.

    Circle, square, triangle, diamond, cross, plus, triangle down, star, triangles left and right.
    """
    # From the eleventh on a colour comes back, with another shape.
    kind = (retriever + 3 * (retriever // RETRIEVER_COLOURS)) % len(_SHAPES)
    if kind == 0:
        arc = f"a{number(size)},{number(size)} 0 1,0 "
        return (
            f"M{number(x - size)},{number(y)}{arc}{number(2 * size)},0{arc}{number(-2 * size)},0z"
        )
    return polyline((x + size * dx, y + size * dy) for dx, dy in _SHAPES[kind]) + "z"


def mark(retriever: int, x: float, y: float, size: float = 4.0, *, hollow: bool = False) -> str:
    """A retriever's shape as an element; hollow ones are undecided."""
    role = "mark open" if hollow else "mark"
    return element("path", class_=role, d=shape(retriever, x, y, size))


def retriever_group(retriever: int, *parts: str, tabindex: str | None = None, **data: str) -> str:
    """What belongs to a retriever: in its colour, and found by its number; ``data`` are attributes
    such as ``data_cost``."""
    named = {"class_": colour_class(retriever), "data_r": str(retriever), "tabindex": tabindex}
    return element("g", *parts, **named, **data)


def retriever_name(retriever: int, name: str, y: float, room: float, role: str = "label") -> str:
    """A retriever's shape and name at the left of its row, whose middle is at y.

    Args:
        retriever: its number.
        name: its name, cut where it is wider than ``room``.
        y: the middle of the row.
        room: for the name.
        role: of the text.
    """
    return mark(retriever, 6, y) + text(16, y + 4, clipped(name, room, LABEL), role)


def retriever_key(retriever: int) -> str:
    """A small picture of a retriever's line and shape: an SVG element for legends and tables."""
    path = element("path", class_="line", d="M0,7L24,7", stroke_dasharray=dash(retriever))
    return element(
        "svg",
        element("g", path, mark(retriever, 12, 7), class_=colour_class(retriever)),
        class_="chart-key",
        width=24,
        height=14,
        viewBox="0 0 24 14",
        aria_hidden="true",
    )


def _turned(
    points: tuple[tuple[float, float], ...], degrees: float
) -> tuple[tuple[float, float], ...]:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return tuple((x * c - y * s, x * s + y * c) for x, y in points)


_TRIANGLE = ((0.0, -1.25), (1.15, 0.8), (-1.15, 0.8))
_SQUARE = ((-0.92, -0.92), (0.92, -0.92), (0.92, 0.92), (-0.92, 0.92))
_PLUS = (
    *((-0.42, -1.25), (0.42, -1.25), (0.42, -0.42), (1.25, -0.42), (1.25, 0.42), (0.42, 0.42)),
    *((0.42, 1.25), (-0.42, 1.25), (-0.42, 0.42), (-1.25, 0.42), (-1.25, -0.42), (-0.42, -0.42)),
)
_STAR = tuple(
    (r * math.sin(math.radians(36 * i)), -r * math.cos(math.radians(36 * i)))
    for i, r in enumerate((1.4, 0.62) * 5)
)
_SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    _SQUARE,
    _TRIANGLE,
    _turned(_SQUARE, 45),
    _turned(_PLUS, 45),
    _PLUS,
    _turned(_TRIANGLE, 180),
    _STAR,
    _turned(_TRIANGLE, -90),
    _turned(_TRIANGLE, 90),
)


_EDGE, _HEADING, _NOTE = 16.0, 24.0, 15.0
"""Of a file of its own: the edge, the height of a line of its title and of its note."""


def standalone(figure: Figure) -> str:
    """A complete SVG document in light colours on white, with its title and note drawn in.

    Links and stops of the keyboard are left out: outside the page they lead nowhere.
    """
    drawing = figure.drawing
    width = drawing.width + 2 * _EDGE
    title = wrapped(figure.title, drawing.width, 15)
    note = wrapped(figure.note, drawing.width, 11) if figure.note else []
    top = _EDGE + _HEADING * len(title)
    below = top + drawing.height + 4
    height = below + _NOTE * len(note) + _EDGE
    markup = re.sub(r"<a [^>]*>", "<g>", drawing.markup).replace("</a>", "</g>")
    markup = markup.replace(' tabindex="0"', "")
    paper = element("rect", fill="#fff", width=width, height=height)
    lines = [
        text(_EDGE, _EDGE + 14 + _HEADING * i, line, "chart-title") for i, line in enumerate(title)
    ]
    lines += [text(_EDGE, below + _NOTE * (i + 1), line, "note") for i, line in enumerate(note)]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" '
        'aria-labelledby="title description" '
        f'width="{number(width)}" height="{number(height)}" '
        f'viewBox="0 0 {number(width)} {number(height)}">'
        f'<title id="title">{escape(figure.title)}</title>'
        f'<desc id="description">{escape(figure.description)}</desc>'
        f"<style>{fixed_rules()}</style>"
        f"{paper}{''.join(lines)}"
        f'<g transform="translate({number(_EDGE)} {number(top)})">{markup}</g></svg>\n'
    )
