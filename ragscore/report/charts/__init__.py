"""The report's charts: SVG of our own, no library at run time.

Each function takes plain data and returns a :class:`~ragscore.report.model.Figure`, whose markup
has classes for colours (see :mod:`ragscore.report.charts.style`), no ids and no style attributes,
so that it may stand on a page any number of times.
"""
