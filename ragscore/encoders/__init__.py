"""Text to vectors: one file per way, and the table of them all."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from ragscore.encoders.base import EncoderSpec, OpenEncoder, Role, Vectors
from ragscore.encoders.passages import EncodedPassages, encode_passages
from ragscore.encoders.precomputed import Precomputed
from ragscore.encoders.sentence_transformers import MiniLM, SentenceTransformers
from ragscore.encoders.truncation import Truncation, truncation_sentences
from ragscore.errors import did_you_mean

ENCODERS: dict[str, type[EncoderSpec]] = {
    "minilm": MiniLM,
    "sentence-transformers": SentenceTransformers,
    "precomputed": Precomputed,
}
"""Kind to class: every encoder there is."""

Short = Literal["minilm"]
"""Kinds that work without options, and so may stand as their name alone."""


def _from_short(value: Any) -> Any:
    """``minilm`` is ``{kind: minilm}``."""
    if not isinstance(value, str):
        return value
    if value in get_args(Short):
        return {"kind": value}
    if value in ENCODERS:
        raise ValueError(f"the encoder '{value}' needs options: write {{kind: {value}, ...}}")
    raise ValueError(
        f"unknown encoder '{value}'. {did_you_mean(value, ENCODERS)}. For a model of your own "
        f"write {{kind: sentence-transformers, model: {value}}}"
    )


_Described = Annotated[MiniLM | SentenceTransformers | Precomputed, Field(discriminator="kind")]

Encoder = Annotated[
    _Described,
    BeforeValidator(_from_short, json_schema_input_type=Short | _Described),
]
"""Any encoder: its options with ``kind``, or the name alone where that is enough."""

__all__ = [
    "ENCODERS",
    "EncodedPassages",
    "Encoder",
    "EncoderSpec",
    "MiniLM",
    "OpenEncoder",
    "Precomputed",
    "Role",
    "SentenceTransformers",
    "Short",
    "Truncation",
    "Vectors",
    "encode_passages",
    "truncation_sentences",
]
