"""What encoding a corpus cost, now or when its vectors were made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Self

from pydantic import Field, NonNegativeInt

MAX_DEVICE = 40
"""Characters that the name of what a model runs on may have."""

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class EncodingCost:
    """How many texts were encoded, and how long that took.

    Loading the model is left out, and so are vectors whose seconds nobody recorded.

    >>> EncodingCost(300, 2.0).texts_per_second
    150.0

    Attributes:
        texts: distinct texts that were encoded, each once.
        seconds: encoding them.
        cached: how many of these texts came from the cache: their seconds are those of then.
        device: what the model ran on: `cpu`, `cuda` or `mps`, or several, with commas; empty if
            nobody recorded it.
        tokens: that a service counted; None if none did.
    """

    texts: NonNegativeInt
    seconds: Seconds
    cached: NonNegativeInt = 0
    device: Annotated[str, Field(max_length=MAX_DEVICE)] = ""
    tokens: NonNegativeInt | None = None

    @property
    def texts_per_second(self) -> float | None:
        """None if nothing was encoded."""
        return self.texts / self.seconds if self.texts and self.seconds > 0 else None

    @property
    def from_cache(self) -> bool:
        """Whether some of it was encoded earlier."""
        return self.cached > 0

    def plus(self, other: EncodingCost | None) -> EncodingCost:
        """Of both together, which have no text in common."""
        if other is None:
            return self
        devices = {*self.device.split(", "), *other.device.split(", ")}
        counted = self.tokens is not None and other.tokens is not None
        return EncodingCost(
            self.texts + other.texts,
            self.seconds + other.seconds,
            self.cached + other.cached,
            "" if "" in devices else ", ".join(sorted(devices)),
            (self.tokens or 0) + (other.tokens or 0) if counted else None,
        )

    def reopened(self) -> Self:
        """The same where nothing was encoded now."""
        return replace(self, cached=self.texts)
