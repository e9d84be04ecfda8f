"""Loading a model of sentence-transformers, of any of its classes: from this machine where it is
there, from the hub after one question, and never with code of its own."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import get_ident
from typing import Any

from ragscore.encoders.model_options import Device, ModelOptions, too_long
from ragscore.encoders.model_types import CROSS_ENCODER, DENSE, SPARSE, ModelType
from ragscore.encoders.quiet import quiet
from ragscore.errors import ConfigError
from ragscore.messages import _
from ragscore.progress import Progress

LENGTHS = {"query": "query_length", "passage": "document_length"}
"""Attributes of a module that reads a role only so far, whatever the model has positions for."""

HUB_TIMEOUT = 10.0
"""Seconds to wait for the model hub's first answer."""

NOT_SAID = {
    DENSE.library_class: _(
        "{model} does not say how to pool its token vectors; their mean is used"
    ),
    SPARSE.library_class: _(
        "{model} does not say how to pool its token scores; SPLADE's maximum is used, which is "
        "meaningless unless the model was trained for it"
    ),
}
"""The note for a transformer whose files do not say how its tokens become a vector."""

REPORTER = "transformers.modeling_utils"
"""The logger that says which weights a model's files lack."""

MISSING = re.compile(r"^(\S+)\s*\|\s*(?:\x1b\[\d+m)*MISSING\b", re.MULTILINE)


def load_model(options: ModelOptions, revision: str | None, progress: Progress) -> Any:
    """The model, on its device, of the class that ``options.model_type`` names.

    Args:
        options: which model, and how it is run.
        revision: of a model from the hub.
        progress: reports a download and of a model that lacks a configuration.

    Raises:
        ConfigError: it cannot be loaded, is of another type, or does not fit its options.
        MissingPackageError: a package is not installed.
    """
    for missing in options.missing_packages():
        raise missing
    _refuse_problems(options)
    with quiet(), _missing_weights() as lacking:
        model = _load(options, revision, progress)
    _refuse_random(options, lacking)
    if options.max_seq_length is not None:
        _limit_length(options, model, options.max_seq_length)
    return model


def _load(options: ModelOptions, revision: str | None, progress: Progress) -> Any:
    import sentence_transformers
    import torch
    from sentence_transformers.util import is_sentence_transformer_model

    model_type = options.model_type
    make = getattr(sentence_transformers, model_type.library_class)
    location = options.location()
    arguments: dict[str, Any] = {
        "device": choose_device(options.device, options.where),
        "revision": revision,
        "trust_remote_code": False,
        "model_kwargs": {"dtype": getattr(torch, options.dtype)},
    }
    try:
        # What is on this machine is taken as it is: a run must not depend on the network.
        model = make(location, local_files_only=True, **arguments)
    except Exception as error:
        if getattr(options, "folder", location) is not None:
            raise _unloadable(options, error) from error
        refuse_unreachable(location, options.where, another(model_type))
        progress.note(_("downloading the model {model}", model=location))
        try:
            model = make(location, **arguments)
        except Exception as error:
            _refuse_problems(options)  # its files are here now, and may be of another type
            raise _unloadable(options, error) from error
        _refuse_problems(options)
    if model_type.library_class in NOT_SAID and not is_sentence_transformer_model(
        location, revision=revision, local_files_only=True
    ):
        progress.note(NOT_SAID[model_type.library_class].given(model=location))
    # Modules after the transformer (dense layers, static embeddings) follow its precision.
    return model.to(getattr(torch, options.dtype)).eval()


def _refuse_problems(options: ModelOptions) -> None:
    if problems := options.check():
        raise ConfigError(replace(problem, where=options.where) for problem in problems)


def _refuse_random(options: ModelOptions, lacking: list[str]) -> None:
    """Refuse a model whose files lack weights: the library fills them with random numbers. A dense
    one needs no more than its transformer, and says so itself."""
    model_type = options.model_type
    if model_type is not CROSS_ENCODER:
        lacking = [name for name in lacking if "pooler" not in name]  # which nothing reads
    if lacking and model_type is not DENSE:
        raise ConfigError(
            f"the model's files lack {len(lacking):,} weights, such as {lacking[0]}; they would be "
            "random numbers",
            where=options.where,
            instead=f"Name a model that was trained as {model_type.noun_phrase}, such as "
            f"{model_type.example}",
        )


@contextmanager
def _missing_weights() -> Iterator[list[str]]:
    """The names of the weights that the files of what is loaded inside lack: nothing but a log of
    the library tells them."""
    logger = logging.getLogger(REPORTER)
    found: list[str] = []

    def collect(record: logging.LogRecord) -> bool:
        if record.thread == get_ident():  # others may load models of their own
            found.extend(MISSING.findall(record.getMessage()))
        return False

    level = logger.level
    logger.setLevel(logging.WARNING)
    logger.addFilter(collect)
    try:
        yield found
    finally:
        logger.removeFilter(collect)
        logger.setLevel(level)


def _limit_length(options: ModelOptions, model: Any, limit: int) -> None:
    most = positions(model)
    if most == 0:
        raise ConfigError(
            "max_seq_length is set, but this model reads texts whole",
            where=options.where,
            instead="Leave max_seq_length out",
        )
    if most is not None and limit > most:
        raise ConfigError(
            too_long(limit, most),
            where=options.where,
        )
    model.max_seq_length = limit
    if getattr(model[0], LENGTHS["passage"], None):
        setattr(model[0], LENGTHS["passage"], limit)


def _unloadable(options: ModelOptions, error: Exception) -> ConfigError:
    return unloadable(error, options.where, another(options.model_type))


def unloadable(error: Exception, where: str, instead: str) -> ConfigError:
    """The error to raise where a library cannot load a model."""
    message = str(error).strip().partition("\n")[0].rstrip(".")
    return ConfigError(
        f"the model cannot be loaded ({type(error).__name__}: {message})",
        where=where,
        instead=instead,
    )


def refuse_unreachable(name: str, where: str, instead: str) -> None:
    """Ask the hub for a model once: loading it would try again for more than a minute.

    Raises:
        ConfigError: the hub does not answer.
    """
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
            where=where,
            instead=instead,
        ) from error


def another(model_type: ModelType) -> str:
    """What to do where a model of a type cannot be had."""
    minilm = ", or use encoder: minilm, which needs no network" if model_type is DENSE else ""
    return f"Give the folder of a downloaded model{minilm}"


def positions(model: Any) -> int | None:
    """How many tokens of a text a sentence-transformers model has positions for; None if it
    does not say, 0 if its first module cuts no text."""
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


def choose_device(asked: Device, where: str) -> str:
    """The device to run on.

    Args:
        asked: as the options say.
        where: what an error names.

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
            where=where,
            instead=f"Usable here: {', '.join(usable)}",
        )
    return asked
