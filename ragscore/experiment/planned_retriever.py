"""What is to be done for one retriever, or for all configurations of a swept one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragscore.records import MaybeNaN, Record

Basis = Literal["recorded", "sample", "unknown"]


@dataclass(frozen=True)
class PlannedRetriever(Record):
    """What is to be done for one retriever, or for all configurations of a swept one."""

    dataset: str
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""
    swept: bool
    """Whether these are the configurations of a sweep, or the retriever as it is written."""
    runs: int
    """How many runs or configurations there are."""
    kept: int
    """How many of them are in the cache."""
    reused: tuple[str, ...]
    """Of what they are built on, what is in the cache: ``tokens``, ``vectors``, ``index``."""
    made: tuple[str, ...]
    """What has to be made."""
    texts: int
    """Texts that have to be encoded."""
    seconds: MaybeNaN
    """An estimate of what is to be done; null where nothing says how long it takes."""
    bytes: MaybeNaN
    """What the cache will grow by; null where that is not known."""
    basis: Basis
    """What the estimate rests on: searches that the cache recorded, a few passages that were
    searched for it, or nothing."""
