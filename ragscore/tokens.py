"""Tokens by a tokenizer that somebody names: where those of documents begin, and how many each
passage has.

Only what a user hands over may come here: the config given to ``ragscore run``, the command line,
or their own Python. What a result folder names never does: no module that reads results imports
this one, and the layer contract in pyproject.toml holds that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import load_arrays, save_arrays
from ragscore.cache import Cache, entry_key, open_or_make
from ragscore.code_points import codes_of, white_space
from ragscore.dataset import Corpus, Dataset
from ragscore.dataset.documents import Documents
from ragscore.dataset.text_columns import taken
from ragscore.encoders.named_tokenizers import BLOCK, NamedTokenizer, open_tokenizer
from ragscore.errors import ConfigError, did_you_mean
from ragscore.files import expanded
from ragscore.foreign_code import first_on_path
from ragscore.version import installed_version


def with_tokens(
    dataset: Dataset, tokenizers: str | Iterable[str], cache: Cache | None = None
) -> Dataset:
    """The dataset, whose documents know where the tokens of some tokenizers begin: what measures
    with ``unit=tokens`` count.

    Each document is split into tokens once and as a whole, so that they do not depend on chunks; a
    token begins at its first character that is no white space.

    Args:
        dataset: before or after its documents were cut; itself where it has none.
        tokenizers: the name of one, or those of several.
        cache: where the places are kept; None keeps nothing.

    Raises:
        ConfigError: there is no such tokenizer, or it is not one.
        MissingPackageError: a package is not installed.

    >>> documents = {"terms.md": "Rent is due monthly."}
    >>> dataset = Dataset.from_rows(None, {}, [], documents=documents)
    >>> with_tokens(dataset, "minilm").documents.tokens["minilm"].tolist()
    [0, 5, 8, 12, 19]
    """
    named = [tokenizers] if isinstance(tokenizers, str) else tokenizers
    documents = dataset.documents
    new = [name for name in dict.fromkeys(named) if documents and name not in documents.tokens]
    if documents is None or not new:
        return dataset
    found = {name: _token_begins(open_tokenizer(name), documents, cache) for name in new}
    located = replace(documents, tokens={**documents.tokens, **found})
    made = replace(dataset.uncut or dataset, documents=located)
    cut = dataset.chunkings
    if cut is None:
        return made
    return made.chunked({name: cut.chunks.select(rows) for name, rows in cut.rows.items()})


def _token_begins(
    tokenizer: NamedTokenizer, documents: Documents, cache: Cache | None
) -> NDArray[np.int64]:
    """Where the tokens begin among the characters of all documents, as the cache keeps them."""
    versions = {"tokenizers": installed_version("tokenizers"), "block": BLOCK}
    key = entry_key(1, {"tokenizer": tokenizer.digest, **versions}, documents.digest)

    def locate() -> NDArray[np.int64]:
        found = [np.zeros(0, dtype=np.int64)]
        for text, offset in zip(documents.texts, documents.offsets.tolist(), strict=False):
            found.append(_solid_begins(text, tokenizer.spans(text)) + offset)
        return np.concatenate(found)

    begins: NDArray[np.int64] = open_or_make(
        cache,
        "token-begins",
        key,
        locate,
        lambda begins, folder: save_arrays(folder, {"begins": begins}),
        lambda folder: load_arrays(folder, ["begins"])["begins"],
    ).value
    return begins


def _solid_begins(text: str, spans: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where tokens begin, without the white space that some tokenizers put before their words:
    ascending."""
    solid = np.flatnonzero(~white_space(codes_of(text)))
    first = np.append(solid, len(text))[np.searchsorted(solid, spans[:, 0])]
    return np.sort(np.where(first < spans[:, 1], first, spans[:, 0]))


def token_counter(named: str) -> Callable[[Corpus, NDArray[np.int64]], NDArray[np.int64]]:
    """A function that counts the tokens of passages; foreign code is imported now and runs with
    each count.

    Args:
        named: a folder with a Hugging Face tokenizer.json, that file, an encoder such as
            ``minilm``, a model of the hub that is on this machine, or
            ``package.module:function``, which takes a text and returns how many tokens it has.

    Raises:
        ConfigError: there is no such tokenizer, or it is not one; or, when counting, it failed.

    >>> from ragscore.dataset import Dataset
    >>> dataset = Dataset.from_rows({"p": "Rent is due"}, {"q": "When?"}, {"q": ["p"]})
    >>> token_counter("builtins:len")(dataset.corpus, np.array([0])).tolist()  # of letters
    [11]
    """
    own = ":" in named and not expanded(named).exists()
    count = _own_counter(named) if own else open_tokenizer(named).counts

    def count_tokens(corpus: Corpus, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.array(count(taken(corpus.texts, rows)), dtype=np.int64)

    return count_tokens


def _own_counter(named: str) -> Callable[[Sequence[str]], list[int]]:
    where = f"tokenizer {named}"
    module, _, path = named.partition(":")
    try:
        invalidate_caches()
        with first_on_path(str(Path.cwd())):
            imported = import_module(module)
    except Exception as error:
        what = f"importing '{module}' raised {type(error).__name__}: {error}"
        raise ConfigError(what, where=where) from error
    try:
        function: Any = reduce(getattr, path.split("."), imported)
    except AttributeError:
        public = [key for key in vars(imported) if not key.startswith("_")]
        what = f"the module {module} has no '{path}'"
        raise ConfigError(what, where=where, instead=did_you_mean(path, public)) from None

    def count(texts: Sequence[str]) -> list[int]:
        counted = []
        for text in texts:
            try:
                size = function(text)
            except Exception as error:
                what = f"it raised {type(error).__name__}: {error}"
                raise ConfigError(what, where=where) from error
            if isinstance(size, bool) or not isinstance(size, int) or size < 0:
                raise ConfigError(
                    f"it returned {size!r}", where=where, instead="Return a number of tokens"
                )
            counted.append(size)
        return counted

    return count
