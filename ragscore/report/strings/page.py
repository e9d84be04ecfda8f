"""Words of the report: page."""

from __future__ import annotations

PAGE: dict[str, dict[str, str]] = {}
