"""Which embeddings service is asked, what is sent to it, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PositiveInt, field_validator, model_validator

from ragscore.encoders.base import Role
from ragscore.encoders.endpoint.embeddings import Packing
from ragscore.encoders.endpoint.request_sizes import estimated_tokens
from ragscore.encoders.named_tokenizers import open_tokenizer
from ragscore.errors import Problem
from ragscore.outside.request_parts import (
    Headers,
    check_url,
    check_url_parameters,
    unset_or_unfit,
)
from ragscore.outside.secrets import (
    VARIABLE,
    check_no_secret_in,
    check_not_in_the_clear,
)
from ragscore.spec import Spec
from ragscore.usage import MAX_CURRENCY, Usage
from ragscore.validation.findings import contradiction

EMBEDDINGS = "/embeddings"
OWN_FIELDS = {
    "model": "model",
    "input": "",
    "encoding_format": "encoding_format",
    "dimensions": "dimensions",
    "embed_dtype": "dtype",
}
"""Fields of a request that options of their own set, and these options."""
AUTHORIZATION = "Authorization"
PRICED_TOKENS = 1_000_000
"""Tokens that a price is for."""


class EndpointOptions(Spec):
    """Which service is asked, what is sent to it, and how often."""

    url: str = Field(min_length=1)
    """The service, such as `http://127.0.0.1:8000/v1` or `https://api.openai.com/v1`: `/embeddings`
    is added where the path does not end so, and `/v1/embeddings` where there is no path."""
    model: str = Field(min_length=1)
    """The model as the service calls it, such as `BAAI/bge-m3` or `text-embedding-3-small`."""
    key: str | None = None
    """The service's key, as a variable of the environment: `${OPENAI_API_KEY}`. It is sent as
    `Authorization: Bearer`."""
    headers: Headers = Field(default={})
    """Other headers of every request, such as `{api-key: "${AZURE_KEY}"}`."""
    dimensions: PositiveInt | None = None
    """How many numbers a vector is to have: sent along, and checked; by default the model's own."""
    query_prompt: str | None = None
    """Literal text put before each query, such as `query: `; by default none."""
    passage_prompt: str | None = None
    """Literal text put before each passage; by default none."""
    body: dict[str, Any] = Field(default={})
    """Other fields of every request, such as `{truncate_prompt_tokens: 512}`."""
    query_body: dict[str, Any] = Field(default={})
    """Fields of requests for queries alone, such as `{input_type: query}`."""
    passage_body: dict[str, Any] = Field(default={})
    """Fields of requests for passages alone, such as `{input_type: document}`."""
    encoding_format: Literal["base64", "float"] | None = "base64"
    """Requested encoding of vectors; either is accepted in responses. null omits the field."""
    dtype: Packing = "float32"
    """How the numbers of base64 are packed; others than float32 are asked for as `embed_dtype`,
    as vLLM has it. Vectors are float32 here in any case."""
    tokenizer: str | None = None
    """The model's tokenizer, where it is on this machine: the folder of a `tokenizer.json`, or a
    model on the hub that was downloaded. Tokens are then counted, not estimated, and windows can be
    cut."""
    max_seq_length: PositiveInt | None = None
    """How many tokens of a text the service reads, special ones and prompt included, as you know
    it: what it leaves unread is then counted by `tokenizer`. It is not sent."""
    batch_size: PositiveInt = 32
    """Texts of a request, at most."""
    batch_tokens: PositiveInt = 16_384
    """Maximum estimated number of tokens of a request; a longer text goes alone."""
    concurrency: PositiveInt = 8
    """How many requests are under way at once."""
    timeout: Annotated[float, Field(gt=0)] | None = 120
    """Seconds that a request may take before it is sent again; null sets no limit."""
    retries: Annotated[int, Field(ge=0, le=100)] = 8
    """How many times a request is retried after a temporary failure."""
    rate_limit: Annotated[float, Field(gt=0)] | None = None
    """How many requests are sent in a second at most."""
    price: Annotated[float, Field(ge=0)] | None = None
    """What a million tokens cost, for the report and `--dry-run`."""
    currency: Annotated[str, Field(min_length=1, max_length=MAX_CURRENCY)] = "USD"
    """Of the price."""

    @field_validator("url")
    @classmethod
    def _is_url(cls, url: str) -> str:
        begins = VARIABLE.match(url)
        if begins is None or begins["plain"]:
            check_url(url)
        check_url_parameters(url)
        return url

    @field_validator("key")
    @classmethod
    def _is_a_variable(cls, key: str | None) -> str | None:
        if key is not None:
            check_not_in_the_clear("key", key)
        return key

    @field_validator("body", "query_body", "passage_body")
    @classmethod
    def _can_be_sent(cls, body: dict[str, Any]) -> dict[str, Any]:
        check_no_secret_in(body)
        for name in body:
            if name in OWN_FIELDS:
                option = OWN_FIELDS[name]
                instead = f"Write it as the option {option}" if option else "Leave it out"
                raise ValueError(f"'{name}' is set for each request. {instead}")
        return body

    @field_validator("currency")
    @classmethod
    def _can_be_shown(cls, currency: str) -> str:
        if not currency.isprintable() or not currency.strip():
            raise ValueError("a currency is printable text, such as USD")
        return currency.strip()

    @model_validator(mode="after")
    def _says_each_thing_once(self) -> Self:
        names = {name.lower() for name in self.headers}
        if self.key is not None and AUTHORIZATION.lower() in names:
            what = f"the header {AUTHORIZATION} is given too"
            raise contradiction("key", what, "Write one of them")
        if self.dtype != "float32" and self.encoding_format != "base64":
            what = f"numbers are packed as {self.dtype} in base64 alone"
            raise contradiction("dtype", what, "Write encoding_format: base64, or leave dtype out")
        if self.max_seq_length is not None and self.tokenizer is None:
            what = "nothing here counts tokens"
            raise contradiction("max_seq_length", what, "Name the model's tokenizer, too")
        return self

    @property
    def label(self) -> str:
        """The model as the user named it, for messages."""
        return self.model

    @property
    def where(self) -> str:
        """What an error names."""
        return f"encoder {self.label} at {self.url}"

    @property
    def sent_headers(self) -> dict[str, str]:
        """Those of every request, ``${NAME}`` included."""
        if self.key is None:
            return self.headers
        return {**self.headers, AUTHORIZATION: f"Bearer {self.key}"}

    def prompt(self, role: Role) -> str:
        """What is put before a text of this role."""
        return (self.query_prompt if role == "query" else self.passage_prompt) or ""

    def added_fields(self, role: Role) -> dict[str, Any]:
        """Fields of requests for texts of this role that the user added."""
        return {**self.body, **(self.query_body if role == "query" else self.passage_body)}

    def own_fields(self, plain: bool = False) -> dict[str, Any]:
        """Fields of a request that options of their own say, without its texts.

        Args:
            plain: asks for lists of numbers, whatever the options say.
        """
        asked = {
            "model": self.model,
            "encoding_format": "float" if plain else self.encoding_format,
            "dimensions": self.dimensions,
            "embed_dtype": None if plain or self.dtype == "float32" else self.dtype,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def usage_of(self, tokens: int) -> Usage:
        """What this many tokens cost."""
        if self.price is None:
            return Usage(tokens)
        return Usage(tokens, tokens * self.price / PRICED_TOKENS, self.currency)

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """How many tokens texts have, prompt and special ones included, int64[n]: as the tokenizer
        counts them, or an estimate without one."""
        if self.tokenizer is None:
            return estimated_tokens(texts)
        tokenizer = open_tokenizer(self.tokenizer)
        return np.array(tokenizer.counts(texts), dtype=np.int64) + tokenizer.special

    def unset_or_unfit(self) -> list[Problem]:
        """Variables of the environment that are not set, else those that fit no request."""
        options = ("url", "key", "headers", "body", "query_body", "passage_body")
        written = {option: getattr(self, option) for option in options}
        return unset_or_unfit(self.url, self.sent_headers, written)


def embeddings_url(url: str) -> str:
    """Where a service takes requests for embeddings.

    Args:
        url: the service's, or that of its embeddings.

    >>> embeddings_url("http://127.0.0.1:11434"), embeddings_url("https://api.openai.com/v1/")
    ('http://127.0.0.1:11434/v1/embeddings', 'https://api.openai.com/v1/embeddings')
    >>> embeddings_url("https://host/deployments/small/embeddings?api-version=1")
    'https://host/deployments/small/embeddings?api-version=1'
    """
    place, mark, parameters = url.partition("?")
    place = place.rstrip("/")
    if not place.endswith(EMBEDDINGS):
        has_path = "/" in place.partition("://")[2]
        place += EMBEDDINGS if has_path else f"/v1{EMBEDDINGS}"
    return place + mark + parameters
