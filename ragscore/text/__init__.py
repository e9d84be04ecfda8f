"""Tokenizers: how a text becomes the terms that BM25 counts.

``tokenizer: english`` is short for ``{kind: snowball, language: english}``, and the name of a
kind for that kind with its defaults. To add one, copy a neighbour and add it to
:data:`TOKENIZERS` and :data:`Tokenizer`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from ragscore.errors import did_you_mean
from ragscore.text.base import Analyzer, Terms, TokenizerSpec, installed_versions
from ragscore.text.korean import Korean
from ragscore.text.plain import Whitespace, Words
from ragscore.text.script import written_in
from ragscore.text.snowball import Language, Snowball

TOKENIZERS: dict[str, type[TokenizerSpec]] = {
    "snowball": Snowball,
    "words": Words,
    "none": Whitespace,
    "korean": Korean,
}
"""Every tokenizer by its kind; ``TOKENIZERS[kind].summary()`` says what it is in one line."""

ShortForm = Language | Literal["words", "none", "korean", "snowball"]


def _spelled_out(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value in TOKENIZERS:
        return {"kind": value}
    if value in get_args(Language):
        return {"kind": "snowball", "language": value}
    hint = did_you_mean(value, [*TOKENIZERS, *get_args(Language)])
    raise ValueError(f"'{value}' is no tokenizer. {hint}")


Tokenizer = Annotated[
    Annotated[Snowball | Words | Whitespace | Korean, Field(discriminator="kind")],
    BeforeValidator(
        _spelled_out,
        json_schema_input_type=Snowball | Words | Whitespace | Korean | ShortForm,
    ),
]
"""Any tokenizer; text such as ``english`` or ``words`` is accepted in its place."""

__all__ = [
    "TOKENIZERS",
    "Analyzer",
    "Korean",
    "Language",
    "Snowball",
    "Terms",
    "Tokenizer",
    "TokenizerSpec",
    "Whitespace",
    "Words",
    "installed_versions",
    "written_in",
]
