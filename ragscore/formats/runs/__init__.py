"""Formats of runs: one file each, and their join with the judgments while they are read."""
