"""What retrievers with a sparse or multi-vector model of sentence-transformers have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from ragscore.encoders.base import Role, shared
from ragscore.encoders.model_options import HubModel, TextReader
from ragscore.encoders.ragged_models import RaggedEncoder
from ragscore.errors import Problem
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.corpus_retriever import FieldRetriever
from ragscore.spec import canonical_json, digest_text

OF_MODEL = {*HubModel.model_fields, *TextReader.model_fields} - {"kind"}
"""Options that say which model it is, and how it is run."""


class ModelRetriever(HubModel, TextReader, FieldRetriever):
    """Base of the retrievers with a sparse or multi-vector model of sentence-transformers."""

    def check(self) -> list[Problem]:
        """The package is there, and a model that is on this machine is of the right type."""
        return [
            problem if problem.where.startswith("chunk") else replace(problem, where="model")
            for problem in super().check()
        ]

    def content(self) -> dict[str, object]:
        """The options of the model are replaced by what they come to."""
        options = super().content().items()
        own = {name: value for name, value in options if name not in OF_MODEL}
        return {**own, **self._vector_keys()}

    def vector_key(self, role: Role) -> str:
        """Digest of everything that can change what is made of a text: 64 hex digits."""
        return digest_text(canonical_json([self.model_type.library_class, self.read_by(role)]))

    def _vector_keys(self) -> dict[str, object]:
        return {"passage": self.vector_key("passage"), "query": self.vector_key("query")}

    def open_encoder(self, progress: Progress = SILENT) -> RaggedEncoder:
        """The encoder, shared with everyone who opened an equal one and still holds it.

        Raises:
            ConfigError, MissingPackageError: it has to be fetched first, and cannot be.
        """
        options = self.model_dump(mode="json", include=OF_MODEL)
        return shared(
            self._encoder(progress),
            lambda: [self.kind, options, self._vector_keys()],
            here=self.here(),
        )

    @abstractmethod
    def _encoder(self, progress: Progress) -> RaggedEncoder:
        """A new encoder; ``progress`` reports what loading meets."""
