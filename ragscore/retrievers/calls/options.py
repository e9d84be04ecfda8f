"""How a system outside is asked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt, StrictInt, field_validator

from ragscore.spec import Spec


class CallOptions(Spec):
    """How many queries are under way at once, how long each may take, how often it is asked, and
    how many may fail."""

    concurrency: PositiveInt | None = 8
    """How many queries are under way at once."""
    timeout: Annotated[float, Field(gt=0)] | None = 30
    """Seconds that one query may take before it is asked again; null sets no limit."""
    retries: Annotated[int, Field(ge=0, le=100)] = 2
    """How many times a query is retried after a temporary failure."""
    rate_limit: Annotated[float, Field(gt=0)] | None = None
    """How many queries are asked in a second at most."""
    max_errors: Annotated[StrictInt, Field(ge=0)] | Annotated[float, Field(gt=0, lt=1)] = 0
    """How many queries may fail before the retriever fails: a number of them, or a share below 1
    of all queries."""
    failed: Literal["empty", "left out"] = "empty"
    """What a query that failed counts as: one that nothing came back for, which scores 0 by most
    measures, or one that is left out of the means of this retriever."""

    @field_validator("max_errors", mode="before")
    @classmethod
    def _is_a_number_or_a_share(cls, given: Any) -> Any:
        if isinstance(given, float) and not 0 < given < 1:
            raise ValueError(
                f"{given:g} is not a share of the queries. Write a share between 0 and 1, such as "
                "0.02, or a whole number of queries"
            )
        return given
