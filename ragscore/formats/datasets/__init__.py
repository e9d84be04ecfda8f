"""Formats of datasets and of judgments, a file for each; their table is in ``formats.py``."""
