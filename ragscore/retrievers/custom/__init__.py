"""Your own retriever: foreign code, called and checked."""

from ragscore.retrievers.custom.calling import CustomIndex, first_on_path, open_custom
from ragscore.retrievers.custom.model import Custom

__all__ = ["Custom", "CustomIndex", "first_on_path", "open_custom"]
