"""What the report says, in both languages."""

from __future__ import annotations

from ragscore.comparison.strings import STRINGS as COMPARISON
from ragscore.report.strings.changes import CHANGES
from ragscore.report.strings.charts import CHARTS
from ragscore.report.strings.computed import COMPUTED
from ragscore.report.strings.cost import COST
from ragscore.report.strings.drawn_evidence import EVIDENCE
from ragscore.report.strings.exact_search import EXACT_SEARCH
from ragscore.report.strings.explorer import EXPLORER
from ragscore.report.strings.glossary import GLOSSARY
from ragscore.report.strings.leaks import LEAKS
from ragscore.report.strings.page import PAGE
from ragscore.report.strings.sections import SECTIONS
from ragscore.report.strings.stages import STAGES
from ragscore.report.strings.sweep import SWEEP
from ragscore.report.strings.trust import TRUST
from ragscore.results.strings import NOTES
from ragscore.strings import StringTable

STRINGS = StringTable(
    COMPARISON,
    SECTIONS,
    STAGES,
    SWEEP,
    TRUST,
    COMPUTED,
    COST,
    EVIDENCE,
    EXACT_SEARCH,
    GLOSSARY,
    CHARTS,
    PAGE,
    EXPLORER,
    LEAKS,
    CHANGES,
    NOTES,
)
"""Its own texts, and those of a comparison."""
