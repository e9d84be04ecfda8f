"""A model of sentence-transformers in memory, of whichever of its classes: loaded when it is first
used, quietly, from this machine where it is there, and never with code of its own.

What runs a model is an :class:`OpenModel`, or holds one, and calls ``model`` inside ``running()``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.encoders.base import Role, TokenCuts, TokenSpans
from ragscore.encoders.model_loading import LENGTHS, load_model
from ragscore.encoders.model_options import ModelOptions
from ragscore.encoders.quiet import quiet
from ragscore.errors import ConfigError
from ragscore.progress import Progress, Stage

BATCHES = 8
"""Batches that an accelerator is given at once."""

PROMPTS = {"query": ("query",), "passage": ("document", "passage", "corpus")}
"""Under which names models store the prompt of each role, as sentence-transformers looks for it."""

ROUTES = {"query": "query", "passage": "document"}
"""How models that read the two roles with different parts name these."""

NO_LIMIT = 10**9
"""Tokenizers without a limit of their own state one that is larger."""


M = TypeVar("M", bound=ModelOptions)


class OpenModel(Generic[M]):
    """A model that is loaded when first used.

    Args:
        options: which model, and how it is run.
        progress: reports a download and of a model that lacks a configuration.
    """

    def __init__(self, options: M, progress: Progress) -> None:
        self.options = options
        self.progress = progress
        # The commit that keys name: a branch may move before the model is loaded.
        self.revision = options.commit() or getattr(options, "revision", None)

    @property
    def chunk(self) -> int:
        """A batch, of which a processor takes seconds; an accelerator is kept busy with several."""
        batches = 1 if self.device == "cpu" else BATCHES
        return self.options.batch_size * batches

    @property
    def device(self) -> str:
        """What the model runs on: `cpu`, `cuda` or `mps`."""
        return str(self.model.device.type)

    @cached_property
    def model(self) -> Any:
        """The model of sentence-transformers, on its device, of the class that
        ``options.model_type`` names.

        Raises:
            ConfigError: it cannot be loaded, is of another type, or does not fit its options.
            MissingPackageError: a package is not installed.
        """
        return load_model(self.options, self.revision, self.progress)

    def load(self) -> None:
        """Load the model, where it is not.

        Raises:
            ConfigError, MissingPackageError: as :attr:`model`.
        """
        _ = self.model

    @contextmanager
    def running(self) -> Iterator[None]:
        """Around calls of the model: quiet, and memory that is too small is an error that says so.

        Raises:
            ConfigError: the device ran out of memory.
        """
        try:
            with quiet():
                yield
        except RuntimeError as error:
            if type(error).__name__ != "OutOfMemoryError":
                raise
            raise ConfigError(
                f"{self.model.device} ran out of memory at batch_size {self.options.batch_size}",
                where=self.options.where,
                instead="Lower batch_size or max_seq_length",
            ) from error

    def batches(
        self, texts: Sequence[str], stage: Stage | None
    ) -> Iterator[tuple[NDArray[np.intp], list[str]]]:
        """Texts to give to the model together, the longest first, as the library sorts within one
        call: a batch then pads little, and memory that is too small shows at once.

        Yields:
            rows: which texts; ``stage`` advances with them when the next are asked for.
            texts: these, in a form that every tokenizer takes.
        """
        order = np.argsort([-len(text) for text in texts], kind="stable")
        step = self.chunk
        for start in range(0, len(texts), step):
            rows = order[start : start + step]
            yield rows, [encodable(texts[row]) for row in rows]
            if stage is not None:
                stage.advance(len(rows))

    def encoded(self, texts: list[str], role: Role, **options: Any) -> Any:
        """What the model makes of the texts of one call.

        Args:
            texts: as :meth:`batches` yields them.
            role: whether they are passages or queries.
            options: in which form the library returns it.

        Raises:
            ConfigError: as :meth:`running`.
        """
        encode = self.model.encode_query if role == "query" else self.model.encode_document
        with self.running():
            return encode(
                texts,
                prompt=self.options.prompt(role),
                batch_size=self.options.batch_size,
                show_progress_bar=False,
                **options,
            )

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None:
        """How much of each text the model does not read; None if unknown.

        Args:
            texts: n texts.
            role: whether they are passages or queries.
        """
        module = self._reader(role)
        limit, prompt = self._limit(module, role), self._prompt(role)
        return _cuts(module, limit, [prompt + encodable(text) for text in texts])

    def pair_cuts(self, queries: Sequence[str], passages: Sequence[str]) -> TokenCuts | None:
        """How much a cross-encoder does not read of each pair; None if unknown.

        Args:
            queries, passages: n texts each.
        """
        module, prompt = self.model[0], self._prompt("query")
        asked = [prompt + encodable(text) for text in queries]
        limit = self._limit(module, "passage")
        return _cuts(module, limit, asked, [encodable(text) for text in passages])

    def token_spans(self, texts: Sequence[str]) -> list[TokenSpans] | None:
        """Where the tokens of each passage stand in it, without prompt and special tokens; None
        if that is unknown."""
        tokenizer = _plain_tokenizer(self._reader("passage"))
        if tokenizer is None or not tokenizer.is_fast:
            return None
        options = {"return_attention_mask": False, "return_token_type_ids": False}
        with quiet():
            found = tokenizer(
                [encodable(text) for text in texts],
                add_special_tokens=False,
                truncation=False,
                return_offsets_mapping=True,
                **options,
            )
        spans = found["offset_mapping"]
        return [np.array(tokens, dtype=np.int32).reshape(-1, 2) for tokens in spans]

    def room(self, role: Role) -> int | None:
        """How many tokens of a text itself are read, without prompt and special tokens; None if
        there is no limit, or none is known."""
        module = self._reader(role)
        tokenizer, limit = _plain_tokenizer(module), self._limit(module, role)
        if tokenizer is None or limit is None:
            return None
        with quiet():
            before = tokenizer(self._prompt(role))["input_ids"]
        return max(0, limit - len(before))

    def _reader(self, role: Role) -> Any:
        """The module that reads the texts of a role."""
        first = self.model[0]
        routes = getattr(first, "sub_modules", None)
        route = ROUTES[role]
        return routes[route][0] if routes is not None and route in routes else first

    def _limit(self, module: Any, role: Role) -> int | None:
        """How many tokens are read of a text of this role; None if there is no limit."""
        own = getattr(module, LENGTHS[role], None)
        # ColBERT fills a query up with mask tokens: to just so many tokens, or to at least so many.
        expansion = getattr(module, "query_expansion", None) if role == "query" else None
        if expansion and expansion["strategy"] == "fixed":
            return int(expansion["length"])
        if expansion and own:
            own = max(own, expansion["length"])
        set_by_model = (getattr(module, "processing_kwargs", None) or {}).get("text", {})
        limit = set_by_model.get("max_length") or own or getattr(module, "max_seq_length", None)
        return int(limit) if limit and limit < NO_LIMIT else None

    def _prompt(self, role: Role) -> str:
        """What is put before a text of this role: as given, else as the model has it."""
        given = self.options.prompt(role)
        if given is not None:
            return given
        prompts: dict[str, str] = self.model.prompts or {}
        default = self.model.default_prompt_name
        names = [name for name in (*PROMPTS[role], default) if name in prompts]
        return prompts[names[0]] or "" if names else ""


def _cuts(
    module: Any, limit: int | None, texts: list[str], passages: list[str] | None = None
) -> TokenCuts | None:
    """Tokens of each text, or pair of texts, and how many are read; None if the module that
    reads them has no tokenizer of its own for plain texts."""
    tokenizer = _plain_tokenizer(module)
    if tokenizer is None:
        return None
    cuts = np.zeros((len(texts), 2), dtype=np.int32)
    if limit is None:
        return cuts
    # A token is at least one character of ASCII, but for special tokens and a leading blank.
    paired = passages is not None
    spare = limit - tokenizer.num_special_tokens_to_add(pair=paired) - 1 - paired
    whole = texts if passages is None else list(map(str.__add__, texts, passages))
    long = [at for at, text in enumerate(whole) if len(text) > spare or not text.isascii()]
    if long:
        options = {"return_attention_mask": False, "return_token_type_ids": False}
        seconds = None if passages is None else [passages[at] for at in long]
        with quiet():
            found = tokenizer([texts[at] for at in long], seconds, truncation=False, **options)
        tokens = np.array([len(numbers) for numbers in found["input_ids"]])
        cuts[long] = np.where(tokens > limit, [tokens, np.full(len(long), limit)], 0).T
    return cuts


def _plain_tokenizer(module: Any) -> Any:
    """The tokenizer of a module that reads plain texts; None if there is none, or a chat
    template adds tokens of its own."""
    from transformers import PreTrainedTokenizerBase

    tokenizer = getattr(module, "tokenizer", None)
    plain = "message" not in getattr(module, "modality_config", ())
    return tokenizer if plain and isinstance(tokenizer, PreTrainedTokenizerBase) else None


def encodable(text: str) -> str:
    """The text with lone surrogates, which JSON can hold and tokenizers refuse, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
