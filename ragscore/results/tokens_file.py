"""tokens.parquet: how many tokens the returned passages have, as the run's tokenizer counted them.

A result is read without the tokenizer, which may be anyone's code: the counts are recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Corpus, Ids
from ragscore.errors import DataError
from ragscore.parquet_files import parquet_errors, recorded_table
from ragscore.results.layout import TOKENS

COLUMNS = ("dataset", "passage", "tokens")


@dataclass(frozen=True, eq=False)
class TokenCounts:
    """The tokens of some passages of one dataset.

    Attributes:
        dataset: its name.
        passages: N ids.
        tokens: int64[N], never negative.
    """

    dataset: str
    passages: Ids
    tokens: NDArray[np.int64]

    def __call__(self, corpus: Corpus, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Tokens of the passages in these rows of the corpus.

        Raises:
            DataError: one of them was not counted.
        """
        at = self.passages.rows(corpus.ids.texts(rows))
        if (at < 0).any():
            unknown = corpus.ids[int(rows[np.flatnonzero(at < 0)[0]])]
            raise DataError(
                f"the tokens of the passage '{unknown}' were not recorded",
                where=f"{TOKENS}, {self.dataset}",
                instead="Run the experiment again",
            )
        return self.tokens[at]


def write_tokens(path: Path, counts: Mapping[str, TokenCounts]) -> None:
    """Write the counts of all datasets."""
    import polars

    frames = [
        polars.DataFrame(
            {"passage": list(counted.passages), "tokens": counted.tokens},
            schema={"passage": polars.String, "tokens": polars.Int64},
        ).select(polars.lit(name).alias("dataset"), "passage", "tokens")
        for name, counted in counts.items()
    ]
    polars.concat(frames).write_parquet(path, compression="zstd")


def read_tokens(content: bytes, where: str, most_rows: int) -> dict[str, TokenCounts]:
    """The counts by dataset.

    Args:
        content: the file's bytes.
        where: the file, for messages.
        most_rows: rows that it holds by the manifest; more are not read.

    Raises:
        DataError: it is not a table of counts.
    """
    with parquet_errors("it is not a table of token counts", where):
        frame = recorded_table(content, most_rows, COLUMNS[:2], COLUMNS[2:])
        if not (frame["tokens"] >= 0).all():
            raise ValueError("a value is negative")
        parts = frame.partition_by("dataset", maintain_order=True)
        return {
            str(part["dataset"][0]): TokenCounts(
                str(part["dataset"][0]), Ids(part["passage"].to_list()), part["tokens"].to_numpy()
            )
            for part in parts
        }
