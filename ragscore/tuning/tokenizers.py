"""token_counter(named): the one place that counts with a tokenizer that somebody names.

Only what a user hands over may come here: the config given to ``ragscore run``, the command line,
or their own Python. What a result folder names never does: no module that reads results imports
this one, and the layer contract in pyproject.toml holds that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Corpus
from ragscore.dataset.text_columns import taken
from ragscore.encoders.named_tokenizers import open_tokenizer
from ragscore.errors import ConfigError, did_you_mean
from ragscore.files import expanded
from ragscore.foreign_code import first_on_path
from ragscore.tuning.cuts import TokenCounter

CountTexts = Callable[[Sequence[str]], list[int]]


def token_counter(named: str) -> TokenCounter:
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
    count: CountTexts = _own(named) if own else open_tokenizer(named).counts

    def count_tokens(corpus: Corpus, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.array(count(taken(corpus.texts, rows)), dtype=np.int64)

    return count_tokens


def _own(named: str) -> CountTexts:
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
