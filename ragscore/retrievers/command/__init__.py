"""A program, in any language."""

from ragscore.retrievers.command.model import Command

__all__ = ["Command"]
