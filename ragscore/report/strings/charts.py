"""Words of the report: charts."""

from __future__ import annotations

CHARTS: dict[str, dict[str, str]] = {}
