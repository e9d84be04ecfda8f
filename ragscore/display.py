"""How a result is shown: at the end of a notebook's cell, and as a report.

IPython asks an object for its HTML. A comparison or a tuning cannot make its own, nor a result its
report: the report makes them, and stands above them. So the package's ``__init__``, which stands
above everything, hands the report's functions down to here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Renderer = Callable[[object], str]
Reporter = Callable[..., Any]


class Displayed:
    """Base of what a notebook shows as the report would."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _renderer(self)


def report_of(result: object, **options: Any) -> Any:
    """The report of a result, made by the function that was handed down.

    Args:
        result: what is reported.
        options: of ``make_report``.
    """
    return _reporter(result, **options)


def _unrendered(shown: object, **options: Any) -> str:
    raise TypeError(f"nothing renders a {type(shown).__name__}")


_renderer: Renderer = _unrendered
_reporter: Reporter = _unrendered


def display_with(renderer: Renderer, reporter: Reporter) -> None:
    """Let every object show itself through these functions from now on.

    Args:
        renderer: gives the HTML of a :class:`Displayed` object.
        reporter: gives the report of a result.
    """
    global _renderer, _reporter
    _renderer, _reporter = renderer, reporter
