"""Ground truth that follows its texts: quotes become offsets, and judgments move to new passages.

:mod:`~ragscore.anchoring.anchor` looks for the quotes of evidence in their documents;
:mod:`~ragscore.anchoring.migrate` carries judgments of old passages over to new ones.
"""
