"""What retrievers and rerankers with an option ``encoder`` have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from ragscore import canonical
from ragscore.encoders import Encoder
from ragscore.errors import Problem
from ragscore.messages import Text
from ragscore.retrievers.answering import AnsweringSpec
from ragscore.retrievers.artifact import Artifact


class EncoderOption(AnsweringSpec):
    """Base of the retrievers and rerankers that compare vectors of an encoder."""

    encoder: Encoder
    """The encoder that turns texts into vectors: `minilm`, or `{kind: ..., ...}`."""

    def resolved(self, base: Path) -> Self:
        made = super().resolved(base)
        return made.model_copy(update={"encoder": made.encoder.resolved(base)})

    def check(self) -> list[Problem]:
        of_encoder = [
            problem if problem.where else replace(problem, where="encoder")
            for problem in self.encoder.check()
        ]
        return [*super().check(), *of_encoder]

    def doubt(self, written: str) -> Text | None:
        """What speaks against its encoder."""
        return self.encoder.doubt(written)

    def timed(self) -> bool:
        # A look-up tells nothing of what encoding costs, and a service is paid for each query.
        return self.encoder.slow and not self.encoder.remote

    def content(self) -> dict[str, object]:
        encoder = {
            "passage": self.encoder.vector_key("passage"),
            "query": self.encoder.vector_key("query"),
        }
        options = self.model_dump(mode="json", exclude={"encoder"})
        return {**options, "encoder": encoder, "scores": canonical.FORMAT}

    def vector_artifacts(self, texts: Sequence[str]) -> tuple[Artifact, ...]:
        """The vectors of texts, where the cache keeps those of this encoder."""
        if not self.encoder.slow:
            return ()
        key = self.encoder.vector_key("passage")
        return (Artifact("vectors", key, "", texts, self.encoder.dimension(), self.encoder),)
