"""Moments as people read them."""


def minute(created: str) -> str:
    """An ISO 8601 moment to the minute.

    >>> minute("2026-11-21T22:46:05+00:00")
    '2026-11-21 22:46'
    """
    return created[:16].replace("T", " ")
