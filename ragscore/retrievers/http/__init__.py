"""A system behind a URL, in any language."""

from ragscore.retrievers.http.model import Http

__all__ = ["Http"]
