"""Spec: the frozen pydantic base of everything that can be configured.

``BM25(k1=0.9)`` in Python and ``{kind: bm25, k1: 0.9}`` in YAML are the same object. Its
canonical JSON, defaults included, is what caches and manifests are keyed by.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Self

from pydantic import ConfigDict

from ragscore.described import Described
from ragscore.validation.findings import from_options


class Spec(Described):
    """A frozen, strict description without state; equal specs have equal digests."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        protected_namespaces=(),
        validate_default=True,
    )

    def canonical_json(self) -> str:
        """All fields, defaults included, as JSON with sorted keys and no spaces."""
        return canonical_json(self.model_dump(mode="json"))

    def changed(self, **options: Any) -> Self:
        """The same description with single options changed.

        Raises:
            ConfigError: a name or value that is not allowed, at the option's name.
        """
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return from_options(type(self), {**given, **options}) if options else self

    def digest(self) -> str:
        """SHA-256 of the class's kind or name and :meth:`canonical_json`: 64 hex digits."""
        return digest_text(f"{type(self).__name__}{self.canonical_json()}")


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest_text(text: str) -> str:
    """SHA-256 of a text in UTF-8: 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
