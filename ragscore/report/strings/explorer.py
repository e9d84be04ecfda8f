"""Words of the report: explorer."""

from __future__ import annotations

EXPLORER: dict[str, dict[str, str]] = {}
