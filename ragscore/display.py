"""How a result shows itself at the end of a notebook's cell.

IPython asks an object for its HTML. A comparison or a tuning cannot make its own: the report
makes it, and stands above them. So the package's ``__init__``, which stands above everything,
hands the report's renderer down to here.
"""

from __future__ import annotations

from collections.abc import Callable

Renderer = Callable[[object], str]


class Displayed:
    """Base of what a notebook shows as the report would."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _renderer(self)


def _unrendered(shown: object) -> str:
    raise TypeError(f"nothing renders a {type(shown).__name__}")


_renderer: Renderer = _unrendered


def display_with(renderer: Renderer) -> None:
    """Let every :class:`Displayed` object show itself through this renderer from now on."""
    global _renderer
    _renderer = renderer
