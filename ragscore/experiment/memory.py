"""Memory: how much of it a run may use, as people write it, and what is known to need it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from ragscore.elements.numbers import bytes_text, count_text
from ragscore.errors import Problem
from ragscore.retrievers.base import RetrieverSpec

PATTERN = r"^[0-9]+(\.[0-9]+)? ?(MB|GB|TB|MiB|GiB|TiB)$"
UNITS = {
    unit: base ** (power + 2)
    for base, ending in ((1000, "B"), (1024, "iB"))
    for power, unit in enumerate(prefix + ending for prefix in "MGT")
}
"""Bytes of each unit."""
LEAST = 100 * UNITS["MB"]
"""What Python and its libraries take before there is any data."""
BYTES_OF_BEST = 36
"""Of a passage among the best of a query, while blocks are searched and merged: its row and score,
three times at most."""


def memory_bytes(memory: str) -> int:
    """How many bytes a text such as ``4GB`` or ``512 MiB`` means.

    >>> memory_bytes("4GB"), memory_bytes("1.5 GiB")
    (4000000000, 1610612736)

    Raises:
        ValueError: it is not such a text.
    """
    found = re.fullmatch(r"([0-9.]+) ?([A-Za-z]+)", memory)
    if found is None or re.match(PATTERN, memory) is None:
        raise ValueError(_no_amount(f"'{memory}'"))
    return int(float(found[1]) * UNITS[found[2]])


def _as_written(memory: Any) -> Any:
    """A number is no text that lacks quotes: with them it would be refused as well."""
    if isinstance(memory, int | float):
        raise ValueError(_no_amount(str(memory).lower()))
    return memory


def _no_amount(memory: str) -> str:
    return f"{memory} is not an amount of memory. Write 4GB, 512MB or 1.5GiB"


def _enough(memory: str) -> str:
    if memory_bytes(memory) < LEAST:
        raise ValueError(f"{memory} is too little to run in. Write 100MB or more")
    return memory


Memory = Annotated[
    str,
    BeforeValidator(_as_written),
    AfterValidator(_enough),
    Field(json_schema_extra={"pattern": PATTERN}, examples=["4GB"]),
]
"""An amount of memory as text."""


def memory_problems(
    memory: str,
    dataset: str,
    passages: int,
    queries: int,
    retrievers: Mapping[str, RetrieverSpec],
    depth: int,
) -> Iterator[Problem]:
    """What cannot be done in this much memory, if that is known before anything is read or
    searched: indexes that are held as a whole, and the best passages of all queries.

    Args:
        memory: as it is written.
        dataset: its name.
        passages, queries: how many it has.
        retrievers: by name, those that run.
        depth: how many passages a run records for a query.
    """
    budget = memory_bytes(memory)
    best = queries * min(depth, passages) * BYTES_OF_BEST
    if best > budget:
        yield Problem(
            f"the best {count_text(depth)} passages of {count_text(queries)} queries take "
            f"about {bytes_text(best)} while they are searched, and memory is {memory}",
            where="depth",
            instead="Write a smaller depth or more memory, or ask fewer queries: the mean "
            "over 20,000 of a measure between 0 and 1 is known to ±0.007 or better",
        )
    for name, spec in retrievers.items():
        size = spec.resident_bytes(passages)
        if size is not None and size > budget:
            yield Problem(
                f"its index holds all {count_text(passages)} passages of '{dataset}' in "
                f"about {bytes_text(size)}, and memory is {memory}",
                where=f"retrievers.{name}.index",
                instead="Use Flat, which is searched in blocks; codes, such as "
                "IVF4096,PQ32; per_block: true; or give more memory",
            )
