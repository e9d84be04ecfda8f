"""How a system outside is asked."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PositiveInt

from ragscore.spec import Spec


class CallOptions(Spec):
    """How many queries are under way at once, how long each may take, how often it is asked."""

    concurrency: PositiveInt = 8
    """How many queries are under way at once."""
    timeout: Annotated[float, Field(gt=0)] | None = 30
    """Seconds that one query may take before it is asked again; null waits for ever."""
    retries: Annotated[int, Field(ge=0, le=100)] = 2
    """How often a query is asked again that failed by what may pass."""
    rate_limit: Annotated[float, Field(gt=0)] | None = None
    """How many queries are asked in a second at most."""
