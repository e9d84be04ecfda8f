"""Tokenizers of models, named by text: where the tokens of a text stand, and how many there are.

A name is the folder of a Hugging Face ``tokenizer.json``, that file, an encoder that works without
options (``minilm``), or a model of the hub that is on this machine. No model is loaded, and no code
of the user's is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.encoders.model_options import HUB_NAME, ModelOptions
from ragscore.encoders.open_model import encodable
from ragscore.encoders.sentence_transformers import MiniLM, SentenceTransformers
from ragscore.errors import ConfigError, MissingPackageError, Problem
from ragscore.files import expanded
from ragscore.spec import digest_text

FILE = "tokenizer.json"
BLOCK = 1 << 16
"""Characters of a long text that are split into tokens at a time, or a few more: a block begins
with the white space before a word."""
BATCH = 16
"""Blocks, or texts, that are given to the library at once: it splits them side by side."""
BLOCK_END = re.compile(r"\s(?=\S)")
LINE_END = re.compile(r"\n(?=\S)")

PACKAGED: Mapping[str, Callable[[], ModelOptions]] = {"minilm": MiniLM}
"""Encoders that work without options, whose model comes with a package."""

EXPECTED = (
    f"Name the folder of a Hugging Face {FILE}, minilm, or a model on the hub that was downloaded"
)


@dataclass(frozen=True, eq=False)
class NamedTokenizer:
    """A tokenizer that is loaded.

    Attributes:
        named: as the user named it.
        library: the tokenizer, of the package tokenizers.
    """

    named: str
    library: Any

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what the tokenizer is: 64 hex digits."""
        return digest_text(self.library.to_str())

    def counts(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, without special ones."""
        written = [encodable(text) for text in texts]
        encoded = self.library.encode_batch(written, add_special_tokens=False)
        return [len(text.ids) for text in encoded]

    @property
    def special(self) -> int:
        """How many special tokens stand around a text."""
        return int(self.library.num_special_tokens_to_add(False))

    def spans(self, text: str) -> NDArray[np.int64]:
        """Where the tokens of a text begin and end: int64[n, 2] of characters, in order; what the
        tokenizer drops, such as white space, is in none. Several tokens may be of one character."""
        found = [np.zeros((0, 2), dtype=np.int64)]
        blocks = list(_blocks(encodable(text)))
        for first in range(0, len(blocks), BATCH):
            batch = blocks[first : first + BATCH]
            encoded = self.library.encode_batch(
                [block for _, block in batch], add_special_tokens=False
            )
            for (start, _), block in zip(batch, encoded, strict=True):
                found.append(np.array(block.offsets, dtype=np.int64).reshape(-1, 2) + start)
        spans = np.concatenate(found)
        return spans[spans[:, 1] > spans[:, 0]]


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Parts of a long text with their beginnings: whole lines where lines end, else whole words."""
    start = 0
    while len(text) - start > 2 * BLOCK:
        at = start + BLOCK
        found = LINE_END.search(text, at, at + BLOCK) or BLOCK_END.search(text, at, at + BLOCK)
        end = at if found is None else found.start()
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def open_tokenizer(named: str) -> NamedTokenizer:
    """The tokenizer of that name.

    Args:
        named: a folder with a tokenizer.json, that file, an encoder, or a model of the hub.

    Raises:
        ConfigError: there is no such tokenizer, or it is not one.
        MissingPackageError: a package is not installed.

    >>> tokenizer = open_tokenizer("minilm")
    >>> tokenizer.counts(["Rent is due monthly."]), tokenizer.spans("Rent is due")[1].tolist()
    ([5], [5, 7])
    """
    file = tokenizer_file(named)
    if file is None:
        raise ConfigError(_no_tokenizer(named).what, where=f"tokenizer {named}", instead=EXPECTED)
    stated = file.stat()
    return NamedTokenizer(named, _loaded(str(file), stated.st_mtime_ns, stated.st_size))


def tokenizer_file(named: str) -> Path | None:
    """The file of the tokenizer of that name; None if there is none on this machine.

    Raises:
        MissingPackageError: the package that brings it is not installed.
    """
    place = expanded(named)
    if place.is_file():
        return place
    folder = place if place.is_dir() else _model_folder(named)
    if folder is None:
        return None
    # Models that sentence-transformers stored long ago have it beside their transformer.
    files = (folder / FILE, folder / "0_Transformer" / FILE, folder / "0_StaticEmbedding" / FILE)
    return next((file for file in files if file.is_file()), None)


def tokenizer_problems(named: str) -> list[Problem]:
    """Why a tokenizer cannot be opened, if that shows without opening it."""
    try:
        if find_spec("tokenizers") is None:
            raise MissingPackageError("tokenizers", "counting tokens", "dense")
        there = tokenizer_file(named) is not None
    except MissingPackageError as error:
        return list(error.problems)
    return [] if there else [_no_tokenizer(named)]


def _no_tokenizer(named: str) -> Problem:
    """What is wrong where a name is that of no tokenizer."""
    return Problem(f"no {FILE} is here: '{named}'", instead=EXPECTED)


def _model_folder(named: str) -> Path | None:
    """The files of an encoder that works without options, or of a model of the hub."""
    if named in PACKAGED:
        try:
            return PACKAGED[named]().files()
        except ModuleNotFoundError as error:
            package = (error.name or named).replace("_", "-")
            raise MissingPackageError(package, f"the tokenizer '{named}'", "dense") from None
    return SentenceTransformers(model=named).files() if HUB_NAME.fullmatch(named) else None


@lru_cache(maxsize=4)
def _loaded(file: str, changed: int, size: int) -> Any:
    """The tokenizer in a file, as it was at some time."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingPackageError("tokenizers", "counting tokens", "dense") from None
    try:
        tokenizer = Tokenizer.from_file(file)
    except Exception as error:  # tokenizers raises plain Exception
        raise ConfigError(f"not a tokenizer:  {error}", where=file) from None
    # A file may say that texts are cut or filled up to a length.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
