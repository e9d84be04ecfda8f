"""What ``ragscore migrate`` says, in English and Korean."""

from __future__ import annotations

MIGRATION_TEXTS: dict[str, dict[str, str]] = {}
