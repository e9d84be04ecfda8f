"""Two parameters at once: the mean of each pair of their values, as a table of coloured cells."""

from __future__ import annotations

import numpy as np

from ragscore.elements.numbers import number_text
from ragscore.messages import Say, _
from ragscore.report.charts.style import HEATS, LABEL, SMALL, WIDTH
from ragscore.report.charts.svg import element, rectangle, text, title
from ragscore.report.charts.text_room import clipped, text_width, widest
from ragscore.report.model import Drawing, Figure
from ragscore.sweeps.model import Setting, value_text
from ragscore.sweeps.record import HeatMap

_CELL, _HEAD, _FOOT = 26.0, 24.0, 44.0
_NAMES = 80.0
_DECIMALS = 3
"""Of a mean as it is printed."""


def heat_map(
    say: Say,
    heat: HeatMap,
    chosen: Setting,
    *,
    retriever: str,
    id: str,
    label: str,
    lower_is_better: bool = False,
) -> Figure:
    """A cell for each pair of values; the higher the rank of its mean, the stronger its colour.

    Args:
        heat: the means of the configurations of one retriever.
        chosen: the settings of the best of them.
        retriever: whose they are.
        id: of the figure.
        label: of the measure.
        say: writes a text in the reader's language.
        lower_is_better: small values of the measure are good.
    """
    across, down = heat.across, heat.down
    columns, rows = ([value_text(each) for each in values] for values in (heat.columns, heat.rows))
    values = np.array(heat.means, dtype=np.float64).reshape(len(rows), len(columns))
    levels = _levels(-values if lower_is_better else values)
    left = min(max(widest(rows, SMALL), 24.0), _NAMES) + 10
    width = (WIDTH - left) / max(len(columns), 1)
    texts = [[number_text(mean) if mean == mean else "" for mean in row] for row in values.tolist()]
    written = width >= widest((label for row in texts for label in row), SMALL) + 4
    parts = [text(0, 13, clipped(down, WIDTH, LABEL), "note")]
    sentences = []
    pair = chosen.get(down), chosen.get(across)
    for at, row in enumerate(rows):
        y = _HEAD + _CELL * at
        parts.append(text(left - 8, y + 17, clipped(row, left - 8, SMALL), "tick", "end"))
        for place, column in enumerate(columns):
            x, level = left + width * place, levels[at][place]
            if level is None:
                continue
            best = pair == (heat.rows[at], heat.columns[place])
            said = _("{across} = {x}, {down} = {y}: {mean}")
            if best:
                said = _("{across} = {x}, {down} = {y} (best configuration): {mean}")
            mean = texts[at][place]
            sentences.append(say(said.given(across=across, x=column, down=down, y=row, mean=mean)))
            parts.append(
                _cell(
                    (x, y, width),
                    level,
                    texts[at][place] if written else "",
                    sentences[-1],
                    best=best,
                    value=float(values[at, place]),
                )
            )
    bottom = _HEAD + _CELL * len(rows)
    apart = max(1, round(widest(columns, SMALL) / width + 0.6))
    for place, column in enumerate(columns):
        if place % apart == 0:
            middle = left + width * (place + 0.5)
            shown = clipped(column, width * apart, SMALL)
            middle = min(middle, WIDTH - text_width(shown, SMALL) / 2)
            parts.append(text(middle, bottom + 17, shown, "tick", "middle"))
    parts.append(
        text(
            (left + WIDTH) / 2, bottom + 34, clipped(across, WIDTH - left, LABEL), "note", "middle"
        )
    )
    notes = [
        _(
            "Each cell: the mean over all configurations with both values. The stronger the "
            "colour, the higher the rank of the mean. Framed: this retriever's best configuration."
        )
    ]
    if not written and sentences:
        ends = [number_text(end) for end in (np.nanmin(values), np.nanmax(values))]
        notes.append(_("From {low} to {high}.", low=ends[0], high=ends[1]))
    facts = {"label": label, "retriever": retriever, "across": across, "down": down}
    start = _(
        "Mean {label} of {retriever} for each pair of values of {across} and {down}, over all "
        "configurations with both.",
        **facts,
    )
    return Figure(
        id=id,
        title=say(_("{label} of {retriever} by {across} and {down}", **facts)),
        description=f"{say(start)} {'; '.join(sentences)}.",
        drawing=Drawing(WIDTH, bottom + _FOOT, "".join(parts)),
        note=" ".join(map(say, notes)),
    )


def _levels(values: np.ndarray) -> list[list[int | None]]:
    """The colour of each cell, from 0 for the worst mean to the last for the best; None without.
    Colours go by rank, or one mean far below would leave the others in one colour; means that are
    printed alike have one colour."""
    printed = np.round(values, _DECIMALS)
    known = np.unique(printed[~np.isnan(printed)])
    shades = np.minimum(np.arange(len(known)) * HEATS // max(len(known) - 1, 1), HEATS - 1)
    return [
        [None if value != value else int(shades[np.searchsorted(known, value)]) for value in row]
        for row in printed.tolist()
    ]


def _cell(
    place: tuple[float, float, float],
    level: int,
    shown: str,
    hint: str,
    *,
    best: bool,
    value: float,
) -> str:
    x, y, width = place
    # Neighbours stand a pixel apart.
    parts = [title(hint), rectangle(x, y, max(width - 1, 0.8), _CELL - 1, f"heat{level}")]
    if best:
        parts.append(
            rectangle(x + 1, y + 1, max(width - 3, 0.8), _CELL - 3, f"framed on-heat{level}")
        )
    if shown:
        role = f"value{' strong' if best else ''} on-heat{level}"
        parts.append(text(x + (width - 1) / 2, y + _CELL / 2 + 4, shown, role, "middle"))
    return element(
        "g", *parts, tabindex="0", data_value=repr(value), data_best="true" if best else None
    )
