"""A system behind a URL, in any language."""

from ragscore.retrievers.http.model import Http, ResponsePaths

__all__ = ["Http", "ResponsePaths"]
