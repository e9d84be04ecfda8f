"""Tokenizers: how a text becomes the terms that BM25 counts.

``tokenizer: english`` is short for ``{kind: snowball, language: english}``, and the name of a
kind for that kind with its defaults. To add one, copy a neighbour and add its class to
:data:`TOKENIZERS`.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from ragscore.errors import did_you_mean
from ragscore.kinds import OneOf, spec_catalogue
from ragscore.plugins import Catalogue
from ragscore.text.base import Analyzer as Analyzer
from ragscore.text.base import Terms as Terms
from ragscore.text.base import TokenizerSpec as TokenizerSpec
from ragscore.text.korean import Korean as Korean
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
        "korean": Korean,
    },
)
"""Every tokenizer by its kind."""


def _from_short(text: str) -> dict[str, str]:
    """``korean`` is ``{kind: korean}``, and ``english`` the Snowball stemmer of that language."""
    if text in get_args(SnowballLanguage):
        return {"kind": "snowball", "language": text}
    names = TOKENIZERS.names()
    if text in names:
        return {"kind": text}
    raise ValueError(
        f"'{text}' is not a tokenizer. {did_you_mean(text, [*names, *get_args(SnowballLanguage)])}"
    )


Tokenizer = Annotated[
    TokenizerSpec,
    OneOf(TOKENIZERS, _from_short, SnowballLanguage | Literal[tuple(TOKENIZERS)]),
]
"""Any tokenizer; text such as ``english`` or ``words`` is accepted in its place."""
