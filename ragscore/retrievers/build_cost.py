"""What building an index cost, kept beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path

from ragscore.encoders import EncodingCost
from ragscore.encoders.encoding_cost import Seconds
from ragscore.records import adapter

FILE = "cost.json"


@dataclass(frozen=True)
class BuildCost:
    """The seconds that an index took when it was built, also where it is reopened.

    Attributes:
        seconds: building it, with encoding left out.
        encoding: of its passages; None if none was encoded, or nobody recorded it.
    """

    seconds: Seconds
    encoding: EncodingCost | None = None

    @classmethod
    def total(cls, parts: Sequence[BuildCost]) -> BuildCost:
        """Of several indexes together."""
        encodings = [part.encoding for part in parts if part.encoding is not None]
        encoding = reduce(EncodingCost.plus, encodings) if encodings else None
        return cls(sum(part.seconds for part in parts), encoding)

    def write(self, folder: Path) -> None:
        """Keep it in the folder of the index."""
        (folder / FILE).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> BuildCost | None:
        """What was kept; None for an index of an earlier version, which kept nothing.

        Raises:
            Exception: any; the folder is damaged.
        """
        if not (folder / FILE).is_file():
            return None
        return adapter(cls).validate_json((folder / FILE).read_bytes())
