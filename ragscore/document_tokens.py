"""Where the tokens of documents begin, by the tokenizers of models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import load_arrays, save_arrays
from ragscore.cache import Cache, entry_key, open_or_make
from ragscore.code_points import codes_of, white_space
from ragscore.dataset import Dataset
from ragscore.dataset.documents import Documents
from ragscore.encoders.named_tokenizers import BLOCK, NamedTokenizer, open_tokenizer
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
