"""A sentence-transformers model in memory: loading it, quietly, and encoding with it."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ragscore.encoders.base import OpenEncoder, Role, TokenCuts, Vectors
from ragscore.encoders.strings import STRINGS
from ragscore.encoders.text_model import Device, TextModel
from ragscore.errors import ConfigError
from ragscore.progress import Progress, Stage

BATCHES = 8
"""Batches that an accelerator is given at once."""

PROMPTS = {"query": ("query",), "passage": ("document", "passage", "corpus")}
"""Under which names models store the prompt of each role, as sentence-transformers looks for it."""

NO_LIMIT = 10**9
"""Tokenizers without a limit of their own state one that is larger."""

HUB_TIMEOUT = 10.0
"""Seconds to wait for the model hub's first answer."""

ANOTHER = "Give the folder of a downloaded model, or use encoder: minilm, which needs no network"


class LoadedModel(OpenEncoder):
    """Encodes with a model that is loaded when first used.

    Args:
        spec: which model, and how it is run.
        progress: is notified of a download and of a model that lacks a configuration.
    """

    def __init__(self, spec: TextModel, progress: Progress) -> None:
        self.spec = spec
        self.progress = progress
        # The commit that the encoder's key names: a branch may move before the model is loaded.
        self.revision = spec.commit() or getattr(spec, "revision", None)

    @property
    def chunk(self) -> int:
        """A batch, of which a processor takes seconds; an accelerator is kept busy with several."""
        batches = 1 if self.model.device.type == "cpu" else BATCHES
        return self.spec.batch_size * batches

    def load(self) -> None:
        _ = self.model

    def encode(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        # Longest first, as the library sorts within one call: a batch then pads little, and
        # memory that is too small shows at once.
        order = np.argsort([-len(text) for text in texts], kind="stable")
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        step = self.chunk
        for start in range(0, len(texts), step):
            rows = order[start : start + step]
            vectors[rows] = self._encode([_encodable(texts[row]) for row in rows], role)
            if stage is not None:
                stage.advance(len(rows))
        return vectors

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None:
        from transformers import PreTrainedTokenizerBase

        module = self.model[0]
        tokenizer = getattr(module, "tokenizer", None)
        if not isinstance(tokenizer, PreTrainedTokenizerBase) or (
            "message" in getattr(module, "modality_config", ())  # a chat template adds its own
        ):
            return None
        cuts = np.zeros((len(texts), 2), dtype=np.int32)
        limit, prompt = self._limit(module, role), self._prompt(role)
        if limit is None:
            return cuts
        # A token is at least one character of ASCII, but for special tokens and a leading blank.
        spare = limit - tokenizer.num_special_tokens_to_add() - 1
        written = [prompt + _encodable(text) for text in texts]
        long = [at for at, text in enumerate(written) if len(text) > spare or not text.isascii()]
        if long:
            options = {"return_attention_mask": False, "return_token_type_ids": False}
            with quiet():
                found = tokenizer([written[at] for at in long], truncation=False, **options)
            tokens = np.array([len(numbers) for numbers in found["input_ids"]])
            cuts[long] = np.where(tokens > limit, [tokens, np.full(len(long), limit)], 0).T
        return cuts

    def _limit(self, module: Any, role: Role) -> int | None:
        """How many tokens are read of a text of this role; None where there is no limit."""
        own = getattr(module, "query_length" if role == "query" else "document_length", None)
        set_by_model = (getattr(module, "processing_kwargs", None) or {}).get("text", {})
        limit = set_by_model.get("max_length") or own or self.model.max_seq_length
        return int(limit) if limit and limit < NO_LIMIT else None

    def _prompt(self, role: Role) -> str:
        """What is put before a text of this role: as given, else as the model has it."""
        given = self.spec.prompt(role)
        if given is not None:
            return given
        prompts: dict[str, str] = self.model.prompts or {}
        default = self.model.default_prompt_name
        names = [name for name in (*PROMPTS[role], default) if name in prompts]
        return prompts[names[0]] or "" if names else ""

    @cached_property
    def dimension(self) -> int:
        """Dimensions of the model's vectors."""
        known = self.model.get_embedding_dimension()
        return int(known) if known else int(self._encode([" "], "passage").shape[1])

    def _encode(self, texts: list[str], role: Role) -> Vectors:
        encode = self.model.encode_query if role == "query" else self.model.encode_document
        try:
            with quiet():
                vectors: Vectors = encode(
                    texts,
                    prompt=self.spec.prompt(role),
                    batch_size=self.spec.batch_size,
                    show_progress_bar=False,
                    convert_to_numpy=True,
                    normalize_embeddings=getattr(self.spec, "normalize", False),
                )
        except RuntimeError as error:
            if type(error).__name__ != "OutOfMemoryError":
                raise
            raise ConfigError(
                f"{self.model.device} ran out of memory at batch_size {self.spec.batch_size}",
                where=f"encoder {self.spec.label}",
                instead="Lower batch_size or max_seq_length",
            ) from error
        return vectors

    @cached_property
    def model(self) -> Any:
        """The sentence-transformers model, on its device."""
        for missing in self.spec.missing_packages():
            raise missing
        where = f"encoder {self.spec.label}"
        if problems := self.spec.check():
            raise ConfigError(replace(problem, where=where) for problem in problems)
        with quiet():
            model = self._load()
        limit = self.spec.max_seq_length
        if limit is not None:
            most = positions(model)
            if most == 0:
                raise ConfigError(
                    "max_seq_length is set, but this model reads texts whole",
                    where=where,
                    instead="Leave max_seq_length out",
                )
            if most is not None and limit > most:
                raise ConfigError(
                    f"max_seq_length is {limit:,}, but the model reads at most {most:,} tokens",
                    where=where,
                )
            model.max_seq_length = limit
        return model

    def _load(self) -> Any:
        import torch
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.util import is_sentence_transformer_model

        location = self.spec.location()
        options: dict[str, Any] = {
            "device": choose_device(self.spec.device, self.spec.label),
            "revision": self.revision,
            "trust_remote_code": False,
            "model_kwargs": {"dtype": getattr(torch, self.spec.dtype)},
        }
        try:
            # What is on this machine is taken as it is: a run must not depend on the network.
            model = SentenceTransformer(location, local_files_only=True, **options)
        except Exception as error:
            if getattr(self.spec, "folder", location) is not None:
                raise self._unloadable(error) from error
            self._refuse_unreachable(location)
            self.progress.note(STRINGS.note("downloading", model=location))
            try:
                model = SentenceTransformer(location, **options)
            except Exception as error:
                raise self._unloadable(error) from error
        if not is_sentence_transformer_model(
            location, revision=self.revision, local_files_only=True
        ):
            self.progress.note(STRINGS.note("mean_pooled", model=location))
        # Modules after the transformer (dense layers, static embeddings) follow its precision.
        return model.to(getattr(torch, self.spec.dtype)).eval()

    def _unloadable(self, error: Exception) -> ConfigError:
        message = str(error).strip().partition("\n")[0]
        return ConfigError(
            f"the model cannot be loaded ({type(error).__name__}: {message})",
            where=f"encoder {self.spec.label}",
            instead=ANOTHER,
        )

    def _refuse_unreachable(self, name: str) -> None:
        """Ask the hub once: loading itself would try again for more than a minute."""
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError

        try:
            HfApi().model_info(name, timeout=HUB_TIMEOUT)
        except HfHubHTTPError:
            return  # the hub answers; loading says what is wrong
        except Exception as error:
            raise ConfigError(
                f"the model {name} is neither a folder nor on this machine, and the model hub "
                f"cannot be reached ({type(error).__name__})",
                where=f"encoder {name}",
                instead=ANOTHER,
            ) from error


def positions(model: Any) -> int | None:
    """How many tokens of a text a sentence-transformers model has positions for; None where it
    does not say, 0 where its first module cuts no text."""
    transformer = model.transformers_model
    if transformer is None:
        return 0
    stated = getattr(transformer.config.get_text_config(), "max_position_embeddings", None)
    if not stated or stated < 0:
        return None
    # RoBERTa and its like count positions from the one after the padding's.
    first = max(
        (
            padding + 1
            for part in transformer.modules()
            if isinstance(padding := getattr(part, "padding_idx", None), int)
            and hasattr(part, "position_embeddings")
        ),
        default=0,
    )
    return int(stated) - first


def choose_device(asked: Device, label: str) -> str:
    """The device to run on.

    Raises:
        ConfigError: a device was asked for that is not there.
    """
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if asked == "auto":
        return next((device for device, usable in there.items() if usable), "cpu")
    if not there.get(asked, True):
        usable = ["auto", "cpu", *(device for device, usable in there.items() if usable)]
        raise ConfigError(
            f"device is {asked}, but PyTorch finds no such device here",
            where=f"encoder {label}",
            instead=f"Usable here: {', '.join(usable)}",
        )
    return asked


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the libraries' own bars, logs and warnings off the terminal."""
    from huggingface_hub import utils
    from transformers.utils import logging as transformers_logging

    hub: Any = utils
    bars: Any = transformers_logging
    loggers = [
        logging.getLogger(name)
        for name in ("sentence_transformers", "transformers", "huggingface_hub")
    ]
    levels = [logger.level for logger in loggers]
    hub_shows, library_shows = not hub.are_progress_bars_disabled(), bars.is_progress_bar_enabled()
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        bars.disable_progress_bar()
        hub.disable_progress_bars()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if library_shows:
            bars.enable_progress_bar()
        (hub.enable_progress_bars if hub_shows else hub.disable_progress_bars)()


def _encodable(text: str) -> str:
    """The text with lone surrogates, which JSON can hold and tokenizers refuse, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
