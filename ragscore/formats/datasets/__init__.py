"""Formats of datasets and judgments, a file for each; ``dataset_formats.py`` has their table."""
