"""Tokenizers: how a text becomes the terms that BM25 counts.

``tokenizer: english`` is short for ``{kind: snowball, language: english}``, ``bigrams`` for
``{kind: ngrams, n: 2}``, and the name of a kind for that kind with its defaults. To add one, copy a
neighbour and add its class to :data:`TOKENIZERS`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from ragscore.errors import did_you_mean
from ragscore.kinds import OneOf, spec_catalogue
from ragscore.plugins import Catalogue
from ragscore.text.base import Analyzer as Analyzer
from ragscore.text.base import Terms as Terms
from ragscore.text.base import TokenizerSpec as TokenizerSpec
from ragscore.text.korean import Korean as Korean
from ragscore.text.ngrams import Ngrams as Ngrams
from ragscore.text.script import written_in as written_in
from ragscore.text.snowball import Snowball as Snowball
from ragscore.text.snowball import SnowballLanguage as SnowballLanguage
from ragscore.text.uninflected import Whitespace as Whitespace
from ragscore.text.uninflected import Words as Words

TOKENIZERS: Catalogue[type[TokenizerSpec]] = spec_catalogue(
    "ragscore.tokenizers",
    "tokenizer",
    TokenizerSpec,
    {
        "snowball": Snowball,
        "words": Words,
        "none": Whitespace,
        "ngrams": Ngrams,
        "korean": Korean,
    },
)
"""Every tokenizer by its kind."""


NamedTokenizer = Literal["bigrams"]
_NAMED: dict[NamedTokenizer, dict[str, Any]] = {"bigrams": {"kind": "ngrams", "n": 2}}


def _from_short(text: str) -> dict[str, Any]:
    """``korean`` is ``{kind: korean}``, and ``english`` the Snowball stemmer of that language."""
    if text in get_args(SnowballLanguage):
        return {"kind": "snowball", "language": text}
    names = TOKENIZERS.names()
    if text in names:
        return {"kind": text}
    if text in _NAMED:
        return _NAMED[text]
    allowed = [*names, *_NAMED, *get_args(SnowballLanguage)]
    raise ValueError(f"'{text}' is not a tokenizer. {did_you_mean(text, allowed)}")


Tokenizer = Annotated[
    TokenizerSpec,
    OneOf(TOKENIZERS, _from_short, SnowballLanguage | NamedTokenizer | Literal[tuple(TOKENIZERS)]),
]
"""Any tokenizer; text such as ``english`` or ``words`` is accepted in its place."""
