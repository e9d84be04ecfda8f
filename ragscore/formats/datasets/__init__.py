"""Formats of datasets and of judgments: one file each; the table stands in ``formats.py``."""
