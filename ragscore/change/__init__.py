"""Everything that changed between two results.

:mod:`ragscore.change.between` finds which rankings changed, without a judgment of which is right
(:func:`ragscore.changes`); :mod:`ragscore.change.values` which measures rose or fell;
:mod:`ragscore.change.match` what else is different: datasets, settings, versions.
"""
