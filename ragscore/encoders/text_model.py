"""Encoders that run a model over text: what all of them have in common."""

from __future__ import annotations

from ragscore.encoders.base import EncoderSpec, Role
from ragscore.encoders.model_options import ModelOptions
from ragscore.encoders.strings import STRINGS
from ragscore.errors import Problem
from ragscore.text.strings import WrittenIn

ENGLISH_MODELS = frozenset(
    {
        "all-MiniLM-L6-v2",
        "all-MiniLM-L12-v2",
        "all-distilroberta-v1",
        "all-mpnet-base-v2",
        "all-roberta-large-v1",
        "multi-qa-MiniLM-L6-cos-v1",
        "multi-qa-mpnet-base-dot-v1",
        "bge-small-en-v1.5",
        "bge-base-en-v1.5",
        "bge-large-en-v1.5",
        "e5-small-v2",
        "e5-base-v2",
        "e5-large-v2",
        "gte-small",
        "gte-base",
        "gte-large",
    }
)
"""Models whose cards say that they are for English, without their organisations."""

MULTILINGUAL = (
    "{kind: sentence-transformers, model: intfloat/multilingual-e5-small, "
    "query_prompt: 'query: ', passage_prompt: 'passage: '}"
)
"""An encoder for several languages, as an experiment names it."""


class TextModel(EncoderSpec, ModelOptions):
    """The options of every model that reads text."""

    query_prompt: str | None = None
    """Literal text put before each query, such as `query: `; by default the model's own query
    prompt where it stores one, else none."""
    passage_prompt: str | None = None
    """Literal text put before each passage; by default the model's own, else none."""

    def prompt(self, role: Role) -> str | None:
        """What is put before a text of this role; None leaves it to the model."""
        return self.query_prompt if role == "query" else self.passage_prompt

    def content(self, role: Role) -> dict[str, object]:
        return {
            "model": self.weights(),
            "prompt": self.prompt(role),
            "dtype": self.dtype,
            "max_seq_length": self.max_seq_length,
            "packages": self.releases(),
        }

    def english_only(self) -> bool:
        """Whether the model is known to be for English texts."""
        return self.label.rpartition("/")[2] in ENGLISH_MODELS

    def doubt(self, written: str) -> str | None:
        if not self.english_only():
            return None
        facts = {"encoder": self.label, "written": WrittenIn(written), "instead": MULTILINGUAL}
        return STRINGS.note("doubt_english_only", **facts)

    def check(self) -> list[Problem]:
        return self.model_problems()
