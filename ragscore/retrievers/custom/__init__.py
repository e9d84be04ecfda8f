"""Your own retriever: foreign code, called and checked."""

from ragscore.retrievers.custom.calling import CustomIndex, open_custom
from ragscore.retrievers.custom.frameworks import RetrieverObject
from ragscore.retrievers.custom.model import Custom

__all__ = ["Custom", "CustomIndex", "RetrieverObject", "open_custom"]
