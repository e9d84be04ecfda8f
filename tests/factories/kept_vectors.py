"""Vectors of the model, kept while the session lasts: pages and datasets encode the same texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ragscore.encoders.base import Role, Vectors
from ragscore.encoders.sentence_transformers import DenseModel

_KEPT: dict[str, Vectors] = {}


@contextmanager
def kept_vectors() -> Iterator[None]:
    """A batch that the model encoded in this process is not encoded again."""
    encode = DenseModel._encode

    def kept(model: DenseModel, texts: list[str], role: Role) -> Vectors:
        key = json.dumps([model.options.content(role), texts])
        if key not in _KEPT:
            _KEPT[key] = encode(model, texts, role)
        return _KEPT[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(DenseModel, "_encode", kept)
        yield
