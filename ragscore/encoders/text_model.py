"""Encoders that run a model over text: what all of them have in common."""

from __future__ import annotations

from abc import abstractmethod
from importlib.util import find_spec
from typing import Literal

from pydantic import PositiveInt

from ragscore.encoders.base import EncoderSpec, Role
from ragscore.encoders.strings import STRINGS
from ragscore.errors import MissingPackageError, Problem
from ragscore.text.strings import WrittenIn
from ragscore.version import installed_version

Device = Literal["auto", "cpu", "cuda", "mps"]
Dtype = Literal["float32", "float16", "bfloat16"]

PACKAGES = ("sentence-transformers", "transformers")
"""Packages whose releases may change a vector by more than its last bits."""

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


class TextModel(EncoderSpec):
    """The options of every model that reads text."""

    query_prompt: str | None = None
    """Literal text put before each query, such as `query: `; by default the model's own query
    prompt where it stores one, else none."""
    passage_prompt: str | None = None
    """Literal text put before each passage; by default the model's own, else none."""
    batch_size: PositiveInt = 32
    """Texts encoded at a time; it affects speed and memory, not the result."""
    device: Device = "auto"
    """Where the model runs; `auto` takes cuda, then mps, then cpu."""
    dtype: Dtype = "float32"
    """Precision of the model's weights; vectors are always returned as float32."""
    max_seq_length: PositiveInt | None = None
    """Tokens after which a text is cut, special ones and prompt included: at most as many as the
    model has positions for; by default the model's own limit."""

    def prompt(self, role: Role) -> str | None:
        """What is put before a text of this role; None leaves it to the model."""
        return self.query_prompt if role == "query" else self.passage_prompt

    @property
    @abstractmethod
    def label(self) -> str:
        """The model as the user named it, for messages."""

    def needs(self) -> tuple[tuple[str, str], ...]:
        """Distribution and module of each package that is needed."""
        return (("sentence-transformers", "sentence_transformers"),)

    @abstractmethod
    def location(self) -> str:
        """What sentence-transformers loads: a folder or a name on the model hub."""

    @abstractmethod
    def weights(self) -> dict[str, object]:
        """What identifies the model's weights."""

    def commit(self) -> str | None:
        """The commit of a model from the hub that is on this machine; None for another."""
        return None

    def content(self, role: Role) -> dict[str, object]:
        return {
            "model": self.weights(),
            "prompt": self.prompt(role),
            "dtype": self.dtype,
            "max_seq_length": self.max_seq_length,
            "packages": [_release(package) for package in PACKAGES],
        }

    def english_only(self) -> bool:
        """Whether the model is known to be for English texts."""
        return self.label.rpartition("/")[2] in ENGLISH_MODELS

    def doubt(self, written: str) -> str | None:
        if not self.english_only():
            return None
        facts = {"encoder": self.label, "written": WrittenIn(written), "instead": MULTILINGUAL}
        return STRINGS.note("doubt_english_only", **facts)

    def missing_packages(self) -> list[MissingPackageError]:
        """An error, not raised, for each package that is needed and not installed."""
        return [
            MissingPackageError(package, f"the encoder {self.label}", "dense")
            for package, module in self.needs()
            if find_spec(module) is None
        ]

    def check(self) -> list[Problem]:
        return [problem for error in self.missing_packages() for problem in error.problems]


def _release(package: str) -> str:
    """A package and its release without the patch: `transformers 5.23`."""
    return f"{package} {'.'.join((installed_version(package) or '').split('.')[:2])}"
