"""Models that read text: what all of them have in common, whatever they make of it."""

from __future__ import annotations

from ragscore.encoders.base import EncoderSpec, Role
from ragscore.encoders.english_models import MULTILINGUAL, language_doubt
from ragscore.encoders.model_options import ModelOptions
from ragscore.errors import Problem


class TextReader(ModelOptions):
    """The options of a model that reads passages and queries apart from each other."""

    query_prompt: str | None = None
    """Literal text put before each query, such as `query: `; by default the model's own query
    prompt where it stores one, else none."""
    passage_prompt: str | None = None
    """Literal text put before each passage; by default the model's own, else none."""

    def prompt(self, role: Role) -> str | None:
        """What is put before a text of this role; None leaves it to the model."""
        return self.query_prompt if role == "query" else self.passage_prompt

    def read_by(self, role: Role) -> dict[str, object]:
        """What can change what the model makes of a text of this role, for keys."""
        return {
            "model": self.weights(),
            "prompt": self.prompt(role),
            "dtype": self.dtype,
            "max_seq_length": self.max_seq_length,
            "packages": self.releases(),
        }

    def token_limit(self) -> int | None:
        return self.max_seq_length

    def language_doubt(self, written: str) -> str | None:
        """Why the model suits texts in a language badly, and what suits them better."""
        return language_doubt(self.label, written, MULTILINGUAL[self.model_type.library_class])


class TextModel(EncoderSpec, TextReader):
    """The options of every model that turns a text into a vector."""

    def content(self, role: Role) -> dict[str, object]:
        return self.read_by(role)

    def doubt(self, written: str) -> str | None:
        return self.language_doubt(written)

    def check(self) -> list[Problem]:
        return self.model_problems()
