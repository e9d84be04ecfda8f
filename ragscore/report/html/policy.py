"""The Content-Security-Policy of a page: its own style and script, and nothing from anywhere."""

from __future__ import annotations

import base64
import hashlib


def source(text: str) -> str:
    """The source by which a policy lets this style or script in, and no other."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy(style: str, script: str = "") -> str:
    """The policy of a page with one style and at most one script."""
    scripts = f"script-src {source(script)}; " if script else ""
    return (
        f"default-src 'none'; {scripts}style-src {source(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
