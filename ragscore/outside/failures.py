"""Why a system outside did not answer."""

from __future__ import annotations


def too_late(seconds: float) -> str:
    """Why a call failed that was not answered in time."""
    return f"no answer within {seconds:g} s"


class TemporaryFailure(Exception):  # noqa: N818  (it fails a query, not the run)
    """It may answer when it is asked again.

    Args:
        message: what happened, in one clause.
        retry_after: seconds that it asks to wait; None if it asks for nothing.
        status: the HTTP status of its answer; None if it gave none.
        spends_retry: False if something else may be the cause, and what raises it sees to it
            that this ends.
    """

    def __init__(
        self,
        message: str,
        retry_after: float | None = None,
        status: int | None = None,
        *,
        spends_retry: bool = True,
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.status = status
        self.spends_retry = spends_retry


class PermanentFailure(Exception):  # noqa: N818
    """It will not answer this, however often it is asked.

    Args:
        message: what happened, in one clause.
        status: the HTTP status of its answer; None if it gave none.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
