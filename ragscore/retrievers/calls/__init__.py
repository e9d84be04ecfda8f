"""Asking systems outside: many queries under way at once, asked again where that may help."""

from ragscore.outside.failures import PermanentFailure, TemporaryFailure
from ragscore.retrievers.calls.asking import Asker, RawAnswer
from ragscore.retrievers.calls.options import CallOptions

__all__ = [
    "Asker",
    "CallOptions",
    "PermanentFailure",
    "RawAnswer",
    "TemporaryFailure",
]
