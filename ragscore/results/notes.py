"""Noted: a part of a result with what must be said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from ragscore.strings import Note

T = TypeVar("T")


@dataclass(frozen=True)
class Noted(Generic[T]):
    """A part of a result, with what must be said of it.

    Attributes:
        value: the part.
        notes: what was left out of it, and why; texts in ``ragscore.results.strings``.
    """

    value: T
    notes: tuple[Note, ...] = ()
