"""What the search of a block found, as it stands in the cache until the whole run is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ragscore.arrays import load_arrays, save_arrays
from ragscore.errors import DataError
from ragscore.retrievers.run_order import BestPassages

FOUND = "found"
"""The cache's kind of entry for what a search of a block found."""
FORMAT = 1
"""Raise this when the meaning of these entries changes, so that old ones are not found."""
ARRAYS = ("rows", "scores")


def write_found(found: BestPassages, folder: Path) -> None:
    """Keep what was found in the folder of an entry."""
    save_arrays(folder, {"rows": found.rows.astype(np.int32), "scores": found.scores})


def read_found(folder: Path, *, shape: tuple[int, int]) -> BestPassages:
    """What was found in a block for as many queries as ``shape`` says, and as deep.

    Raises:
        DataError: it has another shape.
    """
    found = BestPassages(**load_arrays(folder, ARRAYS))
    if found.rows.shape != shape or found.scores.shape != shape:
        raise DataError("it was found for other queries, or to another depth")
    return found
