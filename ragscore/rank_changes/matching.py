"""Which retriever and which dataset of a later result is which of an earlier one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragscore.errors import ConfigError, unknown_name


@dataclass(frozen=True)
class MatchedNames:
    """Names of an earlier and of a later result that mean the same.

    Attributes:
        pairs: (earlier, later), in the order of the later result.
        only_before, only_after: names without a counterpart.
    """

    pairs: tuple[tuple[str, str], ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]


def matched_names(
    before: Sequence[str],
    after: Sequence[str],
    renamed: Mapping[str, str] | Collection[str] = (),
) -> MatchedNames:
    """Match names: as ``renamed`` says, else equal ones; where each result has only one name and
    nothing else matches, these two.

    Args:
        before, after: names of each result, in order.
        renamed: earlier name to later name; or texts ``OLD=NEW``, whose names may have ``=`` in
            them.

    >>> matched_names(["bm25", "old"], ["new", "bm25"], {"old": "new"}).pairs
    (('old', 'new'), ('bm25', 'bm25'))
    >>> matched_names(["old"], ["new"]).pairs
    (('old', 'new'),)
    >>> matched_names(["k1=1", "b"], ["k1=2", "b"], ["k1=1=k1=2"]).pairs
    (('k1=1', 'k1=2'), ('b', 'b'))

    Raises:
        ConfigError: ``renamed`` names something that is not there, one name twice, or can be read
            in several ways.
    """
    named = renamed.items() if isinstance(renamed, Mapping) else ()
    texts = () if isinstance(renamed, Mapping) else renamed
    listed = [*named, *(_renamed(text, before, after) for text in texts)]
    given = dict(listed)
    sides = (("earlier", list(given), before), ("later", list(given.values()), after))
    for side, asked, there in sides:
        for name in asked:
            if name not in there:
                kind = f"retriever of the {side} result"
                raise ConfigError(unknown_name(kind, name, there, "pair"))
    if not len(set(given.values())) == len(given) == len(listed):
        raise ConfigError("one retriever is paired twice", where="pair", instead="Pair it once")
    old_of = {new: old for old, new in given.items()}
    for name in after:
        if name in before and name not in old_of and name not in given:
            old_of[name] = name
    if not old_of and len(before) == len(after) == 1:
        old_of[after[0]] = before[0]
    pairs = tuple((old_of[name], name) for name in after if name in old_of)
    used = {old for old, _ in pairs}
    return MatchedNames(
        pairs,
        tuple(name for name in before if name not in used),
        tuple(name for name in after if name not in old_of),
    )


def _renamed(text: str, before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    """The two names of ``OLD=NEW``: where these have ``=`` in them, as the results name them."""
    splits = list(_splits(text))
    if not splits:
        raise ConfigError(
            f"'{text}' is not OLD=NEW", where="pair", instead="Name both, such as bm25=lexical"
        )
    known = [(old, new) for old, new in splits if old in before and new in after]
    if len(known) > 1:
        meant = " or ".join(f"'{old}' and '{new}'" for old, new in known)
        raise ConfigError(
            f"'{text}' may mean {meant}", where="pair", instead="In Python, pairs takes a mapping"
        )
    return (known or splits)[0]


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """What may be meant by ``OLD=NEW``."""
    for at, letter in enumerate(text):
        if letter == "=" and 0 < at < len(text) - 1:
            yield text[:at], text[at + 1 :]


def counterpart(
    name: str, digest: str, before: Sequence[tuple[str, str]], *, only: bool
) -> int | None:
    """Which earlier dataset a later one is: of the same name, else of the same digest, else the
    only one; its place, None if there is none.

    Args:
        name, digest: of the later dataset; an empty digest is that of none.
        before: the name and digest of each earlier dataset.
        only: whether the later result has only this dataset.
    """
    for at, (other, _) in enumerate(before):
        if other == name:
            return at
    for at, (_, other) in enumerate(before):
        if digest and other == digest:
            return at
    return 0 if only and len(before) == 1 else None
