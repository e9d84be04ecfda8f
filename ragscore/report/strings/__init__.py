"""What the report says, in both languages."""

from __future__ import annotations

from ragscore.comparison.strings import STRINGS as COMPARISON
from ragscore.report.strings.charts import CHARTS
from ragscore.report.strings.explorer import EXPLORER
from ragscore.report.strings.page import PAGE
from ragscore.report.strings.sweep import SWEEP
from ragscore.results.strings import NOTES
from ragscore.strings import StringTable

STRINGS = StringTable(
    COMPARISON,
    SWEEP,
    CHARTS,
    PAGE,
    EXPLORER,
    NOTES,
)
"""Its own texts, and those of a comparison."""
