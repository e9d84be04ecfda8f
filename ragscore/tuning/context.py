"""How large a context is: characters, words or tokens of the passages up to each rank.

The texts of the passages are counted, without titles and without what a prompt puts between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Corpus
from ragscore.errors import ConfigError, DataError, MissingPackageError, did_you_mean
from ragscore.paths import expanded
from ragscore.retrievers.custom_index import first_on_path
from ragscore.run import Run
from ragscore.tuning.options import Budget, Unit

TOKENIZER_FILE = "tokenizer.json"


@dataclass(frozen=True, eq=False)
class Contexts:
    """What the passages of each query take up.

    Attributes:
        unit: what is counted.
        sizes: int64[Q, depth + 1], of the first 0, 1, ..., depth passages together.
        returned: int32[Q], how many passages each query got.
        limit: of the budget, None where there is none.
    """

    unit: Unit
    sizes: NDArray[np.int64]
    returned: NDArray[np.int32]
    limit: int | None = None

    def fitting(self, limit: int) -> NDArray[np.int64]:
        """How many passages fit, the first that does not ends the context: int64[Q]."""
        fits: NDArray[np.int64] = (self.sizes[:, 1:] <= limit).sum(axis=1)
        return np.minimum(fits, self.returned)  # empty places behind the last take nothing


def contexts_of(run: Run, corpus: Corpus, budget: Budget) -> Contexts:
    """The sizes of every query's contexts; only passages that were returned are counted.

    Args:
        run: of the queries wanted, over any passages.
        corpus: the texts.
        budget: what to count, and the limit.

    Raises:
        ConfigError: the tokenizer is not there, or is none.
        DataError: a returned passage is not in the corpus.
    """
    used = np.unique(run.rows[run.rows >= 0])
    rows = corpus.ids.rows(run.passages.texts(used))
    if (rows < 0).any():
        unknown = run.passages[int(used[np.flatnonzero(rows < 0)[0]])]
        raise DataError(
            f"passage '{unknown}' is not in the corpus, so its text cannot be counted",
            where=run.name,
            instead="Give the dataset that the run was made from, or leave the budget out",
        )
    lengths = np.zeros(len(run.passages) + 1, dtype=np.int64)  # the last stands for -1
    if budget.unit == "words":
        lengths[used] = corpus.words(rows)
    else:
        lengths[used] = counter(budget)([corpus.texts[row] for row in rows.tolist()])
    sizes = np.zeros((len(run), run.depth + 1), dtype=np.int64)
    np.cumsum(lengths[run.rows], axis=1, out=sizes[:, 1:])
    return Contexts(budget.unit, sizes, run.returned, budget.limit)


def counter(budget: Budget) -> Callable[[Sequence[str]], list[int]]:
    """What counts texts.

    Raises:
        ConfigError: the tokenizer is not there, or is none.
    """
    if budget.unit == "characters":
        return lambda texts: [len(text) for text in texts]
    if budget.unit == "words":
        return lambda texts: [len(text.split()) for text in texts]
    assert budget.tokenizer is not None
    place = expanded(budget.tokenizer)
    if not place.exists() and ":" in budget.tokenizer:
        return _own(budget.tokenizer)
    return _hugging_face(place)


def _hugging_face(place: Path) -> Callable[[Sequence[str]], list[int]]:
    file = place / TOKENIZER_FILE if place.is_dir() else place
    if not file.is_file():
        raise ConfigError(
            f"no {TOKENIZER_FILE} is here",
            where=f"tokenizer {place}",
            instead="Name the folder of a Hugging Face tokenizer, or package.module:function",
        )
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingPackageError("tokenizers", "counting tokens", "dense") from None
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises plain Exception
        raise ConfigError(f"no tokenizer: {error}", where=str(file)) from None
    # A file may say that texts are cut or filled up to a length.
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def count(texts: Sequence[str]) -> list[int]:
        encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [len(one.ids) for one in encoded]

    return count


def _own(named: str) -> Callable[[Sequence[str]], list[int]]:
    where = f"tokenizer {named}"
    module, _, path = named.partition(":")
    try:
        invalidate_caches()
        with first_on_path(str(Path.cwd())):
            imported = import_module(module)
    except Exception as error:
        told = f"importing '{module}' raised {type(error).__name__}: {error}"
        raise ConfigError(told, where=where) from error
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
                told = f"it raised {type(error).__name__}: {error}"
                raise ConfigError(told, where=where) from error
            if isinstance(size, bool) or not isinstance(size, int) or size < 0:
                raise ConfigError(
                    f"it returned {size!r}", where=where, instead="Return a number of tokens"
                )
            counted.append(size)
        return counted

    return count
