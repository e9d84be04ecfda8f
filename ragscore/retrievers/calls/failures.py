"""Why a system did not answer a query."""

from __future__ import annotations


def too_late(seconds: float) -> str:
    """Why a query failed that was not answered in time."""
    return f"no answer within {seconds:g} s"


class TemporaryFailure(Exception):  # noqa: N818  (it fails a query, not the run)
    """It may answer when it is asked again.

    Args:
        message: what happened, in one clause.
        retry_after: seconds that it asks to wait; None where it asks for nothing.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PermanentFailure(Exception):  # noqa: N818
    """It will not answer this query, however often it is asked."""
