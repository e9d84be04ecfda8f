"""A figure as an SVG file of its own."""

from __future__ import annotations

import re

from ragscore.report.charts.style import fixed_rules
from ragscore.report.charts.svg import element, escape, number, text
from ragscore.report.charts.text_room import wrapped
from ragscore.report.model import Figure

_EDGE, _TITLE, _NOTE = 16.0, 24.0, 15.0


def standalone(figure: Figure) -> str:
    """A complete SVG document in light colours on white, with its title and note drawn in.

    Links and stops of the keyboard are left out: outside the page they lead nowhere.
    """
    drawing = figure.drawing
    width = drawing.width + 2 * _EDGE
    heading = wrapped(figure.title, drawing.width, 15)
    note = wrapped(figure.note, drawing.width, 11) if figure.note else []
    top = _EDGE + _TITLE * len(heading)
    below = top + drawing.height + 4
    height = below + _NOTE * len(note) + _EDGE
    markup = re.sub(r"<a [^>]*>", "<g>", drawing.markup).replace("</a>", "</g>")
    markup = markup.replace(' tabindex="0"', "")
    paper = element("rect", fill="#fff", width=width, height=height)
    lines = [
        text(_EDGE, _EDGE + 14 + _TITLE * i, line, "chart-title") for i, line in enumerate(heading)
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
