"""token-begins.parquet: where the tokens begin that measures count in documents.

A result is read without their tokenizers, which it only names: the places are recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.documents import Documents
from ragscore.parquet_files import parquet_errors, recorded_table

MAX_TOKENS = 50_000_000
"""Rows that are written and read at most; without them, measures of tokens are as recorded and
cannot be computed anew."""


def write_token_begins(path: Path, begins: Mapping[str, Mapping[str, NDArray[np.int64]]]) -> None:
    """Write where tokens begin among the characters of all documents, by dataset and tokenizer."""
    import polars

    frames = [
        polars.DataFrame({"begin": places}).select(
            polars.lit(dataset).cast(polars.String).alias("dataset"),
            polars.lit(tokenizer).cast(polars.String).alias("tokenizer"),
            polars.col("begin").cast(polars.Int64),
        )
        for dataset, by_tokenizer in begins.items()
        for tokenizer, places in by_tokenizer.items()
    ]
    table = polars.concat(frames)
    if len(table) <= MAX_TOKENS:
        table.write_parquet(path, compression="zstd")


def read_token_begins(
    content: bytes, dataset: str, documents: Documents, where: str
) -> dict[str, NDArray[np.int64]]:
    """Where tokens begin among the characters of a dataset's documents, by tokenizer; none of
    these is opened.

    Args:
        content: the file's bytes.
        dataset: its name.
        documents: of the dataset.
        where: the file, for messages.

    Raises:
        DataError: it is not a table of places in these documents.
    """
    import polars

    with parquet_errors("it is not a table of where tokens begin in these documents", where):
        frame = recorded_table(content, MAX_TOKENS, ("dataset", "tokenizer"), ("begin",))
        own, found = frame.filter(polars.col("dataset") == dataset), {}
        for (tokenizer,), part in own.group_by("tokenizer", maintain_order=True):
            begins: NDArray[np.int64] = part["begin"].to_numpy()
            inside = begins[0] >= 0 and begins[-1] < documents.offsets[-1]
            if not inside or (np.diff(begins) < 0).any():
                raise ValueError("tokens lie outside the documents, or in no order")
            found[str(tokenizer)] = begins
        return found
