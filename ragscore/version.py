"""The version of ragscore: below everything, so that every layer may name it."""

from __future__ import annotations

__version__ = "0.1.0"
