"""The gate: what a result must reach, and the baseline that it must not fall below.

- ``baseline``: what was reached before, one value for each query, in a file of a repository.
- ``baseline_file``: how that file is written and read.
- ``baseline_changes``: what a new baseline would lower, and whether two come of the same data.
"""
