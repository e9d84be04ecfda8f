"""An embeddings service of somebody's: vLLM, TEI, Ollama, or hosted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal, Self

import numpy as np

from ragscore.encoders.base import EncoderSpec, OpenEncoder, Role
from ragscore.encoders.endpoint.open_endpoint import OpenEndpoint
from ragscore.encoders.endpoint.options import EndpointOptions, embeddings_url
from ragscore.encoders.endpoint.request_sizes import packed
from ragscore.encoders.known_models import language_doubt
from ragscore.encoders.named_tokenizers import open_tokenizer, tokenizer_problems
from ragscore.encoders.planned_requests import PlannedRequests
from ragscore.errors import Problem
from ragscore.files import name_or_path
from ragscore.messages import Text
from ragscore.outside.secrets import Secrets, is_secret
from ragscore.progress import Progress
from ragscore.spec import canonical_json

MULTILINGUAL = "model: BAAI/bge-m3"
"""A model for several languages, as an experiment names it."""


@lru_cache(64)
def _digest(values: tuple[tuple[str, str], ...], salt: str) -> str:
    """A digest of the values of variables, which is slow to make."""
    return Secrets(dict(values)).digest(salt)


class Endpoint(EndpointOptions, EncoderSpec):
    """An embeddings service behind a URL, as OpenAI's API describes it: vLLM, TEI, Ollama, hosted.

    >>> Endpoint(url="http://127.0.0.1:8000/v1", model="BAAI/bge-m3").batch_size
    32
    """

    packages: ClassVar[tuple[str, ...]] = ()
    kind: Literal["endpoint"] = "endpoint"
    """Which encoder this is."""

    remote: ClassVar[bool] = True

    def resolved(self, base: Path) -> Self:
        made = super().resolved(base)
        if made.tokenizer is None:
            return made
        return made.model_copy(update={"tokenizer": name_or_path(made.tokenizer, base)})

    def check(self) -> list[Problem]:
        """Also that the environment has what ``${NAME}`` stands for, and that the tokenizer is
        there; nothing is asked."""
        found = [] if self.tokenizer is None else tokenizer_problems(self.tokenizer)
        of_tokenizer = (replace(problem, where="encoder.tokenizer") for problem in found)
        return [*super().check(), *of_tokenizer, *self.unset_or_unfit()]

    @property
    def tokenizes(self) -> bool:
        return self.tokenizer is not None

    def token_limit(self) -> int | None:
        return self.max_seq_length

    def cut_by(self) -> object | None:
        if self.tokenizer is None:
            return None
        return [open_tokenizer(self.tokenizer).digest, self.max_seq_length]

    def dimension(self) -> int | None:
        return self.dimensions

    def doubt(self, written: str) -> Text | None:
        return language_doubt(self.label, written, MULTILINGUAL)

    def content(self, role: Role) -> dict[str, object]:
        """Which service encodes what, not how often it is asked, and not with which key."""
        headers = {name: value for name, value in self.headers.items() if not is_secret(name)}
        body = self.added_fields(role)
        content: dict[str, object] = {
            "kind": self.kind,
            "url": embeddings_url(self.url).partition("://")[2] or self.url,
            "model": self.model,
            "dimensions": self.dimensions,
            "dtype": self.dtype,
            "prompt": self.prompt(role),
            "body": body,
            "headers": headers,
        }
        secrets = Secrets.named_in(self.url, body, headers)
        values = tuple(sorted(secrets.values.items()))
        return {**content, "variables": _digest(values, canonical_json(content))}

    def planned(self, texts: Sequence[str], role: Role) -> PlannedRequests:
        tokens = self.count_tokens([self.prompt(role) + text for text in texts])
        requests = packed(np.sort(tokens)[::-1], self.batch_size, self.batch_tokens)
        return PlannedRequests(len(requests), self.usage_of(int(tokens.sum())))

    def _opened(self, progress: Progress) -> OpenEncoder:
        return OpenEndpoint(self, progress)
