"""What fails of one retriever costs that retriever alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ragscore.errors import RagscoreError, RetrieverError, message_of


@contextmanager
def failing_alone(name: str) -> Iterator[None]:
    """Whatever is raised in it, by a library or by foreign code, is an error of the retriever:
    only Ctrl-C ends more.

    Raises:
        RagscoreError: as it was raised; or a RetrieverError with the retriever's name.
    """
    try:
        yield
    except (RagscoreError, KeyboardInterrupt):
        raise
    except BaseException as error:
        said = f"{type(error).__name__}: {message_of(error)}"
        raise RetrieverError(said, retriever=name) from error
