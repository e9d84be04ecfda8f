"""Vectors of the model, kept while the session lasts: pages and datasets encode the same texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ragscore.encoders.base import Role, Vectors
from ragscore.encoders.loaded import LoadedModel

_KEPT: dict[str, Vectors] = {}


@contextmanager
def kept_vectors() -> Iterator[None]:
    """A batch that the model encoded in this process is not encoded again."""
    encode = LoadedModel._encode

    def kept(model: LoadedModel, texts: list[str], role: Role) -> Vectors:
        key = json.dumps([model.spec.content(role), texts])
        if key not in _KEPT:
            _KEPT[key] = encode(model, texts, role)
        return _KEPT[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LoadedModel, "_encode", kept)
        yield
