"""Files of this folder that go into the page as they are: styles and scripts."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent
STYLES = ("colours.css", "blocks.css", "page.css", "explorer.css", "print.css")
SCRIPTS = (
    "page.js",
    "page_links.js",
    "explorer_data.js",
    "explorer_text.js",
    "explorer_detail.js",
    "explorer_controls.js",
    "explorer.js",
)


@functools.cache
def read(name: str) -> str:
    """A file's text, with line ends as an HTML parser reads them; empty where it is missing."""
    path = FOLDER / name
    return path.read_text(encoding="utf-8").replace("\r\n", "\n") if path.is_file() else ""


def style(extra: Iterable[str]) -> str:
    """The page's one style: what all pages share, then rules of this page."""
    from ragscore.report.charts.style import css_rules

    *first, last = (read(name) for name in STYLES)
    return "\n".join([*first, css_rules(), *extra, last])


def script() -> str:
    """The page's one script."""
    return "\n".join(read(name) for name in SCRIPTS)
