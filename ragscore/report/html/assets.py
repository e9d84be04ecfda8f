"""Styles and scripts, which go into the page as they are, and the policy that lets them in."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

from ragscore.report.charts.style import css_rules

FOLDER = Path(__file__).parent
STYLES = ("colours.css", "elements.css", "page.css", "explorer.css", "print.css")
SCRIPTS = (
    "page.js",
    "page_links.js",
    "explorer_data.js",
    "explorer_text.js",
    "explorer_detail.js",
    "explorer_controls.js",
    "explorer.js",
)
SAID = re.compile(r'(?<!\w)_\(("(?:[^"\\]|\\.)*")')


@functools.cache
def read(name: str) -> str:
    """A file's text, with line ends as an HTML parser reads them; empty if it is missing."""
    path = FOLDER / name
    return path.read_text(encoding="utf-8").replace("\r\n", "\n") if path.is_file() else ""


def style(extra: Iterable[str]) -> str:
    """The page's only style sheet: the rules of all pages, then those of this one."""
    *first, last = (read(name) for name in STYLES)
    return "\n".join([*first, css_rules(), *extra, last])


def script() -> str:
    """The page's one script."""
    return "\n".join(read(name) for name in SCRIPTS)


@functools.cache
def script_texts() -> tuple[str, ...]:
    """What the scripts say, in English: each ``_("text")`` in them."""
    return tuple(map(json.loads, dict.fromkeys(SAID.findall(script()))))


def source(text: str) -> str:
    """The source by which a policy admits this style or script, and no other."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy(style: str, script: str = "") -> str:
    """The Content-Security-Policy of a page with one style and at most one script: nothing comes
    from anywhere else."""
    scripts = f"script-src {source(script)}; " if script else ""
    return (
        f"default-src 'none'; {scripts}style-src {source(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
