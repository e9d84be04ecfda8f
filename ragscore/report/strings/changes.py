"""Words of the report: changes."""

from __future__ import annotations

CHANGES: dict[str, dict[str, str]] = {}
