"""What encoders leave unread: texts that are longer than a model reads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import NonNegativeInt

from ragscore.elements.numbers import count_text, share_text
from ragscore.encoders.base import TokenCuts
from ragscore.messages import Message, _
from ragscore.records import adapter

TextRole = Literal["passage", "window", "query", "pair"]
"""What a model reads: a passage or a window of it, a query, or (a cross-encoder) a query and a
passage together."""

FILE = "truncation.json"

LONGER: dict[TextRole, tuple[Message, Message]] = {
    "passage": (
        _("{count} of {n} passages is longer"),
        _("{count} of {n} passages are longer"),
    ),
    "window": (_("{count} of {n} windows is longer"), _("{count} of {n} windows are longer")),
    "query": (_("{count} of {n} queries is longer"), _("{count} of {n} queries are longer")),
    "pair": (
        _("{count} of {n} pairs of query and passage is longer"),
        _("{count} of {n} pairs of query and passage are longer"),
    ),
}
"""By role, how many texts are cut: one, or any other number."""


@dataclass(frozen=True)
class Truncation:
    """How many texts of a role an encoder cut, and what it did not read of them.

    Attributes:
        retriever: the retriever that encodes.
        role: passages, windows of them, queries, or pairs of a query and a passage.
        texts: how many there are.
        cut: how many are longer than the encoder reads.
        limit: tokens that it reads of a text, special ones and prompt included; 0 if no
            text was cut.
        tokens: tokens of the texts that were cut.
        unread: how many of these were not read.
    """

    retriever: str
    role: TextRole
    texts: NonNegativeInt
    cut: NonNegativeInt
    limit: NonNegativeInt
    tokens: NonNegativeInt
    unread: NonNegativeInt

    @classmethod
    def known(cls, retriever: str, role: TextRole, cuts: TokenCuts | None) -> Truncation | None:
        """As :meth:`of`; None if an encoder does not say what it reads."""
        return None if cuts is None else cls.of(retriever, role, cuts)

    @classmethod
    def of(cls, retriever: str, role: TextRole, cuts: TokenCuts) -> Truncation:
        """Counted from the tokens of each text."""
        tokens, read = (cuts[:, at].astype(np.int64) for at in (0, 1))
        return cls(
            retriever,
            role,
            texts=len(cuts),
            cut=int((tokens > 0).sum()),
            limit=int(read.max(initial=0)),
            tokens=int(tokens.sum()),
            unread=int((tokens - read).sum()),
        )

    @classmethod
    def total(cls, parts: Iterable[Truncation | None]) -> Truncation | None:
        """Of several groups of texts together; None if that of one is unknown, or there is
        none."""
        known = list(parts)
        there = [part for part in known if part is not None]
        if not there or len(there) < len(known):
            return None
        return replace(
            there[0],
            texts=sum(part.texts for part in there),
            cut=sum(part.cut for part in there),
            limit=max(part.limit for part in there),
            tokens=sum(part.tokens for part in there),
            unread=sum(part.unread for part in there),
        )

    @property
    def cut_share(self) -> float:
        """Share of the texts that was cut."""
        return self.cut / self.texts if self.texts else 0.0

    @property
    def unread_share(self) -> float:
        """Share of the tokens of the cut texts that was not read; 0 if none was cut."""
        return self.unread / self.tokens if self.tokens else 0.0


def truncations_of(
    retriever: str, passages: Truncation | None, queries: TokenCuts | None
) -> tuple[Truncation, ...]:
    """What a retriever leaves unread.

    Args:
        retriever: its name.
        passages: of its passages, as counted when they were encoded, perhaps for another one.
        queries: of its queries, by query.
    """
    of_passages = None if passages is None else replace(passages, retriever=retriever)
    both = (of_passages, Truncation.known(retriever, "query", queries))
    return tuple(known for known in both if known is not None)


def write_truncation(truncation: Truncation | None, folder: Path) -> None:
    """Keep it in the folder of an index; None if the encoder does not say."""
    known = None if truncation is None else asdict(truncation)
    (folder / FILE).write_text(json.dumps(known), encoding="utf-8")


def read_truncation(folder: Path) -> Truncation | None:
    """What :func:`write_truncation` kept.

    Raises:
        Exception: any; the folder is damaged.
    """
    content = (folder / FILE).read_bytes()
    return None if content == b"null" else adapter(Truncation).validate_json(content)


def truncation_notes(truncations: Iterable[Truncation]) -> list[Message]:
    """One note for each cut that there is; retrievers that share an encoder share it.

    >>> cut = Truncation("minilm", "passage", 168, 165, 256, 114_000, 71_760)
    >>> print(*truncation_notes([cut]))
    minilm reads the first 256 tokens: 165 of 168 passages are longer, and 62.9 % of their tokens \
were not read
    """
    by_cut: dict[Truncation, list[str]] = {}
    for truncation in truncations:
        if truncation.cut:
            names = by_cut.setdefault(replace(truncation, retriever=""), [])
            if truncation.retriever not in names:
                names.append(truncation.retriever)
    return [_note(cut, names) for cut, names in by_cut.items()]


def _note(cut: Truncation, names: list[str]) -> Message:
    one, share = cut.cut == 1, share_text(cut.unread_share)
    who, longer = ", ".join(names), LONGER[cut.role][0 if one else 1]
    return _(
        "{who} the first {limit} tokens: {longer}, and {unread} were not read",
        who=_("{names} reads", names=who) if len(names) == 1 else _("{names} read", names=who),
        limit=count_text(cut.limit),
        longer=longer.given(count=count_text(cut.cut), n=count_text(cut.texts)),
        unread=_("{share} of its tokens", share=share)
        if one
        else _("{share} of their tokens", share=share),
    )
