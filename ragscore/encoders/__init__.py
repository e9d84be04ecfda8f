"""Text to vectors: one file per way, and the table of them all."""

from __future__ import annotations

from typing import Annotated, Literal

from ragscore.encoders.base import EncoderSpec as EncoderSpec
from ragscore.encoders.base import OpenEncoder as OpenEncoder
from ragscore.encoders.base import Role as Role
from ragscore.encoders.base import Vectors as Vectors
from ragscore.encoders.dense_vectors import EncodedPassages as EncodedPassages
from ragscore.encoders.dense_vectors import encode_passages as encode_passages
from ragscore.encoders.encoding_cost import EncodingCost as EncodingCost
from ragscore.encoders.encoding_parts import EncodedTexts as EncodedTexts
from ragscore.encoders.encoding_parts import encode_texts as encode_texts
from ragscore.encoders.encoding_parts import usage_of as usage_of
from ragscore.encoders.endpoint import Endpoint as Endpoint
from ragscore.encoders.precomputed import Precomputed as Precomputed
from ragscore.encoders.row_buffers import RowBuffers as RowBuffers
from ragscore.encoders.sentence_transformers import MiniLM as MiniLM
from ragscore.encoders.sentence_transformers import SentenceTransformers as SentenceTransformers
from ragscore.encoders.static import Static as Static
from ragscore.encoders.truncation import Truncation as Truncation
from ragscore.encoders.truncation import read_truncation as read_truncation
from ragscore.encoders.truncation import truncation_notes as truncation_notes
from ragscore.encoders.truncation import truncations_of as truncations_of
from ragscore.encoders.truncation import write_truncation as write_truncation
from ragscore.encoders.windows import CutTexts as CutTexts
from ragscore.encoders.windows import Windows as Windows
from ragscore.encoders.windows import cut_into_windows as cut_into_windows
from ragscore.encoders.windows import misfit_of_windows as misfit_of_windows
from ragscore.errors import did_you_mean
from ragscore.kinds import OneOf, spec_catalogue
from ragscore.plugins import Catalogue

ENCODERS: Catalogue[type[EncoderSpec]] = spec_catalogue(
    "ragscore.encoders",
    "encoder",
    EncoderSpec,
    {
        "minilm": MiniLM,
        "sentence-transformers": SentenceTransformers,
        "static": Static,
        "precomputed": Precomputed,
        "endpoint": Endpoint,
    },
)
"""Kind to class: every encoder there is."""


def _from_short(text: str) -> dict[str, str]:
    """``minilm`` is ``{kind: minilm}``."""
    spec = ENCODERS.get(text)
    if spec is not None and not _works_alone(spec):
        raise ValueError(f"the encoder '{text}' needs options: write {{kind: {text}, ...}}")
    if text in ENCODERS.names():
        return {"kind": text}
    raise ValueError(
        f"unknown encoder '{text}'. {did_you_mean(text, ENCODERS.names())}. For a model of your "
        f"own write {{kind: sentence-transformers, model: {text}}}"
    )


def _works_alone(spec: type[EncoderSpec]) -> bool:
    return not any(field.is_required() for field in spec.model_fields.values())


Encoder = Annotated[
    EncoderSpec,
    OneOf(
        ENCODERS,
        _from_short,
        Literal[tuple(kind for kind, spec in ENCODERS.items() if _works_alone(spec))],
    ),
]
"""Any encoder: its options with ``kind``, or the name alone where it works without options."""
