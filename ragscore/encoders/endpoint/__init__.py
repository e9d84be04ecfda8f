"""Vectors from a service behind a URL, as OpenAI's embeddings API describes it."""

from ragscore.encoders.endpoint.model import Endpoint

__all__ = ["Endpoint"]
