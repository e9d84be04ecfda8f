"""Your own retriever: foreign code, called and checked."""

from ragscore.retrievers.custom.called_object import first_on_path
from ragscore.retrievers.custom.calling import CustomIndex, open_custom
from ragscore.retrievers.custom.model import Custom

__all__ = ["Custom", "CustomIndex", "first_on_path", "open_custom"]
