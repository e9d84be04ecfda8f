"""Texts in a polars column: what a Parquet file gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragscore.formats.reading.encodings import BOM

if TYPE_CHECKING:
    import polars

FEW = 1 << 14
SPACE = 32


@dataclass(frozen=True, eq=False)
class PolarsTexts:
    """n texts; see :class:`~ragscore.formats.reading.texts.Texts`."""

    column: polars.Series

    @classmethod
    def of(cls, texts: Iterable[str]) -> PolarsTexts:
        """A column of these texts."""
        import polars

        return cls(polars.Series(list(texts), dtype=polars.String))

    @classmethod
    def of_lines(cls, lines: bytes, texts: int) -> PolarsTexts | None:
        """A column of texts that end in a newline each, without a Python object for any of them;
        None where some text holds what a reader of lines does not keep as it is."""
        import polars

        codes = np.frombuffer(lines, dtype=np.uint8)
        odd = lines.startswith(BOM) or np.count_nonzero(codes < SPACE) != texts
        if odd or not texts:
            return None
        frame = polars.read_csv(
            lines,
            has_header=False,
            separator="\t",
            quote_char=None,
            schema={"text": polars.String},
        )
        column = frame["text"]
        return cls(column) if len(column) == texts and not column.null_count() else None

    def __len__(self) -> int:
        return len(self.column)

    def to_list(self) -> list[str]:
        """The texts."""
        return self.column.to_list()

    def take(self, rows: NDArray[np.int64]) -> PolarsTexts:
        """The texts of some rows."""
        # Polars loads all of numpy.ma to look at an array, which takes longer than a short list.
        return PolarsTexts(self.column.gather(rows.tolist() if len(rows) <= FEW else rows))

    def runs(self) -> NDArray[np.int64]:
        """The rows whose text is not that of the row before: int64[m], the first row included."""
        lengths = self.column.rle().struct.field("len").to_numpy().astype(np.int64)
        starts: NDArray[np.int64] = np.cumsum(lengths) - lengths
        return starts

    def hashes(self) -> NDArray[np.uint64]:
        """A 64-bit hash of each text, the same in all of this process: uint64[n]."""
        return self.column.hash().to_numpy()

    def equal(
        self, at: NDArray[np.int64], other: PolarsTexts, at_other: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Which pairs of rows hold the same text: bool[m]."""
        equal: NDArray[np.bool_] = (self.take(at).column == other.take(at_other).column).to_numpy()
        return equal

    def falling(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows by ascending group, and by falling text within a group: int64[n]."""
        import polars

        frame = polars.DataFrame({"group": groups, "text": self.column}).with_row_index()
        ordered = frame.sort("group", "text", descending=[False, True], maintain_order=True)
        return ordered["index"].to_numpy().astype(np.int64)
